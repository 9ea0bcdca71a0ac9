//! featherank chooses the ranking features worth paying for.
//!
//! A tour, in the order in which data flows:
//! 1. [`data`] reads files into a [`data::Dataset`]: documents of queries, labels, features.
//! 2. [`engine`] takes the rows. Methods never touch them; they send passes and get small answers.
//! 3. [`registry`] knows every measure, selector and ranker with its parameters.
//! 4. [`select`] chooses features and returns a [`select::Selection`]; [`rank`] learns to score
//!    documents.
//! 5. [`measure`] says how good a ranking is, how risky, and whether a difference is more than
//!    chance.
//! 6. [`experiment`] puts them together as papers do: settings chosen on validation data, test data
//!    looked at once.
//!
//! ```
//! use featherank::data::synth::{Preset, generate};
//! use featherank::engine::LocalEngine;
//! use featherank::registry;
//! use featherank::run::{Constraints, Run};
//!
//! let (data, truth) = generate(&Preset::Tiny.config())?;
//! let engine = LocalEngine::new(data, 0)?;
//! let run = Run::new(1, Constraints { k: Some(5), ..Constraints::default() });
//! let selection = registry::selector("top-k")?.run(&[], &run, &engine)?;
//! assert_eq!(selection.selected.len(), 5);
//! # Ok::<(), featherank::Error>(())
//! ```

pub mod checkpoint;
mod cluster;
pub mod data;
pub mod declare;
mod document;
pub mod engine;
pub mod error;
pub mod evaluate;
pub mod evolve;
#[cfg(feature = "experiments")]
pub mod experiment;
pub mod export;
pub mod inspect;
pub mod measure;
mod names;
pub mod params;
pub mod random;
pub mod rank;
pub mod redundancy;
pub mod registry;
pub mod run;
pub mod select;
pub mod shards;
mod vector;

pub use error::{Error, Location, Problem, Result, Stop};
