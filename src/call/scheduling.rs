//! When a request starts, waits or is retried: pure state machines that take the time and random numbers as arguments.

pub(crate) mod byte_budget;
pub mod credential_refresh;
pub mod partition_tracker;
pub(crate) mod permits;
pub mod reorder_buffer;
pub mod retry;
pub mod scheduler;
