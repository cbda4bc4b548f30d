//! JSON as bytes: its grammar, and the position of every error.

pub(crate) mod cursor;
pub(crate) mod decimal;
pub(crate) mod error;
#[cfg(feature = "tables")]
pub mod normal;
pub mod raw_json;
pub(crate) mod scan;
pub(crate) mod skip;
pub(crate) mod string;
pub(crate) mod utf8;
