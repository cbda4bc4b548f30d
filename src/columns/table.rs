//! All findings of a retrieval, in columns, and what can be asked of them.

mod filter;
mod group;
mod names;
mod sort;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::rc::Rc;

use thiserror::Error;

pub use self::filter::{Condition, ContainsFn, Operand};
pub use self::group::{Aggregate, Groups};
use self::names::ColumnNames;
pub use self::sort::Direction;
use crate::cell::Cell;
use crate::chunk::Chunk;
use crate::dictionary::Dictionary;
use crate::json;
use crate::memory::{self, OutOfMemory, push, with_capacity};
use crate::row_buffer::RowBuffer;
use crate::shapes::PathId;

/// The findings of a retrieval, or some of them, in some order.
///
/// What it is made of is shared: a view keeps the columns of the table that it came from, and costs four bytes for each row.
#[derive(Clone)]
pub struct Table {
    store: Rc<Store>,
    /// The rows of a view; nothing stands for all of them, in order.
    rows: Option<Rc<Vec<u32>>>,
}

struct Store {
    dictionary: Rc<Dictionary>,
    chunks: Vec<Rc<Chunk>>,
    /// The row at which each partition begins, and the number of all rows.
    starts: Vec<usize>,
    names: ColumnNames,
}

/// The values of one column.
pub enum ColumnValues {
    /// Each of them is a small integer.
    Integers(Vec<i32>),
    /// At least one is not.
    Cells(Vec<Cell>),
}

