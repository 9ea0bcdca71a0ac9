//! Some of an engine's queries as an engine of their own, and two engines as one: held-out parts
//! and joined data, wherever the rows are.

use super::job::RestrictedJob;
use super::passes::Labels;
use super::{Ask, Engine, Job, QueryRange, Schema};
use crate::data::{Dataset, View};
use crate::error::Result;
use crate::progress::Step;

/// Some of the queries of another engine. [`Engine::local`] is always `None`; [`PartEngine::view`]
/// gives access to the rows if they are in this process.
pub struct PartEngine<'a> {
    whole: &'a dyn Engine,
    /// None if it is all of them.
    range: Option<QueryRange>,
    places: Vec<usize>,
    schema: Schema,
}

impl<'a> PartEngine<'a> {
    /// All queries.
    pub fn all(whole: &'a dyn Engine) -> Self {
        let schema = whole.schema().clone();
        PartEngine { whole, range: None, places: (0..schema.queries()).collect(), schema }
    }

    /// The queries in a range.
    pub fn of(whole: &'a dyn Engine, range: QueryRange) -> Result<Self> {
        let keys = &whole.schema().query_keys;
        let places: Vec<usize> = (0..keys.len()).filter(|&q| range.contains(keys[q])).collect();
        if places.len() == keys.len() {
            return Ok(PartEngine::all(whole));
        }
        let mut part =
            PartEngine { whole, range: Some(range), places, schema: whole.schema().clone() };
        let labels = part.ask(&Labels)?;
        part.schema = whole.schema().restricted(&part.places, labels);
        Ok(part)
    }

    /// The places of its queries in the whole.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Its rows, if those of the whole are in this process.
    pub fn view(&self) -> Option<View<'a>> {
        self.whole.local().map(|data| data.view().with_queries(self.places.clone()))
    }
}

impl Engine for PartEngine<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        match &self.range {
            None => self.whole.run(job),
            Some(range) => {
                self.whole.run(&mut RestrictedJob { job, ranges: std::slice::from_ref(range) })
            }
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

/// The queries of one engine, then those of another; both have the same features.
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

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        self.first.run(job)?;
        self.next.run(job)?;
        job.join()
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
