//! Findings grouped by the values of some columns.

use super::column_reader::ColumnReader;
use super::distinct::{DistinctReader, DistinctValues};
use super::group_ids::{GroupKeys, GroupReader};
use super::order::sorted_ids;
use super::part::Part;
use super::per_chunk::PerChunk;
use super::scope::Scope;
use chunk::hash::HashSeed;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, push, reserve, resize, with_capacity};
use chunk::value::cell::Cell;
use chunk::value::shapes::PathId;

/// Groups of findings with equal values in some columns: the largest group first, then in the order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The values of each group: one for each column, group after group.
    pub keys: Vec<Cell>,
    /// The aggregate of each group.
    pub aggregates: Vec<Aggregate>,
    /// The number of distinct values of each group in the column that was asked for, without missing and null; empty without such a column.
    pub distinct: Vec<u32>,
    /// The number of the grouping, unique in a live table; 0 if there are no later results.
    pub grouping: u32,
    /// The number of each group, the same in all results of the grouping. Empty if there are no later results.
    pub ids: Vec<u32>,
}

impl Groups {
    /// Returns the number of findings of each group.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn counts(&self) -> Result<Vec<u32>, OutOfMemory> {
        let mut counts = with_capacity(self.aggregates.len())?;
        // A table has at most `u32::MAX` findings.
        counts.extend(self.aggregates.iter().map(|aggregate| aggregate.findings as u32));
        Ok(counts)
    }

    /// Returns the summary of each group: the number of numbers, their sum, minimum and maximum.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn statistics(&self) -> Result<Vec<[f64; 4]>, OutOfMemory> {
        let mut statistics = with_capacity(self.aggregates.len())?;
        statistics.extend(
            self.aggregates.iter().map(|Aggregate { count, sum, min, max, .. }| [*count as f64, *sum, *min, *max]),
        );
        Ok(statistics)
    }
}

/// The number of findings of a group, and a summary of their numbers in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aggregate {
    /// The number of findings.
    pub findings: usize,
    /// The number of findings with a number in the summarized column; 0 without such a column.
    pub count: usize,
    /// The sum of these numbers.
    pub sum: f64,
    /// The smallest of these numbers; infinity if there are none.
    pub min: f64,
    /// The largest of these numbers; minus infinity if there are none.
    pub max: f64,
}

/// A grouping, and the groups that it has found in each chunk.
pub(super) struct Grouping {
    paths: Vec<PathId>,
    summarized: Option<PathId>,
    distinct: Option<DistinctValues>,
    keys: GroupKeys,
    /// The groups of each chunk, in the order of their first findings.
    chunks: PerChunk<Vec<(u32, Aggregate)>>,
    /// The aggregate of each group in the chunk whose findings are being grouped; empty between chunks.
    of_chunk: Vec<Aggregate>,
}

/// What a grouping reads of the chunks that it does not know yet.
struct GroupingReader<'scope> {
    groups: GroupReader<'scope>,
    summarized: Option<ColumnReader<'scope>>,
    values: Option<DistinctReader<'scope>>,
}

impl<'scope> GroupingReader<'scope> {
    fn new(grouping: &Grouping, scope: &'scope Scope) -> Result<Self, OutOfMemory> {
        Ok(GroupingReader {
            groups: GroupReader::new(scope, &grouping.paths)?,
            summarized: grouping.summarized.map(|path| scope.column(path)).transpose()?,
            values: grouping.distinct.as_ref().map(|distinct| distinct.reader(scope)).transpose()?,
        })
    }
}

impl Aggregate {
    const EMPTY: Self = Self { findings: 0, count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn add_number(&mut self, number: f64) {
        self.add(&Self { findings: 0, count: 1, sum: number, min: number, max: number });
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self.findings += other.findings;
        self.count += other.count;
        self.sum += other.sum;
        // None of them is NaN, which `f64::min` looks for.
        self.min = if other.min < self.min { other.min } else { self.min };
        self.max = if other.max > self.max { other.max } else { self.max };
    }
}

impl Grouping {
    /// A grouping by the values at `paths`, which summarizes the numbers at another path, and counts the distinct values at a third, if
    /// these are given.
    pub(super) fn new(
        paths: &[PathId],
        summarized: Option<PathId>,
        distinct: Option<PathId>,
        seed: &HashSeed,
    ) -> Result<Self, OutOfMemory> {
        let mut own_paths = Vec::new();
        extend(&mut own_paths, paths)?;
        Ok(Grouping {
            paths: own_paths,
            summarized,
            distinct: distinct.map(|path| DistinctValues::new(path, seed)),
            keys: GroupKeys::new(paths.len(), seed),
            chunks: PerChunk::default(),
            of_chunk: Vec::new(),
        })
    }

