//! Worth against likeness: what the greedy filters share that weigh how well a feature ranks alone against how much it resembles
//! the features already chosen.
//!
//! All of them value a candidate by its own facts and one sum over the chosen features, so that sums grow by one term a
//! step and a whole path takes O(d²).

use crate::data::FeatureId;
use crate::engine::{CorrelationMatrix, Engine, Schema};
use crate::error::Result;
use crate::measure::Measure;
use crate::run::Run;
use crate::select::Selection;
use crate::select::filter::similarity::Similarity;
use crate::select::forward::{Criterion, forward};

/// What is known of the live features.
pub(crate) struct Portrait {
    pub(crate) alive: Vec<FeatureId>,
    pub(crate) dead: Vec<FeatureId>,
    /// The measure of each feature alone.
    pub(crate) relevance: Vec<f64>,
    /// Sample variance over queries of the measure of each feature alone.
    pub(crate) variance: Vec<f64>,
    /// How alike they are.
    pub(crate) similarity: CorrelationMatrix,
}

impl Portrait {
    /// Asks the rows about the features that may be chosen. Correlations are rounded to twelve digits, so that what is equal but
    /// for the order in which documents were summed stays a tie, and goes by column.
    pub(crate) fn of(
        run: &Run,
        engine: &dyn Engine,
        measure: &Measure,
        similarity: &Similarity,
    ) -> Result<Self> {
        let (mut alive, dead) = engine.alive()?;
        alive.retain(|f| !run.constraints.drop.contains(f));
        let alone = engine.feature_measures(measure, &alive)?;
        let variance = alone.per_query.iter().map(|values| sample_variance(values)).collect();
        let exact = similarity.of(engine, &alive)?;
        let rounded = |a: usize, b: usize| exact.get(a, b).map(|value| (value * 1e12).round() / 1e12);
        let similarity = CorrelationMatrix::new(alive.len(), rounded);
        Ok(Portrait { relevance: alone.summaries(measure), variance, similarity, alive, dead })
    }

    /// Where a live feature stands in the vectors.
    pub(crate) fn place(&self, feature: FeatureId) -> usize {
        self.alive.partition_point(|&f| f < feature)
    }

    /// Adds features by this rule to the last one.
    pub(crate) fn forward(
        &self,
        run: &Run,
        schema: &Schema,
        likeness: impl Fn(usize, usize) -> f64,
        worth: impl Fn(usize, f64, usize) -> f64,
        least: Option<f64>,
    ) -> Result<Selection> {
        let sums = vec![0.0; self.alive.len()];
        let mut rule = Rule { portrait: self, likeness, worth, least, sums, summed: 0 };
        forward(run, schema, &self.alive, &self.dead, &mut rule)
    }
}

/// Values a candidate f by `worth(f, Σ likeness(f, g) over chosen g, how many are chosen)`.
struct Rule<'a, L, W> {
    portrait: &'a Portrait,
    likeness: L,
    worth: W,
    /// Enough when the best candidate is worth less.
    least: Option<f64>,
    sums: Vec<f64>,
    summed: usize,
}

impl<L, W> Criterion for Rule<'_, L, W>
where
    L: Fn(usize, usize) -> f64,
    W: Fn(usize, f64, usize) -> f64,
{
    fn worth(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        for &added in &chosen[self.summed..] {
            let added = self.portrait.place(added);
            self.sums.iter_mut().enumerate().for_each(|(f, sum)| *sum += (self.likeness)(f, added));
        }
        self.summed = chosen.len();
        let value = |&f: &FeatureId| {
            let f = self.portrait.place(f);
            (self.worth)(f, self.sums[f], chosen.len())
        };
        Ok(candidates.iter().map(value).collect())
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        self.least.is_some_and(|least| best < least)
    }
}

/// Over the queries that count; 0 for fewer than two.
fn sample_variance(values: &[f64]) -> f64 {
    let counted = values.iter().filter(|value| !value.is_nan());
    let count = counted.clone().count() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let mean = counted.clone().sum::<f64>() / count;
    counted.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::run::Constraints;

    /// The portrait of a worked example, and its JSON.
    pub(crate) fn worked() -> (Portrait, serde_json::Value) {
        let fixture: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let numbers = |value: &serde_json::Value| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let similarity: Vec<Vec<f64>> =
            fixture["similarity"].as_array().unwrap().iter().map(numbers).collect();
        let portrait = Portrait {
            alive: (0..5).map(FeatureId).collect(),
            dead: Vec::new(),
            relevance: numbers(&fixture["relevance"]),
            variance: numbers(&fixture["variance"]),
            similarity: CorrelationMatrix::new(5, |a, b| Some(similarity[a][b])),
        };
        (portrait, fixture)
    }

    /// A run that nobody limits over data with so many features.
    pub(crate) fn run_over(features: usize) -> (Run, Schema) {
        let table = FeatureTable::numbered(features, 0);
        let data = Dataset::new(vec![0.0; features], vec![0.0], Queries::from_sizes(&[1]), table);
        (Run::new(0, Constraints::default()), Schema::of(&data))
    }

    /// Ids along the path.
    pub(crate) fn path(selection: &Selection) -> Vec<u32> {
        selection.path.iter().map(|step| step.feature).collect()
    }

    /// Ids in a fixture.
    pub(crate) fn ids(value: &serde_json::Value) -> Vec<u32> {
        value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
    }

    #[test]
    fn variance_leaves_out_queries_that_do_not_count() {
        assert_eq!(sample_variance(&[1.0, f64::NAN, 3.0]), 2.0);
        assert_eq!(sample_variance(&[f64::NAN, 3.0]), 0.0);
    }
}
