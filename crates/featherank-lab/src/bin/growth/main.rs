//! Measures how the cost of training grows: `growth [--quick]` prints Markdown tables.
//!
//! Synthetic data doubles several times in one dimension while the others are constant: documents,
//! features, and the length of lists at the same number of documents. Every cell is the median of
//! three runs on one thread, because a varying number of free cores would look like growth. The
//! exponent is the coefficient of a least-squares line through the logarithms of size and time: 0
//! is constant, 1 linear, 2 quadratic. *Last doubling* uses the two largest sizes, where constant
//! costs matter least.

mod bench;

use std::io::Write;

use featherank::{Error, Result};

use bench::{Bench, DataSize};

/// Number of runs.
const RUNS: usize = 3;

/// One dimension of growth.
struct GrowthAxis {
    title: &'static str,
    unit: &'static str,
    sizes: Vec<DataSize>,
    of: fn(&DataSize) -> usize,
}

/// One kind of work: its cost by design, the expected exponent for each [`GrowthAxis`], and a
/// function that returns its seconds.
struct TimedWork {
    name: &'static str,
    cost: &'static str,
    growth: [&'static str; 3],
    seconds: fn(&Bench) -> Result<f64>,
}

const WORK: [TimedWork; 11] = [
    TimedWork {
        name: "Gram matrix",
        cost: "O(N d²), one pass for all subsets",
        growth: ["1", "2", "0"],
        seconds: Bench::gram,
    },
    TimedWork {
        name: "least squares on half of the features, a solve",
        cost: "O(k³) for k features, no pass over the data",
        growth: ["0", "3", "0"],
        seconds: Bench::solve,
    },
    TimedWork {
        name: "population of 75 linear models, NDCG@10",
        cost: "one blocked matrix product, O(N d) a model, and the top of each list",
        growth: ["1", "≤ 1", "≤ 0"],
        seconds: Bench::population,
    },
    TimedWork {
        name: "RankSVM-Primal, whole fit",
        cost: "steps as below, as many as it takes",
        growth: ["1", "≤ 1", "≈ 0"],
        seconds: Bench::ranksvm,
    },
    TimedWork {
        name: "RankSVM-Primal, a Newton step",
        cost: "O(N d + N log n̄), whatever the number of pairs",
        growth: ["1", "≤ 1", "≈ 0"],
        seconds: Bench::newton_step,
    },
    TimedWork {
        name: "ListNet, an epoch",
        cost: "O(N d)",
        growth: ["1", "1", "0"],
        seconds: Bench::listnet,
    },
    TimedWork {
        name: "LambdaMART, a tree of 31 leaves",
        cost: "histograms over one binned matrix, O(N d) a level; lambdas O(N) for a cut-off",
        growth: ["≤ 1", "1", "≈ 0"],
        seconds: Bench::lambdamart,
    },
    TimedWork {
        name: "LambdaMART, a tree of 4 leaves",
        cost: "as above; few scores differ, and tied documents count as one",
        growth: ["≤ 1", "1", "≈ 0"],
        seconds: Bench::tied_lambdamart,
    },
    TimedWork {
        name: "GreedyRankRLS, 4 features",
        cost: "O(N d) a feature, after the Gram matrix",
        growth: ["1", "≤ 2", "≈ 0"],
        seconds: Bench::four_features,
    },
    TimedWork {
        name: "GreedyRankRLS, 16 features",
        cost: "as above, at most four times the time of 4 features",
        growth: ["1", "≤ 2", "≈ 0"],
        seconds: Bench::sixteen_features,
    },
    TimedWork {
        name: "random forest, a whole tree",
        cost: "histograms over one binned matrix, O(N d) a level",
        growth: ["≈ 1", "1", "0"],
        seconds: Bench::forest,
    },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--quick"] => true,
        _ => return Err(Error::invalid("command", arguments.join(" "), "growth [--quick]")),
    };
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    one_thread.map_err(|error| Error::threads(1, error))?;
    println!(
        "N documents, d features, n̄ documents per query:\n\n| work | cost by design |\n|---|---|"
    );
    WORK.iter().for_each(|work| println!("| {} | {} |", work.name, work.cost));
    println!();
    for (index, direction) in directions(quick).iter().enumerate() {
        table(direction, index)?;
    }
    Ok(())
}

