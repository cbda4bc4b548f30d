//! The rows of a selection, copied with only the strings and numbers that they use.

use super::names::ColumnNames;
use super::view::View;
use crate::cell::{Cell, Content};
use crate::chunk::Chunk;
use crate::column::{Column, ColumnBuilder};
use crate::dictionary::{Dictionary, UsedEntries};
use crate::memory::{OutOfMemory, filled, push, with_capacity};
use crate::shapes::{PathId, ROOT_SHAPE};

/// The rows of a selection. Their strings and numbers are numbered in the order of `used`.
pub(crate) struct Gathered {
    /// The rows of each chunk with its index, because sums add up the chunks; a single chunk if the rows are in any order.
    pub(crate) chunks: Vec<(u64, Chunk)>,
    pub(crate) used: UsedEntries,
}

impl Gathered {
    /// Copies the rows. `names` are the columns of the view.
    pub(super) fn new(view: &View, names: &ColumnNames) -> Result<Self, OutOfMemory> {
        let dictionary = view.dictionary();
        let mut entries = Renumbering {
            strings: filled(dictionary.strings.len(), UNUSED)?,
            numbers: filled(dictionary.numbers.values().len(), UNUSED)?,
            used: UsedEntries::default(),
        };
        let mut chunks = Vec::new();
        let lacks_columns = view.has_unshaped();
        view.for_each_chunk(0, &mut |index, part| {
            let (shapes, columns) = (shapes(part, &dictionary)?, columns(part, &dictionary, &mut entries)?);
            let mut value_paths = with_capacity(names.paths().len())?;
            value_paths.extend(names.paths());
            push(&mut chunks, (index, Chunk::of_view(part.len(), shapes, columns, value_paths, lacks_columns)))
        })?;
        Ok(Gathered { chunks, used: entries.used })
    }
}

fn shapes(view: &View, dictionary: &Dictionary) -> Result<Column, OutOfMemory> {
    let mut shapes = ColumnBuilder::new(ROOT_SHAPE);
    for row in 0..view.len() {
        shapes.push(row, view.locate(row).map_or(ROOT_SHAPE, |(chunk, row)| chunk.shapes().word(row)))?;
    }
    shapes.finish(dictionary.seed())
}

/// Copies the columns, by path.
fn columns(view: &View, dictionary: &Dictionary, entries: &mut Renumbering) -> Result<Vec<Column>, OutOfMemory> {
    let paths = dictionary.shapes.path_count();
    let mut columns = with_capacity(paths)?;
    for path in 0..paths as PathId {
        let mut column = ColumnBuilder::new(Cell::MISSING.word());
        if has_values(view, path) {
            copy_values(view, path, entries, &mut column)?;
        }
        push(&mut columns, column.finish(dictionary.seed())?)?;
    }
    Ok(columns)
}

fn copy_values(
    view: &View,
    path: PathId,
    entries: &mut Renumbering,
    column: &mut ColumnBuilder,
) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    for rows in view.batches() {
        view.read(path, rows.clone(), &mut words)?;
        for (row, word) in rows.zip(&words).filter(|(_, word)| **word != Cell::MISSING.word()) {
            column.push(row, entries.renumbered(Cell::from_word(*word))?.word())?;
        }
    }
    Ok(())
}

/// Marks an entry of the dictionary without a number.
const UNUSED: u32 = u32::MAX;

/// The number of each entry of a dictionary among those that are used.
struct Renumbering {
    strings: Vec<u32>,
    numbers: Vec<u32>,
    used: UsedEntries,
}

impl Renumbering {
    fn renumbered(&mut self, cell: Cell) -> Result<Cell, OutOfMemory> {
        Ok(match cell.content() {
            Content::Text(id) => Cell::text(renumbered(&mut self.strings, &mut self.used.strings, id)?),
            Content::RawJson(id) => Cell::raw_json(renumbered(&mut self.strings, &mut self.used.strings, id)?),
            Content::Number(id) => Cell::number(renumbered(&mut self.numbers, &mut self.used.numbers, id)?),
            _ => cell,
        })
    }
}

/// Returns the number of an entry, the next one if it has none.
fn renumbered(numbers: &mut [u32], used: &mut Vec<u32>, id: u32) -> Result<u32, OutOfMemory> {
    let Some(number) = numbers.get_mut(id as usize) else { return Ok(0) };
    if *number == UNUSED {
        *number = used.len() as u32;
        push(used, id)?;
    }
    Ok(*number)
}

/// Whether a row, selected or not, has a value at a path.
fn has_values(view: &View, path: PathId) -> bool {
    let missing = Some(Cell::MISSING.word());
    view.chunks().any(|(_, chunk)| chunk.column(path).is_some_and(|column| column.constant(chunk.len()) != missing))
}
