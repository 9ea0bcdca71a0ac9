//! Preference pairs one by one, so that any of them can be left out.

use std::ops::Range;

use rand::seq::index::sample;

use super::rows::OrderedRows;
use crate::evolve::Bits;
use crate::random::Stream;
use crate::vector::{add_times, dot, sum};

/// Differences of pairs are written out up to so many values; beyond, margins come from the scores
/// of documents.
const WRITTEN_OUT: usize = 1 << 21;

/// Runs of pairs pay where they have so many pairs on average.
const LONG: usize = 4;

/// Two documents of one query, the better one first.
pub(super) type Pair = (u32, u32);

/// All pairs of documents with different labels, or so many of them at most, drawn at random; query
/// by query.
pub(super) fn preference_pairs(rows: &OrderedRows, most: usize, rng: &mut Stream) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for query in rows.queries() {
        let labels = &rows.labels()[query.clone()];
        for (i, label) in labels.iter().enumerate() {
            // Documents stand by their labels.
            let worse = labels.partition_point(|other| other >= label);
            pairs.extend(
                (worse..labels.len()).map(|j| ((query.start + i) as u32, (query.start + j) as u32)),
            );
        }
    }
    if pairs.len() > most {
        let mut drawn = sample(rng, pairs.len(), most).into_vec();
        drawn.sort_unstable();
        pairs = drawn.into_iter().map(|pair| pairs[pair]).collect();
    }
    pairs
}

/// What a linear model makes of pairs, each of them the difference of two documents.
pub(super) trait PairMatrix: Sync {
    /// Number of pairs.
    fn pairs(&self) -> usize;
    /// By how much these weights of these features score the better document of each pair above the
    /// other.
    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64>;
    /// The sum of all differences, each times its factor.
    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64>;
    /// What pairs with a margin below 1 say at some weights, where it is cheaper to have than
    /// products with it.
    fn violated(
        &self,
        _features: &[usize],
        _weights: &[f64],
        _margins: &[f64],
    ) -> Option<Violated> {
        None
    }
}

/// What pairs with a margin m below 1 say together.
pub(super) struct Violated {
    /// Σ (1 − m) δ.
    pub gradient: Vec<f64>,
    /// Σ δδᵀ, row after row.
    pub curvature: Vec<f64>,
}

/// Pairs whose margins come from the scores of documents: for many pairs.
pub(super) struct OfDocuments<'a> {
    pub rows: &'a OrderedRows,
    pub pairs: Vec<Pair>,
}

impl PairMatrix for OfDocuments<'_> {
    fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let scores = self.rows.scores(features, weights);
        self.pairs
            .iter()
            .map(|&(better, worse)| scores[better as usize] - scores[worse as usize])
            .collect()
    }

    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64> {
        let mut of_documents = vec![0.0; self.rows.documents()];
        for (&(better, worse), factor) in self.pairs.iter().zip(factors) {
            of_documents[better as usize] += factor;
            of_documents[worse as usize] -= factor;
        }
        self.rows.transposed(features, &of_documents)
    }
}

/// Pairs of one document with documents that stand one after the other, again and again: for all
/// pairs, or nearly all.
pub(super) struct Runs<'a> {
    rows: &'a OrderedRows,
    /// The better document, and the worse ones.
    runs: Vec<(usize, Range<usize>)>,
    pairs: usize,
}

impl<'a> Runs<'a> {
    pub fn new(rows: &'a OrderedRows, pairs: &[Pair]) -> Self {
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        for &(better, worse) in pairs {
            let (better, worse) = (better as usize, worse as usize);
            match runs.last_mut() {
                Some((last, run)) if *last == better && run.end == worse => run.end += 1,
                _ => runs.push((better, worse..worse + 1)),
            }
        }
        Runs { rows, runs, pairs: pairs.len() }
    }
}

impl PairMatrix for Runs<'_> {
    fn pairs(&self) -> usize {
        self.pairs
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let scores = self.rows.scores(features, weights);
        let mut margins = Vec::with_capacity(self.pairs);
        for (better, worse) in &self.runs {
            let score = scores[*better];
            margins.extend(scores[worse.clone()].iter().map(|other| score - other));
        }
        margins
    }

    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64> {
        let mut of_documents = vec![0.0; self.rows.documents()];
        let mut rest = factors;
        for (better, worse) in &self.runs {
            let (own, others) = rest.split_at(worse.len());
            of_documents[*better] += sum(own);
            add_times(&mut of_documents[worse.clone()], -1.0, own);
            rest = others;
        }
        self.rows.transposed(features, &of_documents)
    }
}

/// Pairs whose differences are written out, feature by feature: for fewer pairs than documents.
pub(super) struct Differences {
    pairs: usize,
    columns: Vec<Vec<f32>>,
}

impl Differences {
    pub fn new(rows: &OrderedRows, pairs: &[Pair]) -> Self {
        let column = |feature: usize| -> Vec<f32> {
            let values = rows.column(feature);
            let difference =
                |&(better, worse): &Pair| values[better as usize] - values[worse as usize];
            pairs.iter().map(difference).collect()
        };
        Differences { pairs: pairs.len(), columns: (0..rows.width()).map(column).collect() }
    }

