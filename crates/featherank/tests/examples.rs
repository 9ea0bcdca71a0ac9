//! The programs in `examples/`, run as tests.

#[path = "../examples/compare.rs"]
mod compare;
#[path = "../examples/custom_selector.rs"]
mod custom_selector;
#[path = "../examples/own_pass.rs"]
mod own_pass;
#[path = "../examples/select.rs"]
mod select;
#[path = "../examples/train_and_export.rs"]
mod train_and_export;

#[test]
fn compare_runs() {
    compare::main().unwrap();
}

#[test]
fn custom_selector_runs() {
    custom_selector::main().unwrap();
}

#[test]
fn own_pass_runs() {
    own_pass::main().unwrap();
}

#[test]
fn select_runs() {
    select::main().unwrap();
}

#[test]
fn train_and_export_runs() {
    train_and_export::main().unwrap();
}
