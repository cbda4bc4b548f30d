//! Tables of the caller's own objects, and columns of the caller's own values. Both arrive as the JSON of a partition.

use std::rc::Rc;

use chunk::decode::{DecodeErrorKind, Decoder};
use chunk::memory::OutOfMemory;
use js_sys::{JsString, Uint8Array};
use table::Table;
use wasm_bindgen::prelude::*;

use super::client::Client;
use super::columns::Columns;
use super::decoding::{hash_seed, new_dictionary};
use super::findings_error::{no_memory, unmade};
use super::query::{failed, name};
use crate::host_functions::make_range_error;
use crate::js_bytes::copied;
use table::tables::table_of;

#[wasm_bindgen]
impl Client {
    /// Makes a table of the findings in a body that the caller has made.
    #[wasm_bindgen(js_name = tableOfBody)]
    pub fn table_of_body(body: &Uint8Array) -> Result<Columns, JsValue> {
        made(body).map(Columns::from)
    }
}

#[wasm_bindgen]
impl Columns {
    /// Copies the table, with one more field in each finding: the findings in `body` have its value under `value`, and that of the column
    /// `by` under `key`. Without `by`, the only finding in `body` has the value of all.
    #[wasm_bindgen(js_name = withColumn)]
    pub fn with_column(&self, body: &Uint8Array, by: Option<JsString>, key: &JsString) -> Result<Columns, JsValue> {
        let (by, key) = (by.as_ref().map(name).transpose()?, name(key)?);
        let with_column = self.table.with_column(&made(body)?, by.as_deref(), &key);
        with_column.map(Columns::from).map_err(|error| failed(&self.table, error))
    }
}

fn made(body: &Uint8Array) -> Result<Table, JsValue> {
    let body = copied(body).map_err(|OutOfMemory| no_memory())?;
    let mut decoder = Decoder::new(body, new_dictionary());
    let findings = decoder.advance(usize::MAX).and_then(|_| decoder.finish().findings);
    let findings = findings.map_err(|error| match error.kind {
        DecodeErrorKind::OutOfMemory => no_memory(),
        _ => make_range_error(&error.to_string()),
    })?;
    table_of(hash_seed, 0, Rc::new(findings), None).map_err(unmade)
}
