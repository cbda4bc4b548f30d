//! The number of distinct values of a column in each group. Missing and null are no values.

use super::codes::MISSING;
use super::condition::Operand;
use super::per_chunk::PerChunk;
use super::scope::{CodeReader, Scope};
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, reserve, with_capacity};
use chunk::value::shapes::PathId;

/// The values that each group has in a column.
pub(super) struct DistinctValues {
    path: PathId,
    /// The groups and codes of the rows of each chunk that have a value. What the row before has is left out.
    chunks: PerChunk<Vec<(u32, u32)>>,
}

/// Collects the groups and codes of the rows of a chunk.
pub(super) struct DistinctReader<'scope> {
    reader: CodeReader<'scope>,
    /// The code of null, if a row has it.
    null: Option<u32>,
    codes: Vec<u32>,
    found: Vec<(u32, u32)>,
}

impl DistinctValues {
    /// No values yet, of the column at a path.
    pub(super) fn new(path: PathId) -> Self {
        DistinctValues { path, chunks: PerChunk::default() }
    }

    /// Begins to read a scope. May call the host, so nothing may be borrowed.
    pub(super) fn reader<'scope>(&self, scope: &'scope Scope) -> Result<DistinctReader<'scope>, OutOfMemory> {
        let reader = scope.codes(self.path)?;
        let null =
            scope.catalog().column_codes(self.path).and_then(|codes| codes.find(&scope.contents(), &Operand::Null));
        Ok(DistinctReader { reader, null, codes: Vec::new(), found: Vec::new() })
    }

    /// Sets what has been read of a chunk.
    pub(super) fn set(&mut self, number: u32, read: DistinctReader<'_>) -> Result<(), OutOfMemory> {
        self.chunks.set(number, read.found)
    }

    /// Counts the distinct values of each group in the chunks with these numbers. `sizes` are the numbers of findings of
    /// the groups.
    pub(super) fn counts(
        &self,
        scope: &Scope,
        chunks: &[u32],
        sizes: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<Vec<u32>, OutOfMemory> {
        // The codes in the order of their groups, each of which has room for one code of each finding.
        let mut ends = with_capacity(sizes.len())?;
        let mut length = 0;
        for size in sizes.clone() {
            ends.push(length);
            length += size;
        }
        let mut codes = filled(length, MISSING)?;
        for (group, code) in chunks.iter().filter_map(|number| self.chunks.get(*number)).flatten() {
            let end = ends.get_mut(*group as usize).certain();
            *codes.get_mut(*end).certain() = *code;
            *end += 1;
        }
        let known = scope.catalog().column_codes(self.path).map_or(0, |codes| codes.len());
        // The last group that has each code, counted from 1.
        let mut last = filled(known, 0_u32)?;
        let (mut start, mut counts) = (0, with_capacity(sizes.len())?);
        for (group, (size, end)) in (1..).zip(sizes.zip(&ends)) {
            let mut count = 0;
            for code in codes.get(start..*end).certain() {
                let last = last.get_mut(*code as usize).certain();
                count += u32::from(*last != group);
                *last = group;
            }
            counts.push(count);
            start += size;
        }
        Ok(counts)
    }

    /// Returns the bytes of memory that the values hold.
    pub(super) fn byte_length(&self) -> usize {
        self.chunks.byte_length(|found| found.capacity() * size_of::<(u32, u32)>())
    }
}

impl DistinctReader<'_> {
    /// Reads the rows from `start` on, which are of these groups.
    pub(super) fn read(&mut self, start: usize, groups: &[u32]) -> Result<(), OutOfMemory> {
        self.reader.codes(start..start + groups.len(), &mut self.codes)?;
        reserve(&mut self.found, groups.len())?;
        for (group, code) in groups.iter().zip(&self.codes) {
            let found = (*group, *code);
            if *code != MISSING && Some(*code) != self.null && self.found.last() != Some(&found) {
                self.found.push(found);
            }
        }
        Ok(())
    }
}
