//! The findings of a search: the part of a [`Selection`](super::Selection) that the method itself
//! determines.

use std::collections::BTreeMap;

use super::auto::Advice;
use super::{FittedModel, Searched};
use crate::data::FeatureId;
use crate::engine::Schema;
use crate::error::{Error, Result, Setting};
use crate::rank::Model;
use crate::remedy;
use crate::run::{Constraints, Run};

/// The features that a method has chosen, and the reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The chosen features with the method's scores, best first; higher is better.
    pub selected: Vec<(FeatureId, f64)>,
    /// All features in the order in which they enter, with the method's own measure at each step.
    pub path: Vec<(FeatureId, f64)>,
    /// Features that the method cannot use, without those to keep.
    pub set_aside: Vec<FeatureId>,
    /// Features that were excluded because they equal another one, with that feature.
    pub duplicates: Vec<(FeatureId, FeatureId)>,
    /// The model of an embedded method, restricted to the chosen features.
    pub model: Option<Model>,
    /// The models that an embedded method fitted along its path, by family, from sparse to dense.
    pub fits: Vec<FittedModel>,
    /// The distance of the model from the optimum, by name.
    pub certificate: BTreeMap<String, f64>,
    /// The course of a search among subsets.
    pub searched: Option<Searched>,
    /// The reasons for the choice of `auto`.
    pub advice: Option<Advice>,
    /// Notes for users about this result.
    pub notes: Vec<String>,
    /// Whether the run was stopped before the method finished.
    pub unfinished: bool,
}

impl Findings {
    /// Chooses by score: kept features first, then the best that the constraints allow. Ties by
    /// column.
    pub fn by_score(
        run: &Run,
        schema: &Schema,
        scored: &[(FeatureId, f64)],
        unusable: &[FeatureId],
    ) -> Result<Self> {
        let mut order = scored.to_vec();
        order.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        Self::in_order(run, schema, &order, &[], unusable)
    }

    /// Chooses the set that a method has found, as far as the constraints allow: kept features
    /// first, then `chosen`, best first. With `k` exactly that many, continuing with `rest`, the
    /// order in which the method would add the others.
    pub fn in_order(
        run: &Run,
        schema: &Schema,
        chosen: &[(FeatureId, f64)],
        rest: &[(FeatureId, f64)],
        unusable: &[FeatureId],
    ) -> Result<Self> {
        let constraints = &run.constraints;
        let is_kept = |f: &FeatureId| constraints.keep.contains(f);
        let ranked = chosen.iter().chain(rest).copied();
        let (kept, free): (Vec<_>, Vec<_>) =
            ranked.filter(|(f, _)| !constraints.drop.contains(f)).partition(|(f, _)| is_kept(f));
        let unusable_kept = unusable.iter().filter(|f| is_kept(f)).map(|&f| (f, 0.0));
        let order: Vec<(FeatureId, f64)> =
            kept.into_iter().chain(unusable_kept).chain(free).collect();
        if let Some((f, _)) = order.iter().find(|(_, score)| !score.is_finite()) {
            return Err(Error::nothing_counts(
                format!(
                    "feature {} has no score: no query counts under the measure",
                    schema.features.label(*f)
                ),
                "choose another measure, or data with relevant documents",
            ));
        }
        let is_own = |f: &FeatureId| is_kept(f) || chosen.iter().any(|(own, _)| own == f);
        let own = order.iter().filter(|(f, _)| is_own(f)).count();
        let selected =
            affordable(constraints, &order[..constraints.k.map_or(own, |_| order.len())]);
        refuse_too_few(constraints, selected.len(), order.len(), unusable.len())?;
        Ok(Findings {
            selected,
            path: order,
            set_aside: unusable.iter().filter(|f| !is_kept(f)).copied().collect(),
            duplicates: Vec::new(),
            model: None,
            fits: Vec::new(),
            certificate: BTreeMap::new(),
            searched: None,
            advice: None,
            notes: Vec::new(),
            unfinished: false,
        })
    }

    /// The chosen features, by column.
    pub fn columns(&self) -> Vec<FeatureId> {
        let mut columns: Vec<FeatureId> = self.selected.iter().map(|(f, _)| *f).collect();
        columns.sort_unstable();
        columns
    }
}

/// The first `k` features within the budget; features that exceed it are skipped.
fn affordable(constraints: &Constraints, order: &[(FeatureId, f64)]) -> Vec<(FeatureId, f64)> {
    let (mut selected, mut total) = (Vec::new(), 0.0);
    for &(f, score) in order {
        let cost = constraints.cost(f);
        let wanted = constraints.k.is_none_or(|k| selected.len() < k);
        if wanted && constraints.budget.is_none_or(|budget| total + cost <= budget) {
            selected.push((f, score));
            total += cost;
        }
    }
    selected
}

/// The error for fewer features than wanted, or none at all.
fn refuse_too_few(
    constraints: &Constraints,
    selected: usize,
    available: usize,
    unusable: usize,
) -> Result<()> {
    let Constraints { k, budget, drop, .. } = constraints;
    let wanted = k.unwrap_or(1);
    if selected >= wanted {
        return Ok(());
    }
    let what = match k {
        Some(k) => format!("only {selected} of {k} features can be selected"),
        None => "no feature can be selected".into(),
    };
    let (help, alternative) = match budget {
        Some(budget) if available >= wanted => {
            let help = format!("the budget of {budget} allows no more; raise ");
            (remedy![help, Budget], " or lower ")
        }
        _ => {
            let dropped = drop.len();
            let help = format!(
                "{unusable} features cannot be used by this method and {dropped} are dropped"
            );
            (help.into(), "; lower ")
        }
    };
    let help = if k.is_some() { help.then(alternative).then(Setting::K) } else { help };
    Err(Error::constraint(what, help))
}
