//! Stop requests: one token for all parts of a run, cheap enough to be checked in every loop.
//!
//! A token is stopped by a request ([`StopToken::stop`], for Ctrl-C) or when its time limit is
//! reached. Everything that can take long checks it: a block of a pass, a node of a tree, an
//! iteration of a solver, a block of a file. A stop is an error that propagates to the caller.
//!
//! A method that can return its best result so far catches the error, calls
//! [`StopToken::grant_grace`] and makes its result within the time that this grants.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::error::{Error, REPORT_DEFECT, Result, Stop};

/// Time to make a result after an interrupt: a run must end within two seconds.
const GRACE_AFTER_INTERRUPT: Duration = Duration::from_millis(1000);

/// Time to make a result after the time limit: at least this, or a share of the limit. A limit may
/// be exceeded by five seconds or a tenth.
const GRACE_AFTER_LIMIT: Duration = Duration::from_millis(3500);
const GRACE_SHARE: f64 = 0.07;

const NOT_REQUESTED: u8 = 0;
const INTERRUPTED: u8 = 1;
const TIME_LIMIT: u8 = 2;

/// A request to stop, shared by its clones. The default token is never stopped.
///
/// ```
/// use featherank::Stop;
/// use featherank::run::StopToken;
///
/// let token = StopToken::new();
/// assert!(token.check().is_ok());
/// token.stop(Stop::Interrupted);
/// assert!(token.check().is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct StopToken(Option<Arc<TokenState>>);

#[derive(Debug)]
struct TokenState {
    requested: AtomicU8,
    limit: Option<Limit>,
    /// Why the run stopped, and until when it may make its result.
    grace: OnceLock<(Stop, Instant)>,
    /// A token that stops this one, too.
    parent: StopToken,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    deadline: Instant,
    grace: Duration,
}

impl StopToken {
    /// The token that is never stopped.
    pub(crate) const NEVER: StopToken = StopToken(None);

    /// A token without a time limit.
    pub fn new() -> Self {
        StopToken::default().limited(None)
    }

    /// A token that is stopped with this one and when the time, counted from now, is over.
    #[must_use]
    pub fn limited(&self, time: Option<Duration>) -> Self {
        let limit = |time: Duration| {
            let grace = GRACE_AFTER_LIMIT.max(time.mul_f64(GRACE_SHARE));
            Instant::now().checked_add(time).map(|deadline| Limit { deadline, grace })
        };
        StopToken(Some(Arc::new(TokenState {
            requested: AtomicU8::new(NOT_REQUESTED),
            limit: time.and_then(limit),
            grace: OnceLock::new(),
            parent: self.clone(),
        })))
    }

    /// Requests a stop. Later requests have no effect.
    pub fn stop(&self, why: Stop) {
        if let Some(state) = &self.0 {
            let code = if why == Stop::Interrupted { INTERRUPTED } else { TIME_LIMIT };
            let (relaxed, expected) = (Ordering::Relaxed, NOT_REQUESTED);
            let _ = state.requested.compare_exchange(expected, code, relaxed, relaxed);
        }
    }

