//! The rows that queries read.

use std::cell::{OnceCell, Ref};
use std::ops::Range;
use std::rc::Rc;

use super::names::ColumnNames;
use super::query_key::QueryKey;
use super::selection::{RowsByChunk, Selection};
use crate::cell::Cell;
use crate::chunk::Chunk;
use crate::dictionary::{Dictionary, Position};
use crate::memory::{OutOfMemory, reserve, with_capacity};
use crate::shapes::PathId;
use crate::shared_dictionary::SharedDictionary;

/// All rows of a call, or a selection of them in any order.
///
/// Cloning or selecting shares the columns. A selection costs four bytes for each row.
#[derive(Clone)]
pub(super) struct View {
    store: Rc<Store>,
    /// The selected rows of the store; `None` selects all rows in their order.
    selection: Option<Selection>,
}

struct Store {
    dictionary: SharedDictionary,
    /// The bytes that the dictionary held when the store was made.
    dictionary_bytes: usize,
    /// The sizes of the dictionary when the store was made.
    committed: Position,
    chunks: Vec<Arrived>,
    /// The first row of each chunk, then the number of all rows.
    starts: Vec<usize>,
    /// The names of the columns, once a query has asked for them.
    names: OnceCell<ColumnNames>,
    /// Whether no more chunks arrive.
    is_whole: bool,
}

/// A chunk among others that arrive one after the other.
#[derive(Clone)]
pub struct Arrived {
    /// Its index, by which a table sorts its chunks.
    pub index: u64,
    /// The number of chunks that arrived before it.
    pub before: usize,
    /// The chunk.
    pub chunk: Rc<Chunk>,
}

/// The maximum number of rows of a batch.
pub(super) const BATCH: usize = 4096;

/// Visits consecutive rows of one chunk.
type PartVisitor<'a> = dyn FnMut(&Chunk, Range<usize>) -> Result<(), OutOfMemory> + 'a;

impl View {
    /// All rows of the chunks that have arrived so far, sorted by index. `is_whole` unless more may arrive.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are more than `u32::MAX` rows.
    pub(super) fn new(dictionary: SharedDictionary, arrived: &[Arrived], is_whole: bool) -> Result<Self, OutOfMemory> {
        let (mut chunks, mut starts) = (with_capacity(arrived.len())?, with_capacity(arrived.len() + 1)?);
        starts.push(0);
        // Constant columns take no memory for their rows, so memory alone does not limit the number of rows.
        let mut length = 0_u32;
        for one in arrived {
            length =
                u32::try_from(one.chunk.len()).ok().and_then(|more| length.checked_add(more)).ok_or(OutOfMemory)?;
            starts.push(length as usize);
            chunks.push(one.clone());
        }
        let (dictionary_bytes, committed) = (dictionary.read().byte_length(), dictionary.read().committed().clone());
        let store = Store { dictionary, dictionary_bytes, committed, chunks, starts, names: OnceCell::new(), is_whole };
        Ok(Self { store: Rc::new(store), selection: None })
    }

    /// The selected rows of one chunk; all if there is no selection.
    fn of_chunk(&self, arrived: &Arrived, selected: Option<&Rc<Vec<u32>>>) -> Self {
        let length = arrived.chunk.len();
        let store = Store {
            dictionary: self.store.dictionary.clone(),
            dictionary_bytes: 0,
            committed: self.store.committed.clone(),
            chunks: vec![arrived.clone()],
            starts: vec![0, length],
            names: OnceCell::new(),
            is_whole: true,
        };
        let is_part = |rows: &&Rc<Vec<u32>>| rows.len() < length;
        let selection = selected.filter(is_part).map(|rows| Selection::Rows(Rc::clone(rows)));
        Self { store: Rc::new(store), selection }
    }

    /// Returns true if earlier and later tables with the same chunks can select the same rows.
    pub(super) fn can_share_queries(&self) -> bool {
        self.selection.is_none() || self.filter_key().is_some()
    }

    /// Returns the key of the filter that selects the rows, if other tables share them.
    pub(super) fn filter_key(&self) -> Option<&Rc<QueryKey>> {
        match &self.selection {
            Some(Selection::ByChunk(by_chunk)) => by_chunk.filter_key(),
            _ => None,
        }
    }

    /// Returns the number of chunks.
    pub(super) fn chunk_count(&self) -> usize {
        self.store.chunks.len()
    }

