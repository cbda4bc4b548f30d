//! The errors of calls as JavaScript objects.

use js_sys::{Array, JsString, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::head::{request_id_of, shortened};
use super::page_call::PageCall;
use super::redaction::redact;
use crate::host_functions::{flaw_of_credentials, make_error};
use call::contract::Kind;
use call::error::{Error, ErrorKind};
use call::hint::Hint;
use call::partition_tracker::TotalMismatch;
use chunk::form::Form;

/// A member of an error besides its code and message. One that is undefined is absent.
type Member = (&'static str, JsValue);

/// Makes the JavaScript error with which a call ends, with what it has received. With its failures, it gets `resume()`.
pub(super) fn error_of(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    let can_resume = matches!(error.kind, ErrorKind::Partial { .. });
    let mut received = vec![("findings", error.objects.clone().into())];
    if let Some(state) = &call.state
        && (can_resume || matches!(error.kind, ErrorKind::Incomplete(_)))
    {
        let name = match state.form() {
            Form::Rows => "findings",
            #[cfg(feature = "tables")]
            Form::Chunk => "table",
        };
        // Without memory for the findings, the call can still be resumed.
        received.push((name, state.findings(&call.base_url).unwrap_or_default()));
        if can_resume {
            received.extend([("resume", state.clone().into()), ("failures", call.running.failures())]);
        }
    }
    let first = if can_resume { call.running.first_failure() } else { None };
    made(call, error, first.as_deref(), received)
}

/// Makes the JavaScript error of an attempt, without the findings that came with it.
pub(super) fn error_of_attempt(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    made(call, error, None, Vec::new())
}

/// Makes the JavaScript error of a partition that is missing, with the findings that came with it.
pub(super) fn error_of_partition(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    let findings = error.objects.clone().into();
    made(call, error, None, vec![("findings", findings)])
}

/// Makes the JavaScript error, of whose texts none quotes a header. Its message ends with that of the first failure, if it lists some.
fn made(call: &PageCall, mut error: Box<Error<JsValue>>, first: Option<&str>, received: Vec<Member>) -> JsValue {
    if error.attempts > 0 {
        if error.headers.is_empty() {
            error.headers.extend(call.running.fixed_headers());
        }
        blame_credentials(&mut error);
        error.request_id = error.response.take().as_ref().and_then(request_id_of);
        redact(&mut error);
    }
    let (code, message) = (error.kind.code(), error.with_first(first));
    let details = Object::new();
    for (name, value) in members(call, *error).into_iter().chain(received) {
        if !value.is_undefined() {
            // A plain object takes each member.
            let _ = Reflect::set(&details, &name.into(), &value);
        }
    }
    make_error(code, &message, &details)
}

/// Says more about credentials that the service has refused.
fn blame_credentials(error: &mut Error<JsValue>) {
    let Some(place) = error.hints.iter_mut().find(|hint| **hint == Hint::Credentials) else { return };
    if let Some(headers) = error.headers.last() {
        *place = flaw_of_credentials(headers.unchecked_ref()).hint();
    }
}

fn members(call: &PageCall, error: Error<JsValue>) -> [Member; 12] {
    let (expected, received) = match error.kind {
        ErrorKind::Incomplete(TotalMismatch { expected, received, .. }) => (Some(expected), Some(received)),
        ErrorKind::Changed { now, received, .. } => (now.findings, Some(received)),
        _ => (None, None),
    };
    let count = |count: Option<u64>| count.map(|count| count as f64).into();
    let messages = error.messages.iter().map(|message| JsString::from(&**message));
    [
        ("kind", error.subject.kind.map(Kind::name).into()),
        ("inspectionKey", call.inspection_key.clone()),
        ("partitionIndex", count(error.subject.partition())),
        ("url", error.url.into()),
        ("status", error.kind.status().into()),
        ("attempts", (error.attempts > 0).then_some(error.attempts).into()),
        ("messages", messages.collect::<Array>().into()),
        ("retryAfter", error.retry_after.into()),
        ("requestId", error.request_id.as_deref().map(shortened).into()),
        ("expected", count(expected)),
        ("received", count(received)),
        ("cause", error.cause.into()),
    ]
}
