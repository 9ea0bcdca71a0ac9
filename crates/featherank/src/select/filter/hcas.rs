//! HCAS, hierarchical clustering for feature selection: one representative for each cluster of
//! similar features.
//!
//! Features are merged bottom-up by their distances 1 − |similarity|; the tree is cut into k
//! clusters, and the most relevant feature of each, its representative, is chosen (Gigli, Lucchese,
//! Nardini & Perego, ICTIR 2016; ties by column). The next cut splits one cluster, and the
//! representative of the whole remains the representative of one half: sets for increasing k are
//! nested, and the order in which representatives appear is the path. Without `k` all varying
//! features are chosen, in that order. A kept feature is the representative of every cluster that
//! contains it.
//!
//! `ward` is `ward.D` of R, which the authors' code calls: the update of Lance & Williams on the
//! distances themselves, d(A ∪ B, X) = ((a + x) d(A, X) + (b + x) d(B, X) − x d(A, B)) / (a + b +
//! x) with a, b and x features in the clusters. Current libraries, including R's `ward.D2`, update
//! squared distances instead; their update on √d equals `ward.D` on d. The paper also uses `single`
//! linkage.
//!
//! Similarity and relevance, and how they depart from the paper, are those of [`super::ngas`].

use kodama::Step;

use super::redundancy::RelevanceAndRedundancy;
use crate::cluster::{Method, linkage};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{relevance_params, similarity_params};
use crate::select::{Findings, Selector};

method! {
    /// Hierarchical clustering of features: the most relevant feature of each cluster.
    pub struct HCAS: Selector as "hcas" in Filter,
        cites ["gigli2016"], AsPublished, Passes,
        with [compares_pairs]
    {
        /// Distance between two clusters.
        linkage: Choice<Linkage> = "ward",
        use relevance_params!();
        use similarity_params!("spearman");
    }
}

choice! {
    /// Distance between two clusters.
    pub enum Linkage {
        /// By what joining them adds to the variance within clusters.
        Ward = "ward",
        /// As far as their nearest members.
        Single = "single",
        /// As far as their members on average.
        Average = "average",
        /// As far as their farthest members.
        Complete = "complete",
    }
}

impl Linkage {
    const fn method(self) -> Method {
        match self {
            Linkage::Ward => Method::Ward,
            Linkage::Single => Method::Single,
            Linkage::Average => Method::Average,
            Linkage::Complete => Method::Complete,
        }
    }
}

impl Selector for HCAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        run.step("clustering features", 0, Some(1))?;
        let kept: Vec<bool> =
            facts.features.iter().map(|f| run.constraints.keep.contains(f)).collect();
        let order = representatives(&facts, &kept, &merges(&facts, self.linkage.method()));
        run.step("clustering features", 1, Some(1))?;
        Findings::in_order(run, engine.schema(), &facts.scored(&order), &[], &facts.unusable)
    }
}

/// The merges from single features to one cluster. Cluster numbers below the number of features are
/// single features; the others are numbered in the order of the merges that created them.
fn merges(facts: &RelevanceAndRedundancy, method: Method) -> Vec<Step<f64>> {
    let distance = |a, b| {
        let distance = (1.0 - facts.similarity(a, b)).max(0.0);
        // The library squares its input for Ward's method.
        if method == Method::Ward { distance.sqrt() } else { distance }
    };
    linkage(facts.width(), distance, method)
}

