//! Every target on its seeds and a few thousand mutations of them. `make fuzz` runs for longer.

use std::time::Duration;

use featherank_fuzz::{Budget, TARGETS, drive};

#[test]
fn no_target_panics_hangs_or_takes_much_memory() {
    // The inputs are the same in every run, unless the machine is too slow to get through them.
    let budget = Budget { executions: 4000, time: Duration::from_secs(5) };
    for target in TARGETS {
        let report = drive(target, 1, budget).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.accepted > 0, "{} accepts none of its seeds", target.name);
    }
    featherank_fuzz::remove_files();
}
