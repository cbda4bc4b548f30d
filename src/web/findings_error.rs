//! The errors that need no details.

#[cfg(feature = "tables")]
use chunk::memory::OutOfMemory;
use js_sys::Object;
#[cfg(feature = "tables")]
use table::TableError;
use wasm_bindgen::prelude::*;

use crate::host_functions::make_error;
#[cfg(feature = "tables")]
use crate::host_functions::make_range_error;

/// Makes the error of a query, or of building rows, that runs out of memory.
pub(super) fn no_memory() -> JsValue {
    make_error("memory", "out of memory; free tables that you no longer need", &JsValue::from(Object::new()))
}

/// Makes the error of a table that cannot be made.
#[cfg(feature = "tables")]
pub(super) fn unmade(error: TableError) -> JsValue {
    match error {
        TableError::OutOfMemory(OutOfMemory) => no_memory(),
        TableError::TooMany(_) => make_range_error(&error.to_string()),
    }
}
