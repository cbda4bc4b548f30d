//! The errors of calls as JavaScript objects.

use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::page_call::PageCall;
use super::redaction::redact;
use super::serialize::to_js;
use crate::host_functions::{flaw_of_credentials, make_error};
use call::contract::Kind;
use call::error::{Error, ErrorKind};
use call::hint::Hint;
use call::partition_tracker::TotalMismatch;
use chunk::form::Form;

/// Makes the JavaScript error with which a call ends, with what it has received. With its failures, it gets `resume()`.
pub(super) fn error_of(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    let (mut details, can_resume) = (Findings::default(), matches!(error.kind, ErrorKind::Partial { .. }));
    let state = call.state.as_ref().filter(|_| can_resume || matches!(error.kind, ErrorKind::Incomplete(_)));
    if let Some(state) = state {
        // Without memory for the findings, the call can still be resumed.
        let received = state.findings(&call.base_url).unwrap_or_default();
        match state.form() {
            Form::Rows => details.findings = received,
            #[cfg(feature = "tables")]
            Form::Chunk => details.table = received,
        }
        if can_resume {
            details.resume = state.clone().into();
            details.failures = call.running.failures();
        }
    }
    // The findings of a partition are plain objects in every error.
    if let Some(findings) = &error.objects {
        details.findings.clone_from(findings);
    }
    let error = redacted(call, error);
    let first = if can_resume { call.running.first_failure() } else { None };
    made(call, &error, &error.with_first(first.as_deref()), details)
}

/// Makes the JavaScript error of an attempt, without the findings that came with it.
pub(super) fn error_of_attempt(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    let error = redacted(call, error);
    made(call, &error, &error.to_string(), Findings::default())
}

/// Makes the JavaScript error of a partition that is missing, with the findings that came with it.
pub(super) fn error_of_partition(call: &PageCall, error: Box<Error<JsValue>>) -> JsValue {
    let error = redacted(call, error);
    let findings = error.objects.clone().unwrap_or_default();
    made(call, &error, &error.to_string(), Findings { findings, ..Findings::default() })
}

/// What a call has received besides its error.
#[derive(Default)]
struct Findings {
    findings: JsValue,
    table: JsValue,
    failures: JsValue,
    resume: JsValue,
}

/// The details of an error besides its code and message. Undefined members are absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(with = "preserve")]
    inspection_key: JsValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_index: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "is_zero")]
    attempts: u32,
    messages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<u64>,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    findings: JsValue,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    table: JsValue,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    failures: JsValue,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    resume: JsValue,
    #[serde(with = "preserve", skip_serializing_if = "JsValue::is_undefined")]
    cause: JsValue,
}

/// Removes from the error of a request what it may not quote, and says more about its credentials.
fn redacted(call: &PageCall, mut error: Box<Error<JsValue>>) -> Box<Error<JsValue>> {
    if error.attempts > 0 {
        if error.headers.is_empty() {
            error.headers.extend(call.running.fixed_headers());
        }
        blame_credentials(&mut error);
        redact(&mut error);
    }
    error
}

fn made(call: &PageCall, error: &Error<JsValue>, message: &str, findings: Findings) -> JsValue {
    make_error(error.kind.code(), message, &to_js(&details(error, call, findings)))
}

/// Says more about credentials that the service has refused.
fn blame_credentials(error: &mut Error<JsValue>) {
    let Some(place) = error.hints.iter_mut().find(|hint| **hint == Hint::Credentials) else { return };
    if let Some(headers) = error.headers.last() {
        *place = flaw_of_credentials(headers.unchecked_ref()).hint();
    }
}

fn details(error: &Error<JsValue>, call: &PageCall, findings: Findings) -> Details {
    let Findings { findings, table, failures, resume } = findings;
    let (expected, received) = match error.kind {
        ErrorKind::Incomplete(TotalMismatch { expected, received, .. }) => (Some(expected), Some(received)),
        ErrorKind::Changed { now, received, .. } => (now.findings, Some(received)),
        _ => (None, None),
    };
    Details {
        kind: error.subject.kind,
        inspection_key: call.inspection_key.clone(),
        url: error.url.clone(),
        partition_index: error.subject.partition(),
        status: error.kind.status(),
        attempts: error.attempts,
        messages: error.messages.clone(),
        retry_after: error.retry_after,
        expected,
        received,
        findings,
        table,
        failures,
        resume,
        cause: error.cause.clone().into(),
    }
}

fn is_zero(attempts: &u32) -> bool {
    *attempts == 0
}
