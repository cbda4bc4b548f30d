//! A table for JavaScript: copies of its rows and strings, and queries whose results are cells.

use std::cell::RefCell;

use chunk::memory::OutOfMemory;
use chunk::rows::row_buffer::RowBuffer;
use chunk::value::cell::Cell;
use chunk::value::shapes::ShapeId;
use js_sys::{Array, JsString, Uint8Array, Uint32Array};
use table::{ColumnValues, Direction, Fields, Table};
use wasm_bindgen::prelude::*;

use super::arrow::list;
use super::findings_error::{no_memory, unmade};
use super::query::{conditions, failed, name, names};
use crate::host_functions::{copy_bytes, copy_integers, copy_words, make_groups, make_range_error};
use crate::js_bytes::copied;

/// A table, and the buffer for the rows that JavaScript reads.
#[wasm_bindgen]
pub struct Columns {
    pub(super) table: Table,
    // In a cell, because the arguments of a query may read rows while the query runs.
    row_buffer: RefCell<RowBuffer>,
}

impl From<Table> for Columns {
    fn from(table: Table) -> Self {
        Columns { table, row_buffer: RefCell::default() }
    }
}

#[wasm_bindgen]
impl Columns {
    /// Packs rows of `from..to`: the first ones, at least one.
    pub fn rows(&self, from: usize, to: usize) -> Result<Vec<u8>, JsValue> {
        let mut buffer = self.row_buffer.take();
        let packed = self.table.packed_rows(&mut buffer, from..to).map_err(|OutOfMemory| no_memory())?;
        self.row_buffer.replace(buffer);
        Ok(packed)
    }

    /// Packs a shape: its events, and its keys.
    pub fn shape(&self, shape: ShapeId) -> Result<Vec<u8>, JsValue> {
        let packed = self.table.packed_shape(shape).map_err(|OutOfMemory| no_memory())?;
        packed.ok_or_else(|| unknown("shape", shape))
    }

    /// Packs cells: the first ones, at least one.
    pub fn cells(&self, cells: &Uint32Array) -> Result<Vec<u8>, JsValue> {
        let packed =
            list(cells).and_then(|words| self.table.packed_cells(&words)).map_err(|OutOfMemory| no_memory())?;
        packed.ok_or_else(|| make_range_error("internal error: a cell refers to nothing"))
    }

    /// Number of findings.
    pub fn length(&self) -> usize {
        self.table.len()
    }

    /// Bytes of memory that the table holds.
    #[wasm_bindgen(js_name = byteLength)]
    pub fn byte_length(&self) -> f64 {
        self.table.byte_length() as f64
    }

    /// Says which documented fields the findings may have: those of topic findings only, or none, as objects of the caller.
    #[wasm_bindgen(js_name = limitFields)]
    pub fn limit_fields(&mut self, are_topics: bool, are_own: bool) {
        self.table.fields = match (are_topics, are_own) {
            (true, _) => Fields::Topics,
            (_, true) => Fields::Own,
            _ => Fields::All,
        };
    }

    /// Returns the dotted paths of the columns.
    #[wasm_bindgen(unchecked_return_type = "string[]")]
    pub fn names(&self) -> Result<Array, JsValue> {
        Ok(self.table.columns().map_err(|OutOfMemory| no_memory())?.map(JsString::from).collect())
    }

    /// Returns the names of the columns that the findings are limited to, each followed by the byte `0xFF`; undefined if they have all.
    #[wasm_bindgen(js_name = columnList)]
    pub fn column_list(&self) -> Result<Option<Uint8Array>, JsValue> {
        self.table.column_list().map(|names| copy_bytes(names).map_err(|_| no_memory())).transpose()
    }

    /// Whether a finding has fields without a column.
    #[wasm_bindgen(js_name = columnsTruncated)]
    pub fn columns_truncated(&self) -> bool {
        self.table.columns_truncated()
    }

    /// Number of findings whose fields have no columns.
    #[wasm_bindgen(js_name = findingsWithoutColumns)]
    pub fn findings_without_columns(&self) -> usize {
        self.table.findings_without_columns()
    }

    /// Whether an integer of a finding is not safe.
    #[wasm_bindgen(js_name = integersRounded)]
    pub fn integers_rounded(&self) -> bool {
        self.table.integers_rounded()
    }

    /// Returns the values of a column: an `Int32Array` if all are small integers, otherwise distinct cells, and the position of that of each row.
    #[wasm_bindgen(unchecked_return_type = "Int32Array | [cells: Uint32Array, positions: Uint32Array]")]
    pub fn column(&self, path: &JsString) -> Result<JsValue, JsValue> {
        let copy = match self.table.column(&name(path)?).map_err(|error| failed(&self.table, error))? {
            ColumnValues::Integers(integers) => copy_integers(&integers).map(Into::into),
            ColumnValues::Cells { distinct, positions } => copy_words(&distinct)
                .and_then(|cells| Ok(Array::of2(&cells.into(), &copy_words(&positions)?.into()).into())),
        };
        copy.map_err(|_| no_memory())
    }

