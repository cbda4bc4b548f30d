//! The arguments of a call and the values of options, checked before anything is requested.

use js_sys::{JsString, RangeError, TypeError};
use wasm_bindgen::prelude::*;

use crate::contract::{Kind, MAX_SAFE_INTEGER};
use crate::js_string::{excerpt, word};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = String)]
    fn string_of(value: &JsValue) -> String;
}

/// The key of an inspection: a safe integer, or a bigint of at most 64 bits.
pub fn inspection_key(value: &JsValue) -> Result<i64, JsValue> {
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

/// The kind of findings.
pub fn kind(value: &JsValue) -> Result<Kind, JsValue> {
    let named = word(value).and_then(|name| Kind::named(&name));
    named.ok_or_else(|| type_error("kind", "\"sentiment\" or \"topics\"", value))
}

/// The index of a partition.
pub fn partition_index(value: &JsValue) -> Result<u64, JsValue> {
    integer("partitionIndex", value, 0.0, MAX_SAFE_INTEGER as f64).map(|index| index as u64)
}

/// A number that must be an integer in that range.
pub fn integer(name: &str, value: &JsValue, least: f64, most: f64) -> Result<f64, JsValue> {
    let number = value.as_f64().ok_or_else(|| type_error(name, "a number", value))?;
    if number.fract() == 0.0 && (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(range_error(name, &format!("an integer from {} to {}", least as u64, most as u64), value))
}

/// The error for a value of the wrong type.
pub fn type_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    TypeError::new(&format!("{name} must be {expected}, not {}", description(value))).into()
}

/// The same for an option that may hold a secret, or be given one by mistake: tells no more than the type of the value.
pub fn secret_type_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    let kind = if value.is_null() { Some("null".to_owned()) } else { value.js_typeof().as_string() };
    TypeError::new(&format!("{name} must be {expected}, not of type {}", kind.unwrap_or_default())).into()
}

fn range_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    RangeError::new(&format!("{name} must be {expected}, not {}", description(value))).into()
}

/// A value in words; never calls code of the caller.
fn description(value: &JsValue) -> String {
    if let Some(text) = value.dyn_ref::<JsString>() {
        return format!("\"{}\"", excerpt(text));
    }
    if let Ok(integer) = i64::try_from(value.clone()) {
        return integer.to_string();
    }
    let kind = match () {
        () if value.is_object() => "an object",
        () if value.is_function() => "a function",
        () if value.is_symbol() => "a symbol",
        () if value.is_bigint() => "a bigint beyond 64 bits",
        // A number, true, false, null or undefined.
        () => return string_of(value),
    };
    kind.to_owned()
}
