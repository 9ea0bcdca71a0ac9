//! Preference pairs one by one, so that any of them can be left out.

use rand::seq::index::sample;

use super::rows::Rows;
use crate::evolve::Bits;
use crate::random::Stream;

/// Differences of pairs are written out up to so many values; beyond, margins come from the scores of documents.
const WRITTEN_OUT: usize = 1 << 20;

/// Two documents of one query, the better one first.
pub(super) type Pair = (u32, u32);

/// All pairs of documents with different labels, or so many of them at most, drawn at random; query by query.
pub(super) fn preference_pairs(rows: &Rows, most: usize, rng: &mut Stream) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for query in rows.queries() {
        let labels = &rows.labels()[query.clone()];
        for (i, label) in labels.iter().enumerate() {
            // Documents stand by their labels.
            let worse = labels.partition_point(|other| other >= label);
            pairs.extend((worse..labels.len()).map(|j| ((query.start + i) as u32, (query.start + j) as u32)));
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
    /// By how much these weights of these features score the better document of each pair above the other.
    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64>;
    /// The sum of all differences, each times its factor.
    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64>;
}

/// Pairs whose margins come from the scores of documents: for many pairs.
pub(super) struct OfDocuments<'a> {
    pub rows: &'a Rows,
    pub pairs: Vec<Pair>,
}

impl PairMatrix for OfDocuments<'_> {
    fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let scores = self.rows.scores(features, weights);
        self.pairs.iter().map(|&(better, worse)| scores[better as usize] - scores[worse as usize]).collect()
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

/// Pairs whose differences are written out, feature by feature: for few pairs.
pub(super) struct WrittenOut {
    pairs: usize,
    columns: Vec<Vec<f32>>,
}

impl WrittenOut {
    pub fn new(rows: &Rows, pairs: &[Pair]) -> Self {
        let column = |feature: usize| {
            let values = rows.column(feature);
            let difference = |&(better, worse): &Pair| values[better as usize] - values[worse as usize];
            pairs.iter().map(difference).collect()
        };
        WrittenOut { pairs: pairs.len(), columns: (0..rows.width()).map(column).collect() }
    }
}

impl PairMatrix for WrittenOut {
    fn pairs(&self) -> usize {
        self.pairs
    }

    fn margins(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.pairs];
        for (&feature, &weight) in features.iter().zip(weights) {
            crate::vector::add_times(&mut margins, weight, &self.columns[feature]);
        }
        margins
    }

    fn combined(&self, features: &[usize], factors: &[f64]) -> Vec<f64> {
        features.iter().map(|&feature| crate::vector::dot(factors, &self.columns[feature])).collect()
    }
}

/// The pairs that a genome has.
pub(super) fn of_genome(pairs: &[Pair], genome: &Bits) -> Vec<Pair> {
    genome.ones().map(|pair| pairs[pair]).collect()
}

/// Some pairs for many subsets of features, in the form that is faster.
pub(super) fn for_many_subsets<'a>(rows: &'a Rows, pairs: Vec<Pair>) -> Box<dyn PairMatrix + 'a> {
    if pairs.len() * rows.width() <= WRITTEN_OUT {
        Box::new(WrittenOut::new(rows, &pairs))
    } else {
        Box::new(OfDocuments { rows, pairs })
    }
}
