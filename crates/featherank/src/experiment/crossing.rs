//! Expands a plan into rows: selectors crossed with rankers, plus all features with each ranker.

use super::method_expression::MethodExpression;
use super::plan::Plan;
use super::row_plan::{RowPlan, SelectPlan, no_ranker};
use crate::error::{Error, Result};
use crate::rank::tune::declared_grid;
use crate::registry;
use crate::remedy;

/// Names the model trained by the selector itself in a list of rankers.
const OWN: &str = "own";

impl Plan {
    /// All rows, with unique names: all features with each ranker, selectors crossed with rankers,
    /// then the rows of the plan, and all features with the rankers that only those rows use.
    pub fn crossed(&self) -> Result<Vec<RowPlan>> {
        let own = self.rankers.is_empty() || self.rankers.iter().any(|word| word == OWN);
        let rankers = self.rankers.iter().filter(|word| *word != OWN);
        let rankers: Vec<RowPlan> =
            rankers.map(|word| self.all_features(word)).collect::<Result<_>>()?;
        let mut rows = rankers.clone();
        for method in &self.methods {
            let select = self.selecting(method)?;
            let leaves_model = registry::selector(&select.selector)?.leaves_model;
            if rankers.is_empty() && !leaves_model {
                return Err(no_ranker(&select.selector));
            }
            for ranker in &rankers {
                let name = format!("{method}, {}", ranker.ranker_expression().unwrap_or_default());
                rows.push(RowPlan { name, select: Some(select.clone()), ..ranker.clone() });
            }
            if own && leaves_model {
                let name = format!("{method}, own model");
                rows.push(RowPlan { name, select: Some(select), ..RowPlan::default() });
            }
        }
        rows.extend(self.rows.iter().cloned());
        let alone: Vec<RowPlan> =
            rows.iter().filter_map(|row| without_selector(row, &rows)).collect();
        for row in alone {
            if without_selector(&row, &rows).is_some() {
                rows.push(row);
            }
        }
        check(&rows)?;
        Ok(rows)
    }

    /// A ranker on all features.
    fn all_features(&self, word: &str) -> Result<RowPlan> {
        let MethodExpression { name, settings } = MethodExpression::parse(word)?;
        let spec = registry::ranker(&name)?;
        let grid = if self.tune { declared_grid(spec, &settings) } else { Vec::new() };
        Ok(RowPlan {
            name: format!("all features, {}", word.trim()),
            ranker: Some(name),
            fixed: settings.into_iter().collect(),
            grid: grid.into_iter().collect(),
            ..RowPlan::default()
        })
    }

    /// A selector and its parameters; `k` is the number of features to select. A method that tunes
    /// on validation data does so by the measure of the comparison unless it sets its own.
    fn selecting(&self, word: &str) -> Result<SelectPlan> {
        let MethodExpression { name, settings } = MethodExpression::parse(word)?;
        let (sizes, mut fixed): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|(name, _)| name == "k");
        let spec = registry::selector(&name)?;
        let tunes = spec.uses_valid && spec.params.iter().any(|param| param.name == "measure");
        if tunes && fixed.iter().all(|(name, _)| name != "measure") {
            fixed.push(("measure".into(), self.protocol()?.choose.to_string()));
        }
        let size = |text: &str| {
            let number = text.trim().parse::<usize>();
            number.map_err(|_| {
                Error::invalid(format!("k of {name}"), text, "numbers separated by commas")
            })
        };
        let k = match sizes.first() {
            Some((_, list)) => list.split(',').map(size).collect::<Result<_>>()?,
            None => self.k.clone(),
        };
        Ok(SelectPlan {
            selector: name,
            fixed: fixed.into_iter().collect(),
            k,
            ..SelectPlan::default()
        })
    }
}

/// The row with the same ranker and all features, unless the plan already contains it.
fn without_selector(row: &RowPlan, rows: &[RowPlan]) -> Option<RowPlan> {
    let word = row.ranker_expression()?;
    let is_there = rows
        .iter()
        .any(|other| other.select.is_none() && other.ranker_expression().as_ref() == Some(&word));
    (!is_there).then(|| RowPlan {
        name: format!("all features, {word}"),
        select: None,
        ..row.clone()
    })
}

