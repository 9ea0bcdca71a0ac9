//! The `featherank` command.
fn main() {}
