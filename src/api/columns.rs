//! A table for JavaScript: copies of its rows and strings, and queries whose results are cells.

use std::cell::RefCell;

use columns::cell::Cell;
use columns::memory::OutOfMemory;
use columns::row_buffer::RowBuffer;
use columns::shapes::{Event, PathId, ShapeId};
use columns::table::{ColumnValues, Groups, Table};
use js_sys::{Array, Float64Array, Int32Array, JsString, Uint8Array, Uint32Array};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::findings_error::no_memory;
use super::query::{conditions, direction, failed, name, names};
use super::serialize::to_js;

/// The ids of strings that are copied from JavaScript's memory at once.
pub(super) const IDS: usize = 2048;

/// A table, and the buffer for the rows that JavaScript reads.
#[wasm_bindgen]
pub struct Columns {
    pub(super) table: Table,
    // In a cell, because the arguments of a query may read rows while the query reads them.
    row_buffer: RefCell<RowBuffer>,
}

impl From<Table> for Columns {
    fn from(table: Table) -> Self {
        Columns { table, row_buffer: RefCell::default() }
    }
}

#[wasm_bindgen]
impl Columns {
    /// Lays out the rows `from..to` for `copyRows`: of each its shape, then the cells of its values. Returns the number of words.
    #[wasm_bindgen(js_name = layOutRows)]
    pub fn lay_out_rows(&self, from: usize, to: usize) -> Result<usize, JsValue> {
        let mut buffer = self.row_buffer.borrow_mut();
        self.table.write_rows(&mut buffer, from..to).map_err(|OutOfMemory| no_memory())?;
        Ok(buffer.words().len())
    }

    /// Copies the rows that were laid out last into `target`, as many words as it has room for.
    #[wasm_bindgen(js_name = copyRows)]
    pub fn copy_rows(&self, target: &Uint32Array) {
        let buffer = self.row_buffer.borrow();
        let end = buffer.words().len().min(target.length() as usize);
        target.subarray(0, end as u32).copy_from(buffer.words().get(..end).unwrap_or_default());
    }

    /// Returns a number that does not fit into a cell, by its id.
    pub fn number(&self, id: u32) -> f64 {
        self.table.dictionary().numbers.value(id)
    }

    /// Copies the bytes of a string, or of all strings from this one to the end of its block, into `target`. Returns their number. If
    /// there are more than `target` has room for, copies nothing.
    pub fn bytes(&self, id: u32, with_rest: bool, target: &Uint8Array) -> u32 {
        let dictionary = self.table.dictionary();
        let bytes = if with_rest { dictionary.rest_of_block(id) } else { dictionary.strings.bytes(id) };
        let length = bytes.len() as u32;
        if length <= target.length() {
            target.subarray(0, length).copy_from(bytes);
        }
        length
    }

    /// Returns the id and the length in UTF-16 code units of each string from this one to the end of its block.
    pub fn strings(&self, first: u32) -> Result<Uint32Array, JsValue> {
        Ok(self.table.dictionary().lengths_from(first).map_err(|OutOfMemory| no_memory())?.as_slice().into())
    }

    /// Returns the events of a shape: four times a path, plus 0 for a value, 1 for the begin of an object, 2 for its end.
    #[wasm_bindgen(js_name = shapeEvents)]
    pub fn shape_events(&self, shape: ShapeId) -> Result<Uint32Array, JsValue> {
        let events = self.table.dictionary().shapes.events(shape).map_err(|OutOfMemory| no_memory())?;
        Ok(words(events.into_iter().map(Event::word).collect()))
    }

    /// Returns the last key of a path.
    #[wasm_bindgen(js_name = pathName)]
    pub fn path_name(&self, path: PathId) -> JsString {
        self.table.dictionary().shapes.name(path).into()
    }

    /// Number of findings.
    pub fn length(&self) -> usize {
        self.table.len()
    }

    /// Bytes of memory that the table holds.
    #[wasm_bindgen(js_name = byteLength)]
    pub fn byte_length(&self) -> usize {
        self.table.byte_length()
    }

    /// Returns the dotted paths of the columns.
    pub fn names(&self) -> Result<Array, JsValue> {
        Ok(self.table.columns().map_err(|OutOfMemory| no_memory())?.map(JsString::from).collect())
    }

