//! Files with the cost of each feature.

use std::path::Path;

use super::{FeatureId, FeatureTable};
use crate::error::{Error, Location, Problem, Result};

/// The costs of features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs {
    /// One per feature, in column order.
    pub values: Vec<f64>,
    /// Features that were not listed; they cost 1.
    pub unlisted: Vec<FeatureId>,
}

/// Reads the costs of features: each line holds a feature and a cost, separated by a tab, a comma,
/// a semicolon or spaces. A feature is a name, an id, a range of ids or a pattern of names; the
/// cost of a single feature comes before that of a range or pattern it belongs to. Features that no
/// line names cost 1; lines that start with `#` are comments.
pub fn read_costs(path: &Path, features: &FeatureTable) -> Result<Costs> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut listed = CostList::new(features);
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let at = || Location::line(path.display().to_string(), number);
        let separators = ['\t', ',', ';', ' '];
        let mut words = line.trim_end().rsplitn(2, separators);
        let (Some(cost), Some(feature)) = (words.next(), words.next()) else {
            return Err(Problem::NoCost { text: line.trim().into() }.at(at()));
        };
        let not_a_cost = || Problem::NotACost { text: cost.trim().into() }.at(at());
        let value: f64 = cost.trim().parse().ok().filter(is_cost).ok_or_else(not_a_cost)?;
        let feature = feature.trim_end_matches(separators).trim_start();
        listed.add(feature, value, number).map_err(|fault| match fault {
            CostFault::Unknown(error) => error.of_listed_feature(at()),
            CostFault::Contradiction { feature, earlier, cost, line } => {
                let what = format!("cost of feature {feature}");
                let problem = Problem::Contradiction {
                    what,
                    found: cost.to_string(),
                    earlier: earlier.to_string(),
                };
                problem.at(at().with_note(format!("first given at line {line}")))
            }
        })?;
    }
    Ok(listed.finish())
}

/// Costs from features, ranges and patterns, as [`read_costs`] understands them.
pub fn costs_of<'a>(
    costs: impl IntoIterator<Item = (&'a str, f64)>,
    features: &FeatureTable,
) -> Result<Costs> {
    let mut listed = CostList::new(features);
    for (number, (feature, cost)) in (1..).zip(costs) {
        if !is_cost(&cost) {
            return Err(Error::invalid(
                format!("cost of {feature}"),
                cost,
                "a number of 0 or more",
            ));
        }
        listed.add(feature, cost, number).map_err(|fault| match fault {
            CostFault::Unknown(error) => error,
            CostFault::Contradiction { feature, earlier, cost, .. } => Error::settings(
                format!("feature {feature} has two costs, {earlier} and {cost}"),
                "give each feature one cost",
            ),
        })?;
    }
    Ok(listed.finish())
}

fn is_cost(cost: &f64) -> bool {
    cost.is_finite() && *cost >= 0.0
}

/// A cost, whether it was given to a single feature, and the line.
type ListedCost = (f64, bool, u64);

struct CostList<'a> {
    features: &'a FeatureTable,
    listed: Vec<Option<ListedCost>>,
}

enum CostFault {
    Unknown(Error),
    Contradiction { feature: String, earlier: f64, cost: f64, line: u64 },
}

impl<'a> CostList<'a> {
    fn new(features: &'a FeatureTable) -> Self {
        CostList { features, listed: vec![None; features.len()] }
    }

    fn add(&mut self, feature: &str, cost: f64, line: u64) -> Result<(), CostFault> {
        let found = self.features.matching(feature).map_err(CostFault::Unknown)?;
        let single = self.features.resolve(feature).is_ok();
        for id in found {
            let known = &mut self.listed[id.index()];
            match *known {
                Some((earlier, was_single, at)) if was_single == single && earlier != cost => {
                    let feature = self.features.label(id);
                    return Err(CostFault::Contradiction { feature, earlier, cost, line: at });
                }
                // The cost of a single feature comes first.
                Some((_, true, _)) => {}
                _ => *known = Some((cost, single, line)),
            }
        }
        Ok(())
    }

    fn finish(self) -> Costs {
        let values = self.listed.iter().map(|known| known.map_or(1.0, |(cost, ..)| cost)).collect();
        let ids = self.features.iter().map(|(id, _)| id);
        let unlisted = ids.zip(&self.listed).filter(|(_, known)| known.is_none());
        Costs { values, unlisted: unlisted.map(|(id, _)| id).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_for(text: &str, features: &FeatureTable) -> Result<Costs> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("costs.txt");
        std::fs::write(&path, text).unwrap();
        read_costs(&path, features)
    }

    fn read(text: &str) -> Result<Costs> {
        read_for(text, &FeatureTable::numbered(3, 1))
    }

    #[test]
    fn unnamed_features_cost_one() {
        let costs = read("\u{feff}# costs\n1\t2.5\n\n3, 0\n").unwrap();
        assert_eq!(costs.values, [2.5, 1.0, 0.0]);
        assert_eq!(costs.unlisted, [FeatureId(1)]);
    }

    #[test]
    fn ranges_and_patterns_take_a_cost_and_single_features_come_first() {
        assert_eq!(read("2 5\n1-3 4\n").unwrap().values, [4.0, 5.0, 4.0]);
        assert_eq!(read("1-3 4\n2;5\n").unwrap().values, [4.0, 5.0, 4.0]);
        let mut named = FeatureTable::numbered(3, 1);
        named.set_names(["bm25.title", "bm25.body", "my clicks"].map(String::from).to_vec());
        let costs = read_for("bm25.* 3\nbm25.body 1\nmy clicks 9\n", &named).unwrap();
        assert_eq!(costs.values, [3.0, 1.0, 9.0]);
        let error = read_for("bm2.* 3\n", &named).unwrap_err().to_string();
        assert!(error.contains("did you mean `bm25"), "{error}");
    }

    #[test]
    fn errors_name_the_line_and_what_to_write() {
        for (text, help) in [
            ("1 2\n3\n", "write a feature and its cost in every line"),
            ("1 2\n3 -1\n", "every cost is a number of 0 or more"),
            ("1 2\n3 NaN\n", "every cost is a number of 0 or more"),
            ("1 2\n3 x\n", "every cost is a number of 0 or more"),
            ("1 2\n1 3\n", "keep one of the two lines"),
            ("1-2 4\n2-3 5\n", "keep one of the two lines"),
            ("1 2\n9 2\n", "there are: ids from 1 to 3"),
            ("1 2\n8-9 2\n", "name a feature of the data"),
            ("1 2\nbm25.* 2\n", "write ids or ranges of ids"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("costs.txt, line 2"), "{error}");
            assert!(error.contains(&format!("help: {help}")), "{error}");
        }
        assert!(read("1 2\n1 2.0\n").is_ok(), "the same cost twice");
    }

    #[test]
    fn costs_by_name_follow_the_same_rules() {
        let table = FeatureTable::numbered(3, 1);
        let costs = |given: &[(&str, f64)]| costs_of(given.iter().copied(), &table);
        assert_eq!(costs(&[("1-2", 3.0), ("2", 0.5)]).unwrap().values, [3.0, 0.5, 1.0]);
        assert!(costs(&[("1", -1.0)]).is_err());
        assert!(costs(&[("1", 1.0), ("1", 2.0)]).unwrap_err().to_string().contains("two costs"));
    }
}
