//! Some of an engine's queries as an engine of their own, and two engines as one: held-out parts
//! and joined data, wherever the rows are.

use super::job::RestrictedJob;
use super::passes::Labels;
use super::{Ask, Engine, Job, QuerySample, Schema};
use crate::data::{Dataset, View};
use crate::error::Result;
use crate::progress::Step;
use crate::stop::StopToken;

/// Some of the queries of another engine. [`Engine::local`] is always `None`; [`PartEngine::view`]
/// gives access to the rows if they are in this process.
pub struct PartEngine<'a> {
    whole: &'a dyn Engine,
    /// None if it is all of them.
    sample: Option<QuerySample>,
    places: Vec<usize>,
    schema: Schema,
}

impl<'a> PartEngine<'a> {
    /// All queries.
    pub fn all(whole: &'a dyn Engine) -> Self {
        let schema = whole.schema().clone();
        PartEngine { whole, sample: None, places: (0..schema.queries()).collect(), schema }
    }

    /// The queries of a sample.
    pub fn of(whole: &'a dyn Engine, sample: QuerySample) -> Result<Self> {
        let schema = whole.schema();
        let places = sample.places(schema);
        if places.len() == schema.queries() {
            return Ok(PartEngine::all(whole));
        }
        let mut part = PartEngine { whole, sample: Some(sample), places, schema: schema.clone() };
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
        match &self.sample {
            None => self.whole.run(job),
            Some(sample) => {
                self.whole.run(&mut RestrictedJob { job, samples: std::slice::from_ref(sample) })
            }
        }
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.whole.within(work);
    }

    fn memory_limit(&self) -> u64 {
        self.whole.memory_limit()
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.whole.step(step)
    }

    fn stop(&self) -> StopToken {
        self.whole.stop()
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

    fn memory_limit(&self) -> u64 {
        self.first.memory_limit().min(self.next.memory_limit())
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.first.step(step)
    }

    fn stop(&self) -> StopToken {
        self.first.stop()
    }
}
