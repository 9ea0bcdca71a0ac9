//! Sums over slices with the widest SIMD registers available, in an order of summation that is the
//! same on all machines.

use pulp::Arch;
/// Work on slices that is compiled for the widest registers, see [`wide`].
pub(crate) use pulp::NullaryFnOnce as Kernel;

/// The number of SIMD lanes over which a sum is split.
const LANES: usize = 8;

/// Runs a kernel with the widest registers. A kernel of many short slices chooses the instructions
/// once, where [`dot`] and [`add_times`] choose them for every slice; it uses [`dot_here`] and
/// [`add_times_here`] instead.
pub(crate) fn wide<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(kernel)
}

/// The dot product.
pub(crate) fn dot<T: Copy + Into<f64>>(a: &[f64], b: &[T]) -> f64 {
    Arch::new().dispatch(Dot { a, b })
}

/// The sum.
pub(crate) fn sum(a: &[f64]) -> f64 {
    Arch::new().dispatch(SumKernel { a })
}

/// Adds a multiple of one slice to another.
pub(crate) fn add_times<T: Copy + Into<f64>>(sum: &mut [f64], factor: f64, x: &[T]) {
    Arch::new().dispatch(AddTimes { sum, factor, x });
}

// Structs instead of closures: closures are not always inlined, and then not compiled for wide
// registers.
struct Dot<'a, T> {
    a: &'a [f64],
    b: &'a [T],
}

impl<T: Copy + Into<f64>> Kernel for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        dot_here(self.a, self.b)
    }
}

/// [`dot`] inside a kernel.
#[inline(always)]
pub(crate) fn dot_here<T: Copy + Into<f64>>(a: &[f64], b: &[T]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_rest, b_rest) = (a.chunks_exact(LANES).remainder(), b.chunks_exact(LANES).remainder());
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane].into();
        }
    }
    let mut sum = 0.0;
    for lane in lanes {
        sum += lane;
    }
    for (a, &b) in a_rest.iter().zip(b_rest) {
        sum += a * b.into();
    }
    sum
}

struct SumKernel<'a> {
    a: &'a [f64],
}

impl Kernel for SumKernel<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut lanes = [0.0; LANES];
        let parts = self.a.chunks_exact(LANES);
        let rest = parts.remainder();
        for part in parts {
            for lane in 0..LANES {
                lanes[lane] += part[lane];
            }
        }
        lanes.iter().chain(rest).fold(0.0, |sum, x| sum + x)
    }
}

struct AddTimes<'a, T> {
    sum: &'a mut [f64],
    factor: f64,
    x: &'a [T],
}

impl<T: Copy + Into<f64>> Kernel for AddTimes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        add_times_here(self.sum, self.factor, self.x);
    }
}

/// [`add_times`] inside a kernel.
#[inline(always)]
pub(crate) fn add_times_here<T: Copy + Into<f64>>(sum: &mut [f64], factor: f64, x: &[T]) {
    for (sum, &x) in sum.iter_mut().zip(x) {
        *sum += factor * x.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_by_hand() {
        let a: Vec<f64> = (0..19).map(f64::from).collect();
        let b: Vec<f32> = (0..19).map(|x| x as f32 - 4.0).collect();
        // Σ x² − 4 Σ x for x below 19.
        assert_eq!(dot(&a, &b), 2109.0 - 4.0 * 171.0);
        assert_eq!(dot::<f64>(&[], &[]), 0.0);
        assert_eq!((sum(&a), sum(&a[..3]), sum(&[])), (171.0, 3.0, 0.0));
        let mut sum = a.clone();
        add_times(&mut sum, 2.0, &b);
        assert!(sum.iter().zip(&a).all(|(sum, x)| *sum == 3.0 * x - 8.0));
    }
}
