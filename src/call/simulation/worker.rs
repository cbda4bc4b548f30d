//! The simulated worker: is ready late or never, sends requests and keeps their bodies, decodes bodies, loses some, or posts junk.

use std::fmt;

use super::host::{Caller, SimulatedKept};
use super::rng::Rng;
use crate::mock_host::packed;
use crate::retrieve::host::{Delegated, DelegatedTo, Host};
use crate::transport::body::Body;

/// How the workers of a schedule behave. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct WorkerScript {
    /// When it is ready.
    ready_at: f64,
    /// The maximum time that a body takes.
    lag: f64,
    /// A worker dies or falls silent at one of this many bodies, which the page notices after some time.
    dies_at_one_in: Option<u64>,
    /// Whether the page lets it send requests.
    sends_requests: bool,
    /// One of this many requests that it sends gets no response.
    is_refused_one_in: Option<u64>,
    /// One of this many answers is junk.
    junk_is_one_in: Option<u64>,
    /// Whether no worker can be started.
    is_refused: bool,
    /// Whether the calls insist on a worker. Otherwise the page decodes without one.
    is_required: bool,
}

/// The longest time that a body waits for a worker that is not ready.
const PATIENCE: f64 = 1_000.0;

/// The longest time after which the page notices the end of a worker.
const SILENCE: f64 = 20_000.0;

impl WorkerScript {
    /// Draws the behaviour of a schedule's workers.
    pub(super) fn draw(rng: &Rng) -> Self {
        WorkerScript {
            ready_at: rng.sometimes(3, || rng.milliseconds(5_000)).unwrap_or_default(),
            lag: rng.milliseconds(20),
            dies_at_one_in: rng.sometimes(3, || rng.between(2, 20)),
            sends_requests: rng.once_in(2),
            is_refused_one_in: rng.sometimes(4, || rng.between(1, 10)),
            junk_is_one_in: rng.sometimes(5, || rng.between(2, 20)),
            is_refused: rng.once_in(10),
            is_required: rng.once_in(4),
        }
    }

    /// Whether a worker may end with bodies that the page does not have, or get no response where the service sends one.
    pub(super) fn loses_bodies(&self) -> bool {
        self.dies_at_one_in.is_some() || self.loses_responses()
    }

    /// Whether a worker may get no response where the service sends one.
    pub(super) fn loses_responses(&self) -> bool {
        self.sends_requests && self.is_refused_one_in.is_some()
    }

    /// Whether the page leaves a request to it.
    pub(super) fn sends(&self, caller: &Caller) -> bool {
        self.sends_requests && !self.is_refused && self.ready_at <= caller.host.clock.now()
    }

    /// Passes on the response to a request, late. Returns whether it gets no response instead of a successful one.
    pub(super) async fn loses_response(&self, caller: &Caller, is_success: bool) -> bool {
        caller.host.wait(caller.host.rng.part() * self.lag).await;
        is_success && self.is_refused_one_in.is_some_and(|requests| caller.host.rng.once_in(requests))
    }

    /// Whether it ends before it has a body.
    pub(super) fn ends(&self, rng: &Rng) -> bool {
        self.dies_at_one_in.is_some_and(|bodies| rng.once_in(bodies))
    }

    /// Whether calls fail because there is no worker.
    pub(super) fn lacks_worker(&self) -> bool {
        self.is_refused && self.is_required
    }

    /// What becomes of a body.
    ///
    /// # Errors
    ///
    /// There is no worker, and the calls insist on one.
    pub(super) async fn decode(
        &self,
        caller: &Caller,
        body: Body<SimulatedKept>,
    ) -> Result<DelegatedTo<Caller>, String> {
        let rng = &caller.host.rng;
        if self.lacks_worker() {
            return Err("no worker".into());
        }
        if self.is_refused {
            return Ok(Delegated { packed: None, body: Some(body) });
        }
        let late = self.ready_at - caller.host.clock.now();
        if late > 0.0 {
            let patience = if self.is_required { late } else { late.min(PATIENCE) };
            caller.host.wait(patience).await;
            if patience < late {
                return Ok(Delegated { packed: None, body: Some(body) });
            }
        }
        caller.host.wait(rng.part() * self.lag).await;
        if self.ends(rng) {
            caller.host.wait(rng.one_of(&[0.0, SILENCE])).await;
            // The body was transferred, or kept by the worker.
            return Ok(Delegated { packed: None, body: None });
        }
        let bytes = match &body {
            Body::Bytes(bytes) => bytes,
            Body::Kept(kept) => &kept.bytes,
        };
        let is_junk = self.junk_is_one_in.is_some_and(|answers| rng.once_in(answers));
        let packed = packed(bytes, caller.columns(), caller.form());
        let packed = packed.map(|packed| if is_junk { damaged(packed, rng) } else { packed });
        Ok(Delegated { packed, body: Some(body) })
    }
}

fn damaged(mut packed: Vec<u8>, rng: &Rng) -> Vec<u8> {
    packed.truncate(rng.below(packed.len() as u64) as usize);
    if rng.once_in(2) {
        packed.fill_with(|| rng.number() as u8);
    }
    packed
}

impl fmt::Display for WorkerScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_required {
            writeln!(formatter, "  the calls insist on a worker")?;
        }
        if self.is_refused {
            return writeln!(formatter, "  no worker can be started");
        }
        write!(formatter, "  a worker is ready at {} ms, takes up to {} ms", self.ready_at, self.lag)?;
        if self.sends_requests {
            write!(formatter, ", sends requests")?;
            self.is_refused_one_in
                .map_or(Ok(()), |requests| write!(formatter, ", gets no response to one of {requests}"))?;
        }
        self.dies_at_one_in.map_or(Ok(()), |bodies| write!(formatter, ", dies at one body of {bodies}"))?;
        self.junk_is_one_in.map_or(Ok(()), |bodies| write!(formatter, ", and answers one of {bodies} with junk"))?;
        writeln!(formatter)
    }
}
