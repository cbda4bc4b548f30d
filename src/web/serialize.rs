//! Serialization of everything but findings to plain JavaScript objects.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Structs become plain objects, counts become numbers, and `None` becomes null.
const SERIALIZER: Serializer = Serializer::json_compatible();

/// Converts a value to JavaScript.
///
/// # Errors
///
/// A number beyond 2^53 − 1.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&SERIALIZER)?)
}
