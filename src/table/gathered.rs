//! The rows of a scope and some of their columns, or with one more column, copied with only the strings and numbers that they use.

use std::ops::Range;
use std::rc::Rc;

use super::catalog::Catalog;
use super::contents::Contents;
use super::limit::TableError;
use super::member::Member;
use super::names::ColumnNames;
use super::scope::{Arrived, Scope};
use super::string_reader::StringReader;
use chunk::column::Column;
use chunk::decode::projection::{Kept, Projection};
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, filled, push};
use chunk::value::cell::{Cell, Content};
use chunk::value::column_name::{ColumnList, END_OF_NAME, keys_of};
use chunk::value::dictionary::Dictionary;
use chunk::value::shapes::{Event, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, UNSHAPED};
use chunk::value::strings::StringKind;
use chunk::{About, Chunk, ChunkBuilder};

/// What a copy has of the columns of its scope.
#[derive(Clone, Copy)]
pub(super) enum Copied<'names> {
    /// All.
    All,
    /// Those with these names, each followed by the byte `0xFF`.
    Listed(&'names [u8]),
    /// All, and one more.
    With(Added<'names>),
}

/// A column that a copy has besides those of its scope.
#[derive(Clone, Copy)]
pub(super) struct Added<'added> {
    /// The key of its field.
    pub(super) key: &'added str,
    /// The dotted name.
    pub(super) name: &'added str,
    /// The findings that have the values, and the column with these.
    pub(super) lookup: &'added Chunk,
    pub(super) values: Column<'added>,
    /// The row of the lookup for each row of the scope; [`NO_VALUE`] for a missing value.
    pub(super) rows: &'added [u32],
}

impl Copied<'_> {
    /// Returns the columns of the copy, if those of the scope are `limited` to some.
    fn column_list(self, limited: Option<&Rc<Vec<u8>>>) -> Result<ColumnList, OutOfMemory> {
        let mut names = Vec::new();
        match (self, limited) {
            (Copied::All, _) | (Copied::With(_), None) => return Ok(limited.cloned()),
            (Copied::Listed(listed), _) => extend(&mut names, listed)?,
            (Copied::With(added), Some(limited)) => {
                extend(&mut names, limited)?;
                extend(&mut names, added.name.as_bytes())?;
                push(&mut names, END_OF_NAME)?;
            }
        }
        Ok(Some(Rc::new(names)))
    }

    /// Returns the same of these rows of the scope.
    fn of_rows(self, rows: Range<usize>) -> Self {
        match self {
            Copied::With(added) => Copied::With(Added { rows: added.rows.get(rows).certain(), ..added }),
            all => all,
        }
    }
}

/// Marks a row without an added value.
pub(super) const NO_VALUE: u32 = u32::MAX;

/// Copies the rows of each chunk, because sums add up the chunks; rows in any order become a single chunk. With an added column, the copies of
/// partitions are none: another partition would lack the column.
pub(super) fn gathered(scope: &Scope, what: Copied<'_>) -> Result<Scope, TableError> {
    let catalog = Rc::new(scope.catalog().emptied(what.column_list(scope.catalog().column_list())?));
    let are_partitions = !matches!(what, Copied::With(_)) && scope.partitions().is_some();
    let mut chunks = Vec::new();
    for part in scope.parts()? {
        // A separate catalog, if the rows are of one chunk: so the work does not depend on the other chunks.
        let alone = part.member().map(|member| alone(scope.catalog(), member, part.selected)).transpose()?;
        let view_of = (!are_partitions).then_some(scope);
        let chunk = copied(alone.as_ref().unwrap_or(scope), what.of_rows(part.rows), view_of)?;
        push(&mut chunks, Arrived { index: part.index, member: catalog.add(Rc::new(chunk))? })?;
    }
    Ok(Scope::new(catalog, &chunks, scope.is_whole())?)
}

