//! The errors that need no details.

use js_sys::Object;
use wasm_bindgen::prelude::*;

use crate::host_functions::make_error;

/// Makes the error of a query, or of building rows, that runs out of memory.
pub(super) fn no_memory() -> JsValue {
    make_error("memory", "out of memory; free tables that you no longer need", &JsValue::from(Object::new()))
}
