//! The `headers` function of calls. Requests that were refused with the same headers share one call for new ones.

use super::event::{CallId, Op};

/// The generation of a source's headers. Each refresh that succeeds begins the next one.
pub(super) type Generation = u64;

/// A `headers` function for one base URL, while calls use it.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Source<V> {
    pub(super) id: u32,
    pub(super) users: Vec<CallId>,
    pub(super) generation: Generation,
    latest: Option<V>,
    /// The refresh that requests wait for.
    pending: Option<Op>,
}

/// Headers that are newer than those that were refused.
pub(super) enum Newer<V> {
    /// These.
    Are(V),
    /// Those of the refresh that others wait for.
    Join(Op),
    /// Those that a new refresh returns.
    Begin,
}

impl<V: Clone> Source<V> {
    /// A source that this call uses first.
    pub(super) fn new(id: u32, user: CallId) -> Self {
        Source { id, users: vec![user], generation: 0, latest: None, pending: None }
    }

    /// Where headers that are newer than this generation come from.
    pub(super) fn newer(&self, refused: Generation) -> Newer<V> {
        match (&self.latest, self.pending) {
            (Some(latest), _) if refused < self.generation => Newer::Are(latest.clone()),
            (_, Some(pending)) => Newer::Join(pending),
            (_, None) => Newer::Begin,
        }
    }

    /// Notes that a refresh has begun.
    pub(super) fn begin(&mut self, op: Op) {
        self.pending = Some(op);
    }

    /// Takes the headers of a refresh, unless it was abandoned.
    pub(super) fn settle(&mut self, op: Op, headers: &V) {
        if self.pending.take_if(|pending| *pending == op).is_some() {
            self.latest = Some(headers.clone());
            self.generation += 1;
        }
    }

    /// Abandons a refresh, so that the next refusal begins another one. Leaves any other refresh pending.
    pub(super) fn abandon(&mut self, op: Op) {
        self.pending.take_if(|pending| *pending == op);
    }
}
