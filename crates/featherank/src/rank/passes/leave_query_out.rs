//! Leave-one-query-out squared errors of least squares with every candidate feature added, from one
//! pass over the rows.
//!
//! Rows are centred within their query and weighted ([`Centring`]), so that least squares on
//! differences between documents is ridge regression. Let X hold the chosen features and A = XᵀX +
//! λI. For each other feature x, v = x − X A⁻¹ Xᵀ x is its residual, d = λ + xᵀv its curvature and
//! t = xᵀr its gradient, where r is the residual of the labels. The caller knows the sums of
//! products of all features, and so d and t.
//!
//! Let Hq = I − Xq A⁻¹ Xqᵀ for the rows of query q. Mq = Hq⁻¹ maps residuals of the query to the
//! errors of the model fitted without it: p = Mq r. Let u = Mq v. The weight of the candidate,
//! fitted without the query, is (t − vᵀp) / (d − vᵀu), with sums over the rows of q, and the errors
//! with the candidate are p minus that weight times u.
//!
//! Nothing is refitted when a feature b is added. With s the product of the residuals of b and x
//! over all queries, before b was added,
//!
//! * v becomes v − vb s/d: the sums of products of residuals change in the same way;
//! * Hq becomes Hq − vb vbᵀ/d, and so Mq becomes Mq + ub ubᵀ/(d − vbᵀub);
//! * u becomes u − ub s/d + ub (ubᵀv)/(d − vbᵀub), with the new v.
//!
//! A step thus costs a few operations for each document and feature, whatever the number of chosen
//! features and the length of the lists (the recursion of Pahikkala et al. 2010, for whole
//! queries). Blocks cache v and u between steps as long as the data is small enough; otherwise they
//! repeat the recursion from its beginning, which gives the same numbers.

use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::passes::Centring;
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::{Error, Result};
use crate::rank::linear::gram_solver::SINGULAR;
use crate::vector::{Kernel, add_times_here, dot_here, wide};

/// The size of the residuals of all data up to which they are cached between steps.
const CACHED_BYTES: usize = 256 << 20;

/// Leave-one-query-out errors of a least-squares model with each feature added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaveQueryOut {
    /// The features of the search.
    pub features: Vec<FeatureId>,
    /// Their divisors.
    pub divisors: Vec<f64>,
    /// How rows of a query are centred and weighted; never overall.
    pub centring: Centring,
    /// The chosen features, in the order in which they were added.
    pub added: Vec<AddedFeature>,
    /// The gradient t of each feature.
    pub gradients: Vec<f64>,
    /// The curvature d of each feature; 0 if the feature is a linear combination of the chosen
    /// features and has no effect.
    pub curvatures: Vec<f64>,
}

/// A chosen feature, and what is known of it when it was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddedFeature {
    /// Its place among the features.
    pub place: usize,
    /// Its curvature; 0 if it has no effect.
    pub curvature: f64,
    /// The products of its residual with that of each feature, and with that of the labels.
    pub products: Vec<f64>,
}

impl Pass for LeaveQueryOut {
    type Answer = LeaveQueryOutErrors;
    const NAME: &'static str = "leave-query-out";
    const ACTIVITY: &'static str = "leaving out queries";

    fn check(&self, schema: &Schema) -> Result<()> {
        let width = self.features.len();
        check_length("divisors", self.divisors.len(), width)?;
        check_length("gradients", self.gradients.len(), width)?;
        check_length("curvatures", self.curvatures.len(), width)?;
        for added in &self.added {
            check_length("products", added.products.len(), width + 1)?;
            if added.place >= width {
                return Err(Error::invalid(
                    "chosen feature",
                    added.place,
                    format!("below {width}"),
                ));
            }
        }
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> LeaveQueryOutErrors {
        let mut errors = LeaveQueryOutErrors { chosen: 0.0, with: vec![0.0; self.features.len()] };
        let values = block.data().documents() * (self.features.len() + 1);
        if 2 * size_of::<f64>() * values > CACHED_BYTES {
            let is_chosen = self.is_chosen();
            for query in self.residuals(block) {
                let query = self.add_features(query, &self.added, &[]);
                wide(AddErrors {
                    query: &query,
                    pass: self,
                    is_chosen: &is_chosen,
                    sums: &mut errors,
                });
            }
            return errors;
        }
        block.with_cache(|cache: &mut ResidualCache| {
            let computed_for = ComputedFor {
                features: self.features.clone(),
                divisors: self.divisors.clone(),
                centring: self.centring,
                queries: block.queries().collect(),
            };
            let is_same = cache.computed_for.as_ref() == Some(&computed_for);
            if !is_same || !self.added.starts_with(&cache.added) {
                *cache = ResidualCache {
                    computed_for: Some(computed_for),
                    added: Vec::new(),
                    queries: self.residuals(block).collect(),
                };
            }
            let is_chosen = self.is_chosen();
            let (before, new) = self.added.split_at(cache.added.len());
            for query in &mut cache.queries {
                *query = self.add_features(std::mem::take(query), new, before);
                wide(AddErrors { query, pass: self, is_chosen: &is_chosen, sums: &mut errors });
            }
            cache.added.extend_from_slice(new);
        });
        errors
    }
}

impl LeaveQueryOut {
    /// The residuals of every query before any feature is chosen: its centred columns.
    fn residuals<'a>(&'a self, block: &'a Block<'_>) -> impl Iterator<Item = QueryResiduals> + 'a {
        block.rows().filter(|rows| rows.len() > 1).map(move |rows| {
            let (data, length) = (block.data(), rows.len());
            let mut values = Vec::with_capacity(length * (self.features.len() + 1));
            for (&f, divisor) in self.features.iter().zip(&self.divisors) {
                let centred = self.centring.within_query(&data.column(f)[rows.clone()]);
                values.extend(centred.map(|x| x / divisor));
            }
            values.extend(self.centring.within_query(&data.labels()[rows]));
            QueryResiduals { length, left_out: values.clone(), values }
        })
    }

    /// For each feature, whether it is chosen.
    fn is_chosen(&self) -> Vec<bool> {
        let mut is_chosen = vec![false; self.features.len()];
        self.added.iter().for_each(|added| is_chosen[added.place] = true);
        is_chosen
    }

    /// Adds features to those that are chosen already.
    fn add_features(
        &self,
        mut query: QueryResiduals,
        new: &[AddedFeature],
        before: &[AddedFeature],
    ) -> QueryResiduals {
        let mut is_open = vec![true; self.features.len() + 1];
        before.iter().for_each(|added| is_open[added.place] = false);
        for added in new {
            is_open[added.place] = false;
            wide(AddFeature { query: &mut query, added, is_open: &is_open });
        }
        query
    }
}