fn check(rows: &[RowPlan]) -> Result<()> {
    if rows.is_empty() {
        return Err(Error::plan(
            "there is nothing to compare",
            remedy!["name methods with ", Methods, " and rankers with ", Rankers],
        ));
    }
    for (i, row) in rows.iter().enumerate() {
        row.checked_method()?;
        if rows[..i].iter().any(|other| other.name == row.name) {
            return Err(Error::plan(
                format!("`{}` is named twice", row.name),
                "name every method and ranker once, or with different settings",
            ));
        }
        if row.seeds == Some(0) {
            return Err(Error::invalid("number of seeds", 0, "at least 1"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(toml: &str) -> Result<Vec<String>> {
        let plan = Plan::parse(&format!("title = \"t\"\n{toml}"))?;
        Ok(plan.crossed()?.into_iter().map(|row| row.name).collect())
    }

    #[test]
    fn selectors_are_crossed_with_rankers_and_own_models() {
        let found = names(
            r#"methods = ["top-k[k=3]", "l1-svm"]
                             rankers = ["own", "lambdamart[trees=9]"]"#,
        );
        let expected = [
            "all features, lambdamart[trees=9]",
            "top-k[k=3], lambdamart[trees=9]",
            "l1-svm, lambdamart[trees=9]",
            "l1-svm, own model",
        ];
        assert_eq!(found.unwrap(), expected);
        assert_eq!(names(r#"methods = ["l1-svm"]"#).unwrap(), ["l1-svm, own model"]);
    }

    #[test]
    fn methods_tune_by_the_measure_of_the_comparison() {
        let measure = |toml: &str| {
            let plan = Plan::parse(&format!("title = \"t\"\n{toml}")).unwrap();
            let select = plan.crossed().unwrap().pop().unwrap().select.unwrap();
            select.fixed.get("measure").cloned()
        };
        let reported = measure("methods = [\"l1-svm\"]\nmeasures = [\"ndcg@5\", \"map\"]");
        assert_eq!(reported.as_deref(), Some("ndcg[ties=expected]@5"));
        let own = measure("methods = [\"l1-svm[measure=map]\"]\nmeasures = [\"ndcg@5\"]");
        assert_eq!(own.as_deref(), Some("map"));
        let filter =
            measure("methods = [\"best-gain\"]\nrankers = [\"rankrls\"]\nmeasures = [\"ndcg@5\"]");
        assert_eq!(filter, None);
    }

    /// A ranker without a row for all features gets exactly one.
    #[test]
    fn every_ranker_gets_a_row_with_all_features() {
        let found = names(
            r#"rows = [
                { name = "a", ranker = "svm-map", fixed = { c = "1" }, select = { selector = "cfs" } },
                { name = "b", ranker = "svm-map", fixed = { c = "1" }, select = { selector = "fcbf" } },
                { name = "c", ranker = "rankrls" },
                { name = "d", ranker = "rankrls", select = { selector = "fcbf" } },
            ]"#,
        );
        assert_eq!(found.unwrap(), ["a", "b", "c", "d", "all features, svm-map[c=1]"]);
    }

    #[test]
    fn grids_are_the_declared_ones_unless_set() {
        let grid = |toml: &str| {
            let plan = Plan::parse(&format!("title = \"t\"\n{toml}")).unwrap();
            plan.crossed().unwrap()[0].grid.len()
        };
        assert_eq!(grid(r#"rankers = ["ranksvm-primal"]"#), 1);
        assert_eq!(grid(r#"rankers = ["ranksvm-primal[c=3]"]"#), 0);
        assert_eq!(grid("rankers = [\"ranksvm-primal\"]\ntune = false"), 0);
    }

    #[test]
    fn invalid_plans_are_refused() {
        for (toml, says) in [
            ("", "nothing to compare"),
            (r#"methods = ["top-k"]"#, "top-k trains no model of its own"),
            (r#"methods = ["top-q"]"#, "top-q"),
            ("methods = [\"top-k\", \"top-k\"]\nrankers = [\"rankrls\"]", "named twice"),
            ("methods = [\"top-k[k=a]\"]\nrankers = [\"rankrls\"]", "k of top-k"),
            ("methods = [\"top-k[delta=1]\"]\nrankers = [\"rankrls\"]", "delta"),
            (r#"rankers = ["rankrls[lambda=soon]"]"#, "lambda of rankrls"),
            (r#"rows = [{ name = "a" }]"#, "a ranker, a selector or both"),
        ] {
            let error = names(toml).unwrap_err().to_string();
            assert!(error.contains(says), "{toml}: {error}");
        }
    }
}
