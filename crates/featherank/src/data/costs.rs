//! Files with the cost of each feature.

use std::path::Path;

use super::FeatureTable;
use crate::error::{Error, Location, Problem, Result};

/// Reads the costs of features, in column order: each line holds a name or id and a cost, separated
/// by a tab, a comma or spaces. Features that the file does not name cost 1; lines that start with
/// `#` are comments.
pub fn read_costs(path: &Path, features: &FeatureTable) -> Result<Vec<f64>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let mut costs = vec![1.0; features.len()];
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let at = || Location::line(path.display().to_string(), number);
        let separators = ['\t', ',', ' '];
        let mut words = line.trim_end().rsplitn(2, separators);
        let (Some(cost), Some(feature)) = (words.next(), words.next()) else {
            return Err(Problem::RaggedRow { expected: 2, found: 1 }.at(at()));
        };
        let cost: f64 = cost
            .trim()
            .parse()
            .ok()
            .filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)
            .ok_or_else(|| {
                Problem::NotANumber { what: "cost".into(), text: cost.trim().into() }.at(at())
            })?;
        let feature = feature.trim_end_matches(separators).trim_start();
        costs[features.resolve(feature)?.index()] = cost;
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<f64>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.txt");
        std::fs::write(&path, text).unwrap();
        read_costs(&path, &FeatureTable::numbered(3, 1))
    }

    #[test]
    fn unnamed_features_cost_one() {
        assert_eq!(read("# costs\n1\t2.5\n\n3, 0\n").unwrap(), [2.5, 1.0, 0.0]);
    }

    #[test]
    fn errors_name_the_line() {
        for text in ["1 2\n3\n", "1 2\n3 -1\n", "1 2\n3 NaN\n"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("line 2"), "{error}");
        }
        assert!(read("9 2\n").is_err());
    }
}
