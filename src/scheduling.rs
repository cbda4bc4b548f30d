//! What decides when a request starts, waits or is tried again: plain state machines, with time and randomness as arguments.

pub mod byte_budget;
pub mod credential_refresh;
pub mod partition_tracker;
pub mod reorder_buffer;
pub mod retry;
pub mod scheduler;
pub mod semaphore;
