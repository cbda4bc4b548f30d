//! When a request starts, waits or is retried: pure state machines that take the time and random numbers as arguments.

pub(crate) mod byte_budget;
pub(crate) mod credential_refresh;
pub(crate) mod partition_tracker;
pub(crate) mod permits;
pub(crate) mod reorder_buffer;
pub(crate) mod retry;
pub(crate) mod scheduler;
