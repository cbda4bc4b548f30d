//! A scope: the rows that queries read, all rows of some chunks or a selection of them.

use std::cell::{OnceCell, Ref};
use std::ops::Range;
use std::rc::Rc;

use super::catalog::Catalog;
use super::codes::{MISSING, StoredCodes};
use super::contents::{Contents, Member};
use super::names::ColumnNames;
use super::query_key::QueryKey;
use super::selection::{RowsByChunk, Selection};
use super::starts::Starts;
use chunk::Chunk;
use chunk::column::Column;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, reserve, with_capacity};
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::PathId;

/// All rows of a call, or a selection of them in any order.
///
/// Cloning or selecting shares the columns. A selection costs four bytes for each row.
#[derive(Clone)]
pub(super) struct Scope {
    store: Rc<Store>,
    /// The selected rows of the store; `None` selects all rows in their order.
    selection: Option<Selection>,
}

struct Store {
    catalog: Rc<Catalog>,
    chunks: Vec<Arrived>,
    /// Where the rows of each chunk begin among all rows.
    starts: Starts,
    /// The names of the columns, once a query has asked for them.
    names: OnceCell<ColumnNames>,
    /// Whether no more chunks arrive.
    is_whole: bool,
}

/// A chunk of a catalog, and its index.
#[derive(Clone)]
pub struct Arrived {
    /// The index by which a table sorts its chunks.
    pub index: u64,
    /// The chunk.
    pub member: Rc<Member>,
}

/// The rows of a scope in one chunk. All rows of a scope in any order are one part, which may be of several chunks.
pub(super) struct Part<'scope> {
    /// The index of the chunk; 0 for rows in any order.
    pub(super) index: u64,
    /// The position of the chunk in the store, and the chunk; `None` for rows of several chunks.
    chunk: Option<(usize, &'scope Rc<Member>)>,
    /// These rows of the scope.
    pub(super) rows: Range<usize>,
    /// The rows of the chunk, or of the store if they are in any order; `None` for all rows of the chunk.
    pub(super) selected: Option<&'scope [u32]>,
    /// The number by which queries keep what they know of the chunk: that in its catalog.
    pub(super) number: u32,
}

impl<'scope> Part<'scope> {
    /// Returns the only chunk, if there is one.
    pub(super) fn member(&self) -> Option<&'scope Rc<Member>> {
        self.chunk.map(|(_, member)| member)
    }

    /// Returns the position of a chunk in the store of which the part has all rows.
    pub(super) fn whole(&self) -> Option<usize> {
        self.chunk.filter(|_| self.selected.is_none()).map(|(at, _)| at)
    }

    /// Divides the rows into batches small enough that the cells of a batch stay in the processor's cache.
    pub(super) fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        batches(self.rows.clone())
    }
}

/// The maximum number of rows of a batch.
pub(super) const BATCH: usize = 4096;

/// Visits, and may replace, the words of some rows of one chunk.
type WordVisitor<'a> = dyn FnMut(&Member, &mut [u32]) + 'a;

/// Reads a column of a scope: all that queries compare and count goes through it.
pub(super) struct ColumnReader<'scope> {
    scope: &'scope Scope,
    /// The column of each chunk of the store.
    columns: Vec<Column<'scope>>,
    /// The codes of each chunk of the store, if they are read in place of the words.
    codes: Vec<StoredCodes>,
}

/// Reads the codes of the values of a column of a scope.
pub(super) struct CodeReader<'scope>(ColumnReader<'scope>);

