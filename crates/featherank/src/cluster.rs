//! Hierarchical clustering: agglomerative linkage, and an order of the leaves for display.

pub(crate) use kodama::Method;
use kodama::Step;

/// Merges `width` items, nearest first. `distance` is called once for each pair and must not return
/// NaN.
///
/// Clusters below `width` are single items; cluster `width + i` is the result of step i.
pub(crate) fn linkage(
    width: usize,
    distance: impl Fn(usize, usize) -> f64,
    method: Method,
) -> Vec<Step<f64>> {
    if width < 2 {
        return Vec::new();
    }
    let mut distances: Vec<f64> = (0..width)
        .flat_map(|a| (a + 1..width).map(move |b| (a, b)))
        .map(|(a, b)| distance(a, b))
        .collect();
    kodama::linkage(&mut distances, width, method).steps().to_vec()
}

/// The leaves of the tree from left to right. Each merge orients its two branches so that the
/// adjacent leaves are as near as possible (Gruvaeus & Wainer 1972); among equals the branch with
/// the smaller item comes first.
pub(crate) fn leaf_order(
    width: usize,
    steps: &[Step<f64>],
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let mut clusters: Vec<Vec<usize>> = (0..width).map(|leaf| vec![leaf]).collect();
    for step in steps {
        let mut left = std::mem::take(&mut clusters[step.cluster1]);
        let mut right = std::mem::take(&mut clusters[step.cluster2]);
        if right.iter().min() < left.iter().min() {
            std::mem::swap(&mut left, &mut right);
        }
        let gap = |reversed: &(bool, bool)| {
            let last = if reversed.0 { left[0] } else { left[left.len() - 1] };
            let first = if reversed.1 { right[right.len() - 1] } else { right[0] };
            distance(last, first)
        };
        let orientations = [(false, false), (false, true), (true, false), (true, true)];
        let nearest = orientations.into_iter().min_by(|a, b| gap(a).total_cmp(&gap(b)));
        let (reverse_left, reverse_right) = nearest.unwrap_or_default();
        if reverse_left {
            left.reverse();
        }
        if reverse_right {
            right.reverse();
        }
        left.append(&mut right);
        clusters.push(left);
    }
    let mut order = clusters.pop().unwrap_or_default();
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line at 0, 10, 1, 11 and 30. Average linkage joins 0 and 1, then 10 and 11, then
    /// those two pairs at a mean distance of (10 + 11 + 9 + 10)/4 = 10, then 30 at (30 + 20 + 29 +
    /// 19)/4 = 24.5. The order is that of the line.
    #[test]
    fn leaves_follow_the_points() {
        let points: [f64; 5] = [0., 10., 1., 11., 30.];
        let distance = |a: usize, b: usize| (points[a] - points[b]).abs();
        let steps = linkage(5, distance, Method::Average);
        let joined: Vec<(usize, usize, f64)> =
            steps.iter().map(|s| (s.cluster1, s.cluster2, s.dissimilarity)).collect();
        assert_eq!(joined, [(0, 2, 1.0), (1, 3, 1.0), (5, 6, 10.0), (4, 7, 24.5)]);
        assert_eq!(leaf_order(5, &steps, distance), [0, 2, 1, 3, 4]);
    }

    #[test]
    fn few_items_and_equal_distances() {
        for width in 0..6 {
            let steps = linkage(width, |_, _| 1.0, Method::Average);
            let mut order = leaf_order(width, &steps, |_, _| 1.0);
            assert_eq!(order, leaf_order(width, &steps, |_, _| 1.0));
            order.sort_unstable();
            assert_eq!(order, (0..width).collect::<Vec<_>>());
        }
    }
}
