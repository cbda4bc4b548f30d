//! The calls of one client, complete and in order: counts, partitions, requests, retries and errors. JavaScript, the time and randomness are arguments.

pub mod contract;
pub mod counts;
pub mod error;
pub mod excerpt;
pub mod hint;
pub mod machine;
pub mod nearest;
pub mod partition_tracker;
pub mod progress;
mod refusal;
pub mod retry;
pub mod retry_after;
pub mod settings;
#[cfg(test)]
mod simulation;
mod way;
