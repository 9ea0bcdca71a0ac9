//! Serde for numbers that may be infinite: JSON has no infinity, and `null` would not be read back
//! as a number.
//!
//! Finite numbers stay numbers; the others become the strings `inf`, `-inf` and `nan`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// For `#[serde(with = …)]`.
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else if value.is_nan() {
        serializer.serialize_str("nan")
    } else {
        serializer.serialize_str(if *value > 0.0 { "inf" } else { "-inf" })
    }
}

/// For `#[serde(with = …)]`.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum NumberOrWord {
        Finite(f64),
        Word(String),
    }
    match NumberOrWord::deserialize(deserializer)? {
        NumberOrWord::Finite(value) => Ok(value),
        NumberOrWord::Word(word) => match word.as_str() {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            _ => Err(D::Error::custom(format!("`{word}` is not a number, `inf`, `-inf` or `nan`"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct SerialisedNumber(#[serde(with = "super")] f64);

    #[test]
    fn every_number_round_trips() {
        for value in [0.1, -3.0, 5e-324, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&SerialisedNumber(value)).unwrap();
            assert_eq!(
                serde_json::from_str::<SerialisedNumber>(&text).unwrap(),
                SerialisedNumber(value),
                "{text}"
            );
        }
        let text = serde_json::to_string(&SerialisedNumber(f64::NAN)).unwrap();
        assert!(serde_json::from_str::<SerialisedNumber>(&text).unwrap().0.is_nan());
        assert!(serde_json::from_str::<SerialisedNumber>("\"many\"").is_err());
    }
}