/// Returns rows of a chunk in a separate catalog; all in their order if none are selected.
fn alone(catalog: &Catalog, member: &Member, selected: Option<&[u32]>) -> Result<Scope, TableError> {
    let catalog = Rc::new(catalog.emptied(None));
    let member = catalog.add(Rc::clone(&member.chunk))?;
    let all = Scope::new(catalog, &[Arrived { index: 0, member }], true)?;
    let Some(selected) = selected else { return Ok(all) };
    let mut rows = Vec::new();
    extend(&mut rows, selected)?;
    Ok(all.select(rows)?)
}

/// Copies the rows of a scope to a chunk. If it has only some rows of another scope, it has the columns of that one.
fn copied(from: &Scope, what: Copied<'_>, view_of: Option<&Scope>) -> Result<Chunk, TableError> {
    let contents = from.contents();
    let (listed, added) = match what {
        Copied::All => (None, None),
        Copied::Listed(names) => (Some(names), None),
        Copied::With(added) => (None, Some(added)),
    };
    let mut copy = Copying::new(from, &contents, listed)?;
    copy.columns(from)?;
    let added_path = copy.shapes(from, added)?;
    let mut value_paths = copy.paths_of(view_of.unwrap_or(from).names()?)?;
    if let Some(path) = added_path {
        push(&mut value_paths, path)?;
    }
    let lacks_columns = view_of.is_some_and(Scope::has_unshaped);
    let about = About { value_paths: Some(value_paths), is_view: view_of.is_some(), lacks_columns };
    Ok(copy.chunk.finish(&copy.to, about)?)
}

/// What has been copied to a chunk.
struct Copying<'from> {
    from: &'from Contents,
    texts: StringReader<'from>,
    to: Dictionary,
    chunk: ChunkBuilder,
    projection: Projection,
    /// The new id of each string of the scope's chunks, whose ids lie in this range.
    strings: Vec<u32>,
    ids: Range<u32>,
}

/// Marks a string that is not copied yet.
const NOT_COPIED: u32 = u32::MAX;

impl<'from> Copying<'from> {
    fn new(scope: &Scope, from: &'from Contents, listed: Option<&[u8]>) -> Result<Self, TableError> {
        let mut to = Dictionary::of_copy(scope.catalog().seed().clone());
        let mut projection = Projection::new(from.shapes().copy()?, listed)?;
        for path in 1..from.shapes().path_count() as PathId {
            projection.add_path(path, &mut to)?.then_some(()).certain();
        }
        let (bytes, rows) = scope.chunks().fold((0, 0), |(bytes, rows), (_, chunk)| {
            (bytes + chunk.strings().byte_length() as u64, rows + chunk.len() as u64)
        });
        to.strings.reserve((bytes * scope.len() as u64 / rows.max(1)) as usize)?;
        let ids = scope.string_ids();
        Ok(Copying {
            from,
            texts: from.strings(),
            to,
            chunk: ChunkBuilder::default(),
            projection,
            strings: filled(ids.len(), NOT_COPIED)?,
            ids,
        })
    }

    /// Returns the paths of the columns with these names that are kept.
    fn paths_of(&mut self, names: &ColumnNames) -> Result<Vec<PathId>, TableError> {
        let mut paths = Vec::new();
        for name in names.iter() {
            let mut path = ROOT_PATH;
            for key in keys_of(name.as_bytes())? {
                path = self.projection.all.intern_path(path, &key)?.certain();
                self.projection.add_path(path, &mut self.to)?.then_some(()).certain();
            }
            if let (Kept::All, path) = self.projection.path(path) {
                push(&mut paths, path)?;
            }
        }
        Ok(paths)
    }

    /// Copies the shapes, and the values of an added column. Returns the path of that column.
    fn shapes(&mut self, scope: &Scope, added: Option<Added<'_>>) -> Result<Option<PathId>, TableError> {
        let added = match added {
            Some(added) => {
                // The table has checked that its name is not too long.
                Some((added, self.to.shapes.intern_path(ROOT_PATH, added.key)?.certain()))
            }
            None => None,
        };
        let mut last: (ShapeId, ShapeId) = (ROOT_SHAPE, ROOT_SHAPE);
        let mut of_member = None;
        for row in 0..scope.len() {
            let (member, in_chunk) = scope.locate(row).certain();
            let shapes = match of_member {
                Some((number, shapes)) if number == member.number => shapes,
                _ => member.chunk.shapes(),
            };
            of_member = Some((member.number, shapes));
            let shape = member.shape(shapes.word(in_chunk));
            if shape != last.0 || row == 0 {
                last = (shape, UNSHAPED);
                if shape != UNSHAPED {
                    last.1 = self.projection.shape(shape, &mut self.to)?.certain();
                }
            }
            let shape = match added {
                Some((added, path)) => self.add_value(row, last.1, added, path)?,
                None => last.1,
            };
            self.chunk.push_shape(shape)?;
        }
        Ok(added.map(|(_, path)| path))
    }

