//! The arguments of a call and the values of options, checked before anything is requested.

use js_sys::{JsString, RangeError, TypeError};
use wasm_bindgen::prelude::*;

use crate::contract::MAX_SAFE_INTEGER;
use crate::js_string::excerpt;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = String)]
    fn string_of(value: &JsValue) -> String;
}

/// Reads the key of an inspection: a safe integer, or a bigint of at most 64 bits.
pub(super) fn inspection_key(value: &JsValue) -> Result<i64, JsValue> {
    if let Some(number) = value.as_f64() {
        let safe = number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER as f64;
        return if safe { Ok(number as i64) } else { Err(range_error("inspectionKey", "a safe integer", value)) };
    }
    if value.is_bigint() {
        return i64::try_from(value.clone())
            .map_err(|_| range_error("inspectionKey", "a signed 64-bit integer", value));
    }
    Err(type_error("inspectionKey", "a number or a bigint", value))
}

/// Reads the index of a partition.
pub(super) fn partition_index(value: &JsValue) -> Result<u64, JsValue> {
    let number = value.as_f64().ok_or_else(|| type_error("partitionIndex", "a number", value))?;
    integer("partitionIndex", number, 0.0, MAX_SAFE_INTEGER as f64).map(|index| index as u64)
}

/// Returns a number that is an integer in this range.
///
/// # Errors
///
/// A `RangeError` that names the range.
pub(super) fn integer(name: &str, number: f64, least: f64, most: f64) -> Result<f64, JsValue> {
    if number.fract() == 0.0 && (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(range_error(name, &format!("an integer from {} to {}", least as u64, most as u64), &number.into()))
}

/// The error for a value of the wrong type.
pub(super) fn type_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    TypeError::new(&format!("{name} {}", refusal(expected, value))).into()
}

/// The error for a value of the wrong type that may be a secret.
pub(super) fn secret_type_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    TypeError::new(&format!("{name} {}", secret_refusal(expected, value))).into()
}

/// What follows the name of a value of the wrong type.
pub(super) fn refusal(expected: &str, value: &JsValue) -> String {
    format!("must be {expected}, not {}", description(value))
}

/// What follows the name of a value of the wrong type that may be a secret: nothing of the value but its type.
pub(super) fn secret_refusal(expected: &str, value: &JsValue) -> String {
    let kind = if value.is_null() { Some("null".to_owned()) } else { value.js_typeof().as_string() };
    format!("must be {expected}, not of type {}", kind.unwrap_or_default())
}

fn range_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    RangeError::new(&format!("{name} {}", refusal(expected, value))).into()
}

/// Describes a value without calling the caller's code.
fn description(value: &JsValue) -> String {
    if let Some(text) = value.dyn_ref::<JsString>() {
        return format!("\"{}\"", excerpt(text));
    }
    if let Ok(integer) = i64::try_from(value.clone()) {
        return integer.to_string();
    }
    let kind = if value.is_object() {
        "an object"
    } else if value.is_function() {
        "a function"
    } else if value.is_symbol() {
        "a symbol"
    } else if value.is_bigint() {
        "a bigint beyond 64 bits"
    } else {
        // A number, true, false, null or undefined.
        return string_of(value);
    };
    kind.to_owned()
}
