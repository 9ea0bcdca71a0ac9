//! Realistic synthetic ranking data, with the true role of every feature.
//!
//! Useful, redundant, noisy, query-dependent, risky and constant features on raw scales; graded
//! labels with a given balance; lists of uneven size. Selections can be evaluated against the
//! [`Truth`], risk measures have something to detect, and benchmarks of any size need no download.
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
mod files;
mod generate;
mod labels;
mod plan;
mod preset;
mod query;
mod scale;
mod settings;
mod sizes;
mod truth;

pub use config::SynthConfig;
pub use files::{SynthFiles, SynthFormat};
pub use generate::generate;
pub use preset::Preset;
pub use truth::{Role, RoleCount, TrueFeature, Truth};
