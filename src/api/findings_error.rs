//! The package's error class.

use js_sys::Object;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./error/error.js")]
extern "C" {
    pub(super) type FindingsError;
    /// An error with its code, its message, and the details that apply.
    #[wasm_bindgen(constructor)]
    pub(super) fn new(code: &str, message: &str, details: &JsValue) -> FindingsError;
}

/// Makes the error of a query, or of building rows, that runs out of memory.
pub(super) fn no_memory() -> JsValue {
    FindingsError::new("memory", "out of memory; free tables that you no longer need", &JsValue::from(Object::new()))
        .into()
}
