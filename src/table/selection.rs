//! The selected rows of a scope.

use std::ops::Range;
use std::rc::Rc;

use super::query_key::QueryKey;
use super::starts::Starts;
use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;

/// The selected rows of a store. Cloning shares them.
#[derive(Clone)]
pub(super) enum Selection {
    /// These rows of the store, in any order.
    Rows(Rc<Vec<u32>>),
    /// Rows of each chunk of the store, in their order.
    ByChunk(Rc<RowsByChunk>),
}

/// The selected rows of each chunk of a store.
pub(super) struct RowsByChunk {
    pub(super) chunks: Vec<Rc<Vec<u32>>>,
    /// Where the selected rows of each chunk begin among all selected rows.
    starts: Starts,
    /// The key of the filter that selects these rows from the store, if other tables share them.
    pub(super) filter_key: Option<Rc<QueryKey>>,
}

impl Selection {
    /// Returns the number of selected rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Selection::Rows(rows) => rows.len(),
            Selection::ByChunk(by_chunk) => by_chunk.starts.end(),
        }
    }

    /// Returns the bytes of memory that the selection holds.
    pub(super) fn byte_length(&self) -> usize {
        match self {
            Selection::Rows(rows) => rows.capacity() * size_of::<u32>(),
            Selection::ByChunk(by_chunk) => {
                let rows: usize = by_chunk.chunks.iter().map(|rows| rows.capacity() * size_of::<u32>()).sum();
                rows + by_chunk.starts.byte_length()
            }
        }
    }
}

impl RowsByChunk {
    /// These rows of each chunk.
    pub(super) fn new(chunks: Vec<Rc<Vec<u32>>>, filter_key: Option<Rc<QueryKey>>) -> Result<Self, OutOfMemory> {
        let starts = Starts::new(chunks.iter().map(|rows| rows.len()))?;
        Ok(RowsByChunk { chunks, starts, filter_key })
    }

    /// Returns where the selected rows of each chunk begin among all selected rows.
    pub(super) fn starts(&self) -> &Starts {
        &self.starts
    }

    /// Returns the position of the chunk of a selected row, and the row in that chunk.
    pub(super) fn locate(&self, row: usize) -> Option<(usize, usize)> {
        let (at, position) = self.starts.locate(row)?;
        Some((at, *self.chunks.get(at)?.get(position)? as usize))
    }

    /// Returns the position of each chunk that has some of these selected rows, with their rows in it.
    pub(super) fn parts(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, &[u32])> {
        let in_chunk = |at: usize, part| self.chunks.get(at)?.get(part);
        self.starts.parts(rows).map(move |(at, part)| (at, in_chunk(at, part).certain()))
    }
}
