//! The passes that shards answer.

use std::any::TypeId;
use std::sync::LazyLock;

use super::store::Store;
use crate::engine::codec::take;
use crate::engine::{self, Job, Pass, PassVisitor, QuerySample, RestrictedJob, Schema, TypedJob};
use crate::error::{Error, Result};
use crate::rank;
use crate::stop::StopToken;

/// The passes that shards answer: those that `engine::passes` and `rank::passes` list.
static PASSES: LazyLock<Vec<ListedPass>> = LazyLock::new(|| {
    let mut list = PassList(Vec::new());
    engine::passes::visit_passes(&mut list);
    rank::passes::visit_passes(&mut list);
    list.0
});

/// Collects passes.
struct PassList(Vec<ListedPass>);

impl PassVisitor for PassList {
    fn visit<P: Pass>(&mut self) {
        self.0.push(ListedPass {
            name: P::NAME,
            pass_type: TypeId::of::<P>(),
            answer: answer::<P>,
        });
    }
}

/// A pass without its type: how a shard answers it.
pub(super) struct ListedPass {
    name: &'static str,
    pass_type: TypeId,
    answer: fn(&Requested<'_>, &Store, Vec<u8>) -> Result<Vec<u8>>,
}

/// An encoded request for a pass.
pub(super) struct Requested<'a> {
    /// The encoded pass.
    pub pass: &'a [u8],
    /// Only queries in all of these samples answer.
    pub samples: &'a [QuerySample],
    /// What the request is checked against.
    pub schema: &'a Schema,
}

impl ListedPass {
    /// The pass of this name.
    pub fn named(name: &str) -> Result<&'static ListedPass> {
        PASSES.iter().find(|pass| pass.name == name).ok_or_else(|| not_listed(name))
    }

    /// The pass of a job; an error if shards do not know it.
    pub fn of_job(job: &dyn Job) -> Result<&'static ListedPass> {
        let pass = ListedPass::named(job.name())?;
        match pass.pass_type == job.pass_type() {
            true => Ok(pass),
            false => Err(not_listed(job.name())),
        }
    }

    /// Appends the answers of all rows of a store to a message.
    pub fn answer(
        &self,
        request: &Requested<'_>,
        rows: &Store,
        message: Vec<u8>,
    ) -> Result<Vec<u8>> {
        (self.answer)(request, rows, message)
    }
}

fn answer<P: Pass>(request: &Requested<'_>, rows: &Store, message: Vec<u8>) -> Result<Vec<u8>> {
    let pass: P = take(request.pass)?;
    pass.check(request.schema)?;
    let mut job = TypedJob::new(&pass);
    // Shards keep no state of runs: a stopped run does not wait for their answers.
    let never = StopToken::default();
    match request.samples {
        [] => rows.answer(&mut job, &never, |_| Ok(()))?,
        samples => {
            rows.answer(&mut RestrictedJob { job: &mut job, samples }, &never, |_| Ok(()))?
        }
    }
    job.append_answers(message)
}

fn not_listed(name: &str) -> Error {
    Error::unsupported(
        format!("shards do not know the pass `{name}`"),
        "use an engine whose rows are in this process, or a pass of this crate",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PASSES.len());
        assert!(names.len() >= 14, "{names:?}");
        assert!(ListedPass::named("gram").is_ok() && ListedPass::named("grams").is_err());
    }
}
