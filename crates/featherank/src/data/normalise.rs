//! Normalisers: bring features to comparable scales, per query or over all documents.
//!
//! `query-minmax` is LETOR's QueryLevelNorm: (x − min) / (max − min) within each query, 0 if a
//! feature is constant. `query-zscore` and `zscore` use the standard deviation with n in the
//! denominator, as scikit-learn's scaler does. Missing values stay missing and are excluded from
//! means and ranges. The scales fitted by `zscore` are kept in a [`Scaler`], because new data must
//! be normalised like the training data.

use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::features::FeatureId;
use crate::error::{Error, Result};

/// The kinds of normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normaliser {
    /// Leave values unchanged.
    None,
    /// To [0, 1] within each query.
    QueryMinmax,
    /// To mean 0 and standard deviation 1 within each query.
    QueryZscore,
    /// To mean 0 and standard deviation 1 over all documents of the training data.
    Zscore,
}

impl Normaliser {
    /// All normalisers with their names.
    pub const NAMES: [(&'static str, Normaliser); 4] = [
        ("none", Normaliser::None),
        ("query-minmax", Normaliser::QueryMinmax),
        ("query-zscore", Normaliser::QueryZscore),
        ("zscore", Normaliser::Zscore),
    ];

    /// Fits the scales to training data.
    pub fn fit(self, data: &Dataset) -> Scaler {
        let scales = match self {
            Normaliser::Zscore => (0..data.features().len())
                .map(|f| MeanAndDeviation::of(data.column(FeatureId::from(f))).scale())
                .collect(),
            _ => Vec::new(),
        };
        Scaler { normaliser: self, scales }
    }
}

impl std::str::FromStr for Normaliser {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let found = Normaliser::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, normaliser)| *normaliser).ok_or_else(|| {
            Error::invalid(
                "normaliser",
                name,
                format!("one of {}", Normaliser::NAMES.map(|(known, _)| known).join(", ")),
            )
        })
    }
}

/// A normaliser fitted to training data; saved with models that need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    normaliser: Normaliser,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scales: Vec<Scale>,
}

/// x becomes (x − offset) / divisor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The number subtracted.
    pub offset: f64,
    /// The number divided by; above 0.
    pub divisor: f64,
}

impl Scale {
    /// Scales one value.
    pub fn of(self, x: f32) -> f32 {
        ((f64::from(x) - self.offset) / self.divisor) as f32
    }

    fn apply(self, values: &mut [f32]) {
        values.iter_mut().for_each(|x| *x = self.of(*x));
    }
}

impl Scaler {
    /// The kind of normalisation.
    pub fn normaliser(&self) -> Normaliser {
        self.normaliser
    }

    /// The fitted scale of each feature, in order; empty for normalisers that treat each query on
    /// its own.
    pub fn scales(&self) -> &[Scale] {
        &self.scales
    }

    /// The scaler of some of the features, in the order given.
    #[must_use]
    pub(crate) fn restricted(&self, features: &[FeatureId]) -> Self {
        let scales = match self.normaliser {
            Normaliser::Zscore => features.iter().map(|f| self.scales[f.index()]).collect(),
            _ => Vec::new(),
        };
        Scaler { normaliser: self.normaliser, scales }
    }

    /// Whether it can be applied to this many features: a scaler read from a file may be damaged.
    pub(crate) fn fits(&self, features: usize) -> bool {
        let usable = |scale: &Scale| {
            scale.offset.is_finite() && scale.divisor.is_finite() && scale.divisor > 0.0
        };
        let expected = if self.normaliser == Normaliser::Zscore { features } else { 0 };
        self.scales.len() == expected && self.scales.iter().all(usable)
    }

    /// Normalises in place.
    ///
    /// # Panics
    /// If the data has another number of features than the training data had.
    pub fn apply(&self, data: &mut Dataset) {
        let scales = &self.scales;
        assert!(
            scales.is_empty() || scales.len() == data.features().len(),
            "a scaler fits only the features it was fitted to"
        );
        match self.normaliser {
            Normaliser::None => {}
            Normaliser::Zscore => {
                data.for_each_column_mut(|f, _, column| scales[f.index()].apply(column))
            }
            Normaliser::QueryZscore => data.for_each_column_mut(|_, queries, column| {
                queries.iter().for_each(|rows| {
                    MeanAndDeviation::of(&column[rows.clone()]).scale().apply(&mut column[rows])
                });
            }),
            Normaliser::QueryMinmax => data.for_each_column_mut(|_, queries, column| {
                queries
                    .iter()
                    .for_each(|rows| min_max(&column[rows.clone()]).apply(&mut column[rows]));
            }),
        }
    }
}

fn min_max(values: &[f32]) -> Scale {
    let (low, high) =
        values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    let range = f64::from(high) - f64::from(low);
    Scale { offset: f64::from(low), divisor: if range > 0.0 { range } else { 1.0 } }
}

