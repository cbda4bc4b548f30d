//! The environment of a call: attempts, clock, randomness and the caller's functions.

use std::future::Future;

use super::progress::{PartitionChange, Progress};
use crate::attempt::Attempts;
use crate::attempt::decode::Thread;
use crate::counts::Counts;
use crate::error::Subject;

/// The environment of a call. Everything that is neither pure nor deterministic happens behind this trait.
pub(crate) trait Host: Attempts {
    /// The thread of the calls.
    type Thread: Thread;

    /// Returns the thread.
    fn thread(&self) -> Self::Thread;
    /// Milliseconds on a monotonic clock.
    fn now(&self) -> f64;
    /// Milliseconds since 1970.
    fn date(&self) -> f64;
    /// A random number in `0.0..1.0`.
    fn random(&self) -> f64;
    /// Waits for a number of milliseconds.
    fn sleep(&self, milliseconds: f64) -> impl Future<Output = ()>;
    /// Waits for a number of milliseconds in which the host is not frozen, as a page in the back/forward cache is.
    fn sleep_awake(&self, milliseconds: f64) -> impl Future<Output = ()> {
        self.sleep(milliseconds)
    }
    /// Whether the host reports that it is offline.
    fn is_offline(&self) -> bool;
    /// Waits until the host reports that it is online again; forever on a host that does not report it.
    fn back_online(&self) -> impl Future<Output = ()>;
    /// Calls the caller's `headers` function for an attempt, numbered from 1, on a path. `status` is the status of the attempt
    /// before.
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
    /// Whether [`Host::headers`] calls a function, which may return other headers the next time.
    fn can_refresh(&self) -> bool;
    /// Calls the caller's `readCounts` function, if there is one. An inner error says what is wrong with the counts of that kind.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, Self::Value>>;
    /// Whether the caller has aborted the call. From then on it starts nothing.
    fn is_over(&self) -> bool;
    /// Calls the caller's `onProgress` function.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn progress(&self, progress: &Progress) -> Result<(), Self::Value>;
    /// Called after each change of the progress, before [`Host::progress`], and with what was received added to the accumulator. Never
    /// called once the call is over.
    fn changed(&self, progress: &Progress);
    /// Calls the caller's `onPartition` function.
    ///
    /// # Errors
    ///
    /// The value that the function threw.
    fn partition(&self, change: &PartitionChange) -> Result<(), Self::Value>;
    /// Records a measurement that ends now.
    fn measure(&self, span: Span);
    /// Writes a warning to the host's console.
    fn warn(&self, message: &str);
}

/// A measurement of an attempt or of a whole request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// What was requested.
    pub(crate) subject: Subject,
    /// The attempt, from 1; `None` for all attempts of a partition with the waits between them.
    pub(crate) attempt: Option<u32>,
    /// The start on the clock of [`Host::now`], in milliseconds.
    pub(crate) begun: f64,
}
