//! Fixed and tuned settings of rows.

use std::collections::BTreeMap;

use featherank::experiment::RowPlan;

/// The settings of every row.
pub fn table(rows: &[RowPlan]) {
    println!("### Settings\n\n| method | fixed | chosen on validation data |\n|---|---|---|");
    for row in rows {
        let mut methods: Vec<String> = Vec::new();
        let (mut set, mut tuned) = (Vec::new(), Vec::new());
        if let Some(select) = &row.select {
            methods.push(format!("`{}`", select.selector));
            set.extend(fixed(&select.fixed));
            tuned.extend(grid(&select.grid));
            let sizes: Vec<String> = select.k.iter().map(usize::to_string).collect();
            match sizes.len() {
                0 => (),
                1 => set.push(format!("k {}", sizes[0])),
                _ => tuned.push(format!("k {}", sizes.join(", "))),
            }
        }
        if let Some(ranker) = &row.ranker {
            methods.push(format!("`{ranker}`"));
        }
        set.extend(fixed(&row.fixed));
        tuned.extend(grid(&row.grid));
        if tuned.is_empty() {
            tuned.push("nothing, or early stopping only".to_owned());
        }
        let [methods, set, tuned] = [methods.join(", "), set.join("; "), tuned.join("; ")];
        println!("| {} ({methods}) | {set} | {tuned} |", row.name);
    }
}

fn fixed(settings: &BTreeMap<String, String>) -> Vec<String> {
    settings.iter().map(|(name, value)| format!("{name} {value}")).collect()
}

fn grid(settings: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    settings.iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect()
}
