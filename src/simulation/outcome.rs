//! How calls and streams end, as their callers see it.

use columns::table::Table;

use crate::contract::KindCounts;
use crate::error::{CallEnd, Error};

/// The end of one run of a call.
pub(super) enum RunEnd<T> {
    /// The call ended by itself.
    Ended(Result<T, CallEnd<String>>),
    /// The caller aborted it.
    Aborted,
}

/// The result of a call.
pub(super) enum CallResult {
    /// Of a call for findings.
    Findings(Table),
    /// Of a call for counts: sentiment, then topics.
    Counts((KindCounts, KindCounts)),
}

/// Why a stream ends before its last partition.
pub(super) enum StreamEnd {
    /// A partition failed, or the total is wrong.
    Failed(Box<Error<String>>),
    /// A function of the caller threw this.
    Thrown(String),
    /// The caller aborted the stream.
    Aborted,
}
