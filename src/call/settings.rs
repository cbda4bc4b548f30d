//! The settings of a call.

use crate::retry::Policy;

/// The options of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The maximum number of requests of this call in flight, at least 1; the client's permits bound those of all its calls.
    pub concurrency: usize,
    /// Milliseconds for one attempt, from the `headers` function to the end of the body.
    pub timeout: f64,
    /// Milliseconds for the whole call; infinity without a limit.
    pub total_timeout: f64,
    /// When to retry.
    pub policy: Policy,
    /// How to treat a number of findings that differs from the total.
    pub completeness: Completeness,
    /// How to treat a partition that fails.
    pub failure_policy: FailurePolicy,
    /// The longest body of a partition that is accepted, in bytes.
    pub max_partition_bytes: usize,
    /// The maximum number of bytes of this call's bodies and findings that are unread; the client's byte budget bounds those of all its calls.
    pub max_buffered_bytes: u64,
}

/// How to treat a partition that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Fail at once.
    FailFast,
    /// Fetch all other partitions first.
    Collect,
}

/// How to treat a number of findings that differs from the total that the service reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Fail.
    Strict,
    /// Succeed.
    Off,
}