fn directions(quick: bool) -> [GrowthAxis; 3] {
    let (documents, doublings) = if quick { (6_400, 3) } else { (51_200, 4) };
    let base = DataSize { documents, features: 64, list: 64 };
    let doubled = |doublings: u32, size: &dyn Fn(usize) -> DataSize| {
        (0..=doublings).map(|k| size(1 << k)).collect()
    };
    [
        GrowthAxis {
            title: "Documents",
            unit: "documents",
            sizes: doubled(doublings, &|by| DataSize { documents: documents / 2 * by, ..base }),
            of: |size| size.documents,
        },
        GrowthAxis {
            title: "Features",
            unit: "features",
            sizes: doubled(doublings, &|by| DataSize { features: 16 * by, ..base }),
            of: |size| size.features,
        },
        GrowthAxis {
            title: "Length of lists",
            unit: "documents per query",
            sizes: doubled(doublings + 1, &|by| DataSize { list: 16 * by, ..base }),
            of: |size| size.list,
        },
    ]
}

fn table(direction: &GrowthAxis, index: usize) -> Result<()> {
    let GrowthAxis { title, unit, sizes, of } = direction;
    // The dimensions that are constant.
    let DataSize { documents, features, list } = sizes[0];
    let fixed = [
        format!("{features} features, lists of {list} documents"),
        format!("{} documents, lists of {list}", grouped(documents)),
        format!("{} documents, {features} features", grouped(documents)),
    ];
    println!("### {title}\n\n{}. Milliseconds.\n", fixed[index]);
    let heads: Vec<String> = sizes.iter().map(|size| grouped(of(size))).collect();
    println!("| {unit} | {} | exponent | last doubling | expected |", heads.join(" | "));
    println!("|---|{}--:|--:|---|", "--:|".repeat(sizes.len()));
    let benches: Vec<Bench> = sizes.iter().map(|&size| Bench::new(size)).collect::<Result<_>>()?;
    let pairs: Vec<f64> =
        benches.iter().map(|bench| Ok(bench.pairs()? as f64)).collect::<Result<_>>()?;
    let seconds = medians(&benches)?;
    let last_two = sizes.len() - 2..;
    let at: Vec<f64> = sizes.iter().map(|size| of(size) as f64).collect();
    let row = |name: &str, cells: Vec<String>, values: &[f64], growth: &str| {
        let (all, last) =
            (exponent(&at, values), exponent(&at[last_two.clone()], &values[last_two.clone()]));
        println!("| {name} | {} | {all:.2} | {last:.2} | {growth} |", cells.join(" | "));
    };
    let millions = pairs.iter().map(|pairs| format!("{:.2}", pairs / 1e6)).collect();
    row("*preference pairs, millions*", millions, &pairs, "");
    for (work, seconds) in WORK.iter().zip(&seconds) {
        let cells = seconds.iter().map(|seconds| digits(1e3 * seconds)).collect();
        row(work.name, cells, seconds, work.growth[index]);
    }
    println!();
    // Print each table as soon as it is complete.
    let _ = std::io::stdout().flush();
    Ok(())
}

/// The median seconds of each kind of work at each size. Each round covers all sizes, so that load
/// on the machine does not affect one size alone.
fn medians(benches: &[Bench]) -> Result<Vec<Vec<f64>>> {
    let mut runs: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); benches.len()]; WORK.len()];
    for _ in 0..RUNS {
        for (index, bench) in benches.iter().enumerate() {
            for (work, seconds) in WORK.iter().zip(&mut runs) {
                seconds[index].push((work.seconds)(bench)?);
            }
        }
    }
    let median = |mut seconds: Vec<f64>| {
        seconds.sort_unstable_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    };
    Ok(runs.into_iter().map(|sizes| sizes.into_iter().map(median).collect()).collect())
}

/// The coefficient of the least-squares line through the logarithms.
fn exponent(sizes: &[f64], values: &[f64]) -> f64 {
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let centred = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.into_iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let (x, y) = (centred(logs(sizes)), centred(logs(values)));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // Round to the printed precision, without negative zero.
    (100.0 * dot(&x, &y) / dot(&x, &x)).round() / 100.0 + 0.0
}

/// Three significant digits.
fn digits(value: f64) -> String {
    let before = value.log10().floor() as i32 + 1;
    format!("{value:.*}", (3 - before).clamp(0, 6) as usize)
}

/// With a thousands separator.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|part| std::str::from_utf8(part).ok())
        .collect();
    parts.join(",")
}
