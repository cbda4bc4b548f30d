//! The caller's mapping of a counts answer of another form, with its result checked.

use js_sys::{Function, JSON, Promise, Reflect};
use wasm_bindgen::prelude::*;

use crate::contract::{Kind, KindCounts};
use crate::decode::counts::{Counts, count_of};
use crate::decode::{DecodeError, Problem, text_of};
use crate::retrieve::CountsFailure;
use crate::transport::fetch::ignore_rejection;

/// What the function makes of the body.
pub fn mapped_counts(function: &Function, body: &[u8]) -> Result<Counts, CountsFailure<JsValue>> {
    let text = text_of(body).map_err(CountsFailure::Decode)?;
    let answer = JSON::parse(text.trim_start_matches('\u{feff}')).map_err(CountsFailure::Thrown)?;
    let given = function.call1(&JsValue::UNDEFINED, &answer).map_err(CountsFailure::Thrown)?;
    if given.is_instance_of::<Promise>() {
        ignore_rejection(&given);
        return Err(CountsFailure::Decode(flaw("it gave a promise, but has to be synchronous")));
    }
    let sentiment = kind_counts(&given, Kind::Sentiment).map_err(CountsFailure::Thrown)?;
    let topics = kind_counts(&given, Kind::Topics).map_err(CountsFailure::Thrown)?;
    Ok(Counts { sentiment, topics })
}

/// Reads one kind; the outer error is what a getter of the caller threw.
fn kind_counts(given: &JsValue, kind: Kind) -> Result<Result<KindCounts, DecodeError>, JsValue> {
    let Some(counts) = member(given, kind.name())? else {
        return Ok(Err(flaw(&format!("{kind} is missing"))));
    };
    let partitions = member(&counts, "partitions")?.and_then(|number| number.as_f64()).and_then(count_of);
    let Some(partitions) = partitions else {
        return Ok(Err(flaw(&format!("{kind}.partitions is not a non-negative integer"))));
    };
    let findings = match member(&counts, "findings")? {
        None => None,
        Some(total) => match total.as_f64().and_then(count_of) {
            None => return Ok(Err(flaw(&format!("{kind}.findings is neither null nor a non-negative integer")))),
            findings => findings,
        },
    };
    Ok(Ok(KindCounts { partitions, findings }))
}

/// A member that is there and not null.
fn member(of: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue> {
    if !of.is_object() {
        return Ok(None);
    }
    let value = Reflect::get(of, &name.into())?;
    Ok((!value.is_null() && !value.is_undefined()).then_some(value))
}

fn flaw(what: &str) -> DecodeError {
    DecodeError { offset: 0, path: "$".into(), reason: Problem::Mapping(what.to_owned()) }
}
