//! Failures as the errors that JavaScript sees.

use std::mem;

use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::remainder::{Form, Remainder};
use super::turn::breathe;
use crate::failure::{Ended, Failure, Failures, Reason};
use crate::receipt::Shortfall;

#[wasm_bindgen(raw_module = "./error.js")]
extern "C" {
    type FindingsError;
    #[wasm_bindgen(constructor)]
    fn new(code: &str, message: &str, details: &JsValue) -> FindingsError;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details<'failure> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_index: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<u32>,
    messages: &'failure [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<u64>,
}

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
    let details: Object = serde_wasm_bindgen::to_value(&Details::of(&failure))?.unchecked_into();
    Reflect::set(&details, &"inspectionKey".into(), inspection_key)?;
    if let Some(cause) = &failure.cause {
        Reflect::set(&details, &"cause".into(), cause)?;
    }
    if let Some(table) = failure.findings.take() {
        let form = remainder.as_ref().filter(|_| failure.gathering.is_some()).map_or(Form::Rows, Remainder::form);
        let findings = form.give(table, || Ok(())).await.map_err(thrown)?;
        Reflect::set(&details, &form.detail().into(), &findings)?;
    }
    if failure.gathering.is_some()
        && let Some(remainder) = remainder
    {
        let failures = failures(mem::take(&mut failure.failures), inspection_key).await?;
        Reflect::set(&details, &"failures".into(), &failures)?;
        Reflect::set(&details, &"resume".into(), &remainder.resumption())?;
    }
    Ok(FindingsError::new(failure.reason.code(), &failure.to_string(), &details).into())
}

/// Each partition that is missing, with its error.
async fn failures(failures: Failures<JsValue>, inspection_key: &JsValue) -> Result<Array, JsValue> {
    let list = Array::new();
    for (index, failure) in failures {
        let missing = Object::new();
        Reflect::set(&missing, &"partitionIndex".into(), &(index as f64).into())?;
        let error = Box::pin(error_of(*failure, inspection_key, None)).await;
        Reflect::set(&missing, &"error".into(), &error)?;
        list.push(&missing);
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

impl<'failure> Details<'failure> {
    fn of(failure: &'failure Failure<JsValue>) -> Self {
        let (expected, received) = match failure.reason {
            Reason::Incomplete(Shortfall { expected, received }) => (Some(expected), Some(received)),
            Reason::Changed { now, received, .. } => (now.findings, Some(received)),
            _ => (None, None),
        };
        Details {
            kind: failure.place.kind.map(|kind| kind.name()),
            partition_index: failure.place.partition(),
            status: failure.reason.status(),
            attempts: (failure.attempts > 0).then_some(failure.attempts),
            messages: &failure.messages,
            retry_after: failure.retry_after,
            expected,
            received,
        }
    }
}
