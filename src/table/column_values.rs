//! The values of a column.

use super::local_ids::LocalIds;
use super::{QueryError, Table};
use chunk::memory::with_capacity;
use chunk::value::cell::{Cell, Content};

/// The values of one column.
pub enum ColumnValues {
    /// Every value is an integer that fits into a cell.
    Integers(Vec<i32>),
    /// At least one value is anything else.
    Cells {
        /// The cells that rows have. Raw JSON is another cell in each row, because JavaScript makes a new object of it each time.
        distinct: Vec<u32>,
        /// The position of the cell of each row among these.
        positions: Vec<u32>,
    },
}

impl Table {
    /// Copies the values of a column. Takes time in proportion to the number of rows.
    ///
    /// # Errors
    ///
    /// The table has no such column, or memory ran out.
    pub fn column<'name>(&self, name: &'name str) -> Result<ColumnValues, QueryError<'name>> {
        let path = self.path(name)?;
        let mut words = with_capacity(self.len())?;
        self.scope.column(path)?.cells(0..self.len(), &mut words)?;
        if Cell::are_integers(&words) {
            return Ok(ColumnValues::Integers(words.into_iter().map(|word| word as i32 >> 1).collect()));
        }
        let mut cells = LocalIds::new(words.len())?;
        for word in &mut words {
            let is_json = matches!(Cell::from_word(*word).content(), Content::RawJson(_));
            *word = if is_json { cells.add(*word) } else { cells.of(*word, *word >> 2).0 };
        }
        Ok(ColumnValues::Cells { distinct: cells.keys, positions: words })
    }
}