impl Table {
    /// The findings of these partitions, in this order, all decoded against this dictionary.
    pub fn new(dictionary: impl Into<Rc<Dictionary>>, chunks: Vec<Rc<Chunk>>) -> Result<Self, OutOfMemory> {
        let mut starts = with_capacity(chunks.len() + 1)?;
        // A row is found by 32 bits. Equal findings take no room, so that there may be more of them than memory has bytes.
        let mut length = 0_u32;
        push(&mut starts, 0)?;
        for chunk in &chunks {
            length = u32::try_from(chunk.len()).ok().and_then(|more| length.checked_add(more)).ok_or(OutOfMemory)?;
            push(&mut starts, length as usize)?;
        }
        let dictionary = dictionary.into();
        let names = ColumnNames::new(&dictionary, &chunks)?;
        Ok(Self { store: Rc::new(Store { dictionary, chunks, starts, names }), rows: None })
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.store.len(), |rows| rows.len())
    }

    /// Whether there is no finding.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes the table holds; what it shares with views is counted for each of them.
    pub fn byte_length(&self) -> usize {
        self.store.byte_length() + self.rows.as_ref().map_or(0, |rows| rows.capacity() * size_of::<u32>())
    }

    /// The names of the columns, in the order in which the findings first have them.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.store.names.iter()
    }

    /// A finding as JSON text.
    pub fn json(&self, row: usize) -> Option<String> {
        let (chunk, row) = self.store.locate(row)?;
        Some(json::finding(&self.store.dictionary, chunk, row))
    }

    /// What the cells refer to.
    pub fn dictionary(&self) -> &Dictionary {
        &self.store.dictionary
    }

    /// The values of a column. It takes time in proportion to the rows.
    ///
    /// This query and all others take any name where there is no finding: what has no values has none in every column.
    pub fn column<'name>(&self, name: &'name str) -> Result<ColumnValues, QueryError<'name>> {
        if self.is_empty() {
            return Ok(ColumnValues::Integers(Vec::new()));
        }
        let path = self.path(name)?;
        let mut words = with_capacity(self.len())?;
        self.read(path, 0..self.len(), &mut words)?;
        let mut integers = with_capacity(words.len())?;
        integers.extend(words.iter().map_while(|word| Cell::from_word(*word).as_integer()));
        if integers.len() == words.len() {
            return Ok(ColumnValues::Integers(integers));
        }
        Ok(ColumnValues::Cells(words.into_iter().map(Cell::from_word).collect()))
    }

    /// Lays out rows, from front to back, for JavaScript to build findings of.
    pub fn write_rows(&self, buffer: &mut RowBuffer, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let store = &self.store;
        buffer.clear();
        match &self.rows {
            Some(selected) => selected.get(rows).unwrap_or_default().iter().try_for_each(|row| {
                let (chunk, row) = store.locate(*row as usize).ok_or(OutOfMemory)?;
                buffer.append_row(&store.dictionary, chunk, row)
            }),
            None => store.for_each_part(rows, &mut |chunk, rows| buffer.append(&store.dictionary, chunk, rows)),
        }
    }

    /// The findings by their combinations of values in these columns, and the numbers in the column `summarised` of each.
    ///
    /// It takes a few nanoseconds for each row and column.
    pub fn groups<'name, Name: AsRef<str>>(
        &self,
        names: &'name [Name],
        summarised: Option<&'name Name>,
    ) -> Result<Groups, QueryError<'name>> {
        if self.is_empty() {
            return Ok(Groups::default());
        }
        let mut paths = with_capacity(names.len())?;
        for name in names {
            paths.push(self.path(name.as_ref())?);
        }
        let summarised = summarised.map(|name| self.path(name.as_ref())).transpose()?;
        Ok(group::group(self, &paths, summarised)?)
    }

    /// A view of the findings for which all conditions hold, in the order in which they are here.
    ///
    /// It takes a few nanoseconds for each row and condition; `Contains` looks into each distinct text once.
    pub fn filter<'name, Name: AsRef<str>>(
        &self,
        conditions: &'name [(Name, Condition)],
    ) -> Result<Self, QueryError<'name>> {
        if self.is_empty() {
            return Ok(self.clone());
        }
        let mut mask = memory::filled(self.len(), true)?;
        for (name, condition) in conditions {
            filter::apply(self, self.path(name.as_ref())?, condition, &mut mask)?;
        }
        let mut rows = with_capacity(mask.iter().filter(|is_kept| **is_kept).count())?;
        rows.extend((0..).zip(&mask).filter(|(_, is_kept)| **is_kept).map(|(at, _)| at));
        Ok(self.view(rows))
    }

    /// A view of the findings ordered by a column; those with the same value stay in the order in which they are here.
    ///
    /// NumberInterner come first, then texts by their UTF-16 code units, booleans, arrays and objects; null and missing come last in both
    /// directions. It sorts the distinct values and distributes the rows, which takes time in proportion to them.
    pub fn sort_by<'name>(&self, name: &'name str, direction: Direction) -> Result<Self, QueryError<'name>> {
        if self.is_empty() {
            return Ok(self.clone());
        }
        Ok(self.view(sort::order(self, self.path(name)?, direction)?))
    }

    /// The path of the column with this name.
    fn path<'name>(&self, name: &'name str) -> Result<PathId, QueryError<'name>> {
        self.store.names.find(name).ok_or(QueryError::UnknownColumn(name))
    }

    /// The view of these rows of this table.
    fn view(&self, mut rows: Vec<u32>) -> Self {
        if let Some(known) = &self.rows {
            rows.iter_mut().for_each(|row| *row = known.get(*row as usize).copied().unwrap_or_default());
        }
        Self { store: Rc::clone(&self.store), rows: Some(Rc::new(rows)) }
    }

    /// Reads the words of a column for some of the rows, in order.
    fn read(&self, path: PathId, rows: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        list.clear();
        let Some(selected) = &self.rows else {
            return self.store.for_each_part(rows, &mut |chunk, rows| chunk.read(path, rows, list));
        };
        memory::reserve(list, rows.len())?;
        list.extend(selected.get(rows).unwrap_or_default().iter().map(|row| {
            let cell = self.store.locate(*row as usize).map_or(Cell::MISSING, |(chunk, row)| chunk.cell(row, path));
            cell.word()
        }));
        Ok(())
    }

    /// All rows, so many at a time that the words of a column stay close at hand.
    fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        const BATCH: usize = 4096;
        let length = self.len();
        (0..length.div_ceil(BATCH)).map(move |batch| batch * BATCH..length.min((batch + 1) * BATCH))
    }
}

impl Store {
    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn byte_length(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.byte_length()).sum();
        chunks + self.dictionary.byte_length()
    }

    /// The partition that a row lies in, and its row there.
    fn locate(&self, row: usize) -> Option<(&Chunk, usize)> {
        let at = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        Some((self.chunks.get(at)?.as_ref(), row - self.starts.get(at)?))
    }

    /// Hands out the partitions that rows lie in, and the rows there.
    fn for_each_part(&self, rows: Range<usize>, visit: &mut PartVisitor<'_>) -> Result<(), OutOfMemory> {
        let first = self.starts.partition_point(|start| *start <= rows.start).saturating_sub(1);
        for (chunk, start) in self.chunks.iter().zip(&self.starts).skip(first) {
            if *start >= rows.end {
                break;
            }
            let part = rows.start.saturating_sub(*start)..chunk.len().min(rows.end - start);
            if !part.is_empty() {
                visit(chunk, part)?;
            }
        }
        Ok(())
    }
}

/// Takes some rows of a partition.
type PartVisitor<'a> = dyn FnMut(&Chunk, Range<usize>) -> Result<(), OutOfMemory> + 'a;

/// Why a query has no answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueryError<'name> {
    /// The table has no column of this name.
    #[error("there is no column \"{0}\"")]
    UnknownColumn(&'name str),
    /// Memory ran out.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}
