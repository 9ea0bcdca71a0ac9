//! The ranker that a method trains: chosen by name, or built in Rust.

use std::any::Any;

use super::{Ranker, RankerSpec, ranker};
use crate::declare::{Builder, Method};
use crate::error::Result;
use crate::params::{Kind, ParamText, ParamValue, Params, RankerEntry, Settings};

/// A ranker for a method to train, as the setter `ranker` of a wrapper's builder takes it: a name
/// in the registry, or a built ranker, which another crate may have declared.
#[derive(Clone)]
pub enum RankerChoice {
    /// A name in the registry; the method's own settings of the ranker remain.
    Named(String),
    /// A declared ranker.
    Built {
        /// Its declaration.
        spec: &'static RankerSpec,
        /// The parameters that differ from their defaults.
        settings: Settings,
    },
}

impl From<&str> for RankerChoice {
    fn from(name: &str) -> Self {
        RankerChoice::Named(name.to_owned())
    }
}

impl From<String> for RankerChoice {
    fn from(name: String) -> Self {
        RankerChoice::Named(name)
    }
}

impl<R: Ranker> From<R> for RankerChoice {
    fn from(ranker: R) -> Self {
        let spec = ranker.spec();
        RankerChoice::Built { spec, settings: ranker.params().changed(spec.params) }
    }
}

impl RankerEntry for RankerSpec {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// The value of a parameter of kind [`Kind::Ranker`].
#[derive(Clone, Copy)]
pub struct ChosenRanker(pub &'static RankerSpec);

impl ParamValue for ChosenRanker {
    fn parse(_: &str, text: &str) -> Result<Self> {
        ranker(text).map(ChosenRanker)
    }

    fn of(params: &Params, name: &str) -> Result<Self> {
        let entry: Option<&'static dyn Any> = params.ranker(name).map(|entry| entry as _);
        match entry.and_then(<dyn Any>::downcast_ref) {
            Some(spec) => Ok(ChosenRanker(spec)),
            None => Self::parse(name, params.text(name)),
        }
    }
}

impl<M: Method> Builder<M> {
    /// Sets the ranker that the method trains. A built ranker sets its own parameters, too: they
    /// are the method's parameter of kind [`Kind::Settings`].
    #[doc(hidden)]
    #[must_use]
    pub fn set_ranker(self, name: &str, choice: RankerChoice) -> Self {
        let (spec, settings) = match choice {
            RankerChoice::Named(ranker) => return self.set(name, ranker),
            RankerChoice::Built { spec, settings } => (spec, settings),
        };
        let builder = self.set_entry(name, spec);
        match M::PARAMS.iter().find(|param| matches!(param.kind, Kind::Settings)) {
            Some(param) => builder.set(param.name, settings.to_text()),
            None => builder,
        }
    }
}