    /// An error if the run is to stop.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match self.stopped() {
            None => Ok(()),
            Some(why) => Err(Error::Stopped(why)),
        }
    }

    /// Whether the run is to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped().is_some()
    }

    /// Why the run is to stop, if it is.
    pub fn stopped(&self) -> Option<Stop> {
        let state = self.0.as_deref()?;
        let requested = || state.requested().or_else(|| state.parent.stopped());
        match state.grace.get() {
            None => requested().or_else(|| state.limit?.is_over().then_some(Stop::TimeLimit)),
            // The interrupt that was the reason for the grace is still set.
            Some((Stop::Interrupted, end)) => (Instant::now() >= *end).then_some(Stop::Interrupted),
            Some((Stop::TimeLimit, end)) => requested()
                .filter(|why| *why == Stop::Interrupted)
                .or_else(|| (Instant::now() >= *end).then_some(Stop::TimeLimit)),
        }
    }

    /// Runs work that cannot check the token on a thread of its own. If the token is stopped first,
    /// the thread ends in its own time and its result is dropped.
    pub(crate) fn unless_stopped<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        const BETWEEN_CHECKS: Duration = Duration::from_millis(50);
        self.check()?;
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
        thread.map_err(|e| Error::io("start", "a thread", e))?;
        loop {
            match receiver.recv_timeout(BETWEEN_CHECKS) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::internal("a computation ended early", REPORT_DEFECT));
                }
            }
        }
    }

    /// Lets a stopped run make its result: for a short time the token counts as not stopped. After
    /// that, and from the second call on, it is stopped for good.
    pub fn grant_grace(&self) {
        let (Some(state), Some(why)) = (&self.0, self.stopped()) else { return };
        let time = match (why, state.limit) {
            (Stop::TimeLimit, Some(limit)) => limit.grace,
            (Stop::TimeLimit, None) => GRACE_AFTER_LIMIT,
            (Stop::Interrupted, _) => GRACE_AFTER_INTERRUPT,
        };
        let _ = state.grace.set((why, Instant::now() + time));
    }

    /// Why the run had to stop and was granted time to make its result, if it was.
    pub fn ended_early(&self) -> Option<Stop> {
        self.0.as_deref()?.grace.get().map(|(why, _)| *why)
    }

    /// The time until the limit, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        let state = self.0.as_deref()?;
        let own = state.limit.map(|limit| limit.deadline.saturating_duration_since(Instant::now()));
        own.into_iter().chain(state.parent.time_left()).min()
    }
}

impl TokenState {
    fn requested(&self) -> Option<Stop> {
        match self.requested.load(Ordering::Relaxed) {
            NOT_REQUESTED => None,
            INTERRUPTED => Some(Stop::Interrupted),
            _ => Some(Stop::TimeLimit),
        }
    }
}

impl Limit {
    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_stops_all_clones_and_children() {
        let parent = StopToken::new();
        let child = parent.limited(None);
        assert!(!child.clone().is_stopped());
        parent.stop(Stop::Interrupted);
        assert_eq!(child.stopped(), Some(Stop::Interrupted));
        assert!(!StopToken::default().is_stopped());
    }

    #[test]
    fn a_child_does_not_stop_its_parent() {
        let parent = StopToken::new();
        let child = parent.limited(Some(Duration::ZERO));
        assert_eq!(child.stopped(), Some(Stop::TimeLimit));
        assert!(!parent.is_stopped());
        assert_eq!((child.time_left(), parent.time_left()), (Some(Duration::ZERO), None));
    }

    #[test]
    fn work_that_checks_nothing_is_left_behind() {
        assert_eq!(StopToken::default().unless_stopped(|| 7).unwrap(), 7);
        let token = StopToken::new().limited(Some(Duration::from_millis(20)));
        let start = Instant::now();
        let slow = token.unless_stopped(|| std::thread::sleep(Duration::from_secs(60)));
        assert!(slow.is_err() && start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn grace_is_granted_once() {
        let parent = StopToken::new();
        let token = parent.limited(Some(Duration::ZERO));
        token.grant_grace();
        assert!(!token.is_stopped());
        assert_eq!(token.ended_early(), Some(Stop::TimeLimit));
        // An interrupt does not wait for the end of the grace.
        parent.stop(Stop::Interrupted);
        assert_eq!(token.stopped(), Some(Stop::Interrupted));
        token.grant_grace();
        assert!(token.is_stopped());
    }

    #[test]
    fn grace_after_an_interrupt_ends() {
        let token = StopToken::new();
        token.grant_grace();
        assert_eq!(token.ended_early(), None);
        token.stop(Stop::Interrupted);
        token.grant_grace();
        assert!(!token.is_stopped());
        std::thread::sleep(GRACE_AFTER_INTERRUPT);
        assert_eq!(token.stopped(), Some(Stop::Interrupted));
    }
}
