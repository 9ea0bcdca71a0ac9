//! Whether the order of the documents in the file reveals their relevance.
//!
//! A score that is the same for all documents ranks them in file order if ties keep input order. If
//! every order of a query's documents is equally likely, the measure of file order is one draw from
//! the distribution of the measure over random orders. The test draws from that distribution and
//! counts how often a random order is as extreme. It needs no assumption about the distribution,
//! and a few queries suffice to detect an order that is far from random.

use std::cell::Cell;

use rand::Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::data::View;
use crate::engine::Engine;
use crate::error::Result;
use crate::measure::{Measure, Ties};
use crate::progress::Step;
use crate::random::{Purpose, stream};

/// The level below which file order is called informative.
const LEVEL: f64 = 0.01;

/// The level below which there is a weak sign that file order is informative.
const WEAK_LEVEL: f64 = 0.1;

/// The number of documents that are tested; of larger data a sample of the queries is used.
const MOST_DOCUMENTS: usize = 50_000;

/// The number of documents that are ranked at random in total, for data of medium size.
const RANKED_DOCUMENTS: usize = 10_000_000;

/// The value of a constant score under one measure. If the order of the documents is informative,
/// ties broken by input order reward a score that says nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConstantScore {
    /// The measure, with ties in input order.
    pub measure: Measure,
    /// The value with documents in file order.
    pub file_order: f64,
    /// The expected value with documents in random order.
    pub random_order: f64,
    /// The probability that a random order of the documents of every query is as far from the
    /// expected value: two-sided permutation test.
    pub p: f64,
    /// Whether the file order reveals relevance.
    pub informative: bool,
    /// Whether the measure can differ between rankings of the data.
    pub measurable: bool,
}

impl ConstantScore {
    /// Whether there is a sign that the file order reveals relevance, but a weak one.
    pub fn is_weak_sign(&self) -> bool {
        !self.informative && self.p < WEAK_LEVEL
    }
}

/// The value of a constant score under each measure; empty if the rows are not in this process.
pub(super) fn constant_scores(
    engine: &dyn Engine,
    measures: &[Measure],
) -> Result<Vec<ConstantScore>> {
    let Some(data) = engine.local() else { return Ok(Vec::new()) };
    let (view, scores) = (data.view(), vec![0.0; data.documents()]);
    let largest = engine.schema().largest_label();
    measures.iter().try_for_each(|measure| measure.check_labels(largest))?;
    let tested = measures.iter().filter(|measure| measure.varies(&view)).count();
    let progress = DrawProgress { engine, done: Cell::new(0), total: tested * BLOCKS };
    progress.report()?;
    let score = |measure: &Measure| -> Result<ConstantScore> {
        let stable = measure.clone().with_ties(Ties::Input);
        let expected = measure.clone().with_ties(Ties::Expected);
        let measurable = measure.varies(&view);
        let p = if measurable { file_order_p(&stable, &view, &progress)? } else { 1.0 };
        Ok(ConstantScore {
            file_order: stable.summary(&stable.per_query(&scores, &view)),
            random_order: expected.summary(&expected.per_query(&scores, &view)),
            informative: p < LEVEL,
            measurable,
            measure: stable,
            p,
        })
    };
    measures.iter().map(score).collect()
}

/// The number of blocks in which random orders of one measure are drawn.
const BLOCKS: usize = 20;

/// The progress of the test, in blocks of random orders.
struct DrawProgress<'a> {
    engine: &'a dyn Engine,
    done: Cell<usize>,
    total: usize,
}

impl DrawProgress<'_> {
    /// Reports the blocks that are done; an error if the observer stops the run.
    fn report(&self) -> Result<()> {
        if self.total == 0 {
            return Ok(());
        }
        let (done, total) = (self.done.get() as u64, self.total as u64);
        self.engine.step(&Step::stage("testing the file order", done, Some(total)))
    }

    /// Reports that more blocks are done.
    fn add(&self, blocks: usize) -> Result<()> {
        self.done.set(self.done.get() + blocks);
        self.report()
    }
}

