//! Fuzzes targets for some time each and prints a table:
//! `featherank-fuzz SECONDS [SEED] [TARGET…]`.

use std::process::ExitCode;
use std::time::Duration;

use featherank_fuzz::{Budget, FuzzTarget, TARGETS, drive, target};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let Some(seconds) = arguments.next().and_then(|text| text.parse().ok()) else {
        eprintln!("usage: featherank-fuzz SECONDS [SEED] [TARGET…]");
        return ExitCode::from(2);
    };
    let seed = arguments.next_if(|text| text.parse::<u64>().is_ok());
    let seed = seed.and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut chosen: Vec<&FuzzTarget> = Vec::new();
    for name in arguments {
        match target(&name) {
            Some(known) => chosen.push(known),
            None => {
                eprintln!("there is no target {name}");
                return ExitCode::from(2);
            }
        }
    }
    if chosen.is_empty() {
        chosen = TARGETS.iter().collect();
    }
    let budget = Budget { executions: u64::MAX, time: Duration::from_secs(seconds) };
    // Readers catch panics of the decoders that they use; those that leave a target are reported.
    std::panic::set_hook(Box::new(|_| {}));
    println!("| Target | Seconds | Inputs | Accepted | Slowest (ms) |\n|---|---|---|---|---|");
    let mut failed = false;
    for target in chosen {
        match drive(target, seed, budget) {
            Ok(report) => println!(
                "| `{}` | {} | {} | {} | {} |",
                target.name,
                report.time.as_secs(),
                report.executions,
                report.accepted,
                report.slowest.as_millis()
            ),
            Err(error) => {
                failed = true;
                println!("| `{}` | failed: {error} |", target.name);
            }
        }
    }
    featherank_fuzz::remove_files();
    ExitCode::from(u8::from(failed))
}
