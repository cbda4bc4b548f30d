//! What JavaScript calls: options and arguments in, promises of findings and errors out.

pub mod arrow;
pub mod client;
pub mod columns;
pub mod live;
pub mod resume;
pub mod stream;
pub mod worker;

mod abort;
mod call;
mod error;
mod event;
mod findings_error;
mod headers;
mod host;
mod mapping;
mod options;
mod query;
mod redaction;
mod rows;
mod saved;
mod serialize;
mod workers;
mod yield_now;
