//! A scope: the rows that queries read, all rows of some chunks or a selection of them.

use std::cell::{OnceCell, Ref};
use std::ops::Range;
use std::rc::Rc;

use super::catalog::Catalog;
use super::column_reader::{CodeReader, ColumnReader};
use super::contents::Contents;
use super::member::Member;
use super::names::ColumnNames;
use super::part::{Part, batches};
use super::query_key::QueryKey;
use super::selection::{RowsByChunk, Selection};
use super::starts::Starts;
use chunk::Chunk;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, with_capacity};
use chunk::value::shapes::PathId;

/// All rows of a call, or a selection of them in any order.
///
/// Cloning or selecting shares the columns. A selection costs four bytes for each row.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) store: Rc<Store>,
    /// The selected rows of the store; `None` selects all rows in their order.
    pub(super) selection: Option<Selection>,
}

/// What a scope shares with selections of its rows.
pub(super) struct Store {
    catalog: Rc<Catalog>,
    pub(super) chunks: Vec<Arrived>,
    /// Where the rows of each chunk begin among all rows.
    pub(super) starts: Starts,
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