struct MeanAndDeviation {
    mean: f64,
    deviation: f64,
}

impl MeanAndDeviation {
    /// Two passes: a one-pass formula would lose the digits of heavy-tailed columns.
    fn of(values: &[f32]) -> Self {
        let present = || values.iter().copied().filter(|x| !x.is_nan());
        let n = present().count().max(1) as f64;
        let mean = present().map(f64::from).sum::<f64>() / n;
        let squares = present().map(|x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        let first = present().next();
        let constant = present().all(|x| Some(x) == first);
        MeanAndDeviation { mean, deviation: if constant { 0.0 } else { (squares / n).sqrt() } }
    }

    fn scale(&self) -> Scale {
        Scale {
            offset: self.mean,
            divisor: if self.deviation > 0.0 { self.deviation } else { 1.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::FeatureTable;
    use super::super::queries::Queries;
    use super::*;

    /// One feature, two queries: (2, 4, 6) and (5, 5).
    fn data() -> Dataset {
        Dataset::new(
            vec![2., 4., 6., 5., 5.],
            vec![0.; 5],
            Queries::from_sizes(&[3, 2]),
            FeatureTable::numbered(1, 1),
        )
    }

    fn normalised(normaliser: Normaliser) -> Vec<f32> {
        let mut data = data();
        normaliser.fit(&data).apply(&mut data);
        data.values().to_vec()
    }

    #[test]
    fn by_hand() {
        assert_eq!(normalised(Normaliser::None), [2., 4., 6., 5., 5.]);
        assert_eq!(normalised(Normaliser::QueryMinmax), [0., 0.5, 1., 0., 0.]);
        let root = 1.5f32.sqrt();
        let z = normalised(Normaliser::QueryZscore);
        assert!(
            z.iter().zip([-root, 0., root, 0., 0.]).all(|(a, b)| (a - b).abs() < 1e-6),
            "{z:?}"
        );
        // Mean 4.4, variance (2.4² + .4² + 1.6² + .6² + .6²)/5 = 1.84.
        let z = normalised(Normaliser::Zscore);
        assert!((f64::from(z[0]) + 2.4 / 1.84f64.sqrt()).abs() < 1e-6, "{z:?}");
    }

    #[test]
    fn a_global_scale_is_saved() {
        let scaler = Normaliser::Zscore.fit(&data());
        let saved = serde_json::to_string(&scaler).unwrap();
        let mut other = Dataset::new(
            vec![4.4],
            vec![0.],
            Queries::from_sizes(&[1]),
            FeatureTable::numbered(1, 1),
        );
        serde_json::from_str::<Scaler>(&saved).unwrap().apply(&mut other);
        assert!(other.values()[0].abs() < 1e-6);
    }

    #[test]
    fn a_scaler_can_be_restricted() {
        let values = vec![1., 3., 10., 30.];
        let data = Dataset::new(
            values,
            vec![0.; 2],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(2, 1),
        );
        let scaler = Normaliser::Zscore.fit(&data);
        let last = scaler.restricted(&[FeatureId(1)]);
        assert_eq!(last.scales(), [Scale { offset: 20.0, divisor: 10.0 }]);
        assert!(last.fits(1) && !last.fits(2) && scaler.fits(2));
        assert!(Normaliser::QueryZscore.fit(&data).restricted(&[FeatureId(1)]).fits(1));
    }

    #[test]
    fn missing_values_stay_missing_and_do_not_count() {
        for (_, normaliser) in Normaliser::NAMES {
            let mut without = data();
            normaliser.fit(&without).apply(&mut without);
            // The same queries with a missing value each, and a query without any value.
            let values = vec![2., f32::NAN, 4., 6., 5., 5., f32::NAN, f32::NAN];
            let queries = Queries::from_sizes(&[4, 3, 1]);
            let mut with = Dataset::new(values, vec![0.; 8], queries, FeatureTable::numbered(1, 1));
            normaliser.fit(&with).apply(&mut with);
            assert!([1, 6, 7].iter().all(|&row| with.values()[row].is_nan()), "{normaliser:?}");
            let present: Vec<f32> = with.values().iter().copied().filter(|x| !x.is_nan()).collect();
            assert_eq!(present, without.values(), "{normaliser:?}");
        }
    }

    #[test]
    fn extreme_values_stay_finite() {
        let queries = Queries::from_sizes(&[2]);
        for normaliser in [Normaliser::QueryMinmax, Normaliser::QueryZscore, Normaliser::Zscore] {
            let values = vec![f32::MIN, f32::MAX];
            let mut data =
                Dataset::new(values, vec![0.; 2], queries.clone(), FeatureTable::numbered(1, 1));
            normaliser.fit(&data).apply(&mut data);
            assert!(data.values().iter().all(|x| x.is_finite()), "{normaliser:?}");
        }
    }
}
