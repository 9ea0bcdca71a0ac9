//! A zero-copy view of some features and some queries of a data set.

use std::borrow::Cow;
use std::ops::Range;

use super::dataset::Dataset;
use super::features::{FeatureId, FeatureTable};
use super::queries::Queries;

/// Some features and some queries of a [`Dataset`], without copying values.
///
/// Documents of a view are numbered in the order of its queries; scores for a view follow that
/// order.
#[derive(Debug, Clone)]
pub struct View<'a> {
    data: &'a Dataset,
    features: Cow<'a, [FeatureId]>,
    queries: QuerySet<'a>,
}

#[derive(Debug, Clone)]
enum QuerySet<'a> {
    Span(Range<usize>),
    List(Cow<'a, [usize]>),
}

impl<'a> View<'a> {
    /// The whole data set.
    pub fn all(data: &'a Dataset) -> Self {
        let features = (0..data.features().len()).map(FeatureId::from).collect();
        View {
            data,
            features: Cow::Owned(features),
            queries: QuerySet::Span(0..data.queries().len()),
        }
    }

    /// The same queries with only these features, in this order.
    #[must_use]
    pub fn with_features(&self, features: impl Into<Cow<'a, [FeatureId]>>) -> Self {
        View { features: features.into(), ..self.clone() }
    }

    /// These queries of the data set, in this order.
    #[must_use]
    pub fn with_queries(&self, queries: impl Into<Cow<'a, [usize]>>) -> Self {
        View { queries: QuerySet::List(queries.into()), ..self.clone() }
    }

    /// Consecutive queries of the data set.
    #[must_use]
    pub fn with_query_span(&self, span: Range<usize>) -> Self {
        View { queries: QuerySet::Span(span), ..self.clone() }
    }

    /// The data set behind the view.
    pub fn data(&self) -> &'a Dataset {
        self.data
    }

    /// The features of the view, in order.
    pub fn features(&self) -> &[FeatureId] {
        &self.features
    }

    /// The data set's indices of the view's queries, in order.
    pub fn queries(&self) -> impl Iterator<Item = usize> + '_ {
        let (span, list) = match &self.queries {
            QuerySet::Span(span) => (span.clone(), &[][..]),
            QuerySet::List(list) => (0..0, &list[..]),
        };
        span.chain(list.iter().copied())
    }

    /// Number of queries.
    pub fn query_count(&self) -> usize {
        match &self.queries {
            QuerySet::Span(span) => span.len(),
            QuerySet::List(list) => list.len(),
        }
    }

    /// The data set's rows of each of the view's queries.
    pub fn rows(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.queries().map(|q| self.data.queries().rows(q))
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.rows().map(|r| r.len()).sum()
    }

    /// Copies the view's documents with some columns of its data set, in this order.
    pub(crate) fn copy(&self, columns: &[FeatureId]) -> Dataset {
        let gather = |source: &[f32]| {
            self.rows().flat_map(|rows| source[rows].to_vec()).collect::<Vec<f32>>()
        };
        let values = columns.iter().flat_map(|&f| gather(self.data.column(f))).collect();
        let sizes: Vec<usize> = self.rows().map(|rows| rows.len()).collect();
        let ids = self.queries().map(|q| self.data.queries().id(q).to_owned()).collect();
        let features = columns.iter().map(|&f| self.data.features().get(f).clone()).collect();
        let labels = gather(self.data.labels());
        Dataset::in_given_order(
            values,
            labels,
            Queries::new(&sizes, ids),
            FeatureTable::from_features(features),
        )
        .with_memory_limit(self.data.memory_limit())
    }

    /// The labels of each of the view's queries.
    pub fn labels(&self) -> impl Iterator<Item = &'a [f32]> + '_ {
        let labels = self.data.labels();
        self.rows().map(move |r| &labels[r])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_select_without_copying() {
        let values = vec![1., 2., 3., 4., 5., 6.];
        let data = Dataset::new(
            values,
            vec![0., 1., 2.],
            Queries::from_sizes(&[2, 1]),
            FeatureTable::numbered(2, 1),
        );
        let view = data.view().with_features(vec![FeatureId(1)]).with_queries(vec![1]);
        assert_eq!(view.documents(), 1);
        assert_eq!(view.labels().collect::<Vec<_>>(), [&[2.0][..]]);
        assert!(view.rows().eq(std::iter::once(2..3)));
        assert!(std::ptr::eq(view.data().column(view.features()[0]).as_ptr(), &data.values()[3]));
    }
}
