//! Downloads all findings of one inspection from the Ascribe CX Inspector API, complete and in order.
//!
//! Each module imports only modules of the groups above its own. All but `api`, `host_functions`, `js_string` and `transport::fetch` are pure:
//! JavaScript, the time and randomness are arguments.

// Only `api` calls the crate, and it exists on WebAssembly only. There the compiler reports unused items.
#![cfg_attr(not(all(target_arch = "wasm32", target_os = "unknown")), allow(dead_code))]
// What only tables use.
#![cfg_attr(not(feature = "tables"), allow(unused))]

pub mod contract;
pub mod counts;
mod excerpt;
mod nearest;
mod refusal;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod host_functions;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod js_string;

mod scheduling;
mod transport;

mod form;

mod decode;

mod accumulator;
#[cfg(feature = "tables")]
mod tables;

mod error;
mod failure_log;

mod retrieve;

#[cfg(test)]
mod mock_host;
#[cfg(test)]
mod simulation;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub mod api;