    /// Returns the kinds of the values of a column, each a bit; incomplete if one of the kinds `sought` is among them. None while more
    /// findings may arrive: they may have other kinds.
    pub fn kinds(&self, path: &JsString, sought: u32) -> Result<u32, JsValue> {
        if !self.table.is_whole() {
            return Ok(0);
        }
        let measure = self.arrow(&name(path)?)?.measure(false, sought);
        Ok(measure.map_err(|OutOfMemory| no_memory())?.kinds)
    }

    /// Groups the findings by their values in some columns, summarizes the numbers of another column, and counts the distinct values of a
    /// third, if given.
    ///
    #[wasm_bindgen(unchecked_return_type = "Groups")]
    pub fn groups(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly string[]")] paths: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly string[]")] summarised: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly string[]")] distinct: &Array,
    ) -> Result<JsValue, JsValue> {
        let (paths, summarised, distinct) = (names(paths)?, names(summarised)?, names(distinct)?);
        let groups = self.table.groups(&paths, summarised.first(), distinct.first());
        let groups = groups.map_err(|error| failed(&self.table, error))?;
        let counts = groups.counts().map_err(|OutOfMemory| no_memory())?;
        let statistics = if summarised.is_empty() { Ok(Vec::new()) } else { groups.statistics() };
        let statistics = statistics.map_err(|OutOfMemory| no_memory())?;
        let keys = words_of(groups.keys);
        make_groups(groups.grouping, &keys, &counts, &groups.ids, statistics.as_flattened(), &groups.distinct)
            .map_err(|_| no_memory())
    }

    /// Returns a view of the findings that meet all conditions of one of `alternatives`.
    pub fn filter(
        &self,
        alternatives: u32,
        #[wasm_bindgen(unchecked_param_type = "readonly NumberedCondition[]")] conditions_given: &Array,
    ) -> Result<Columns, JsValue> {
        let conditions = conditions(conditions_given)?;
        self.table.filter(alternatives, &conditions).map(Columns::from).map_err(|error| failed(&self.table, error))
    }

    /// Returns the same findings as a part of more: a filter takes a column that they lack for missing.
    #[wasm_bindgen(js_name = asPart)]
    pub fn as_part(&self) -> Result<Columns, JsValue> {
        self.table.as_part().map(Columns::from).map_err(|OutOfMemory| no_memory())
    }

    /// Returns a view of the findings in the order of some columns, the most important one first.
    #[wasm_bindgen(js_name = sortBy)]
    pub fn sort_by(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly string[]")] paths: &Array,
        #[wasm_bindgen(unchecked_param_type = "readonly boolean[]")] are_descending: &Array,
    ) -> Result<Columns, JsValue> {
        let paths = names(paths)?;
        let mut sorted = None;
        // Each sort keeps the order of the one before.
        for (index, path) in paths.iter().enumerate().rev() {
            let is_descending = are_descending.get(index as u32).is_truthy();
            let direction = if is_descending { Direction::Descending } else { Direction::Ascending };
            let before: &Table = sorted.as_ref().unwrap_or(&self.table);
            sorted = Some(before.sort_by(path, direction).map_err(|error| failed(&self.table, error))?);
        }
        let all = || self.table.filter::<String>(1, &[]).map_err(|error| failed(&self.table, error));
        sorted.map_or_else(all, Ok).map(Columns::from)
    }

    /// Returns the findings of this table and then those of another.
    pub fn concat(&self, other: &Columns) -> Result<Columns, JsValue> {
        let joined = Table::concat([&self.table, &other.table]);
        joined.map(Columns::from).map_err(unmade)
    }

    /// Copies the columns with these names, each followed by the byte `0xFF`.
    pub fn select(&self, names: &Uint8Array) -> Result<Columns, JsValue> {
        let names = copied(names).map_err(|OutOfMemory| no_memory())?;
        self.table.select(&names).map(Columns::from).map_err(|error| failed(&self.table, error))
    }
}

/// Makes the error of an id that JavaScript cannot have got from Rust.
pub(super) fn unknown(what: &str, id: u32) -> JsValue {
    make_range_error(&format!("internal error: there is no {what} {id}"))
}

/// Returns the words of cells, in the memory of the cells.
fn words_of(cells: Vec<Cell>) -> Vec<u32> {
    cells.into_iter().map(Cell::word).collect()
}
