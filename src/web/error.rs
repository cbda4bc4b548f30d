//! The errors of calls as JavaScript objects.

use std::mem;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use js_sys::Array;
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::redaction::redact;
use super::resume::ResumeState;
use super::rows;
use super::serialize::to_js;
use super::yield_now::yield_now;
use crate::host_functions::{flaw_of_credentials, make_error, network_advice, reason_of};
use call::contract::Kind;
use call::error::{Error, ErrorKind, Failures, Hint};
use call::scheduling::partition_tracker::TotalMismatch;
use chunk::form::Form;

/// The arguments of a call that its errors contain.
#[derive(Clone)]
pub(super) struct ErrorContext {
    /// The inspection.
    pub(super) inspection_key: JsValue,
    /// The base URL, which ends with a slash and has no credentials.
    pub(super) base_url: Rc<str>,
}

/// Makes the JavaScript error. With a resume state, it gets `resume()`.
pub(super) fn error_of(
    failure: Box<Error<JsValue>>,
    context: &ErrorContext,
    resume_state: Option<ResumeState>,
) -> LocalBoxFuture<'_, JsValue> {
    async move { error(failure, context, resume_state).await.unwrap_or_else(|thrown| thrown) }.boxed_local()
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

/// A partition that is missing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartitionFailure {
    partition_index: u64,
    #[serde(with = "preserve")]
    error: JsValue,
}

async fn error(
    mut failure: Box<Error<JsValue>>,
    context: &ErrorContext,
    resume_state: Option<ResumeState>,
) -> Result<JsValue, JsValue> {
    let (mut details, message) = (details(&failure, context), failure.to_string());
    // The findings of a partition are plain objects in every error.
    if let Some(chunk) = failure.findings.take() {
        details.findings = rows::objects_of(chunk).await?;
    }
    let can_resume = matches!(failure.kind, ErrorKind::Partial { .. });
    if let Some(state) = resume_state.filter(|_| can_resume || matches!(failure.kind, ErrorKind::Incomplete(_))) {
        // Without memory for the table, the call can still be resumed.
        let received = state.findings(&context.base_url).unwrap_or_default();
        match state.form {
            Form::Rows => details.findings = received,
            #[cfg(feature = "tables")]
            Form::Chunk => details.table = received,
        }
        if can_resume {
            details.failures = failures(mem::take(&mut failure.failures), context).await?.into();
            details.resume = state.into();
        }
    }
    Ok(make_error(failure.kind.code(), &message, &to_js(&details)?))
}

/// Makes the JavaScript error of an attempt, without the findings that came with it.
pub(super) fn error_of_attempt(failure: &Error<JsValue>, context: &ErrorContext) -> Result<JsValue, JsValue> {
    Ok(make_error(failure.kind.code(), &failure.to_string(), &to_js(&details(failure, context))?))
}

/// Adds what JavaScript knows about an error of a request whose attempts had these headers, and removes the headers from its texts.
pub(super) fn explain(failure: &mut Error<JsValue>, headers: &[web_sys::Headers], base_url: &str) {
    redact(failure, headers);
    if let Some(cause) = &failure.cause
        && matches!(failure.kind, ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::NoResponse)
    {
        let reason = reason_of(cause);
        let is_unreachable = matches!(failure.kind, ErrorKind::Unreachable);
        match network_advice(cause, base_url) {
            _ if !is_unreachable || failure.hints.contains(&Hint::Offline) => {}
            1 => failure.hints.push(Hint::HiddenReason),
            2 => failure.hints.push(Hint::Insecure),
            3 => failure.hints.push(Hint::UnusedProxy),
            // A certificate stays as it is, however often it is presented.
            4 => failure.kind = ErrorKind::Untrusted,
            5 => failure.hints.push(Hint::InsecureLocal),
            _ => {}
        }
        failure.reason = (!reason.is_empty()).then_some(reason);
    }
    if matches!(failure.kind, ErrorKind::Unauthorized(401)) {
        match headers.last().map_or(0, flaw_of_credentials) {
            1 => failure.hints.push(Hint::NoCredentials),
            2 => failure.hints.push(Hint::NoBearer),
            3 => failure.hints.push(Hint::NoToken { header: "authorization" }),
            4 => failure.hints.push(Hint::NoToken { header: "authentication" }),
            5 => failure.hints.push(Hint::MisplacedBearer),
            _ => {}
        }
    }
}

/// Returns each missing partition with its error.
async fn failures(failures: Failures<JsValue>, context: &ErrorContext) -> Result<Array, JsValue> {
    let list = Array::new();
    for (partition_index, failure) in failures {
        let error = error_of(failure, context, None).await;
        list.push(&to_js(&PartitionFailure { partition_index, error })?);
        yield_now().await;
    }
    Ok(list)
}

/// Returns the details that take no time to compute.
fn details(failure: &Error<JsValue>, context: &ErrorContext) -> Details {
    let (expected, received) = match failure.kind {
        ErrorKind::Incomplete(TotalMismatch { expected, received, .. }) => (Some(expected), Some(received)),
        ErrorKind::Changed { now, received, .. } => (now.findings, Some(received)),
        _ => (None, None),
    };
    Details {
        kind: failure.subject.kind,
        inspection_key: context.inspection_key.clone(),
        url: failure.url.clone(),
        partition_index: failure.subject.partition(),
        status: failure.kind.status(),
        attempts: failure.attempts,
        messages: failure.messages.clone(),
        retry_after: failure.retry_after,
        expected,
        received,
        findings: JsValue::UNDEFINED,
        table: JsValue::UNDEFINED,
        failures: JsValue::UNDEFINED,
        resume: JsValue::UNDEFINED,
        cause: failure.cause.clone().into(),
    }
}

fn is_zero(attempts: &u32) -> bool {
    *attempts == 0
}
