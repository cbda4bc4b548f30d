//! A table on the way to JavaScript: where its buffers lie in memory, and queries with their answers as cells.
//!
//! Addresses and lengths are those of the moment: whatever lets the memory grow detaches the views that were made of them.

use std::cell::RefCell;

use js_sys::{Array, Float64Array, Int32Array, JsString, Uint32Array, WebAssembly};
use wasm_bindgen::prelude::*;

use super::error::no_memory;
use super::query::{conditions, direction, failed, name, names};
use crate::table::cell::Cell;
use crate::table::memory::{OutOfMemory, with_room};
use crate::table::shapes::{Event, PathId, ShapeId};
use crate::table::strings::Kind;
use crate::table::tape::Tape;
use crate::table::{self, Members, QueryError, Table, Values};

/// A table, and the tape on which its rows are laid out for reading.
#[wasm_bindgen]
pub struct Columns {
    table: Table,
    tape: RefCell<Tape>,
}

impl From<Table> for Columns {
    fn from(table: Table) -> Self {
        Columns { table, tape: RefCell::default() }
    }
}

#[wasm_bindgen]
impl Columns {
    /// The memory as it is now.
    pub fn buffer(&self) -> JsValue {
        wasm_bindgen::memory().unchecked_into::<WebAssembly::Memory>().buffer()
    }

    /// Lays out rows for reading, from `from` up to before `to`.
    #[wasm_bindgen(js_name = layRows)]
    pub fn lay_rows(&self, from: usize, to: usize) -> Result<(), JsValue> {
        self.table.lay(&mut self.tape.borrow_mut(), from..to).map_err(|OutOfMemory| no_memory())
    }

    /// Where the tape lies.
    #[wasm_bindgen(js_name = tapeAddress)]
    pub fn tape_address(&self) -> usize {
        self.tape.borrow().words().as_ptr().addr()
    }

    /// How many words are on the tape.
    #[wasm_bindgen(js_name = tapeLength)]
    pub fn tape_length(&self) -> usize {
        self.tape.borrow().words().len()
    }

    /// A number that does not fit into a cell.
    pub fn number(&self, id: u32) -> f64 {
        self.table.dictionary().numbers.value(id)
    }

    /// Where it says of each string where it lies.
    #[wasm_bindgen(js_name = entriesAddress)]
    pub fn entries_address(&self) -> usize {
        self.table.dictionary().strings.entries().as_ptr().addr()
    }

    /// How many strings there are.
    #[wasm_bindgen(js_name = entriesLength)]
    pub fn entries_length(&self) -> usize {
        self.table.dictionary().strings.len()
    }

    /// Where a string lies.
    #[wasm_bindgen(js_name = stringAddress)]
    pub fn string_address(&self, id: u32) -> usize {
        self.table.dictionary().strings.rest_of_block(id).as_ptr().addr()
    }

    /// How many bytes there are from a string to the end of its block.
    #[wasm_bindgen(js_name = blockLength)]
    pub fn block_length(&self, id: u32) -> usize {
        self.table.dictionary().strings.rest_of_block(id).len()
    }

    /// Whether a string is of ASCII characters only.
    #[wasm_bindgen(js_name = isAscii)]
    pub fn is_ascii(&self, id: u32) -> bool {
        self.table.dictionary().strings.kind(id) == Some(Kind::Ascii)
    }

    /// How many UTF-16 code units a string has.
    #[wasm_bindgen(js_name = utf16Length)]
    pub fn utf16_length(&self, id: u32) -> usize {
        self.table.dictionary().strings.utf16_length(id)
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
        words(events.into_iter().map(word)).map_err(|OutOfMemory| no_memory())
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
        Ok(match self.table.column(&name(path)?).map_err(failed)? {
            Values::Integers(integers) => Int32Array::from(integers.as_slice()).into(),
            Values::Cells(cells) => words(cells.into_iter().map(Cell::word)).map_err(|OutOfMemory| no_memory())?.into(),
        })
    }

    /// The findings by their values in these columns.
    #[wasm_bindgen(js_name = countBy)]
    pub fn count_by(&self, paths: &Array) -> Result<Groups, JsValue> {
        Groups::of(self.table.count_by(&names(paths)?))
    }

    /// The same, with the numbers in another column summarised.
    pub fn summarize(&self, group_by: &Array, value: &JsValue) -> Result<Groups, JsValue> {
        Groups::of(self.table.summarize(&names(group_by)?, &name(value)?))
    }

    /// A view of the findings for which all conditions hold.
    pub fn filter(&self, conditions_given: &JsValue) -> Result<Columns, JsValue> {
        self.table.filter(&conditions(conditions_given)?).map(Columns::from).map_err(failed)
    }

    /// A view of the findings in the order of a column.
    #[wasm_bindgen(js_name = sortBy)]
    pub fn sort_by(&self, path: &JsValue, order: &JsValue) -> Result<Columns, JsValue> {
        let direction = direction(order)?;
        self.table.sort_by(&name(path)?, direction).map(Columns::from).map_err(failed)
    }
}

/// The answer to a query for groups.
#[wasm_bindgen]
pub struct Groups {
    cells: Uint32Array,
    figures: Float64Array,
}

#[wasm_bindgen]
impl Groups {
    /// The cells of the keys, one key after the other.
    #[wasm_bindgen(getter)]
    pub fn cells(&self) -> Uint32Array {
        self.cells.clone()
    }

    /// For each group the number of findings, the number of numbers, their sum, minimum and maximum.
    #[wasm_bindgen(getter)]
    pub fn figures(&self) -> Float64Array {
        self.figures.clone()
    }
}

impl Groups {
    fn of(groups: Result<table::Groups, QueryError>) -> Result<Self, JsValue> {
        let table::Groups { keys, members } = groups.map_err(failed)?;
        let no_memory = |OutOfMemory| no_memory();
        let mut figures = with_room(members.len() * 5).map_err(no_memory)?;
        for Members { findings, count, sum, min, max } in members {
            figures.extend([findings as f64, count as f64, sum, min, max]);
        }
        let cells = words(keys.into_iter().map(Cell::word)).map_err(no_memory)?;
        Ok(Groups { cells, figures: figures.as_slice().into() })
    }
}

fn words(each: impl ExactSizeIterator<Item = u32>) -> Result<Uint32Array, OutOfMemory> {
    let mut words = with_room(each.len())?;
    words.extend(each);
    Ok(words.as_slice().into())
}
