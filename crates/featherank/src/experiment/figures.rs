//! Published figures, as written in plans.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// MAP, NDCG@1, NDCG@5, NDCG@10 and optionally the number of features; `None` (`nan` in files) if a
/// figure was not published.
pub type Figures = Vec<Option<f64>>;

pub(super) fn figures<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Figures, D::Error> {
    Ok(printed(Vec::deserialize(from)?))
}

pub(super) fn figures_by_data<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, Figures>, D::Error> {
    let read = BTreeMap::<String, Vec<f64>>::deserialize(from)?;
    Ok(read.into_iter().map(|(data, values)| (data, printed(values))).collect())
}

fn printed(values: Vec<f64>) -> Figures {
    values.into_iter().map(|value| Some(value).filter(|value| !value.is_nan())).collect()
}
