//! The columns of a table for Arrow streams.

use chunk::memory::{OutOfMemory, resize};
use js_sys::{Array, Float64Array, JsString, Uint8Array, Uint32Array};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use table::string_copy::copy_strings;
use table::{ArrowColumn, Buffer, DistinctStrings, Measure, RowStrings, string_indexes};
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;

use super::columns::{Columns, unknown};
use super::findings_error::no_memory;
use super::query::{failed, name, names};
use super::serialize::to_js;
use crate::host_functions::copy_words;

/// The ids of strings that are copied from JavaScript's memory at once.
const IDS: u32 = 2048;

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
            let column = self.arrow(path)?;
            let given: Uint32Array = codes.get(index).unchecked_into();
            let mut indexes = Vec::new();
            let target = targets.get(index);
            let content = BufferContent::try_from_js_value(contents.get(index))?;
            let buffer = match content {
                BufferContent::Validity => Buffer::Validity,
                BufferContent::Booleans => Buffer::Booleans,
                BufferContent::Integers => Buffer::Integers,
                BufferContent::Numbers => Buffer::Numbers,
                BufferContent::Codes => {
                    let codes = list(&given).map_err(|OutOfMemory| no_memory())?;
                    indexes = string_indexes(&codes).map_err(|OutOfMemory| no_memory())?;
                    Buffer::Codes
                }
                BufferContent::Offsets => Buffer::Offsets,
                BufferContent::StringOffsets => {
                    let ids = Ids::given(column, given)?;
                    self.write_offsets(ids, target).map_err(|OutOfMemory| no_memory())?;
                    continue;
                }
                BufferContent::Strings => {
                    let ids = Ids::given(column, given)?;
                    self.write_strings(ids, target).map_err(|OutOfMemory| no_memory())?;
                    continue;
                }
                BufferContent::Texts => {
                    let rows = column.row_strings().map_err(|OutOfMemory| no_memory())?;
                    self.write_strings(Ids::OfRows(rows), target).map_err(|OutOfMemory| no_memory())?;
                    continue;
                }
            };
            let mut target = Words { target: target.unchecked_into(), start: 0 };
            let write = &mut |words: &[u32]| target.write(words);
            column.write(buffer, &indexes, write).map_err(|OutOfMemory| no_memory())?;
        }
        Ok(())
    }
}

impl Columns {
    /// Returns a column.
    pub(super) fn arrow(&self, path: &str) -> Result<ArrowColumn<'_>, JsValue> {
        self.table.arrow(path).map_err(|error| failed(&self.table, error))
    }

    /// Writes strings one after the other.
    fn write_strings(&self, mut ids: Ids<'_>, target: JsValue) -> Result<(), OutOfMemory> {
        let (target, mut start): (Uint8Array, _) = (target.unchecked_into(), 0);
        copy_strings(&self.table.contents().strings(), &mut |some| ids.next(some), &mut |bytes| {
            let end = start + bytes.len() as u32;
            target.subarray(start, end).copy_from(bytes);
            start = end;
        })
    }

    /// Writes the offset of each string, then the total length.
    fn write_offsets(&self, mut ids: Ids<'_>, target: JsValue) -> Result<(), OutOfMemory> {
        let mut target = Words { target: target.unchecked_into(), start: 0 };
        target.write(&[0]);
        let (mut end, mut some, contents) = (0_u32, Vec::new(), self.table.contents());
        let strings = contents.strings();
        loop {
            ids.next(&mut some)?;
            if some.is_empty() {
                return Ok(());
            }
            for id in &mut some {
                end = end.wrapping_add(strings.length(*id));
                *id = end;
            }
            target.write(&some);
        }
    }
}

/// Copies an array.
pub(super) fn list(array: &Uint32Array) -> Result<Vec<u32>, OutOfMemory> {
    let mut list = Vec::new();
    resize(&mut list, array.length() as usize, 0)?;
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

/// The ids of strings.
enum Ids<'table> {
    /// Those of strings of a column with these codes, from an index on.
    Given {
        column: ArrowColumn<'table>,
        codes: Uint32Array,
        start: u32,
    },
    OfRows(RowStrings<'table>),
}

impl<'table> Ids<'table> {
    /// Those of the strings of a column with these codes.
    ///
    /// # Errors
    ///
    /// One is no code of a string, or memory ran out.
    fn given(column: ArrowColumn<'table>, codes: Uint32Array) -> Result<Self, JsValue> {
        for start in (0..codes.length()).step_by(IDS as usize) {
            let some = list(&codes.subarray(start, start.saturating_add(IDS))).map_err(|OutOfMemory| no_memory())?;
            if let Some(code) = column.unknown_code(&some) {
                return Err(unknown("string with the code", code));
            }
        }
        Ok(Ids::Given { column, codes, start: 0 })
    }

    /// Replaces `some` with the next ids; with none at the end.
    fn next(&mut self, some: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        match self {
            Ids::Given { column, codes, start } => {
                let part = codes.subarray(*start, *start + IDS);
                *start += part.length();
                *some = list(&part)?;
                column.replace_by_ids(some);
                Ok(())
            }
            Ids::OfRows(rows) => rows.next(some),
        }
    }
}

/// An array of words to fill.
struct Words {
    target: Uint32Array,
    start: u32,
}

impl Words {
    fn write(&mut self, words: &[u32]) {
        let end = self.start + words.len() as u32;
        self.target.subarray(self.start, end).copy_from(words);
        self.start = end;
    }
}
