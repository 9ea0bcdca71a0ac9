//! mRMR: maximum relevance, minimum redundancy.
//!
//! The relevance of a feature is the measure when documents are sorted by it alone; its redundancy
//! is the mean of |similarity| to the chosen features. `difference` adds the feature with the
//! largest relevance − redundancy, `quotient` that with the largest relevance / redundancy, where
//! redundancy is at least .001. Both start with the most relevant feature.
//!
//! Peng, Long & Ding, TPAMI 2005, for mutual information; Shirzad & Keyvanpour (2015) for learning
//! to rank, of which only the abstract was available: this is our interpretation. Single features
//! differ little in a ranking measure while correlations range from 0 to 1, so that the difference
//! would choose by redundancy alone: relevance is scaled to 0–1 over the varying features unless
//! `scaling` is `none`.

use crate::declare::{choice, method};
use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::trade_off::trade_off;
use crate::select::shared_params::{relevance_measure_param, similarity_params};
use crate::select::{Findings, Selector};

choice! {
    /// How relevance and redundancy are combined.
    pub enum MRMRForm {
        /// Relevance minus redundancy.
        Difference = "difference",
        /// Relevance divided by redundancy.
        Quotient = "quotient",
    }
}

choice! {
    /// How relevance is scaled.
    pub enum RelevanceScaling {
        /// To 0 for the least relevant and 1 for the most relevant feature.
        Range = "range",
        /// Not at all.
        None = "none",
    }
}

method! {
    /// Maximum relevance, minimum redundancy.
    pub struct MRMR: Selector as "mrmr" in Filter,
        cites ["peng2005", "shirzad2015"], Reconstruction, Passes,
        with [compares_pairs]
    {
        /// How relevance and redundancy are combined.
        form: Choice<MRMRForm> = "difference",
        /// Scale relevance to [0, 1], or leave it unscaled.
        scaling: Choice<RelevanceScaling> = "range",
        use relevance_measure_param!("ndcg[ties=expected]@10");
        use similarity_params!("kendall");
    }
}

/// The lower bound of redundancy, so that quotients stay finite.
const LEAST_REDUNDANCY: f64 = 1e-3;

impl Selector for MRMR {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let mut facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        if self.scaling == RelevanceScaling::Range {
            scale(&mut facts.relevance);
        }
        self.form.choose(run, engine.schema(), &facts)
    }
}

impl MRMRForm {
    fn choose(
        self,
        run: &Run,
        schema: &Schema,
        facts: &RelevanceAndRedundancy,
    ) -> Result<Findings> {
        let score = |f: usize, similarity: f64, chosen: usize| {
            let (relevance, redundancy) = (facts.relevance[f], similarity / chosen.max(1) as f64);
            match self {
                MRMRForm::Quotient if chosen > 0 => relevance / redundancy.max(LEAST_REDUNDANCY),
                _ => relevance - redundancy,
            }
        };
        trade_off(run, schema, facts, |f, chosen| facts.similarity(f, chosen), score, None)
    }
}

fn scale(relevance: &mut [f64]) {
    let least = relevance.iter().copied().fold(f64::INFINITY, f64::min);
    let most = relevance.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most > least {
        relevance.iter_mut().for_each(|r| *r = (*r - least) / (most - least));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FeatureId;
    use crate::select::filter::trade_off::tests::{ids, path, run_over};

    #[test]
    fn picks_of_the_worked_example() {
        let fixture: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/other_fs.json")).unwrap();
        let fixture = &fixture["mrmr"];
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let relevance = fixture["mi_target"].as_array().unwrap().iter().map(number).collect();
        let facts =
            RelevanceAndRedundancy::new((0..4).map(FeatureId).collect(), relevance, |a, b| {
                number(&fixture["mi_pairs"][a][b])
            });
        let (run, schema) = run_over(4);
        let order = |form: MRMRForm| path(&form.choose(&run, &schema, &facts).unwrap());
        assert_eq!(order(MRMRForm::Difference), ids(&fixture["MID_order"]));
        assert_eq!(order(MRMRForm::Quotient), ids(&fixture["MIQ_order"]));
    }

    #[test]
    fn relevance_is_scaled_to_its_range() {
        let mut relevance = vec![0.3, 0.4, 0.5];
        scale(&mut relevance);
        assert!((relevance[1] - 0.5).abs() < 1e-12 && relevance[0] == 0.0 && relevance[2] == 1.0);
        let mut equal = vec![0.3, 0.3];
        scale(&mut equal);
        assert_eq!(equal, [0.3, 0.3]);
    }
}
