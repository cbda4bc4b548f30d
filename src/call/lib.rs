//! The calls of one client, complete and in order: counts, tickets, requests, retries and errors. JavaScript, the time and randomness are arguments.

// What only tables use.
#![cfg_attr(not(feature = "tables"), allow(unused))]

pub mod accumulator;
#[cfg(test)]
mod clock;
pub mod contract;
pub mod counts;
pub mod error;
pub mod excerpt;
mod failure_log;
#[cfg(test)]
mod mock_host;
pub mod nearest;
mod refusal;
pub mod retrieve;
pub mod scheduling;
#[cfg(test)]
mod simulation;
pub mod transport;
