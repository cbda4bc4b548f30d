//! The simulated worker: decodes the bodies of the page late, gives some back, loses some, or answers with junk.

use std::fmt;

use super::host::{Caller, SimulatedBlob};
use super::rng::Rng;
use crate::mock_host::packed;
use crate::retrieve::host::Delegated;
use crate::transport::body::Body;

/// How the workers of a schedule behave. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct WorkerScript {
    /// The most time that a body takes.
    lag: f64,
    /// Of this many bodies a worker dies or falls silent at one, which the page notices after some time.
    dies_at_one_in: Option<u64>,
    /// Of this many parcels one is junk.
    junk_is_one_in: Option<u64>,
    /// Whether no worker can be started, so that the page decodes.
    is_refused: bool,
}

/// The longest time after which the page notices the end of a worker.
const SILENCE: f64 = 20_000.0;

impl WorkerScript {
    /// Draws the behaviour of a schedule's workers.
    pub(super) fn draw(rng: &Rng) -> Self {
        WorkerScript {
            lag: rng.milliseconds(20),
            dies_at_one_in: rng.sometimes(3, || rng.between(2, 20)),
            junk_is_one_in: rng.sometimes(5, || rng.between(2, 20)),
            is_refused: rng.once_in(10),
        }
    }

    /// Whether a worker may end with bodies that the page no longer has.
    pub(super) fn loses_bodies(&self) -> bool {
        self.dies_at_one_in.is_some()
    }

    /// What becomes of a body.
    pub(super) async fn decode(&self, caller: &Caller, body: Body<SimulatedBlob>) -> Delegated<SimulatedBlob> {
        let rng = &caller.host.rng;
        if self.is_refused {
            return Delegated { parcel: None, body: Some(body) };
        }
        caller.host.wait(rng.part() * self.lag).await;
        if self.dies_at_one_in.is_some_and(|bodies| rng.once_in(bodies)) {
            caller.host.wait(rng.one_of(&[0.0, SILENCE])).await;
            // The handle of a blob stays with the page; other bodies were transferred.
            let kept = matches!(body, Body::Blob(_)).then_some(body);
            return Delegated { parcel: None, body: kept };
        }
        let bytes = match &body {
            Body::Bytes(bytes) => bytes.clone(),
            Body::Blob(blob) => blob.bytes.clone(),
        };
        let mut parcel = packed(bytes);
        if self.junk_is_one_in.is_some_and(|parcels| rng.once_in(parcels))
            && let Some(parcel) = &mut parcel
        {
            parcel.truncate(rng.below(parcel.len() as u64) as usize);
        }
        Delegated { parcel, body: Some(body) }
    }
}

impl fmt::Display for WorkerScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_refused {
            return writeln!(formatter, "  no worker can be started");
        }
        write!(formatter, "  a worker takes up to {} ms", self.lag)?;
        self.dies_at_one_in.map_or(Ok(()), |bodies| write!(formatter, ", dies at one body of {bodies}"))?;
        self.junk_is_one_in.map_or(Ok(()), |parcels| write!(formatter, ", and answers one of {parcels} with junk"))?;
        writeln!(formatter)
    }
}
