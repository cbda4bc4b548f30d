//! The result of the caller's `readCounts`.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use crate::host_functions::promise_of;
use call::contract::{Kind, KindCounts};
use call::counts::{Counts, count_of};

/// Checks the result.
///
/// # Errors
///
/// What a getter of the caller throws.
pub(super) fn mapped_counts(given: &JsValue) -> Result<Counts<String>, JsValue> {
    if promise_of(given).is_some() {
        let flaw = || Err(String::from("it returned a promise, but must be synchronous"));
        return Ok(Counts { sentiment: flaw(), topics: flaw() });
    }
    Ok(Counts { sentiment: kind_counts(given, Kind::Sentiment)?, topics: kind_counts(given, Kind::Topics)? })
}

/// Reads one kind. The outer error is what a getter throws.
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
