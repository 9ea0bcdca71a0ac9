//! The parameters that wrappers share: a ranker that is trained on subsets of features, and how it
//! is judged.

use crate::engine::Engine;
use crate::error::Result;
use crate::measure::Measure;
use crate::params::{Kind, Param, Params};
use crate::rank::{Ranker, RankerSpec};
use crate::registry;
use crate::run::Run;
use crate::select::subsets::SubsetEvaluator;

/// The parameter that names the ranker.
pub const fn ranker_param(default: &'static str) -> Param {
    Param {
        name: "ranker",
        kind: Kind::Ranker,
        default,
        meaning: "what is trained on every subset",
    }
}

/// The parameter with the ranker's own parameters.
pub const SETTINGS: Param = Param {
    name: "settings",
    kind: Kind::Settings,
    default: "",
    meaning: "parameters of the ranker",
};

/// The same for methods that train many ensembles of trees: fewer trees do.
pub const FEW_TREES: Param = Param {
    name: "settings",
    kind: Kind::Settings,
    default: "auto",
    meaning: "parameters of the ranker; auto: 50 trees where it has trees",
};

/// What `auto` then sets.
const FEW: &[(&str, &str)] = &[("trees", "50")];

/// The parameter that says how many parts are held out.
pub const fn folds_param(min: u64, default: &'static str, meaning: &'static str) -> Param {
    Param { name: "folds", kind: Kind::Whole { min, max: 100 }, default, meaning }
}

/// The parameter that says what rankers are judged by.
pub const fn measure_param(default: &'static str, meaning: &'static str) -> Param {
    Param { name: "measure", kind: Kind::Measure, default, meaning }
}

/// A ranker and what it is judged by.
pub struct Trainer {
    spec: &'static RankerSpec,
    ranker: Box<dyn Ranker>,
    measure: Measure,
}

impl Trainer {
    /// From the parameters `ranker`, `settings` and `measure`.
    pub fn new(params: &Params) -> Result<Self> {
        Self::with_auto(params, FEW)
    }

    /// The same, with other settings for `settings=auto`.
    pub fn with_auto(params: &Params, auto: &[(&str, &str)]) -> Result<Self> {
        Ok(Trainer {
            spec: registry::ranker(params.text("ranker"))?,
            ranker: ranker(params, auto)?,
            measure: params.measure("measure")?,
        })
    }

    /// The evaluator of subsets for one run of a method.
    pub(in crate::select) fn evaluator<'a>(
        &'a self,
        method: &str,
        run: &'a Run,
        engine: &'a dyn Engine,
    ) -> Result<SubsetEvaluator<'a>> {
        let ranker = (self.spec, self.ranker.as_ref());
        SubsetEvaluator::new(method, ranker, &self.measure, run, engine)
    }
}

/// From the parameters `ranker` and `settings`, where `auto` means these settings, as far as the
/// ranker has them.
pub fn ranker(params: &Params, auto: &[(&str, &str)]) -> Result<Box<dyn Ranker>> {
    let spec = registry::ranker(params.text("ranker"))?;
    let settings = match params.text("settings") {
        "auto" => {
            let known =
                auto.iter().filter(|(name, _)| spec.params.iter().any(|param| param.name == *name));
            known.map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        }
        _ => params.settings("settings")?,
    };
    (spec.build)(&Params::new(spec.name, spec.params, &settings)?)
}