    /// Returns true if rows are selected in any order, so that they have no chunks.
    pub(super) fn is_unordered(&self) -> bool {
        matches!(self.selection, Some(Selection::Rows(_)))
    }

    /// Visits each chunk that arrived after the first `before` chunks, with its index. Rows in any order are one chunk.
    pub(super) fn for_each_chunk(
        &self,
        before: usize,
        visit: &mut dyn FnMut(u64, &Self) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let selected = match &self.selection {
            None => None,
            Some(Selection::Rows(_)) => return visit(0, self),
            Some(Selection::ByChunk(by_chunk)) => Some(by_chunk.chunks()),
        };
        for (position, arrived) in self.store.chunks.iter().enumerate() {
            if arrived.before >= before {
                let selected = selected.and_then(|chunks| chunks.get(position));
                visit(arrived.index, &self.of_chunk(arrived, selected))?;
            }
        }
        Ok(())
    }

    /// A view of some rows of this view, in the order of `rows`.
    pub(super) fn select(&self, mut rows: Vec<u32>) -> Result<Self, OutOfMemory> {
        if let Some(selected) = self.selected_rows()? {
            for row in &mut rows {
                *row = selected.get(*row as usize).copied().unwrap_or_default();
            }
        }
        Ok(Self { store: Rc::clone(&self.store), selection: Some(Selection::Rows(Rc::new(rows))) })
    }

    /// A view of the rows in the single list.
    pub(super) fn select_of_store(&self, mut rows: Vec<Rc<Vec<u32>>>) -> Result<Self, OutOfMemory> {
        let selection = Some(Selection::Rows(rows.pop().unwrap_or_default()));
        Ok(Self { store: Rc::clone(&self.store), selection })
    }

    /// A view of these rows of each chunk. If other tables share them, `filter_key` is the key of the filter that selects them.
    pub(super) fn select_by_chunk(
        &self,
        rows: Vec<Rc<Vec<u32>>>,
        filter_key: Option<Rc<QueryKey>>,
    ) -> Result<Self, OutOfMemory> {
        let selection = Some(Selection::ByChunk(Rc::new(RowsByChunk::new(rows, filter_key)?)));
        Ok(Self { store: Rc::clone(&self.store), selection })
    }

    /// Returns the selected rows of the store, or `None` if the view has all rows in their order.
    pub(super) fn selected_rows(&self) -> Result<Option<Rc<Vec<u32>>>, OutOfMemory> {
        let by_chunk = match &self.selection {
            None => return Ok(None),
            Some(Selection::Rows(rows)) => return Ok(Some(Rc::clone(rows))),
            Some(Selection::ByChunk(by_chunk)) => by_chunk,
        };
        let mut rows = with_capacity(self.len())?;
        for (start, in_chunk) in self.store.starts.iter().zip(by_chunk.chunks()) {
            rows.extend(in_chunk.iter().map(|row| *start as u32 + row));
        }
        Ok(Some(Rc::new(rows)))
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.selection.as_ref().map_or_else(|| self.store.len(), Selection::len)
    }

    /// Returns the bytes that the view holds, including what it shares with other views.
    pub(super) fn byte_length(&self) -> usize {
        self.store.byte_length() + self.selection.as_ref().map_or(0, Selection::byte_length)
    }

