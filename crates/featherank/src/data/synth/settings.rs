//! Settings of synthetic data by name, with values as text.

use serde_json::Value;

use super::config::{SynthConfig, refused};
use crate::error::{Error, REPORT_DEFECT, Result};
use crate::names::unknown;

impl SynthConfig {
    /// These settings with others by name, values as JSON spells them: `("labels", "[0.9, 0.1]")`.
    ///
    /// If `queries` is set and `documents` is not, the mean number of documents per query stays.
    ///
    /// ```
    /// use featherank::data::synth::Preset;
    /// let set = [("queries".to_owned(), "120".to_owned())];
    /// let config = Preset::Tiny.config().with_settings(&set)?;
    /// assert_eq!((config.queries, config.documents), (120, 3_000));
    /// # Ok::<(), featherank::Error>(())
    /// ```
    pub fn with_settings(&self, settings: &[(String, String)]) -> Result<SynthConfig> {
        let defect = |e: serde_json::Error| {
            Error::internal(format!("settings of synthetic data: {e}"), REPORT_DEFECT)
        };
        let mut config = self.clone();
        for (name, text) in settings {
            let mut fields = match serde_json::to_value(&config).map_err(defect)? {
                Value::Object(fields) => fields,
                _ => Default::default(),
            };
            let known: Vec<String> = fields.keys().cloned().collect();
            let Some(field) = fields.get_mut(name) else {
                let known = known.iter().map(String::as_str);
                return Err(unknown("setting of synthetic data", name, known));
            };
            let expected = match field {
                Value::Bool(_) => "true or false",
                Value::Array(_) => "numbers such as [0.9, 0.1]",
                Value::Number(number) if number.is_u64() => "a whole number of 0 or more",
                _ => "a number",
            };
            let invalid = |_| refused(name, text, expected);
            *field = serde_json::from_str(text).map_err(invalid)?;
            config = serde_json::from_value(Value::Object(fields)).map_err(invalid)?;
        }
        let sets = |name: &str| settings.iter().any(|(known, _)| known == name);
        if sets("queries") && !sets("documents") && self.queries > 0 {
            let mean = self.documents as f64 / self.queries as f64;
            config.documents = (config.queries as f64 * mean).round() as usize;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Preset;
    use super::*;

    fn with(settings: &[(&str, &str)]) -> Result<SynthConfig> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        Preset::Tiny.config().with_settings(&settings.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn settings_are_parsed_and_keep_the_length_of_lists() {
        let config = with(&[("queries", "6"), ("labels", "[0.5, 0.5]"), ("names", "true")]);
        let expected = SynthConfig {
            queries: 6,
            documents: 150,
            labels: vec![0.5, 0.5],
            names: true,
            ..Preset::Tiny.config()
        };
        assert_eq!(config.unwrap(), expected);
        assert_eq!(with(&[("queries", "6"), ("documents", "99")]).unwrap().documents, 99);
    }

    #[test]
    fn unknown_names_and_invalid_values_are_rejected() {
        for (setting, says) in [
            (("queris", "3"), "did you mean `queries`"),
            (
                ("queries", "many"),
                "`many` is not a valid value of queries: expected a whole number",
            ),
            (("queries", "-1"), "`-1` is not a valid value of queries"),
            (("names", "1"), "`1` is not a valid value of names: expected true or false"),
        ] {
            let error = with(&[setting]).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