    /// Some features of some pairs.
    fn some(&self, features: &[usize], pairs: &[usize]) -> Vec<Vec<f64>> {
        let gather = |&feature: &usize| {
            let column = &self.columns[feature];
            pairs.iter().map(|&pair| column[pair].into()).collect()
        };
        features.iter().map(gather).collect()
    }
}

impl PairMatrix for Differences {
    fn pairs(&self) -> usize {
        self.pairs
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.pairs];
        for (&feature, &weight) in features.iter().zip(weights) {
            add_times(&mut margins, weight, &self.columns[feature]);
        }
        margins
    }

    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64> {
        features.iter().map(|&feature| dot(factors, &self.columns[feature])).collect()
    }
}

/// Differences with their products: for many subsets of features.
pub(super) struct WithProducts {
    differences: Differences,
    /// Whether each pair is violated by a model of all features that is near those of some.
    is_usual: Vec<bool>,
    /// Σ δ over these pairs.
    sums: Vec<f64>,
    /// Σ δδᵀ over these pairs, row after row: other models violate nearly the same ones.
    products: Vec<f64>,
}

impl WithProducts {
    pub fn new(rows: &OrderedRows, pairs: &[Pair], usual: &[f64]) -> Self {
        let differences = Differences::new(rows, pairs);
        let features: Vec<usize> = (0..rows.width()).collect();
        let margins = differences.margins(&features, usual);
        let is_usual: Vec<bool> = margins.iter().map(|margin| *margin < 1.0).collect();
        let violated: Vec<usize> = (0..pairs.len()).filter(|&pair| is_usual[pair]).collect();
        let columns = differences.some(&features, &violated);
        let sums = columns.iter().map(|column| sum(column)).collect();
        WithProducts { differences, is_usual, sums, products: products(&columns) }
    }
}

impl PairMatrix for WithProducts {
    fn pairs(&self) -> usize {
        self.differences.pairs()
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        self.differences.margins(features, weights)
    }

    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64> {
        self.differences.combined(features, factors)
    }

    fn violated(&self, features: &[usize], weights: &[f64], margins: &[f64]) -> Option<Violated> {
        let width = self.sums.len();
        let cells = features.iter().flat_map(|&k| features.iter().map(move |&l| k * width + l));
        let mut curvature: Vec<f64> = cells.map(|cell| self.products[cell]).collect();
        let of_usual = |(row, &k): (&[f64], &usize)| self.sums[k] - dot(row, weights);
        let mut gradient: Vec<f64> =
            curvature.chunks(features.len()).zip(features).map(of_usual).collect();
        let (mut come, mut go) = (Vec::new(), Vec::new());
        for (pair, (margin, &is_usual)) in margins.iter().zip(&self.is_usual).enumerate() {
            if (*margin < 1.0) != is_usual {
                if is_usual { &mut go } else { &mut come }.push(pair);
            }
        }
        for (changed, sign) in [(come, 1.0), (go, -1.0)] {
            let columns = self.differences.some(features, &changed);
            let lost: Vec<f64> = changed.iter().map(|&pair| 1.0 - margins[pair]).collect();
            gradient
                .iter_mut()
                .zip(&columns)
                .for_each(|(gradient, column)| *gradient += sign * dot(&lost, column));
            curvature
                .iter_mut()
                .zip(products(&columns))
                .for_each(|(curvature, product)| *curvature += sign * product);
        }
        Some(Violated { gradient, curvature })
    }
}

/// The scalar product of every two columns, row after row.
fn products(columns: &[Vec<f64>]) -> Vec<f64> {
    let width = columns.len();
    let mut products = vec![0.0; width * width];
    for k in 0..width {
        for l in 0..=k {
            let product = dot(&columns[k], &columns[l]);
            products[k * width + l] = product;
            products[l * width + k] = product;
        }
    }
    products
}

/// The pairs that a genome has.
pub(super) fn of_genome(pairs: &[Pair], genome: &Bits) -> Vec<Pair> {
    genome.ones().map(|pair| pairs[pair]).collect()
}

/// Some pairs in the form in which one model of all features is trained fastest.
pub(super) fn for_one_model<'a>(
    rows: &'a OrderedRows,
    pairs: Vec<Pair>,
) -> Box<dyn PairMatrix + 'a> {
    if pairs.len() < rows.documents() {
        return Box::new(Differences::new(rows, &pairs));
    }
    let runs = Runs::new(rows, &pairs);
    if runs.runs.len() * LONG <= pairs.len() {
        return Box::new(runs);
    }
    Box::new(OfDocuments { rows, pairs })
}

/// Some pairs in the form in which models of many subsets of features are trained fastest. `usual`
/// are weights of all features that leave about the same pairs violated as those models will.
pub(super) fn for_many_models<'a>(
    rows: &'a OrderedRows,
    pairs: Vec<Pair>,
    usual: &[f64],
) -> Box<dyn PairMatrix + 'a> {
    match pairs.len() * rows.width() <= WRITTEN_OUT {
        true => Box::new(WithProducts::new(rows, &pairs, usual)),
        false => for_one_model(rows, pairs),
    }
}