    /// Returns the dictionary that the cells refer to.
    pub(super) fn dictionary(&self) -> Ref<'_, Dictionary> {
        self.store.dictionary.read()
    }

    /// Returns the dictionary that the cells refer to, without borrowing it.
    pub(super) fn shared_dictionary(&self) -> &SharedDictionary {
        &self.store.dictionary
    }

    /// Returns the sizes of the dictionary without what has been decoded since the view was made.
    pub(super) fn committed(&self) -> &Position {
        &self.store.committed
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> Result<&ColumnNames, OutOfMemory> {
        if let Some(names) = self.store.names.get() {
            return Ok(names);
        }
        let names = ColumnNames::new(&self.dictionary(), self.store.chunks.iter().map(|arrived| &*arrived.chunk))?;
        Ok(self.store.names.get_or_init(|| names))
    }

    /// Looks up the path of a column by name.
    pub(super) fn column(&self, name: &str) -> Result<Option<PathId>, OutOfMemory> {
        Ok(self.names()?.find(&self.dictionary().shapes, name))
    }

    /// Returns the chunks with their indexes.
    pub(super) fn chunks(&self) -> impl ExactSizeIterator<Item = (u64, &Chunk)> {
        self.store.chunks.iter().map(|one| (one.index, &*one.chunk))
    }

    /// Returns the partitions that the view has, unless it has single rows of them.
    pub(super) fn partitions(&self) -> Option<impl ExactSizeIterator<Item = (u64, &Rc<Chunk>)>> {
        let has_rows = self.is_selection() || self.chunks().any(|(_, chunk)| chunk.is_view());
        (!has_rows).then(|| self.store.chunks.iter().map(|one| (one.index, &one.chunk)))
    }

    /// Returns true if a finding, selected or not, has no shape.
    pub(super) fn has_unshaped(&self) -> bool {
        self.chunks().any(|(_, chunk)| chunk.has_unshaped())
    }

    /// Returns true if each finding, selected or not, has an integer that fits into a cell at a path; `None` without findings.
    pub(super) fn has_only_integers(&self, path: PathId) -> Result<Option<bool>, OutOfMemory> {
        let all = Self { store: Rc::clone(&self.store), selection: None };
        let mut words = Vec::new();
        for rows in all.batches() {
            all.read(path, rows, &mut words)?;
            if words.iter().any(|word| Cell::from_word(*word).as_integer().is_none()) {
                return Ok(Some(false));
            }
        }
        Ok((all.len() > 0).then_some(true))
    }

    /// Returns false if more chunks may arrive.
    pub(super) fn is_whole(&self) -> bool {
        self.store.is_whole
    }

    /// Returns true unless the view has all rows in their order.
    pub(super) fn is_selection(&self) -> bool {
        self.selection.is_some()
    }

    /// Finds the chunk of a row of this view, and the row in that chunk.
    pub(super) fn locate(&self, row: usize) -> Option<(&Chunk, usize)> {
        match &self.selection {
            Some(Selection::Rows(rows)) => self.store.locate(*rows.get(row)? as usize),
            Some(Selection::ByChunk(by_chunk)) => {
                let (at, row) = by_chunk.locate(row)?;
                Some((&self.store.chunks.get(at)?.chunk, row))
            }
            None => self.store.locate(row),
        }
    }

    /// Visits the chunks that contain `rows`, which count all rows, selected or not.
    pub(super) fn for_each_part(&self, rows: Range<usize>, visit: &mut PartVisitor<'_>) -> Result<(), OutOfMemory> {
        self.store.for_each_part(rows, visit)
    }

    /// Replaces `words` with the cells of `rows` in the column of `path`.
    pub(super) fn read(&self, path: PathId, rows: Range<usize>, words: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        words.clear();
        let Some(selection) = &self.selection else {
            return self.store.for_each_part(rows, &mut |chunk, rows| chunk.read(path, rows, words));
        };
        reserve(words, rows.len())?;
        match selection {
            Selection::Rows(selected) => words.extend(selected.get(rows).unwrap_or_default().iter().map(|row| {
                let cell = self.store.locate(*row as usize).map_or(Cell::MISSING, |(chunk, row)| chunk.cell(row, path));
                cell.word()
            })),
            Selection::ByChunk(by_chunk) => {
                for (at, in_chunk) in by_chunk.parts(rows) {
                    let column = self.store.chunks.get(at).and_then(|one| one.chunk.column(path));
                    let word = |row: &u32| column.map_or(Cell::MISSING.word(), |column| column.word(*row as usize));
                    words.extend(in_chunk.iter().map(word));
                }
            }
        }
        Ok(())
    }

    /// Divides all rows into batches small enough that the cells of a batch stay in the processor's cache.
    pub(super) fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let length = self.len();
        (0..length.div_ceil(BATCH)).map(move |batch| batch * BATCH..length.min((batch + 1) * BATCH))
    }
}

impl Store {
    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn byte_length(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|one| one.chunk.byte_length()).sum();
        chunks + self.dictionary_bytes
    }

    fn locate(&self, row: usize) -> Option<(&Chunk, usize)> {
        let at = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        Some((&self.chunks.get(at)?.chunk, row - self.starts.get(at)?))
    }

    fn for_each_part(&self, rows: Range<usize>, visit: &mut PartVisitor<'_>) -> Result<(), OutOfMemory> {
        let first = self.starts.partition_point(|start| *start <= rows.start).saturating_sub(1);
        for (Arrived { chunk, .. }, start) in self.chunks.iter().zip(&self.starts).skip(first) {
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
