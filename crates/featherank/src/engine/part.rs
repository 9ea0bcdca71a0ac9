//! Some of an engine's queries as an engine of their own, and two engines as one: what held-out
//! parts and joined data need, wherever their rows are.

use super::passes::{Labels, PartPass};
use super::tree::Merge;
use super::{Drawn, Engine, Outcome, Pass, Schema};
use crate::data::{Dataset, View};
use crate::error::Result;
use crate::run::Step;

/// Some of the queries behind another engine. Its rows are never in this process as a data set of
/// their own; [`PartEngine::view`] is the way to them.
pub struct PartEngine<'a> {
    whole: &'a dyn Engine,
    /// None where it is all of them.
    drawn: Option<Drawn>,
    places: Vec<usize>,
    schema: Schema,
}

impl<'a> PartEngine<'a> {
    /// All queries.
    pub fn all(whole: &'a dyn Engine) -> Self {
        let schema = whole.schema().clone();
        PartEngine { whole, drawn: None, places: (0..schema.queries()).collect(), schema }
    }

    /// Those that were drawn.
    pub fn of(whole: &'a dyn Engine, drawn: Drawn) -> Result<Self> {
        let keys = &whole.schema().query_keys;
        let places: Vec<usize> = (0..keys.len()).filter(|&q| drawn.has(keys[q])).collect();
        if places.len() == keys.len() {
            return Ok(PartEngine::all(whole));
        }
        let labels: Labels = match whole.run(&only(&drawn, &Pass::Labels))? {
            Outcome::Labels(labels) => labels,
            _ => unreachable!("an engine answers the pass it was sent"),
        };
        let schema = whole.schema().restricted(&places, labels);
        Ok(PartEngine { whole, drawn: Some(drawn), places, schema })
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

/// A request to queries that were drawn. A part of a part is what both have.
fn only(drawn: &Drawn, pass: &Pass) -> Pass {
    let mut part = match pass {
        Pass::Part(part) => part.clone(),
        pass => PartPass { parts: Vec::new(), pass: Box::new(pass.clone()) },
    };
    part.parts.push(drawn.clone());
    Pass::Part(part)
}

impl Engine for PartEngine<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        match &self.drawn {
            None => self.whole.run(pass),
            Some(drawn) => self.whole.run(&only(drawn, pass)),
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
