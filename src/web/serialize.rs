//! Serialization of everything but findings to plain JavaScript objects.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Structs become plain objects, counts become numbers, and `None` becomes null.
const SERIALIZER: Serializer = Serializer::json_compatible();

/// Converts a value to JavaScript. Where it has a number beyond 2^53 − 1, that is an error that says so.
pub(super) fn to_js(value: &impl Serialize) -> JsValue {
    value.serialize(&SERIALIZER).unwrap_or_else(JsValue::from)
}
