//! All the findings of an inspection, complete and in order, or a clear error.
//!
//! The parts know only those above them in this list: the pure ones neither JavaScript nor time nor chance.

pub mod contract;
pub mod table;

pub mod decode;
pub mod receipt;
pub mod retry;
pub mod window;

pub mod failure;
pub mod renewal;
pub mod retrieve;
pub mod transport;

#[cfg(target_arch = "wasm32")]
mod api;