    /// Adds the value of a row, unless it is missing or the row has no shape. Returns the shape that the row has then.
    fn add_value(
        &mut self,
        row: usize,
        shape: ShapeId,
        added: Added<'_>,
        path: PathId,
    ) -> Result<ShapeId, OutOfMemory> {
        let at = added.rows.get(row).copied().certain();
        if at == NO_VALUE || shape == UNSHAPED {
            return Ok(shape);
        }
        let cell = Cell::from_word(added.values.word(at as usize));
        let strings = added.lookup.strings();
        let cell = match cell.content() {
            Content::Missing => return Ok(shape),
            Content::Text(id) | Content::RawJson(id) => {
                let (kind, bytes) = strings.get(id).certain();
                let id = self.to.strings.intern(kind, bytes)?;
                if kind == StringKind::RawJson { Cell::raw_json(id) } else { Cell::text(id) }
            }
            Content::Number(id) => self.to.numbers.intern(added.lookup.number(id).certain())?,
            _ => cell,
        };
        self.chunk.push_cell(row, path, cell)?;
        // The last key of the finding, before its end.
        let open = self.to.shapes.previous(shape);
        // No finding has the field, or too many fields: the table has checked it.
        let longer = self.to.shapes.transition(open, Event::Value(path))?.certain();
        Ok(self.to.shapes.transition(longer, Event::Close(ROOT_PATH))?.certain())
    }

    /// Copies the columns, by path.
    fn columns(&mut self, scope: &Scope) -> Result<(), OutOfMemory> {
        let mut words = Vec::new();
        for path in 0..self.from.shapes().path_count() as PathId {
            let (kept, to) = self.projection.path(path);
            if kept == Kept::None {
                continue;
            }
            let column = scope.column(path)?;
            if !column.has_values() {
                continue;
            }
            for rows in scope.batches() {
                column.cells(rows.clone(), &mut words)?;
                for (row, word) in rows.zip(&words).filter(|(_, word)| **word != Cell::MISSING.word()) {
                    let cell = Cell::from_word(*word);
                    if kept == Kept::All || cell == Cell::OBJECT {
                        let cell = self.cell(to, cell)?;
                        self.chunk.push_cell(row, to, cell)?;
                    } else if path == ROOT_PATH {
                        let cell = self.finding(cell)?;
                        self.chunk.push_cell(row, to, cell)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies what is kept of a finding without a shape.
    fn finding(&mut self, cell: Cell) -> Result<Cell, OutOfMemory> {
        let Content::RawJson(id) = cell.content() else { return Ok(cell) };
        let json = self.projection.pruned(self.texts.bytes(id))?;
        self.to.strings.intern(StringKind::RawJson, &json).map(Cell::raw_json)
    }

    fn cell(&mut self, path: PathId, cell: Cell) -> Result<Cell, OutOfMemory> {
        match cell.content() {
            Content::Text(id) => self.string(path, id).map(Cell::text),
            Content::RawJson(id) => self.string(path, id).map(Cell::raw_json),
            Content::Number(id) => self.to.numbers.intern(self.from.number_of(id).certain()),
            _ => Ok(cell),
        }
    }

    fn string(&mut self, path: PathId, id: u32) -> Result<u32, OutOfMemory> {
        let copied = self.strings.get_mut(id.wrapping_sub(self.ids.start) as usize).certain();
        if *copied == NOT_COPIED {
            let (kind, bytes) = self.texts.get(id).certain();
            *copied = self.to.strings.intern_value(path, kind, bytes)?;
        }
        Ok(*copied)
    }
}
