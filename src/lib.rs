//! All the findings of an inspection, complete and in order, or a clear error.
//!
//! The parts know only the groups above them in this list: the pure ones neither JavaScript nor time nor chance.

pub mod contract;
pub mod counts;
pub mod excerpt;
pub mod spelling;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod js_string;

pub mod scheduling;
pub mod transport;

pub mod accumulator;

pub mod error;
pub mod failure_log;

pub mod retrieve;

#[cfg(test)]
mod mock_host;
#[cfg(test)]
mod simulation;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod api;
