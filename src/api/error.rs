//! Failures as the errors that JavaScript sees.

use std::mem;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::object::{number, object};
use super::remainder::{Form, Remainder};
use super::turn::breathe;
use crate::contract::Kind;
use crate::failure::{Ended, Failure, Failures, Reason};
use crate::receipt::Shortfall;

#[wasm_bindgen(raw_module = "./error.js")]
extern "C" {
    type FindingsError;
    #[wasm_bindgen(constructor)]
    fn new(code: &str, message: &str, details: &JsValue) -> FindingsError;
}

/// What is known about a failure besides its code and message.
type Details = Vec<(&'static str, JsValue)>;

/// The error of a failure; the key is named as the caller gave it, and who has a remainder can go on with it.
pub async fn error_of(failure: Failure<JsValue>, inspection_key: &JsValue, remainder: Option<Remainder>) -> JsValue {
    error(failure, inspection_key, remainder).await.unwrap_or_else(|thrown| thrown)
}

/// The error for a query or for rows that there is no memory for.
pub fn no_memory() -> JsValue {
    FindingsError::new("memory", "there is no memory left", &JsValue::from(Object::new())).into()
}

async fn error(
    mut failure: Failure<JsValue>,
    inspection_key: &JsValue,
    remainder: Option<Remainder>,
) -> Result<JsValue, JsValue> {
    let mut details = details(&failure);
    details.push(("inspectionKey", inspection_key.clone()));
    details.extend(failure.cause.take().map(|cause| ("cause", cause)));
    if let Some(table) = failure.findings.take() {
        let form = remainder.as_ref().filter(|_| failure.gathering.is_some()).map_or(Form::Rows, Remainder::form);
        details.push((form.detail(), form.give(table, &|| Ok(())).await.map_err(thrown)?));
    }
    if failure.gathering.is_some()
        && let Some(remainder) = remainder
    {
        let failures = failures(mem::take(&mut failure.failures), inspection_key).await?;
        details.extend([("failures", failures.into()), ("resume", remainder.resumption().into())]);
    }
    Ok(FindingsError::new(failure.reason.code(), &failure.to_string(), &object(&details)?).into())
}

/// Each partition that is missing, with its error.
async fn failures(failures: Failures<JsValue>, inspection_key: &JsValue) -> Result<Array, JsValue> {
    let list = Array::new();
    for (index, failure) in failures {
        let error = Box::pin(error_of(*failure, inspection_key, None)).await;
        list.push(&object(&[("partitionIndex", number(index)), ("error", error)])?);
        breathe().await;
    }
    Ok(list)
}

/// What was thrown while rows were built that no time was set for, which nothing else can end.
pub fn thrown(ended: Ended<JsValue>) -> JsValue {
    match ended {
        Ended::Thrown(value) => value,
        Ended::Failed(failure) => failure.to_string().into(),
    }
}

/// Those that can be told at once, of which only those are there that apply.
fn details(failure: &Failure<JsValue>) -> Details {
    let (expected, received) = match failure.reason {
        Reason::Incomplete(Shortfall { expected, received }) => (Some(expected), Some(received)),
        Reason::Changed { now, received, .. } => (now.findings, Some(received)),
        _ => (None, None),
    };
    let attempts = (failure.attempts > 0).then_some(failure.attempts);
    let messages: Array = failure.messages.iter().map(JsValue::from).collect();
    let mut details: Details = vec![
        ("kind", failure.place.kind.map(Kind::name).into()),
        ("partitionIndex", failure.place.partition().map(number).into()),
        ("status", failure.reason.status().into()),
        ("attempts", attempts.into()),
        ("messages", messages.into()),
        ("retryAfter", failure.retry_after.into()),
        ("expected", expected.map(number).into()),
        ("received", received.map(number).into()),
    ];
    details.retain(|(_, detail)| !detail.is_undefined());
    details
}
