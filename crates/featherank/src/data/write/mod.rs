//! Writers.

mod atomic;
pub use atomic::write_atomically;
