//! The rows of a view and some of their columns, copied with only the strings and numbers that they use.

use super::names::ColumnNames;
use super::view::{Arrived, View};
use crate::cell::{Cell, Content};
use crate::chunk::Chunk;
use crate::column::{Column, ColumnBuilder};
use crate::decode::filter::Filter;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, filled, push, try_shared};
use crate::shapes::{Kept, PathId, ROOT_PATH, ROOT_SHAPE, UNSHAPED};
use crate::string_interner::StringKind;

/// Copies the rows of each chunk, because sums add up the chunks; rows in any order become a single chunk. `names` are the columns of the
/// view, of which those with the names in `kept` are copied, or all.
pub(super) fn gathered(view: &View, names: &ColumnNames, kept: Option<&[u8]>) -> Result<View, OutOfMemory> {
    let from = view.dictionary();
    let mut copy = DictionaryCopy::new(view, &from, kept)?;
    let mut chunks = Vec::new();
    view.for_each_chunk(0, &mut |index, part| {
        let (shapes, columns) = (copy.shapes(part)?, copy.columns(part)?);
        let chunk = if view.partitions().is_some() {
            Chunk::new(part.len(), shapes, columns)
        } else {
            Chunk::of_view(part.len(), shapes, columns, copy.value_paths(names)?, view.has_unshaped())
        };
        let before = chunks.len();
        push(&mut chunks, Arrived { index, before, chunk: try_shared(chunk)? })
    })?;
    copy.to.commit();
    View::new(view.shared_dictionary().of_other(copy.to), &chunks, view.is_whole())
}

/// What has been copied from a dictionary to another.
struct DictionaryCopy<'from> {
    from: &'from Dictionary,
    to: Dictionary,
    filter: Filter,
    /// The paths that are copied, at least in part.
    paths: Vec<PathId>,
    /// The new id of each string.
    strings: Vec<u32>,
}

/// Marks a string that is not copied yet.
const NOT_COPIED: u32 = u32::MAX;

impl<'from> DictionaryCopy<'from> {
    fn new(view: &View, from: &'from Dictionary, kept: Option<&[u8]>) -> Result<Self, OutOfMemory> {
        let (mut to, mut filter) = (from.emptied(), Filter::new(from.shapes.copy()?, kept)?);
        to.keep_only(kept.or(from.columns()))?;
        let mut paths = Vec::new();
        for path in 0..from.committed_paths() as PathId {
            if path != ROOT_PATH {
                // The dictionary that it comes from has had room for it.
                filter.add_path(path, &mut to)?;
            }
            if filter.path(path).0 != Kept::None && has_values(view, path) {
                push(&mut paths, path)?;
            }
        }
        Ok(DictionaryCopy { from, to, filter, paths, strings: filled(from.strings.len(), NOT_COPIED)? })
    }

    /// Returns the paths of the columns of the view that are copied.
    fn value_paths(&self, names: &ColumnNames) -> Result<Vec<PathId>, OutOfMemory> {
        let mut paths = Vec::new();
        for (kept, path) in names.paths().map(|path| self.filter.path(path)) {
            if kept == Kept::All {
                push(&mut paths, path)?;
            }
        }
        Ok(paths)
    }

    fn shapes(&mut self, view: &View) -> Result<Column, OutOfMemory> {
        let mut shapes = ColumnBuilder::default();
        for row in 0..view.len() {
            let shape = match view.locate(row).map_or(ROOT_SHAPE, |(chunk, row)| chunk.shapes().word(row)) {
                UNSHAPED => UNSHAPED,
                shape => self.filter.shape(shape, &mut self.to)?.ok_or(OutOfMemory)?,
            };
            shapes.push(row, shape)?;
        }
        shapes.finish(self.to.seed())
    }

    /// Copies the columns, by path.
    fn columns(&mut self, view: &View) -> Result<Vec<Column>, OutOfMemory> {
        let mut columns = Vec::new();
        let mut words = Vec::new();
        for at in 0..self.paths.len() {
            let path = self.paths.get(at).copied().unwrap_or_default();
            let (kept, to) = self.filter.path(path);
            let mut column = ColumnBuilder::default();
            for rows in view.batches() {
                view.read(path, rows.clone(), &mut words)?;
                for (row, word) in rows.zip(&words).filter(|(_, word)| **word != Cell::MISSING.word()) {
                    let cell = Cell::from_word(*word);
                    if kept == Kept::All || cell == Cell::OBJECT {
                        column.push(row, self.cell(cell)?.word())?;
                    } else if path == ROOT_PATH {
                        column.push(row, self.finding(cell)?.word())?;
                    }
                }
            }
            while columns.len() < to as usize {
                push(&mut columns, Column::default())?;
            }
            push(&mut columns, column.finish(self.to.seed())?)?;
        }
        Ok(columns)
    }

    /// Copies what is kept of a finding without a shape.
    fn finding(&mut self, cell: Cell) -> Result<Cell, OutOfMemory> {
        let Content::RawJson(id) = cell.content() else { return Ok(cell) };
        let json = self.filter.pruned(self.from.strings.bytes(id))?;
        self.to.strings.intern(StringKind::RawJson, &json).map(Cell::raw_json)
    }

    fn cell(&mut self, cell: Cell) -> Result<Cell, OutOfMemory> {
        match cell.content() {
            Content::Text(id) => self.string(id).map(Cell::text),
            Content::RawJson(id) => self.string(id).map(Cell::raw_json),
            Content::Number(id) => self.to.numbers.intern(self.from.numbers.value(id)),
            _ => Ok(cell),
        }
    }

    fn string(&mut self, id: u32) -> Result<u32, OutOfMemory> {
        let Some(copied) = self.strings.get_mut(id as usize) else { return Ok(0) };
        if *copied == NOT_COPIED {
            *copied = self.to.strings.intern_of(&self.from.strings, id)?.unwrap_or(0);
        }
        Ok(*copied)
    }
}

/// Whether a row, selected or not, has a value at a path.
fn has_values(view: &View, path: PathId) -> bool {
    let missing = Some(Cell::MISSING.word());
    view.chunks().any(|(_, chunk)| chunk.column(path).is_some_and(|column| column.constant(chunk.len()) != missing))
}
