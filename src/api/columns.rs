//! A table on the way to JavaScript: its rows and strings as copies, and queries with their answers as cells.

use std::cell::RefCell;

use columns::cell::Cell;
use columns::memory::{OutOfMemory, with_capacity};
use columns::row_buffer::RowBuffer;
use columns::shapes::{Event, PathId, ShapeId};
use columns::table::{Aggregate, ColumnValues, Groups, Table};
use js_sys::{Array, Float64Array, Int32Array, JsString, Uint8Array, Uint32Array};
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::findings_error::no_memory;
use super::query::{conditions, direction, failed, name, names};
use super::serialize::to_js;

/// A table, and the buffer into which its rows are written for JavaScript.
#[wasm_bindgen]
pub struct Columns {
    table: Table,
    /// What a caller gives to a query may read rows meanwhile.
    row_buffer: RefCell<RowBuffer>,
}

impl From<Table> for Columns {
    fn from(table: Table) -> Self {
        Columns { table, row_buffer: RefCell::default() }
    }
}

#[wasm_bindgen]
impl Columns {
    /// Rows from `from` up to before `to`: of each its shape, and then the cells of its values.
    pub fn rows(&self, from: usize, to: usize) -> Result<Uint32Array, JsValue> {
        let mut buffer = self.row_buffer.borrow_mut();
        self.table.write_rows(&mut buffer, from..to).map_err(|OutOfMemory| no_memory())?;
        Ok(buffer.words().into())
    }

    /// A number that does not fit into a cell.
    pub fn number(&self, id: u32) -> f64 {
        self.table.dictionary().numbers.value(id)
    }

    /// The bytes of a string, or of all strings from there on to the end of its block.
    pub fn bytes(&self, id: u32, with_rest: bool) -> Uint8Array {
        let strings = &self.table.dictionary().strings;
        if with_rest { strings.rest_of_block(id) } else { strings.bytes(id) }.into()
    }

    /// For each string from this one on to the end of its block its number, and how many UTF-16 code units it has.
    pub fn strings(&self, first: u32) -> Result<Uint32Array, JsValue> {
        let strings = &self.table.dictionary().strings;
        Ok(strings.lengths_from(first).map_err(|OutOfMemory| no_memory())?.as_slice().into())
    }

    /// The events of a shape: four times a path, plus 0 for a value, 1 for an object that begins, 2 for one that ends.
    #[wasm_bindgen(js_name = shapeEvents)]
    pub fn shape_events(&self, shape: ShapeId) -> Result<Uint32Array, JsValue> {
        let word = |event| match event {
            Event::Value(path) => path << 2,
            Event::Open(path) => path << 2 | 1,
            Event::Close(path) => path << 2 | 2,
        };
        let events = self.table.dictionary().shapes.events(shape).map_err(|OutOfMemory| no_memory())?;
        Ok(words(events.into_iter().map(word).collect()))
    }

    /// The key at the end of a path.
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

    /// The dotted paths of the columns.
    pub fn names(&self) -> Array {
        self.table.columns().map(JsString::from).collect()
    }

    /// The values of a column: an `Int32Array` where all are small integers, else cells in a `Uint32Array`.
    pub fn column(&self, path: &JsValue) -> Result<JsValue, JsValue> {
        Ok(match self.table.column(&name(path)?).map_err(|error| failed(&self.table, error))? {
            ColumnValues::Integers(integers) => Int32Array::from(integers.as_slice()).into(),
            ColumnValues::Cells(cells) => words_of(cells).into(),
        })
    }

    /// The findings by their values in some columns, and the numbers in another one summarised where it is given: the cells of the
    /// keys, one key after the other, and for each group the number of findings, the number of numbers, their sum, minimum and maximum.
    #[wasm_bindgen(unchecked_return_type = "{ cells: Uint32Array; statistics: Float64Array }")]
    pub fn groups(&self, paths: &Array, summarised: &Array) -> Result<JsValue, JsValue> {
        let (paths, summarised) = (names(paths)?, names(summarised)?);
        let Groups { keys, aggregates } =
            self.table.groups(&paths, summarised.first()).map_err(|error| failed(&self.table, error))?;
        let mut statistics = with_capacity(aggregates.len() * 5).map_err(|OutOfMemory| no_memory())?;
        for Aggregate { findings, count, sum, min, max } in aggregates {
            statistics.extend([findings as f64, count as f64, sum, min, max]);
        }
        to_js(&EncodedGroups { cells: words_of(keys), statistics: Float64Array::from(statistics.as_slice()) })
    }

    /// A view of the findings for which all conditions hold.
    pub fn filter(&self, conditions_given: &JsValue) -> Result<Columns, JsValue> {
        self.table.filter(&conditions(conditions_given)?).map(Columns::from).map_err(|error| failed(&self.table, error))
    }

    /// A view of the findings in the order of a column.
    #[wasm_bindgen(js_name = sortBy)]
    pub fn sort_by(&self, path: &JsValue, order: &JsValue) -> Result<Columns, JsValue> {
        let direction = direction(order)?;
        self.table.sort_by(&name(path)?, direction).map(Columns::from).map_err(|error| failed(&self.table, error))
    }
}

/// Groups as numbers: an object for each would take a call into JavaScript for each of its members.
#[derive(Serialize)]
struct EncodedGroups {
    #[serde(with = "preserve")]
    cells: Uint32Array,
    #[serde(with = "preserve")]
    statistics: Float64Array,
}

fn words_of(cells: Vec<Cell>) -> Uint32Array {
    words(cells.into_iter().map(Cell::word).collect())
}

fn words(words: Vec<u32>) -> Uint32Array {
    words.as_slice().into()
}