impl Scope {
    /// All rows of the chunks that have arrived so far, sorted by index. `is_whole` unless more may arrive.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn new(catalog: Rc<Catalog>, arrived: &[Arrived], is_whole: bool) -> Result<Self, OutOfMemory> {
        let mut chunks = with_capacity(arrived.len())?;
        chunks.extend(arrived.iter().cloned());
        let starts = Starts::new(chunks.iter().map(|one| one.member.chunk.len()))?;
        let store = Store { catalog, chunks, starts, names: OnceCell::new(), is_whole };
        Ok(Self { store: Rc::new(store), selection: None })
    }

    /// Returns true if earlier and later tables with the same chunks can select the same rows.
    pub(super) fn can_share_queries(&self) -> bool {
        self.selection.is_none() || self.filter_key().is_some()
    }

    /// Returns the key of the filter that selects the rows, if other tables share them.
    pub(super) fn filter_key(&self) -> Option<&Rc<QueryKey>> {
        match &self.selection {
            Some(Selection::ByChunk(by_chunk)) => by_chunk.filter_key.as_ref(),
            _ => None,
        }
    }

    /// Returns true if rows are selected in any order, so that they have no chunks.
    pub(super) fn is_unordered(&self) -> bool {
        matches!(self.selection, Some(Selection::Rows(_)))
    }

    /// Returns the part of each chunk, in their order.
    #[inline(never)]
    pub(super) fn parts(&self) -> Result<Vec<Part<'_>>, OutOfMemory> {
        let chunks = &self.store.chunks;
        let mut parts = with_capacity(chunks.len().max(1))?;
        let (starts, by_chunk) = match &self.selection {
            None => (&self.store.starts, None),
            Some(Selection::ByChunk(by_chunk)) => (by_chunk.starts(), Some(by_chunk)),
            Some(Selection::Rows(rows)) => {
                let chunk = if let [one] = chunks.as_slice() { Some((0, &one.member)) } else { None };
                parts.push(Part { index: 0, chunk, rows: 0..rows.len(), selected: Some(rows), number: 0 });
                return Ok(parts);
            }
        };
        for (rows, (at, Arrived { index, member })) in starts.ranges().zip(chunks.iter().enumerate()) {
            let selected = by_chunk.map(|by_chunk| by_chunk.chunks.get(at).certain().as_slice());
            let selected = selected.filter(|selected| selected.len() < member.chunk.len());
            parts.push(Part { index: *index, chunk: Some((at, member)), rows, selected, number: member.number });
        }
        Ok(parts)
    }

    /// Returns a scope with the same rows, as if more chunks could arrive.
    pub(super) fn as_part(&self) -> Result<Self, OutOfMemory> {
        let scope = Self::new(Rc::clone(self.catalog()), &self.store.chunks, false)?;
        Ok(Self { selection: self.selection.clone(), ..scope })
    }

    /// Returns a scope with some rows of this one, in the order of `rows`.
    pub(super) fn select(&self, mut rows: Vec<u32>) -> Result<Self, OutOfMemory> {
        if let Some(selected) = self.selected_rows()? {
            for row in &mut rows {
                *row = selected.get(*row as usize).copied().certain();
            }
        }
        Ok(Self { store: Rc::clone(&self.store), selection: Some(Selection::Rows(Rc::new(rows))) })
    }

    /// Returns a scope with the rows in the single list.
    pub(super) fn select_of_store(&self, mut rows: Vec<Rc<Vec<u32>>>) -> Result<Self, OutOfMemory> {
        let selection = Some(Selection::Rows(rows.pop().certain()));
        Ok(Self { store: Rc::clone(&self.store), selection })
    }

    /// Returns a scope with these rows of each chunk. If other tables share them, `filter_key` is the key of the filter that selects them.
    pub(super) fn select_by_chunk(
        &self,
        rows: Vec<Rc<Vec<u32>>>,
        filter_key: Option<Rc<QueryKey>>,
    ) -> Result<Self, OutOfMemory> {
        let selection = Some(Selection::ByChunk(Rc::new(RowsByChunk::new(rows, filter_key)?)));
        Ok(Self { store: Rc::clone(&self.store), selection })
    }

    /// Returns the selected rows of the store, or `None` if the scope has all rows in their order.
    pub(super) fn selected_rows(&self) -> Result<Option<Rc<Vec<u32>>>, OutOfMemory> {
        let by_chunk = match &self.selection {
            None => return Ok(None),
            Some(Selection::Rows(rows)) => return Ok(Some(Rc::clone(rows))),
            Some(Selection::ByChunk(by_chunk)) => by_chunk,
        };
        let mut rows = with_capacity(self.len())?;
        for (start, in_chunk) in self.store.starts.iter().zip(&by_chunk.chunks) {
            rows.extend(in_chunk.iter().map(|row| start as u32 + row));
        }
        Ok(Some(Rc::new(rows)))
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.selection.as_ref().map_or_else(|| self.store.starts.end(), Selection::len)
    }

    /// Returns the bytes that the scope holds, including what it shares with other scopes.
    pub(super) fn byte_length(&self) -> u64 {
        let chunks: u64 = self.members().map(|member| member.byte_length() as u64).sum();
        chunks + self.selection.as_ref().map_or(0, Selection::byte_length) as u64
    }

    /// Returns the catalog of the chunks.
    pub(super) fn catalog(&self) -> &Rc<Catalog> {
        &self.store.catalog
    }

    /// Borrows what the cells refer to.
    pub(super) fn contents(&self) -> Ref<'_, Contents> {
        self.store.catalog.contents()
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> Result<&ColumnNames, OutOfMemory> {
        if let Some(names) = self.store.names.get() {
            return Ok(names);
        }
        let names = ColumnNames::new(self.contents().shapes(), self.members())?;
        Ok(self.store.names.get_or_init(|| names))
    }

    /// Looks up the path of a column by name.
    pub(super) fn path(&self, name: &str) -> Result<Option<PathId>, OutOfMemory> {
        Ok(self.names()?.find(name))
    }

    /// Returns the chunks of the store.
    pub(super) fn members(&self) -> impl ExactSizeIterator<Item = &Rc<Member>> {
        self.store.chunks.iter().map(|one| &one.member)
    }

    /// Returns the chunks with their indexes.
    pub(super) fn chunks(&self) -> impl ExactSizeIterator<Item = (u64, &Rc<Chunk>)> {
        self.store.chunks.iter().map(|one| (one.index, &one.member.chunk))
    }

    /// Returns the partitions that the scope has, unless it has single rows of them.
    pub(super) fn partitions(&self) -> Option<&[Arrived]> {
        let has_rows = self.is_selection() || self.chunks().any(|(_, chunk)| chunk.is_view());
        (!has_rows).then_some(&self.store.chunks)
    }

    /// Returns true if a finding, selected or not, has no shape.
    pub(super) fn has_unshaped(&self) -> bool {
        self.chunks().any(|(_, chunk)| chunk.has_unshaped())
    }

    /// Returns false if more chunks may arrive.
    pub(super) fn is_whole(&self) -> bool {
        self.store.is_whole
    }

    /// Returns true unless the scope has all rows in their order.
    pub(super) fn is_selection(&self) -> bool {
        self.selection.is_some()
    }

    /// Finds the chunk of a row of this scope, and the row in that chunk.
    #[inline]
    pub(super) fn locate(&self, row: usize) -> Option<(&Rc<Member>, usize)> {
        let (at, row) = match &self.selection {
            Some(Selection::Rows(rows)) => self.store.starts.locate(*rows.get(row)? as usize)?,
            Some(Selection::ByChunk(by_chunk)) => by_chunk.locate(row)?,
            None => self.store.starts.locate(row)?,
        };
        Some((&self.store.chunks.get(at)?.member, row))
    }

    /// Returns the chunks that contain `rows`, which count all rows, selected or not, each with the range of its rows.
    pub(super) fn members_of(&self, rows: Range<usize>) -> impl Iterator<Item = (&Rc<Member>, Range<usize>)> {
        self.store.starts.parts(rows).map(|(at, part)| (&self.store.chunks.get(at).certain().member, part))
    }

    /// Reads a column.
    pub(super) fn column(&self, path: PathId) -> Result<ColumnReader<'_>, OutOfMemory> {
        let mut columns = with_capacity(self.store.chunks.len())?;
        columns.extend(self.members().map(|member| member.column(path)));
        Ok(ColumnReader { scope: self, columns, codes: Vec::new() })
    }

    /// Reads the codes of a column.
    pub(super) fn codes(&self, path: PathId) -> Result<CodeReader<'_>, OutOfMemory> {
        let codes = self.catalog().codes_of(path, self.members())?;
        Ok(CodeReader(ColumnReader { codes, ..self.column(path)? }))
    }

    /// Divides all rows into batches small enough that the cells of a batch stay in the processor's cache.
    pub(super) fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        batches(0..self.len())
    }

    /// Returns the range in which the global ids of the strings of its chunks lie.
    pub(super) fn string_ids(&self) -> Range<u32> {
        let ranges = || self.members().map(|member| member.strings());
        let start = ranges().map(|range| range.start).min().unwrap_or_default();
        start..ranges().map(|range| range.end).max().unwrap_or_default().max(start)
    }
}

