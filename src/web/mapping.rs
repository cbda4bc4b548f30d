//! The caller's `readCounts`: calls it, and checks its result.

use js_sys::{Function, JSON, Reflect};
use wasm_bindgen::prelude::*;

use crate::host_functions::promise_of;
use call::contract::{Kind, KindCounts};
use call::counts::{Counts, count_of};

/// Calls the function with the body, which is valid JSON, and checks the result.
pub(super) fn mapped_counts(function: &Function, body: &[u8]) -> Result<Counts<String>, JsValue> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let response = JSON::parse(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    let given = function.call1(&JsValue::UNDEFINED, &response)?;
    if promise_of(&given).is_some() {
        let flaw = || Err(String::from("it returned a promise, but must be synchronous"));
        return Ok(Counts { sentiment: flaw(), topics: flaw() });
    }
    Ok(Counts { sentiment: kind_counts(&given, Kind::Sentiment)?, topics: kind_counts(&given, Kind::Topics)? })
}

/// Reads one kind. The outer error is one that a getter of the caller throws.
fn kind_counts(given: &JsValue, kind: Kind) -> Result<Result<KindCounts, String>, JsValue> {
    let Some(counts) = member(given, kind.name())? else {
        return Ok(Err(format!("{kind} is missing")));
    };
    let partitions = member(&counts, "partitions")?.and_then(|number| number.as_f64()).and_then(count_of);
    let Some(partitions) = partitions else {
        return Ok(Err(format!("{kind}.partitions must be a non-negative integer")));
    };
    let findings = match member(&counts, "findings")? {
        None => None,
        Some(total) => match total.as_f64().and_then(count_of) {
            None => return Ok(Err(format!("{kind}.findings must be null or a non-negative integer"))),
            findings => findings,
        },
    };
    Ok(Ok(KindCounts { partitions, findings }))
}

/// Returns a member unless it is null or undefined.
fn member(of: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue> {
    if !of.is_object() {
        return Ok(None);
    }
    let value = Reflect::get(of, &name.into())?;
    Ok((!value.is_null() && !value.is_undefined()).then_some(value))
}
