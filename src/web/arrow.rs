//! The columns of a table for Arrow streams.

use chunk::memory::{OutOfMemory, filled};
use js_sys::{Array, Float64Array, JsString, Uint8Array, Uint32Array};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use table::{ArrowColumn, Buffer, DistinctStrings, Measure, string_indexes};
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;

use super::columns::{Columns, unknown};
use super::findings_error::no_memory;
use super::query::{failed, name, names};
use super::serialize::to_js;
use crate::host_functions::copy_words;

/// What a buffer of an Arrow stream has: for each finding, unless it says otherwise.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum BufferContent {
    /// A bit that says whether it has a value.
    Validity,
    /// A bit that says whether the value is true.
    Booleans,
    /// An integer.
    Integers,
    /// A double.
    Numbers,
    /// The index of its string among the given codes.
    Codes,
    /// The offset of its string.
    Offsets,
    /// The offsets of the strings with the given codes.
    StringOffsets,
    /// The bytes of the strings with the given codes.
    Strings,
    /// The bytes of the strings of all findings.
    Texts,
}

#[wasm_bindgen]
impl Columns {
    /// Measures a column. Returns the kinds of its values, the number of null and missing values and, if `with_strings`, the total length of
    /// the strings of all findings, in bytes. The kinds are the sum of 1 for integers of 32 bits, 2 for other numbers, 4 for booleans, 8 for
    /// texts, 16 for raw JSON, 32 for objects whose fields have separate columns, and 64 for null and missing values,
    /// and 128 for strings with lone surrogates.
    pub fn measure(&self, path: &JsString, with_strings: bool) -> Result<Float64Array, JsValue> {
        let measure = self.arrow(&name(path)?)?.measure(with_strings, 0);
        let Measure { kinds, nulls, byte_length } = measure.map_err(|OutOfMemory| no_memory())?;
        Ok(Float64Array::from([kinds.into(), nulls.into(), byte_length as f64].as_slice()))
    }

    /// Returns the codes of the distinct strings of a column, and their total length in bytes.
    #[wasm_bindgen(js_name = distinctStrings, unchecked_return_type = "{ codes: Uint32Array; length: number }")]
    pub fn distinct_strings(&self, path: &JsString) -> Result<JsValue, JsValue> {
        let distinct = self.arrow(&name(path)?)?.distinct_strings();
        let DistinctStrings { codes, byte_length: length } = distinct.map_err(|OutOfMemory| no_memory())?;
        Ok(to_js(&EncodedStrings { codes: copy_words(&codes).map_err(|_| no_memory())?, length }))
    }

    /// Writes Arrow buffers. The arguments are, for each buffer: the path of its column, its content, the codes of strings, and the array to
    /// fill.
    #[wasm_bindgen(js_name = writeBuffers)]
    pub fn write_buffers(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly string[]")] paths: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly BufferContent[]")] contents: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly (Uint32Array | undefined)[]")] codes: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly ArrayBufferView[]")] targets: &Array,
    ) -> Result<(), JsValue> {
        let paths = names(paths)?;
        for (path, index) in paths.iter().zip(0..) {
            let (column, target) = (self.arrow(path)?, targets.get(index));
            let codes = || list(&codes.get(index).unchecked_into()).map_err(|OutOfMemory| no_memory());
            let ids = || {
                let mut ids = codes()?;
                let unknown = |code| unknown("string with the code", code);
                column.replace_by_ids(&mut ids).map(|()| ids).map_err(unknown)
            };
            let write = |buffer, indexes: &[u32]| column.write(buffer, indexes, &mut words_into(&target));
            let written = match BufferContent::try_from_js_value(contents.get(index))? {
                BufferContent::Validity => write(Buffer::Validity, &[]),
                BufferContent::Booleans => write(Buffer::Booleans, &[]),
                BufferContent::Integers => write(Buffer::Integers, &[]),
                BufferContent::Numbers => write(Buffer::Numbers, &[]),
                BufferContent::Offsets => write(Buffer::Offsets, &[]),
                BufferContent::Codes => string_indexes(&codes()?).and_then(|indexes| write(Buffer::Codes, &indexes)),
                BufferContent::StringOffsets => {
                    column.write_offsets(&mut ids()?, &mut words_into(&target));
                    Ok(())
                }
                BufferContent::Strings => column.write_strings(&ids()?, &mut bytes_into(&target)),
                BufferContent::Texts => column.write_strings_of_rows(&mut bytes_into(&target)),
            };
            written.map_err(|OutOfMemory| no_memory())?;
        }
        Ok(())
    }
}

impl Columns {
    /// Returns a column.
    pub(super) fn arrow(&self, path: &str) -> Result<ArrowColumn<'_>, JsValue> {
        self.table.arrow(path).map_err(|error| failed(&self.table, error))
    }
}

/// Copies an array.
pub(super) fn list(array: &Uint32Array) -> Result<Vec<u32>, OutOfMemory> {
    let mut list = filled(array.length() as usize, 0)?;
    array.copy_to(&mut list);
    Ok(list)
}

/// The distinct strings of a column.
#[derive(Serialize)]
struct EncodedStrings {
    #[serde(with = "preserve")]
    codes: Uint32Array,
    length: u64,
}

/// Returns what fills an array with words, one part after the other.
fn words_into(target: &JsValue) -> impl FnMut(&[u32]) {
    let (target, mut start): (&Uint32Array, u32) = (target.unchecked_ref(), 0);
    move |words| {
        let end = start + words.len() as u32;
        target.subarray(start, end).copy_from(words);
        start = end;
    }
}

/// Returns what fills an array with bytes, one part after the other.
fn bytes_into(target: &JsValue) -> impl FnMut(&[u8]) {
    let (target, mut start): (&Uint8Array, u32) = (target.unchecked_ref(), 0);
    move |bytes| {
        let end = start + bytes.len() as u32;
        target.subarray(start, end).copy_from(bytes);
        start = end;
    }
}