/// All features in the order in which they become representatives when the tree is cut from its
/// root.
fn representatives(
    facts: &RelevanceAndRedundancy,
    kept: &[bool],
    merges: &[Step<f64>],
) -> Vec<usize> {
    let better = |a: usize, b: usize| {
        let rank = |f: usize| (kept[f], facts.relevance[f]);
        let ((kept_a, a_is), (kept_b, b_is)) = (rank(a), rank(b));
        kept_a.cmp(&kept_b).then(a_is.total_cmp(&b_is)).then(b.cmp(&a)).is_gt()
    };
    let mut representative: Vec<usize> = (0..facts.width()).collect();
    let mut newcomers = Vec::with_capacity(facts.width());
    for merge in merges {
        let (a, b) = (representative[merge.cluster1], representative[merge.cluster2]);
        let (stays, goes) = if better(a, b) { (a, b) } else { (b, a) };
        representative.push(stays);
        newcomers.push(goes);
    }
    representative.last().copied().into_iter().chain(newcomers.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;
    use crate::data::FeatureId;
    use proptest::prelude::*;

    const METHODS: [Method; 4] = [Method::Ward, Method::Single, Method::Average, Method::Complete];

    fn example() -> (serde_json::Value, RelevanceAndRedundancy) {
        let fixture =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        (fixture, facts)
    }

    #[test]
    fn chooses_as_in_the_worked_example() {
        let (fixture, facts) = example();
        let order = representatives(&facts, &[false; 5], &merges(&facts, Method::Single));
        assert_eq!(serde_json::json!(order[..3]), fixture["hcas_single_linkage_3"]["selected"]);
    }

    /// Distances .1 (0, 1), .2 (2, 3), .8 (0, 2), .75 (1, 2), .9 (0, 3), .85 (1, 3), .7 (0, 4), .8
    /// (1, 4), .95 (2, 4), .9 (3, 4). After the first two merges: {0, 1} to 2 is (2 · .8 + 2 · .75
    /// − .1)/3 = 1, to 3 (1.8 + 1.7 − .1)/3 = 1.1333, so to {2, 3} (3 · 1 + 3 · 1.1333 − 2 · .2)/4
    /// = 1.5; to 4 (1.4 + 1.6 − .1)/3 = .9667; {2, 3} to 4 is (1.9
    /// + 1.8 − .2)/3 = 1.1667. Last (4 · 1.5 + 3 · 1.1667 − 2 · .9667)/5 = 1.5133.
    #[test]
    fn ward_is_that_of_the_distances_themselves() {
        let (_, facts) = example();
        let steps = merges(&facts, Method::Ward);
        let heights: Vec<f64> = steps.iter().map(|step| step.dissimilarity.powi(2)).collect();
        for (height, expected) in
            heights.iter().zip([0.1, 0.2, 2.9 / 3.0, (6.0 + 3.5 - 5.8 / 3.0) / 5.0])
        {
            assert!((height - expected).abs() < 1e-12, "{heights:?}");
        }
        assert_eq!((steps[2].cluster1, steps[2].cluster2), (4, 5), "4 joins 0 and 1");
    }

    #[test]
    fn kept_features_are_representatives() {
        let (_, facts) = example();
        let mut kept = [false; 5];
        kept[3] = true;
        let order = representatives(&facts, &kept, &merges(&facts, Method::Single));
        assert_eq!(order[..3], [3, 0, 4], "3 instead of its more relevant neighbour 2");
    }

    /// The clusters after some merges, computed from the merges directly; the path must agree with
    /// this cut.
    fn cut(width: usize, merges: &[Step<f64>]) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Vec<usize>> = (0..width).map(|f| vec![f]).collect();
        for merge in merges {
            let mut whole = std::mem::take(&mut clusters[merge.cluster1]);
            whole.append(&mut std::mem::take(&mut clusters[merge.cluster2]));
            clusters.push(whole);
        }
        clusters.into_iter().filter(|cluster| !cluster.is_empty()).collect()
    }

    proptest! {
        /// The first k of the path are the most relevant features of the k clusters, for every k:
        /// so the sets are nested.
        #[test]
        fn every_cut_has_its_representatives(
            width in 1usize..12,
            numbers in prop::collection::vec(0u8..20, 200),
        ) {
            let relevance = numbers[..width].iter().map(|&x| f64::from(x) / 20.0).collect();
            let cell = |a: usize, b: usize| if a == b { 1.0 } else { f64::from(numbers[20 + a.max(b) * 12 + a.min(b)]) / 20.0 };
            let facts = RelevanceAndRedundancy::new((0..width).map(FeatureId::from).collect(), relevance, cell);
            for method in METHODS {
                let steps = merges(&facts, method);
                let order = representatives(&facts, &vec![false; width], &steps);
                for k in 1..=width {
                    let best = |cluster: Vec<usize>| facts.by_relevance(cluster)[0];
                    let mut expected: Vec<usize> = cut(width, &steps[..width - k]).into_iter().map(best).collect();
                    let mut first = order[..k].to_vec();
                    expected.sort_unstable();
                    first.sort_unstable();
                    prop_assert_eq!(first, expected);
                }
            }
        }
    }
}
