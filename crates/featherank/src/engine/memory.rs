//! What an engine need not ask twice.

use std::sync::OnceLock;

use super::{Outcome, Pass};
use crate::error::Result;

/// Moments of all rows: nearly every method wants them, some several times, and they depend on
/// nothing but the rows.
#[derive(Debug, Default)]
pub(super) struct Memory {
    moments: OnceLock<Outcome>,
}

impl Memory {
    /// The answer, asked unless it is known.
    pub fn or_ask(&self, pass: &Pass, ask: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
        if *pass != Pass::Moments {
            return ask();
        }
        match self.moments.get() {
            Some(known) => Ok(known.clone()),
            None => {
                let outcome = ask()?;
                Ok(self.moments.get_or_init(|| outcome).clone())
            }
        }
    }
}