impl ColumnReader<'_> {
    /// Replaces `words` with the global cells of `rows`.
    pub(super) fn cells(&self, rows: Range<usize>, words: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        let mut globalize = |member: &Member, some: &mut [u32]| {
            // An integer is the same in all chunks.
            if !Cell::are_integers(some) {
                some.iter_mut().for_each(|word| *word = member.global(*word));
            }
        };
        self.read(rows, words, Some(&mut globalize))
    }

    /// Replaces `numbers` with the numbers of `rows`; NaN for other values.
    pub(super) fn numbers(&self, rows: Range<usize>, numbers: &mut Vec<f64>) -> Result<(), OutOfMemory> {
        numbers.clear();
        reserve(numbers, rows.len())?;
        let mut number_of = |member: &Member, some: &mut [u32]| {
            numbers.extend(some.iter().map(|word| number(member, *word)));
        };
        self.read(rows, &mut Vec::new(), Some(&mut number_of))
    }

    /// Returns true if a row, selected or not, has a value.
    pub(super) fn has_values(&self) -> bool {
        let mut columns = self.columns.iter().zip(self.scope.chunks());
        columns.any(|(column, (_, chunk))| column.constant(chunk.len()) != Some(Cell::MISSING.word()))
    }

    /// Returns the column of a chunk of the store.
    #[inline]
    fn of_chunk(&self, at: usize) -> Column<'_> {
        let column = self.columns.get(at).certain();
        self.codes.get(at).map_or(*column, |codes| column.with_words(codes, MISSING))
    }

    /// Replaces `words` with those of `rows`, and visits as many of one chunk at once as follow each other.
    fn read(
        &self,
        rows: Range<usize>,
        words: &mut Vec<u32>,
        mut visit: Option<&mut WordVisitor<'_>>,
    ) -> Result<(), OutOfMemory> {
        let store = &*self.scope.store;
        let mut visit_from = |start: usize, words: &mut Vec<u32>, at: usize| {
            if let Some(visit) = &mut visit {
                visit(&store.chunks.get(at).certain().member, words.get_mut(start..).certain());
            }
        };
        words.clear();
        reserve(words, rows.len())?;
        match &self.scope.selection {
            None => {
                for (at, rows) in store.starts.parts(rows) {
                    let start = words.len();
                    self.of_chunk(at).read(rows, words)?;
                    visit_from(start, words, at);
                }
            }
            Some(Selection::Rows(selected)) => {
                for (start, row) in selected.get(rows).certain().iter().enumerate() {
                    let (at, row) = store.starts.locate(*row as usize).certain();
                    words.push(self.of_chunk(at).word(row));
                    visit_from(start, words, at);
                }
            }
            Some(Selection::ByChunk(by_chunk)) => {
                for (at, in_chunk) in by_chunk.parts(rows) {
                    let (start, column) = (words.len(), self.of_chunk(at));
                    words.extend(in_chunk.iter().map(|row| column.word(*row as usize)));
                    visit_from(start, words, at);
                }
            }
        }
        Ok(())
    }
}

fn batches(Range { start, end }: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    (start..end).step_by(BATCH).map(move |first| first..end.min(first + BATCH))
}

#[inline]
fn number(member: &Member, word: u32) -> f64 {
    match Cell::from_word(word).content() {
        Content::Integer(integer) => f64::from(integer),
        Content::Number(id) => member.chunk.number(id).certain(),
        _ => f64::NAN,
    }
}

impl CodeReader<'_> {
    /// Replaces `codes` with the codes of the values of `rows`.
    pub(super) fn codes(&self, rows: Range<usize>, codes: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        self.0.read(rows, codes, None)
    }

    /// Returns the column of a chunk of the store, with codes in place of its words.
    pub(super) fn of_chunk(&self, at: usize) -> Column<'_> {
        self.0.of_chunk(at)
    }
}
