//! Failures as the errors that JavaScript sees.

use std::mem;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::object::{number, object};
use super::resume::{Form, ResumeState};
use super::yield_now::yield_now;
use crate::contract::Kind;
use crate::error::{CallEnd, Error, ErrorKind, Failures};
use crate::scheduling::partition_tracker::Shortfall;

#[wasm_bindgen(raw_module = "./error.js")]
extern "C" {
    type FindingsError;
    #[wasm_bindgen(constructor)]
    fn new(code: &str, message: &str, details: &JsValue) -> FindingsError;
}

/// The JavaScript error, with the key as the caller gave it. With a resume state, it gets `resume()`.
pub fn error_of(
    failure: Box<Error<JsValue>>,
    inspection_key: &JsValue,
    resume_state: Option<ResumeState>,
) -> LocalBoxFuture<'_, JsValue> {
    async move { error(failure, inspection_key, resume_state).await.unwrap_or_else(|thrown| thrown) }.boxed_local()
}

/// The error for a query or for rows that there is no memory for.
pub fn no_memory() -> JsValue {
    FindingsError::new("memory", "there is no memory left", &JsValue::from(Object::new())).into()
}

/// What is known about a failure besides its code and message: only what applies.
#[derive(Default)]
struct Details(Vec<(&'static str, JsValue)>);

impl Details {
    fn add(&mut self, name: &'static str, detail: JsValue) {
        if !detail.is_undefined() {
            self.0.push((name, detail));
        }
    }

    fn add_number(&mut self, name: &'static str, detail: Option<u64>) {
        self.add(name, detail.map(number).into());
    }
}

async fn error(
    mut failure: Box<Error<JsValue>>,
    inspection_key: &JsValue,
    resume_state: Option<ResumeState>,
) -> Result<JsValue, JsValue> {
    let resume_state = resume_state.filter(|_| failure.accumulator.is_some());
    let mut details = details(&mut failure);
    details.add("inspectionKey", inspection_key.clone());
    if let Some(table) = failure.findings.take() {
        let form = resume_state.as_ref().map_or(Form::Rows, ResumeState::form);
        match form.give(table, &|| Ok(())).await.map_err(thrown) {
            Ok(findings) => details.add(form.detail(), findings),
            // What cannot be given now can still be gone on with.
            Err(reason) if resume_state.is_some() => details.add("cause", reason),
            Err(reason) => return Err(reason),
        }
    }
    if let Some(resume_state) = resume_state {
        let failures = failures(mem::take(&mut failure.failures), inspection_key).await?;
        details.add("failures", failures.into());
        details.add("resume", resume_state.resumption().into());
    }
    Ok(FindingsError::new(failure.kind.code(), &failure.to_string(), &object(&details.0)?).into())
}

/// Each partition that is missing, with its error.
async fn failures(failures: Failures<JsValue>, inspection_key: &JsValue) -> Result<Array, JsValue> {
    let list = Array::new();
    for (index, failure) in failures {
        let error = error_of(failure, inspection_key, None).await;
        list.push(&object(&[("partitionIndex", number(index)), ("error", error)])?);
        yield_now().await;
    }
    Ok(list)
}

/// What was thrown while rows were built that no time was set for, which nothing else can end.
pub fn thrown(ended: CallEnd<JsValue>) -> JsValue {
    match ended {
        CallEnd::Thrown(value) => value,
        CallEnd::Failed(failure) => failure.to_string().into(),
    }
}

/// Those that can be told at once.
fn details(failure: &mut Error<JsValue>) -> Details {
    let (expected, received) = match failure.kind {
        ErrorKind::Incomplete(Shortfall { expected, received }) => (Some(expected), Some(received)),
        ErrorKind::Changed { now, received, .. } => (now.findings, Some(received)),
        _ => (None, None),
    };
    let messages: Array = failure.messages.iter().map(JsValue::from).collect();
    let mut details = Details::default();
    details.add("kind", failure.subject.kind.map(Kind::name).into());
    details.add_number("partitionIndex", failure.subject.partition());
    details.add_number("status", failure.kind.status().map(u64::from));
    details.add_number("attempts", (failure.attempts > 0).then_some(failure.attempts.into()));
    details.add("messages", messages.into());
    details.add("retryAfter", failure.retry_after.into());
    details.add_number("expected", expected);
    details.add_number("received", received);
    details.add("cause", failure.cause.take().into());
    details
}
