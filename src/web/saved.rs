//! Tables as bytes.

use chunk::memory::OutOfMemory;
use js_sys::{Array, JsString, Uint8Array};
use serde::Serialize;
use table::saved::{OpenError, Saving, open};
use wasm_bindgen::prelude::*;

use super::chunk_calls::yield_now;
use super::columns::Columns;
use super::decoding::hash_seed;
use super::findings_error::{no_memory, unmade};
use super::serialize::to_js;
use crate::host_functions::{make_error, make_table_about};
use crate::js_string::copied;

#[wasm_bindgen]
extern "C" {
    /// An array whose allocation may fail.
    #[wasm_bindgen(js_name = Uint8Array, extends = Uint8Array)]
    type NewBytes;
    #[wasm_bindgen(constructor, js_class = "Uint8Array", catch)]
    fn new(length: f64) -> Result<NewBytes, JsValue>;
}

#[wasm_bindgen]
impl Columns {
    /// Returns the indexes of the partitions that the table has; none for a view.
    #[wasm_bindgen(unchecked_return_type = "number[]")]
    pub fn partitions(&self) -> Array {
        let indexes = self.table.partitions().into_iter().flatten().map(|(index, _)| JsValue::from(index as f64));
        indexes.collect()
    }

    /// Returns the table as bytes, with a text about it.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self, about: &JsString) -> Result<Uint8Array, JsValue> {
        let about = copied(about).map_err(|OutOfMemory| no_memory())?;
        let saving = Saving::new(&self.table, about.as_bytes()).map_err(unmade)?;
        let bytes = NewBytes::new(saving.byte_length() as f64).map_err(|_| no_memory())?;
        let written = saving.write(&mut |start, piece| {
            let end = start + piece.len() as u64;
            bytes.subarray(start as u32, end as u32).copy_from(piece);
        });
        written.map(|()| bytes.into()).map_err(|OutOfMemory| no_memory())
    }
}

/// Opens a table that was saved as these bytes.
pub(super) async fn opened(bytes: Uint8Array) -> Result<JsValue, JsValue> {
    let length = u64::from(bytes.length());
    let mut read = |start, target: &mut [u8]| read(&bytes, start, target);
    let (about, table) = open(length, &mut read, hash_seed(), yield_now).await.map_err(failed)?;
    let about = String::from_utf8(about).unwrap_or_default();
    make_table_about(&Columns::from(table).into(), &about.as_str().into()).map_err(|_| failed(OpenError::Damaged))
}

/// Copies bytes from JavaScript's memory. The caller may have transferred them meanwhile: then they stay zero, and the checksum is wrong.
fn read(bytes: &Uint8Array, start: u64, target: &mut [u8]) {
    let end = start + target.len() as u64;
    // A transferred array has no bytes, and no part.
    if start < end && end <= u64::from(bytes.length()) {
        bytes.subarray(start as u32, end as u32).copy_to(target);
    }
}

/// The details of the error: why the bytes cannot be opened.
#[derive(Serialize)]
struct Details {
    reason: &'static str,
}

fn failed(error: OpenError) -> JsValue {
    let reason = match error {
        OpenError::OutOfMemory(OutOfMemory) => return no_memory(),
        OpenError::Foreign => "foreign",
        OpenError::Version(_) => "version",
        OpenError::Truncated => "truncated",
        OpenError::Damaged => "damaged",
    };
    let details = to_js(&Details { reason });
    make_error("bytes", &error.to_string(), &details)
}
