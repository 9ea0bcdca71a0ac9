//! What the programs of this crate share.

pub mod paper;
#[cfg(test)]
mod reproduction;

/// Any error that ends a program.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;
