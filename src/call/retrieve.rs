//! The calls of a client, from the first request to the result.

pub mod counts;
pub mod findings;
pub mod host;
pub mod partition;
mod prefetch;
pub mod progress;
mod request;
pub mod retrieval;
pub mod settings;
pub mod stream;
mod way;

#[cfg(test)]
mod tests;
