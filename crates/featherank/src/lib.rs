//! Feature selection for learning to rank: which ranking features are needed, and which are not.
//!
//! A selector chooses features of a data set, a ranker learns to score documents:
//!
//! ```
//! use featherank::data::synth::{Preset, generate};
//! use featherank::prelude::*;
//!
//! let (data, _) = generate(&Preset::Tiny.config())?;
//! let engine = LocalEngine::new(data.clone(), 0)?;
//! let run = Run::new(1, Constraints { k: Some(5), ..Constraints::default() });
//!
//! let selection = BestGain::builder().delta(0.03).build()?.select(&run, &engine)?;
//! assert_eq!(selection.selected.len(), 5);
//!
//! let train = data.view().with_features(selection.columns(data.features())?);
//! let model = RankRLS::builder().lambda(10.0).build()?.fit(&run, &train, None)?;
//! assert_eq!(model.features().len(), 5);
//! # Ok::<(), featherank::Error>(())
//! ```
//!
//! Every method is also known by name, with parameters as text, as on the command line:
//!
//! ```
//! # use featherank::data::synth::{Preset, generate};
//! # use featherank::prelude::*;
//! use featherank::registry;
//!
//! # let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 0)?;
//! # let run = Run::new(1, Constraints::default());
//! let set = [("delta".to_owned(), "0.03".to_owned())];
//! let selection = registry::selector("best-gain")?.run(&set, &run, &engine)?;
//! assert_eq!(selection.parameters["delta"], "0.03");
//! # Ok::<(), featherank::Error>(())
//! ```
//!
//! # Modules, in the order in which data flows
//!
//! 1. [`data`] reads files into a [`data::Dataset`]: documents of queries, labels, features.
//! 2. [`measure`] evaluates rankings and their risk, and tests differences for significance.
//! 3. [`engine`] holds the rows and answers passes over them; most methods see only the answers.
//! 4. [`rank`] learns to score documents and returns a [`rank::Model`].
//! 5. [`select`] chooses features and returns a [`select::Selection`]; [`training`] trains on them
//!    and reports.
//! 6. [`registry`] lists every measure, selector and ranker with its parameters.
//! 7. `experiment` compares methods as papers do: settings are chosen on validation data, and test
//!    data is used once.

mod checkpoint;
mod cluster;
mod constraints;
pub mod data;
pub mod declare;
mod document;
pub mod engine;
pub mod error;
pub mod evaluate;
mod evolve;
#[cfg(feature = "experiments")]
pub mod experiment;
pub mod export;
pub mod inspect;
#[doc(hidden)]
pub mod internals;
pub mod measure;
mod memory;
mod names;
pub mod params;
pub mod prelude;
mod progress;
mod random;
pub mod rank;
pub mod redundancy;
pub mod registry;
pub mod run;
pub mod select;
#[cfg(feature = "shards")]
pub mod shards;
mod shell;
mod stop;
mod text;
pub mod training;
mod vector;

pub use error::{Error, Location, Problem, Result, Stop};

/// The example of the README is tested like every other.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExample;