/// The residuals of one query: column after column, those of the labels last.
#[derive(Debug, Default)]
struct QueryResiduals {
    /// The number of documents.
    length: usize,
    /// v, under the model fitted to all queries.
    values: Vec<f64>,
    /// u, the errors under the model fitted without this query.
    left_out: Vec<f64>,
}

impl QueryResiduals {
    /// The residuals of a column under both models.
    fn column(&self, place: usize) -> (&[f64], &[f64]) {
        let rows = place * self.length..(place + 1) * self.length;
        (&self.values[rows.clone()], &self.left_out[rows])
    }
}

/// Updates the open columns of a query for a feature that is added. Lists are short and columns
/// many, so that the whole query is one kernel.
struct AddFeature<'a> {
    query: &'a mut QueryResiduals,
    added: &'a AddedFeature,
    is_open: &'a [bool],
}

impl Kernel for AddFeature<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let AddFeature { query, added, is_open } = self;
        if added.curvature <= 0.0 {
            return;
        }
        let (v, u) = query.column(added.place);
        let (v, u) = (v.to_vec(), u.to_vec());
        let curvature = added.curvature - dot_here(&v, &u);
        // Without this query the feature may be a linear combination of the others; its weight
        // would then be a rounding error.
        let is_free = curvature > SINGULAR * added.curvature;
        let columns = query
            .values
            .chunks_exact_mut(query.length)
            .zip(query.left_out.chunks_exact_mut(query.length));
        for ((values, left_out), (product, _)) in
            columns.zip(added.products.iter().zip(is_open)).filter(|(_, (_, open))| **open)
        {
            let weight = product / added.curvature;
            add_times_here(values, -weight, &v);
            let own = if is_free { dot_here(values, &u) / curvature } else { 0.0 };
            add_times_here(left_out, own - weight, &u);
        }
    }
}

/// Adds the squared errors of a query.
struct AddErrors<'a> {
    query: &'a QueryResiduals,
    pass: &'a LeaveQueryOut,
    is_chosen: &'a [bool],
    sums: &'a mut LeaveQueryOutErrors,
}

impl Kernel for AddErrors<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let AddErrors { query, pass, is_chosen, sums } = self;
        let (_, errors) = query.column(pass.features.len());
        let chosen = dot_here(errors, errors);
        sums.chosen += chosen;
        let mut with = vec![0.0; query.length];
        for (place, sum) in sums.with.iter_mut().enumerate() {
            if is_chosen[place] {
                *sum += chosen;
                continue;
            }
            let (v, u) = query.column(place);
            let curvature = pass.curvatures[place] - dot_here(v, u);
            let is_free = curvature > SINGULAR * pass.curvatures[place];
            if !is_free {
                *sum += chosen;
                continue;
            }
            let weight = (pass.gradients[place] - dot_here(v, errors)) / curvature;
            with.copy_from_slice(errors);
            add_times_here(&mut with, -weight, u);
            *sum += dot_here(&with, &with);
        }
    }
}

/// What a block caches between steps.
#[derive(Default)]
struct ResidualCache {
    computed_for: Option<ComputedFor>,
    /// The features that were added so far.
    added: Vec<AddedFeature>,
    queries: Vec<QueryResiduals>,
}

/// What residuals depend on besides the chosen features.
#[derive(PartialEq)]
struct ComputedFor {
    features: Vec<FeatureId>,
    divisors: Vec<f64>,
    centring: Centring,
    queries: Vec<usize>,
}

/// Sums of squared errors over queries, each under the model fitted without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaveQueryOutErrors {
    /// With the chosen features only.
    pub chosen: f64,
    /// With each feature added; with the chosen features only, if it is one of them.
    pub with: Vec<f64>,
}

impl Merge for LeaveQueryOutErrors {
    fn merge(mut self, next: Self) -> Self {
        self.chosen += next.chosen;
        self.with.iter_mut().zip(&next.with).for_each(|(sum, x)| *sum += x);
        self
    }
}
