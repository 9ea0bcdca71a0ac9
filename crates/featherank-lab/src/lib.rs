//! What the programs of this crate share.

pub mod paper;
#[cfg(test)]
mod reproduction;
