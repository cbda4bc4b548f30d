//! The `headers` functions of calls. Requests that were refused with the same headers share one call for new ones.

use chunk::invariant::Certain;

use super::numbered::Op;

/// The generation of a source's headers. Each refresh that succeeds begins the next one.
pub(super) type Generation = u64;

/// The sources of the calls in flight, in the order of their numbers.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Sources<V>(Vec<Source<V>>);

/// A `headers` function for one base URL, while calls use it.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Source<V> {
    id: u32,
    /// The number of calls that use it.
    users: usize,
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
    Ask,
}

impl<V> Default for Sources<V> {
    fn default() -> Self {
        Sources(Vec::new())
    }
}

impl<V: Clone> Sources<V> {
    /// Takes note that a call uses a source.
    pub(super) fn enter(&mut self, id: u32) {
        match self.0.binary_search_by_key(&id, |source| source.id) {
            Ok(_) => self.get(id).users += 1,
            Err(place) => self.0.insert(place, Source { id, users: 1, generation: 0, latest: None, pending: None }),
        }
    }

    /// Takes note that a call no longer uses a source.
    pub(super) fn leave(&mut self, id: u32) {
        let place = self.0.binary_search_by_key(&id, |source| source.id).ok().certain();
        let source = self.0.get_mut(place).certain();
        source.users -= 1;
        if source.users == 0 {
            drop(self.0.remove(place));
        }
    }

    /// A source that a call uses.
    pub(super) fn get(&mut self, id: u32) -> &mut Source<V> {
        let place = self.0.binary_search_by_key(&id, |source| source.id).ok().certain();
        self.0.get_mut(place).certain()
    }

    /// Ends a refresh, with its headers or without them: then the next refusal begins another one. Returns false if this is none that is pending.
    pub(super) fn settle(&mut self, op: Op, headers: Option<&V>) -> bool {
        let Some(source) = self.0.iter_mut().find(|source| source.pending == Some(op)) else { return false };
        source.pending = None;
        if let Some(headers) = headers {
            source.latest = Some(headers.clone());
            source.generation += 1;
        }
        true
    }

    /// Whether there is none.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V: Clone> Source<V> {
    /// Where headers that are newer than this generation come from.
    pub(super) fn newer(&self, refused: Generation) -> Newer<V> {
        match (&self.latest, self.pending) {
            (Some(latest), _) if refused < self.generation => Newer::Are(latest.clone()),
            (_, Some(pending)) => Newer::Join(pending),
            (_, None) => Newer::Ask,
        }
    }

    /// Notes that a refresh has begun.
    pub(super) fn refresh_by(&mut self, op: Op) {
        self.pending = Some(op);
    }
}
