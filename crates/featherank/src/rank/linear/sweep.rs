//! Sweeps over the documents of one query by score: for each document, the sums over the documents
//! with which it forms violated pairs, by grade.
//!
//! In descending order of score, the set of documents with sᵢ − sⱼ < 1 only grows; in ascending
//! order, the set of documents with sⱼ − sᵢ < 1 only grows. So each sweep adds every document once
//! and queries the sums once per document. Either one value per document, or several ([`Rows`]).

use pulp::{Arch, NullaryFnOnce};

/// The documents of one query by ascending score.
pub(super) struct Sorted<'a> {
    /// Documents, as indices within the query.
    pub order: &'a [u32],
    /// For each position in that order, the first position whose document has a score larger than
    /// its own minus 1.
    pub from: &'a [u32],
    /// For each position in that order, the end of the positions whose scores are smaller than its
    /// own plus 1.
    pub to: &'a [u32],
    /// The grade of each document.
    pub grades: &'a [u32],
    /// Number of grades.
    pub distinct: usize,
}

/// The quantities that a sweep sums by grade, document by document.
pub(super) trait SweepSums {
    /// Clears all sums.
    fn reset(&mut self, grades: usize);
    /// Adds a document at its grade.
    fn add(&mut self, grade: usize, document: usize);
    /// Applies the sums over smaller grades to a document.
    fn take(&mut self, grade: usize, document: usize);
}

impl Sorted<'_> {
    /// Applies to every document the sums over the documents with which it forms violated pairs.
    #[inline(always)]
    pub fn sweep(&self, sums: &mut impl SweepSums) {
        self.sweep_down(sums);
        self.sweep_up(sums);
    }

    /// [`Self::sweep`] with several values per document, using the widest SIMD registers of the
    /// machine.
    pub fn sweep_rows(&self, rows: &mut Rows<'_>) {
        Arch::new().dispatch(SweepRows { sorted: self, rows });
    }

    /// Like [`Self::sweep`], for the pairs in which the document is the better one.
    #[inline(always)]
    pub fn sweep_down(&self, sums: &mut impl SweepSums) {
        if self.distinct < 2 {
            return;
        }
        sums.reset(self.distinct);
        let mut reached = self.order.len();
        for (place, &i) in self.order.iter().enumerate().rev() {
            while reached > self.from[place] as usize {
                reached -= 1;
                let j = self.order[reached] as usize;
                sums.add(self.grades[j] as usize, j);
            }
            sums.take(self.grades[i as usize] as usize, i as usize);
        }
    }

    /// Like [`Self::sweep`], for the pairs in which the document is the worse one.
    #[inline(always)]
    pub fn sweep_up(&self, sums: &mut impl SweepSums) {
        if self.distinct < 2 {
            return;
        }
        sums.reset(self.distinct);
        // Grades are counted from the top here, so that "better" means "below" in the tree.
        let from_top = |document: usize| self.distinct - 1 - self.grades[document] as usize;
        let mut reached = 0;
        for (place, &i) in self.order.iter().enumerate() {
            while reached < self.to[place] as usize {
                let j = self.order[reached] as usize;
                sums.add(from_top(j), j);
                reached += 1;
            }
            sums.take(from_top(i as usize), i as usize);
        }
    }
}

/// One value per document.
pub(super) struct Values<'a, V: FnMut(usize, Sum)> {
    pub values: &'a [f64],
    pub tree: &'a mut Fenwick,
    pub visit: V,
}

impl<V: FnMut(usize, Sum)> SweepSums for Values<'_, V> {
    fn reset(&mut self, grades: usize) {
        self.tree.reset(grades);
    }

    fn add(&mut self, grade: usize, document: usize) {
        self.tree.add(grade, self.values[document]);
    }

    fn take(&mut self, grade: usize, document: usize) {
        (self.visit)(document, self.tree.below(grade));
    }
}

/// Several values per document, for products with the Hessian along all features at once: the
/// compiler vectorises the inner loops, and the tree is traversed once for all values.
pub(super) struct Rows<'a> {
    pub width: usize,
    /// In row-major order: document by document.
    pub u: &'a [f64],
    pub h: &'a mut [f64],
    pub counts: Vec<f64>,
    pub totals: Vec<f64>,
}

impl SweepSums for Rows<'_> {
    fn reset(&mut self, grades: usize) {
        self.counts.clear();
        self.counts.resize(grades, 0.0);
        self.totals.clear();
        self.totals.resize(grades * self.width, 0.0);
    }

    #[inline(always)]
    fn add(&mut self, grade: usize, document: usize) {
        let row = &self.u[document * self.width..][..self.width];
        let mut at = grade + 1;
        while at < self.counts.len() {
            self.counts[at] += 1.0;
            let totals = &mut self.totals[at * self.width..][..self.width];
            totals.iter_mut().zip(row).for_each(|(total, u)| *total += u);
            at += at & at.wrapping_neg();
        }
    }

    #[inline(always)]
    fn take(&mut self, grade: usize, document: usize) {
        let h = &mut self.h[document * self.width..][..self.width];
        let (mut count, mut at) = (0.0, grade);
        while at > 0 {
            count += self.counts[at];
            let totals = &self.totals[at * self.width..][..self.width];
            h.iter_mut().zip(totals).for_each(|(h, total)| *h -= total);
            at -= at & at.wrapping_neg();
        }
        let row = &self.u[document * self.width..][..self.width];
        h.iter_mut().zip(row).for_each(|(h, u)| *h += count * u);
    }
}

struct SweepRows<'a, 'b, 'c> {
    sorted: &'a Sorted<'b>,
    rows: &'a mut Rows<'c>,
}

impl NullaryFnOnce for SweepRows<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.sorted.sweep(self.rows);
    }
}

/// A count and a sum.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub count: f64,
    pub total: f64,
}

/// Sums by grade, with prefix sums in logarithmic time.
#[derive(Debug, Default)]
pub(super) struct Fenwick(Vec<Sum>);

impl Fenwick {
    fn reset(&mut self, grades: usize) {
        self.0.clear();
        self.0.resize(grades, Sum::default());
    }

    fn add(&mut self, grade: usize, value: f64) {
        let mut at = grade + 1;
        while at < self.0.len() {
            self.0[at].count += 1.0;
            self.0[at].total += value;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over smaller grades.
    fn below(&self, grade: usize) -> Sum {
        let (mut sum, mut at) = (Sum::default(), grade);
        while at > 0 {
            sum.count += self.0[at].count;
            sum.total += self.0[at].total;
            at -= at & at.wrapping_neg();
        }
        sum
    }
}
