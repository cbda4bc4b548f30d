//! The number of distinct values of a column in each group. Missing and null are no values.

use super::codes::MISSING;
use super::column_reader::CodeReader;
use super::condition::Operand;
use super::group_ids::GroupKeys;
use super::per_chunk::PerChunk;
use super::scope::Scope;
use chunk::hash::HashSeed;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, filled};
use chunk::value::shapes::PathId;

/// The values that each group has in a column.
pub(super) struct DistinctValues {
    path: PathId,
    /// The pairs of a group and the code of a value that it has, by number.
    pairs: GroupKeys,
    /// The numbers of the pairs of each chunk, each once.
    chunks: PerChunk<Vec<u32>>,
}

/// Reads the values of chunks.
pub(super) struct DistinctReader<'scope> {
    reader: CodeReader<'scope>,
    /// The code of null, if a row has it.
    null: Option<u32>,
    codes: Vec<u32>,
}

impl DistinctValues {
    /// No values yet, of the column at a path.
    pub(super) fn new(path: PathId, seed: &HashSeed) -> Self {
        DistinctValues { path, pairs: GroupKeys::new(2, seed), chunks: PerChunk::default() }
    }

    /// Begins to read a scope.
    pub(super) fn reader<'scope>(&self, scope: &'scope Scope) -> Result<DistinctReader<'scope>, OutOfMemory> {
        let reader = scope.codes(self.path)?;
        let null =
            scope.catalog().column_codes(self.path).and_then(|codes| codes.find(&scope.contents(), &Operand::Null));
        Ok(DistinctReader { reader, null, codes: Vec::new() })
    }

    /// Begins the next chunk.
    pub(super) fn begin_chunk(&mut self) {
        self.pairs.begin_chunk();
    }

    /// Reads the rows of the chunk from `start` on, which are of these groups.
    pub(super) fn read(
        &mut self,
        reader: &mut DistinctReader<'_>,
        start: usize,
        groups: &[u32],
    ) -> Result<(), OutOfMemory> {
        let DistinctReader { reader, null, codes } = reader;
        reader.codes(start..start + groups.len(), codes)?;
        let mut last = [0, MISSING];
        for (group, code) in groups.iter().zip(&*codes) {
            let pair = [*group, *code];
            if *code != MISSING && Some(*code) != *null && pair != last {
                self.pairs.intern(&pair)?;
                last = pair;
            }
        }
        Ok(())
    }

    /// Ends the chunk, which has this number.
    pub(super) fn end_chunk(&mut self, number: u32) -> Result<(), OutOfMemory> {
        let mut pairs = Vec::new();
        extend(&mut pairs, self.pairs.occurring())?;
        self.chunks.set(number, pairs)
    }

    /// Counts the distinct values of each of `groups` groups in the chunks with these numbers.
    pub(super) fn counts(&self, chunks: &[u32], groups: usize) -> Result<Vec<u32>, OutOfMemory> {
        let (mut has_pair, mut counts) = (filled(self.pairs.len(), false)?, filled(groups, 0)?);
        for pair in chunks.iter().filter_map(|number| self.chunks.get(*number)).flatten() {
            if !std::mem::replace(has_pair.get_mut(*pair as usize).certain(), true) {
                let group = self.pairs.key(*pair).first().copied().certain();
                *counts.get_mut(group as usize).certain() += 1;
            }
        }
        Ok(counts)
    }

    /// Returns the bytes of memory that the values hold.
    pub(super) fn byte_length(&self) -> usize {
        self.pairs.byte_length() + self.chunks.byte_length(|pairs| pairs.capacity() * size_of::<u32>())
    }
}
