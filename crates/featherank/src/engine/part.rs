//! Some of an engine's queries as an engine of their own, and two engines as one: what held-out parts and joined data need, wherever
//! their rows are.

use super::passes::{Labels, WithoutPass};
use super::tree::Merge;
use super::{Engine, Outcome, Pass, Schema};
use crate::data::{Dataset, View};
use crate::error::Result;
use crate::run::Step;

/// Some of the queries behind another engine. Its rows are never in this process as a data set of their own; [`PartEngine::view`] is
/// the way to them.
pub struct PartEngine<'a> {
    whole: &'a dyn Engine,
    /// Keys of the queries that are left out; they ascend.
    leave_out: Vec<u64>,
    places: Vec<usize>,
    schema: Schema,
}

impl<'a> PartEngine<'a> {
    /// All queries.
    pub fn all(whole: &'a dyn Engine) -> Self {
        let schema = whole.schema().clone();
        PartEngine { whole, leave_out: Vec::new(), places: (0..schema.queries()).collect(), schema }
    }

    /// The queries at the places of which this is true. Of queries with the same id all or none are in.
    pub fn of(whole: &'a dyn Engine, is_in: impl Fn(usize) -> bool) -> Result<Self> {
        let keys = &whole.schema().query_keys;
        let mut leave_out: Vec<u64> = (0..keys.len()).filter(|&q| !is_in(q)).map(|q| keys[q]).collect();
        if leave_out.is_empty() {
            return Ok(PartEngine::all(whole));
        }
        leave_out.sort_unstable();
        leave_out.dedup();
        let places: Vec<usize> =
            (0..keys.len()).filter(|&q| leave_out.binary_search(&keys[q]).is_err()).collect();
        let labels: Labels = match whole.run(&without(&leave_out, &Pass::Labels))? {
            Outcome::Labels(labels) => labels,
            _ => unreachable!("an engine answers the pass it was sent"),
        };
        let schema = whole.schema().restricted(&places, labels);
        Ok(PartEngine { whole, leave_out, places, schema })
    }

    /// The places of its queries in the whole.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Its rows, where those of the whole are in this process.
    pub fn view(&self) -> Option<View<'a>> {
        self.whole.local().map(|data| data.view().with_queries(self.places.clone()))
    }
}

fn without(leave_out: &[u64], pass: &Pass) -> Pass {
    Pass::Without(WithoutPass { leave_out: leave_out.to_vec(), pass: Box::new(pass.clone()) })
}

impl Engine for PartEngine<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        match self.leave_out.is_empty() {
            true => self.whole.run(pass),
            false => self.whole.run(&without(&self.leave_out, pass)),
        }
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.whole.within(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.whole.step(step)
    }
}

/// The queries behind one engine, then those behind another; both have the same features.
pub struct JoinedEngine<'a> {
    first: &'a dyn Engine,
    next: &'a dyn Engine,
    schema: Schema,
}

impl<'a> JoinedEngine<'a> {
    /// Both as one.
    pub fn new(first: &'a dyn Engine, next: &'a dyn Engine) -> Self {
        JoinedEngine { first, next, schema: first.schema().joined(next.schema()) }
    }
}

impl Engine for JoinedEngine<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        Ok(self.first.run(pass)?.merge(self.next.run(pass)?))
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.first.within(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.first.step(step)
    }
}