/// The p-value of file order. The draws depend on their index alone, so that the same data gives
/// the same p-value for any number of threads.
fn file_order_p(measure: &Measure, view: &View<'_>, progress: &DrawProgress<'_>) -> Result<f64> {
    let step = view.documents().div_ceil(MOST_DOCUMENTS).max(1);
    let view =
        view.with_queries((0..view.data().queries().len()).step_by(step).collect::<Vec<_>>());
    let draws = (RANKED_DOCUMENTS / view.documents().max(1)).clamp(399, 1_999);
    let value = |scores: &[f32]| measure.summary(&measure.per_query(scores, &view));
    let in_file_order = value(&vec![0.0; view.documents()]);
    if in_file_order.is_nan() {
        return progress.add(BLOCKS).map(|()| 1.0);
    }
    let at_random = |draw: u64| {
        let mut random = stream(0, Purpose::Permutation, draw);
        let scores: Vec<f32> =
            (0..view.documents()).map(|_| (random.next_u32() >> 8) as f32).collect();
        let value = value(&scores);
        (usize::from(value >= in_file_order), usize::from(value <= in_file_order))
    };
    let add = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
    let (mut above, mut below) = (0, 0);
    for block in 0..BLOCKS {
        let drawn = block * draws / BLOCKS..(block + 1) * draws / BLOCKS;
        let drawn = (drawn.start as u64..drawn.end as u64).into_par_iter();
        (above, below) = add((above, below), drawn.map(at_random).reduce(|| (0, 0), add));
        progress.add(1)?;
    }
    Ok((2.0 * (1 + above.min(below)) as f64 / (1 + draws) as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::error::Stop;
    use crate::progress::Observer;

    /// Lists of 300 documents, of which the one at `place` is relevant.
    fn data(places: &[usize]) -> Dataset {
        let labels = |&place: &usize| (0..300).map(move |row| f32::from(u8::from(row == place)));
        let labels: Vec<f32> = places.iter().flat_map(labels).collect();
        Dataset::new(
            vec![0.0; labels.len()],
            labels,
            Queries::from_sizes(&vec![300; places.len()]),
            FeatureTable::numbered(1, 1),
        )
    }

    fn test(places: &[usize]) -> ConstantScore {
        let engine = LocalEngine::new(data(places), 1).unwrap();
        constant_scores(&engine, &["ndcg@10".parse().unwrap()]).unwrap().remove(0)
    }

    /// Two of five lists begin with their relevant document. No test of five differences reaches
    /// p < .01, and random order almost never does as well.
    #[test]
    fn a_few_queries_reveal_an_informative_order() {
        let found = test(&[0, 150, 0, 200, 260]);
        assert!(found.file_order > 10.0 * found.random_order);
        assert!(found.informative && found.p <= 0.002, "{}", found.p);
    }

    #[test]
    fn the_test_is_a_stage() {
        struct Recorder(Mutex<Vec<Step>>);
        impl Observer for Recorder {
            fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
                self.0.lock().unwrap().push(*step);
                ControlFlow::Continue(())
            }
        }
        let recorder = Arc::new(Recorder(Mutex::default()));
        let engine = LocalEngine::new(data(&[3, 150]), 1).unwrap().observed_by(recorder.clone());
        let measures = ["ndcg@10".parse().unwrap(), "map".parse().unwrap()];
        constant_scores(&engine, &measures).unwrap();
        let total = 2 * BLOCKS as u64;
        let expected = (0..=total).map(|n| Step::stage("testing the file order", n, Some(total)));
        assert_eq!(*recorder.0.lock().unwrap(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn random_order_is_not_called_informative() {
        let found = test(&[150, 37, 260, 211, 99]);
        assert!(!found.informative && found.p > 0.5, "{}", found.p);
        assert!(!found.is_weak_sign());
    }

    #[test]
    fn signs_are_weak_between_the_levels() {
        let found = test(&[150, 37, 260, 211, 99]);
        let weak = |p| ConstantScore { p, informative: p < LEVEL, ..found.clone() }.is_weak_sign();
        assert_eq!([0.005, 0.015, 0.028, 0.2].map(weak), [false, true, true, false]);
    }
}
