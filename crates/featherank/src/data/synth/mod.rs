//! Synthetic ranking data that behaves like the real thing, with the truth about every feature.
//!
//! Useful, redundant, noisy, query-dependent, risky and constant features on raw scales; graded
//! labels with a set balance; lists of uneven size. A selector can be marked against the [`Truth`],
//! a measure of risk has something to find, and a benchmark of any size needs no download.
//!
//! A walk through the folder: [`config`](SynthConfig) says what is wanted, `preset` names common
//! shapes, `sizes` deals out documents, `plan` lays out columns, `query` draws the rows, `scale`
//! makes values look raw, `labels` cuts grades.
//!
//! ```
//! use featherank::data::synth::{Preset, Role, SynthConfig, generate};
//! let config = SynthConfig { seed: 7, ..Preset::Tiny.config() };
//! let (data, truth) = generate(&config)?;
//! assert_eq!((data.documents(), data.features().len()), (1_500, 20));
//! assert_eq!(truth.with_role(Role::Risky).count(), 2);
//! # Ok::<(), featherank::Error>(())
//! ```

mod config;
mod generate;
mod labels;
mod plan;
mod preset;
mod query;
mod scale;
mod sizes;
mod truth;

pub use config::SynthConfig;
pub use generate::generate;
pub use preset::Preset;
pub use truth::{Role, TrueFeature, Truth};
