//! What JavaScript calls: options and arguments in, promises of findings and errors out.

mod abort;
mod arguments;
mod base_url;
mod client;
mod columns;
mod error;
mod event;
mod headers;
mod host;
mod mapping;
mod object;
mod options;
mod query;
mod resume;
mod rows;
mod stream;
mod yield_now;
