//! Figures that papers print, as plans hold them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// MAP, NDCG@1, NDCG@5, NDCG@10 and, where it matters, the number of features; `None`, in files
/// `nan`, where it was not printed.
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
