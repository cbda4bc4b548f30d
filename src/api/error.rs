//! Failures as the errors that JavaScript sees.

use js_sys::{Object, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::rows;
use crate::failure::{Ended, Failure, Reason};

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

/// What the promise of a call is rejected with; the key is named as the caller gave it.
pub async fn rejection(ended: Ended<JsValue>, inspection_key: &JsValue) -> JsValue {
    match ended {
        Ended::Thrown(value) => value,
        Ended::Failed(failure) => error(*failure, inspection_key).await.unwrap_or_else(|thrown| thrown),
    }
}

/// The error for a query or for rows that there is no memory for.
pub fn no_memory() -> JsValue {
    FindingsError::new("memory", "there is no memory left", &JsValue::from(Object::new())).into()
}

async fn error(mut failure: Failure<JsValue>, inspection_key: &JsValue) -> Result<JsValue, JsValue> {
    let details: Object = serde_wasm_bindgen::to_value(&Details::of(&failure))?.unchecked_into();
    Reflect::set(&details, &"inspectionKey".into(), inspection_key)?;
    if let Some(cause) = &failure.cause {
        Reflect::set(&details, &"cause".into(), cause)?;
    }
    if let Some(table) = failure.findings.take() {
        let findings = rows::findings(table).await?;
        Reflect::set(&details, &"findings".into(), &findings)?;
    }
    Ok(FindingsError::new(failure.reason.code(), &failure.to_string(), &details).into())
}

impl<'failure> Details<'failure> {
    fn of(failure: &'failure Failure<JsValue>) -> Self {
        let shortfall = match failure.reason {
            Reason::Incomplete(shortfall) => Some(shortfall),
            _ => None,
        };
        Details {
            kind: failure.place.kind.map(|kind| kind.name()),
            partition_index: failure.place.partition(),
            status: failure.reason.status(),
            attempts: (failure.attempts > 0).then_some(failure.attempts),
            messages: &failure.messages,
            retry_after: failure.retry_after,
            expected: shortfall.map(|shortfall| shortfall.expected),
            received: shortfall.map(|shortfall| shortfall.received),
        }
    }
}