    /// Returns the groups of a scope. Each scope has the same rows of a chunk. Sums are added chunk by chunk, because the sum of doubles
    /// depends on the order. After an error the grouping is unusable.
    pub(super) fn groups(&mut self, scope: &Scope) -> Result<Groups, OutOfMemory> {
        let mut totals: Vec<Aggregate> = Vec::new();
        let (mut found, mut chunks, mut reader) = (Vec::new(), Vec::new(), None);
        for part in scope.parts()? {
            if self.chunks.get(part.number).is_none() {
                let reader = match &mut reader {
                    Some(reader) => reader,
                    reader => reader.insert(GroupingReader::new(self, scope)?),
                };
                let groups = self.groups_of_part(&part, reader)?;
                self.chunks.set(part.number, groups)?;
            }
            push(&mut chunks, part.number)?;
            let length = self.keys.len().max(totals.len());
            resize(&mut totals, length, Aggregate::EMPTY)?;
            for (group, aggregate) in self.chunks.get(part.number).into_iter().flatten() {
                let total = totals.get_mut(*group as usize).certain();
                if total.findings == 0 {
                    push(&mut found, *group)?;
                }
                total.add(aggregate);
            }
        }
        let total = |group: u32| totals.get(group as usize).copied().certain();
        let mut sizes = with_capacity(found.len())?;
        sizes.extend(found.iter().map(|group| total(*group).findings));
        // The largest group first. Groups of the same size are in the order of their first findings already.
        let mut ids = sorted_ids(found.len(), &mut |left, right| {
            sizes.get(right as usize).certain().cmp(sizes.get(left as usize).certain())
        })?;
        ids.iter_mut().for_each(|id| *id = found.get(*id as usize).copied().certain());
        let key_length = self.paths.len().saturating_mul(ids.len());
        let (mut keys, mut aggregates) = (with_capacity(key_length)?, with_capacity(ids.len())?);
        keys.resize(key_length, Cell::MISSING);
        for (column, path) in self.paths.iter().enumerate() {
            // No chunk has codes of a column that no chunk has yet.
            let Some(codes) = scope.catalog().column_codes(*path) else { continue };
            for (group, key) in ids.iter().zip(keys.chunks_exact_mut(self.paths.len())) {
                if let (Some(cell), Some(code)) = (key.get_mut(column), self.keys.key(*group).get(column)) {
                    *cell = codes.cell(*code);
                }
            }
        }
        aggregates.extend(ids.iter().map(|group| total(*group)));
        let mut distinct = Vec::new();
        if let Some(values) = &mut self.distinct {
            let counts = values.counts(&chunks, totals.len())?;
            reserve(&mut distinct, ids.len())?;
            distinct.extend(ids.iter().map(|group| *counts.get(*group as usize).certain()));
        }
        Ok(Groups { keys, aggregates, distinct, grouping: 0, ids })
    }

    fn groups_of_part(
        &mut self,
        part: &Part<'_>,
        reader: &mut GroupingReader<'_>,
    ) -> Result<Vec<(u32, Aggregate)>, OutOfMemory> {
        let Grouping { distinct, keys, of_chunk, .. } = self;
        let GroupingReader { groups, summarized, values } = reader;
        let mut numbers = Vec::new();
        keys.begin_chunk();
        if let Some(distinct) = distinct {
            distinct.begin_chunk();
        }
        groups.for_each_group(part, keys, &mut |start, groups| {
            for group in groups {
                // A group id is at most one above the ids before it.
                if *group as usize >= of_chunk.len() {
                    push(of_chunk, Aggregate::EMPTY)?;
                }
                of_chunk.get_mut(*group as usize).certain().findings += 1;
            }
            if let Some(column) = summarized {
                column.numbers(start..start + groups.len(), &mut numbers)?;
                for (group, number) in groups.iter().zip(&numbers).filter(|(_, number)| !number.is_nan()) {
                    of_chunk.get_mut(*group as usize).certain().add_number(*number);
                }
            }
            match (&mut *distinct, &mut *values) {
                (Some(distinct), Some(values)) => distinct.read(values, start, groups),
                _ => Ok(()),
            }
        })?;
        if let Some(distinct) = distinct {
            distinct.end_chunk(part.number)?;
        }
        let mut groups = with_capacity(keys.occurring().len())?;
        groups.extend(keys.occurring().iter().map(|group| {
            let aggregate = of_chunk.get_mut(*group as usize).certain();
            (*group, std::mem::replace(aggregate, Aggregate::EMPTY))
        }));
        Ok(groups)
    }

    /// Returns the bytes of memory that the grouping holds.
    pub(super) fn byte_length(&self) -> usize {
        self.keys.byte_length()
            + self.chunks.byte_length(|groups| groups.capacity() * size_of::<(u32, Aggregate)>())
            + self.of_chunk.capacity() * size_of::<Aggregate>()
            + self.distinct.as_ref().map_or(0, DistinctValues::byte_length)
    }
}
