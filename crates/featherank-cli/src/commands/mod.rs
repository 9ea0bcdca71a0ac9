//! The subcommands, one per file.

pub mod compare;
pub mod convert;
pub mod demo;
pub mod evaluate;
pub mod export;
pub mod inspect;
pub mod methods;
pub mod rank;
pub mod redundancy;
pub mod report;
pub mod select;
pub mod synth;
pub mod train;
