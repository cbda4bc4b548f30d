//! All the findings of an inspection, complete and in order, or a clear error.
//!
//! The parts know only the groups above them in this list (`failure` also the shortfall of `receipt`): the pure ones neither JavaScript nor time nor chance.

pub mod contract;

pub mod table;

pub mod decode;

pub mod failure;
pub mod receipt;
pub mod renewal;
pub mod retry;
pub mod transport;
pub mod window;

pub mod scheduler;

pub mod retrieve;

#[cfg(target_arch = "wasm32")]
mod api;
