//! The simulated worker: is ready late or never, sends requests and keeps their bodies, decodes bodies, loses some, or posts junk.

use super::rng::Rng;

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
    pub(super) is_required: bool,
    /// Whether it is only for large inspections.
    pub(super) is_auto: bool,
}

/// What becomes of a body, and after how many milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    /// The worker decodes it.
    Decodes(f64),
    /// The page has to decode it.
    Returns(f64),
    /// The worker ends with it.
    Loses(f64),
    /// There is no worker, and the calls insist on one.
    IsMissing,
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
            is_auto: rng.once_in(8),
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
    pub(super) fn sends(&self, now: f64) -> bool {
        self.sends_requests && !self.is_refused && self.ready_at <= now
    }

    /// How much later it passes on a response.
    pub(super) fn delay(&self, rng: &Rng) -> f64 {
        rng.part() * self.lag
    }

    /// Whether it gets no response instead of a successful one.
    pub(super) fn loses_response(&self, rng: &Rng, is_success: bool) -> bool {
        is_success && self.is_refused_one_in.is_some_and(|requests| rng.once_in(requests))
    }

    /// Whether it ends before the page has its body.
    pub(super) fn ends(&self, rng: &Rng) -> bool {
        self.dies_at_one_in.is_some_and(|bodies| rng.once_in(bodies))
    }

    /// Whether calls fail because there is no worker.
    pub(super) fn lacks_worker(&self) -> bool {
        self.is_refused && self.is_required
    }

    /// What becomes of a body that it gets now. It can decode only a partition.
    pub(super) fn work(&self, rng: &Rng, now: f64, is_partition: bool) -> Work {
        if self.lacks_worker() {
            return Work::IsMissing;
        }
        if self.is_refused {
            return Work::Returns(0.0);
        }
        let late = (self.ready_at - now).max(0.0);
        if !self.is_required && late > PATIENCE {
            return Work::Returns(PATIENCE);
        }
        let time = late + rng.part() * self.lag;
        if self.ends(rng) {
            return Work::Loses(time + rng.one_of(&[0.0, SILENCE]));
        }
        let is_junk = self.junk_is_one_in.is_some_and(|answers| rng.once_in(answers));
        if is_partition && !is_junk { Work::Decodes(time) } else { Work::Returns(time) }
    }
}
