//! The calls of a client, from the first request to the result.

pub(crate) mod counts;
pub(crate) mod findings;
pub(crate) mod host;
pub(crate) mod partition;
mod prefetch;
pub(crate) mod progress;
mod request;
pub(crate) mod retrieval;
pub(crate) mod settings;
pub(crate) mod stream;
mod way;

#[cfg(test)]
mod tests;
