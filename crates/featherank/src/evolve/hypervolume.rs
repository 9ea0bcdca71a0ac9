//! Hypervolume: the volume of the space of minimised objectives that a set of points dominates, up
//! to a reference point.
//!
//! Points that are not better than the reference on every objective add nothing.

/// The area that points of two objectives dominate.
#[must_use]
pub fn area(points: &[[f64; 2]], reference: [f64; 2]) -> f64 {
    let mut inside: Vec<[f64; 2]> =
        points.iter().copied().filter(|point| is_within(point, &reference)).collect();
    inside.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut height = reference[1];
    let mut area = 0.0;
    for [x, y] in inside {
        if y < height {
            area += (reference[0] - x) * (height - y);
            height = y;
        }
    }
    area
}

/// The volume that points of three objectives dominate: the sum of slices along the third
/// objective, between consecutive points.
#[must_use]
pub fn volume(points: &[[f64; 3]], reference: [f64; 3]) -> f64 {
    let mut inside: Vec<[f64; 3]> =
        points.iter().copied().filter(|point| is_within(point, &reference)).collect();
    inside.sort_by(|a, b| a[2].total_cmp(&b[2]));
    let flat: Vec<[f64; 2]> = inside.iter().map(|&[x, y, _]| [x, y]).collect();
    let tops = inside.iter().skip(1).map(|point| point[2]).chain([reference[2]]);
    let slices = inside.iter().zip(tops).enumerate().filter(|(_, (point, top))| *top > point[2]);
    slices
        .map(|(last, (point, top))| {
            (top - point[2]) * area(&flat[..=last], [reference[0], reference[1]])
        })
        .sum()
}

fn is_within(point: &[f64], reference: &[f64]) -> bool {
    point.iter().zip(reference).all(|(value, bound)| value < bound)
}

#[cfg(test)]
mod tests {
    use super::super::tests::config;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Steps of 1 × 3, 1 × 2 and 1 × 1; the others add nothing.
        let steps = [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [3.0, 3.0], [0.0, 4.0], [f64::NAN, 0.0]];
        assert_eq!(area(&steps, [4.0, 4.0]), 6.0);
        assert_eq!(area(&[], [4.0, 4.0]), 0.0);
        // Two boxes of volume 4 that share 1.
        assert_eq!(volume(&[[0.0, 0.0, 1.0], [1.0, 1.0, -2.0]], [2.0, 2.0, 2.0]), 4.0 + 4.0 - 1.0);
    }

    proptest! {
        #![proptest_config(config())]

        /// On a grid the hypervolume is the number of unit cells that some point dominates.
        #[test]
        fn cells_are_counted(points in prop::collection::vec(prop::array::uniform3(0u8..7), 0..12)) {
            let covers = |point: &[u8], cell: &[u8]| point.iter().zip(cell).all(|(value, low)| value <= low);
            let cells: Vec<[u8; 3]> =
                (0..6).flat_map(|x| (0..6).flat_map(move |y| (0..6).map(move |z| [x, y, z]))).collect();
            let solid = cells.iter().filter(|cell| points.iter().any(|point| covers(point, *cell))).count();
            let floor = cells.iter().filter(|cell| cell[2] == 0);
            let flat = floor.filter(|cell| points.iter().any(|point| covers(&point[..2], &cell[..2])));
            let points: Vec<[f64; 3]> = points.iter().map(|point| point.map(f64::from)).collect();
            let plane: Vec<[f64; 2]> = points.iter().map(|&[x, y, _]| [x, y]).collect();
            prop_assert_eq!(volume(&points, [6.0; 3]), solid as f64);
            prop_assert_eq!(area(&plane, [6.0; 2]), flat.count() as f64);
        }
    }
}
