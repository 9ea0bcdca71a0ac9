//! Symmetrical uncertainty: the normalised mutual information of two discrete columns, from 0 for
//! independent columns to 1 for columns that determine each other.
//!
//! ```text
//! SU(a, b) = 2·(H(a) + H(b) − H(a, b)) / (H(a) + H(b))
//! ```
//!
//! and 0 if a column is constant. Values are rounded to twelve decimals, so that equal
//! uncertainties tie regardless of the order in which counts were added.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Discrete, DiscreteColumn};
use crate::data::FeatureId;
use crate::error::Result;
use crate::stop::StopToken;

/// An entropy below this, in nats times documents, counts as zero.
const NONE: f64 = 1e-6;

pub(super) fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// The symmetrical uncertainty of two columns of the same documents.
pub fn symmetrical_uncertainty(a: &DiscreteColumn, b: &DiscreteColumn) -> f64 {
    let mut joint = vec![0u32; a.bins() * b.bins()];
    for (&x, &y) in a.codes().iter().zip(b.codes()) {
        joint[usize::from(x) * b.bins() + usize::from(y)] += 1;
    }
    let rows: Vec<u32> = joint.chunks(b.bins()).map(|row| row.iter().sum()).collect();
    let columns: Vec<u32> =
        (0..b.bins()).map(|y| joint.iter().skip(y).step_by(b.bins()).sum::<u32>()).collect();
    let sum = |counts: &[u32]| counts.iter().map(|&count| x_ln_x(f64::from(count))).sum::<f64>();
    let whole = x_ln_x(a.codes().len() as f64);
    // Negated entropies.
    let (of_a, of_b, of_both) = (sum(&rows) - whole, sum(&columns) - whole, sum(&joint) - whole);
    if of_a.abs() < NONE || of_b.abs() < NONE {
        return 0.0;
    }
    let uncertainty = 2.0 * (of_a + of_b - of_both) / (of_a + of_b);
    ((uncertainty * 1e12).round() / 1e12).clamp(0.0, 1.0)
}

/// Symmetrical uncertainties of features with the class, and of pairs of features, computed on
/// demand.
pub struct Uncertainties<'a> {
    data: &'a Discrete,
    with_class: Vec<f64>,
    pairs: HashMap<(FeatureId, FeatureId), f64>,
    stop: StopToken,
}

impl<'a> Uncertainties<'a> {
    /// The uncertainties of the features of the data with its classes.
    pub fn of(data: &'a Discrete) -> Self {
        let columns = data.columns().par_iter();
        let with_class = columns
            .map(|column| {
                column
                    .as_ref()
                    .map_or(0.0, |column| symmetrical_uncertainty(column, data.classes()))
            })
            .collect();
        Uncertainties { data, with_class, pairs: HashMap::new(), stop: StopToken::default() }
    }

    /// The same uncertainties; computing pairs is an error once the token is stopped.
    #[must_use]
    pub fn stopped_by(self, stop: &StopToken) -> Self {
        Uncertainties { stop: stop.clone(), ..self }
    }

    /// The uncertainty of a feature with the class.
    pub fn with_class(&self, feature: FeatureId) -> f64 {
        self.with_class[feature.index()]
    }

    /// The features in descending order of their uncertainty with the class; ties by column.
    pub fn ranked(&self, features: &[FeatureId]) -> Vec<FeatureId> {
        let mut order = features.to_vec();
        order.sort_by(|&f, &g| self.with_class(g).total_cmp(&self.with_class(f)).then(f.cmp(&g)));
        order
    }

    /// Computes the pairs of every feature of `some` with every one of `others`, on all cores, and
    /// keeps them.
    pub fn prepare(&mut self, some: &[FeatureId], others: &[FeatureId]) -> Result<()> {
        let pairs = some.iter().flat_map(|&f| others.iter().map(move |&g| pair(f, g)));
        let mut unknown: Vec<_> =
            pairs.filter(|key| key.0 != key.1 && !self.pairs.contains_key(key)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        let data = self.data;
        let stop = &self.stop;
        let computed =
            |&(f, g): &(FeatureId, FeatureId)| stop.check().map(|()| ((f, g), of_pair(data, f, g)));
        let known: Vec<_> = unknown.par_iter().map(computed).collect::<Result<_>>()?;
        self.pairs.extend(known);
        Ok(())
    }

    /// The uncertainties of a feature with others, on all cores. They are not kept.
    pub fn between_each(&self, f: FeatureId, others: &[FeatureId]) -> Result<Vec<f64>> {
        let computed = |&g: &FeatureId| self.stop.check().map(|()| self.between(f, g));
        others.par_iter().map(computed).collect()
    }

    /// The uncertainty of two features.
    pub fn between(&self, f: FeatureId, g: FeatureId) -> f64 {
        let key = pair(f, g);
        self.pairs.get(&key).copied().unwrap_or_else(|| of_pair(self.data, key.0, key.1))
    }
}

fn pair(f: FeatureId, g: FeatureId) -> (FeatureId, FeatureId) {
    (f.min(g), f.max(g))
}

fn of_pair(data: &Discrete, f: FeatureId, g: FeatureId) -> f64 {
    symmetrical_uncertainty(data.column(f), data.column(g))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight documents. a: halves; b: quarters inside the halves of a: H(a) = 1, H(b) = 2, H(a, b)
    /// = 2 bits, SU = 2·1/3.
    #[test]
    fn two_thirds_by_hand() {
        let a = DiscreteColumn::from_codes(vec![0, 0, 0, 0, 1, 1, 1, 1]);
        let b = DiscreteColumn::from_codes(vec![0, 0, 1, 1, 2, 2, 3, 3]);
        assert!((symmetrical_uncertainty(&a, &b) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(symmetrical_uncertainty(&a, &b), symmetrical_uncertainty(&b, &a));
        assert_eq!(symmetrical_uncertainty(&a, &a), 1.0);
        let c = DiscreteColumn::from_codes(vec![0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(symmetrical_uncertainty(&a, &c), 0.0, "independent");
        let constant = DiscreteColumn::from_codes(vec![0; 8]);
        assert_eq!(symmetrical_uncertainty(&a, &constant), 0.0);
    }
}
