//! How a run of a call ends, as its caller sees it.

use crate::error::Error;
use crate::machine::{CallId, Host, Op, Outcome};

/// What lies outside is known by its number.
#[derive(Debug)]
pub(super) struct Simulated;

impl Host for Simulated {
    type Value = Value;
    type Call = CallId;
    type Attempt = Op;
}

/// A value of the simulated page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Headers: the number of their call, and of the refreshes before them.
    Token(usize, u64),
    /// What was thrown, or why a connection broke.
    Text(&'static str),
    /// The findings that came with the errors of a partition.
    Objects,
}

/// What the `headers` function throws.
pub(super) const THROWN_BY_HEADERS: Value = Value::Text("no headers");

/// What a callback throws.
pub(super) const THROWN_BY_CALLBACK: Value = Value::Text("no more");

/// The end of a run of a call, or of a stream.
#[derive(Debug)]
pub(super) enum RunEnd {
    /// The call has a result.
    Succeeded(Outcome),
    /// The call failed.
    Failed(Box<Error<Value>>),
    /// A function of the caller threw this.
    Threw(Value),
    /// The caller aborted it.
    Aborted,
}

/// What has ended a run early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Over {
    No,
    /// The caller has aborted it.
    Aborted,
    /// A callback has thrown.
    Threw,
}
