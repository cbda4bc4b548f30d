//! The environment of a call: requests, workers, clock, randomness and the caller's functions.

use std::future::Future;

use chunk::memory::OutOfMemory;

use super::progress::{PartitionChange, Progress};
use crate::accumulator::Objects;
use crate::contract::KindCounts;
use crate::counts::Counts;
use crate::error::Error;
use crate::transport::Transport;
use crate::transport::body::Body;
use chunk::decoding::Runtime;
use chunk::form::{Form, Formed};

/// The environment of a call. Everything that is neither pure nor deterministic happens behind this trait.
pub trait Host: Transport {
    /// The runtime of the calls.
    type Runtime: Runtime;
    /// The findings of a partition as bytes of the host: a chunk or packed rows.
    type Packed;
    /// The findings of a partition as plain objects.
    type Objects: Objects;

    /// Returns the runtime.
    fn runtime(&self) -> Self::Runtime;
    /// Returns the form of the findings of each partition.
    fn form(&self) -> Form;
    /// Returns the names of the columns to keep, each followed by the byte `0xFF`; `None` keeps all.
    fn columns(&self) -> Option<&[u8]> {
        None
    }
    /// Starts a worker for the requests and bodies of the call, if the call is large enough. Called with `None` before the counts are
    /// requested, and with the counts once they are known.
    fn prepare_worker(&self, counts: Option<KindCounts>);
    /// Decodes a body in a worker, if the call uses one.
    ///
    /// # Errors
    /// Why there is no worker, for a call that requires one.
    fn delegate(&self, body: Body<Self::Kept>) -> impl Future<Output = Result<DelegatedTo<Self>, Self::Value>>;
    /// Returns a copy of a chunk among the bytes of the host; `None` without memory for it.
    #[cfg(feature = "tables")]
    fn copied(&self, packed: &Self::Packed) -> Option<Vec<u8>>;
    /// Copies packed rows for the host.
    ///
    /// # Errors
    ///
    /// Out of memory.
    fn handed_over(&self, rows: &[u8]) -> Result<Self::Packed, OutOfMemory>;
    /// Builds objects from packed rows.
    ///
    /// # Errors
    ///
    /// Out of memory, or the rows are malformed: what was thrown.
    fn build(&self, rows: &Self::Packed) -> impl Future<Output = Result<Self::Objects, Self::Value>>;
    /// Returns the URL of a path.
    fn url(&self, path: &str) -> String;
    /// Adds what the host knows about an error of a request whose attempts had these headers. Removes what no text of the error may contain:
    /// the values of the headers.
    fn explain(&self, error: &mut Error<Self::Value>, headers: &[Self::Headers]);
    /// Milliseconds on a monotonic clock.
    fn now(&self) -> f64;
    /// Milliseconds since 1970.
    fn date(&self) -> f64;
    /// A random number in `0.0..1.0`.
    fn random(&self) -> f64;
    /// Waits for a number of milliseconds.
    fn sleep(&self, milliseconds: f64) -> impl Future<Output = ()>;
    /// Whether the host reports that it is offline.
    fn is_offline(&self) -> bool;
    /// Waits until the host reports that it is online again; forever on a host that does not report it.
    fn back_online(&self) -> impl Future<Output = ()>;
    /// Calls the caller's `headers` function for an attempt, numbered from 1, on a path. `status` is the status of the previous attempt.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn headers(
        &self,
        path: &str,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<Self::Headers, Self::Value>> + 'static;
    /// Whether [`Host::headers`] calls a function, which may return different headers the next time.
    fn can_refresh(&self) -> bool;
    /// Calls the caller's `readCounts` function, if there is one. An inner error says what is wrong with the counts of one kind.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, Self::Value>>;
    /// Whether the caller has aborted the call. An aborted call starts nothing new.
    fn is_over(&self) -> bool;
    /// Calls the caller's `onProgress` function.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn progress(&self, progress: &Progress) -> Result<(), Self::Value>;
    /// Called after each change of the progress, when the accumulator has the received findings, and before [`Host::progress`]. Never
    /// called after the call has ended.
    fn changed(&self, progress: &Progress);
    /// Calls the caller's `onPartition` function, with the error of the attempt that failed.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn partition(&self, change: &PartitionChange, error: Option<&Error<Self::Value>>) -> Result<(), Self::Value>;
    /// Writes a warning to the host's console.
    fn warn(&self, message: &str);
}

/// The result of decoding a body in a worker.
pub struct Delegated<K, P> {
    /// Its findings in the form of the call; `None` if the calling thread has to decode it.
    pub packed: Option<P>,
    /// The body; `None` if the worker has lost it.
    pub body: Option<Body<K>>,
}

/// The result of decoding a body in a worker of this host.
pub type DelegatedTo<H> = Delegated<<H as Transport>::Kept, <H as Host>::Packed>;

/// The findings of a partition in the form that a call with this host keeps.
pub(crate) type FindingsOf<H> = Formed<<H as Host>::Objects>;