    /// Returns the values of a column: an `Int32Array` if all are small integers, otherwise cells in a `Uint32Array`.
    pub fn column(&self, path: &JsValue) -> Result<JsValue, JsValue> {
        Ok(match self.table.column(&name(path)?).map_err(|error| failed(&self.table, error))? {
            ColumnValues::Integers(integers) => Int32Array::from(integers.as_slice()).into(),
            ColumnValues::Cells(cells) => words_of(cells).into(),
        })
    }

    /// Returns the bytes of some strings one after the other, and the length of each in UTF-16 code units: of up to 2048 ids.
    #[wasm_bindgen(unchecked_return_type = "{ bytes: Uint8Array; lengths: Uint32Array }")]
    pub fn texts(&self, ids: &Uint32Array) -> Result<JsValue, JsValue> {
        let mut some = [0; IDS];
        let ids = ids.subarray(0, IDS as u32);
        let some = some.get_mut(..ids.length() as usize).unwrap_or_default();
        ids.copy_to(some);
        let dictionary = self.table.dictionary();
        let bytes = dictionary.strings.concat(some).map_err(|OutOfMemory| no_memory())?;
        for id in some.iter_mut() {
            *id = dictionary.strings.utf16_length(*id);
        }
        to_js(&EncodedTexts { bytes: bytes.as_slice().into(), lengths: (&*some).into() })
    }

    /// Groups the findings by their values in some columns, and summarises the numbers of another one if it is given. Of a table of a live
    /// table, gives only the groups that have changed since the result before, unless `all` are asked for.
    ///
    /// `words` has the number of the grouping (0 if it has no later results), that of the result and of the result before (0 if all groups are
    /// given), and the number of groups given. Then there are, each for all groups given: the cells of the keys, the numbers of findings, and
    /// unless all groups are given, the positions and the former positions. `statistics` has for each group the number of numbers, their
    /// sum, minimum and maximum; nothing without a summary.
    #[wasm_bindgen(unchecked_return_type = "{ words: Uint32Array; statistics: Float64Array }")]
    pub fn groups(&self, paths: &Array, summarised: &Array, all: bool) -> Result<JsValue, JsValue> {
        let (paths, summarised) = (names(paths)?, names(summarised)?);
        let groups = match all {
            true => self.table.groups(&paths, summarised.first()),
            false => self.table.changed_groups(&paths, summarised.first()),
        };
        let groups = groups.map_err(|error| failed(&self.table, error))?;
        let encoded = EncodedGroups::new(&groups, !summarised.is_empty()).map_err(|OutOfMemory| no_memory())?;
        to_js(&encoded)
    }

    /// Returns a view of the findings that meet all conditions.
    pub fn filter(&self, conditions_given: &JsValue) -> Result<Columns, JsValue> {
        self.table.filter(&conditions(conditions_given)?).map(Columns::from).map_err(|error| failed(&self.table, error))
    }

    /// Returns a view of the findings in the order of a column.
    #[wasm_bindgen(js_name = sortBy)]
    pub fn sort_by(&self, path: &JsValue, order: &JsValue) -> Result<Columns, JsValue> {
        let direction = direction(order)?;
        self.table.sort_by(&name(path)?, direction).map(Columns::from).map_err(|error| failed(&self.table, error))
    }
}

/// Some strings, one after the other.
#[derive(Serialize)]
struct EncodedTexts {
    #[serde(with = "preserve")]
    bytes: Uint8Array,
    #[serde(with = "preserve")]
    lengths: Uint32Array,
}

/// Groups as two typed arrays: objects would cost a call into JavaScript for each member.
#[derive(Serialize)]
struct EncodedGroups {
    #[serde(with = "preserve")]
    words: Uint32Array,
    #[serde(with = "preserve")]
    statistics: Float64Array,
}

impl EncodedGroups {
    fn new(groups: &Groups, are_summaries: bool) -> Result<Self, OutOfMemory> {
        let words = groups.words()?.as_slice().into();
        let statistics = if are_summaries { groups.statistics()? } else { Vec::new() };
        Ok(Self { words, statistics: statistics.as_flattened().into() })
    }
}

fn words_of(cells: Vec<Cell>) -> Uint32Array {
    words(cells.into_iter().map(Cell::word).collect())
}

pub(super) fn words(words: Vec<u32>) -> Uint32Array {
    words.as_slice().into()
}
