//! Findings grouped by the values of some columns.

use super::catalog::Catalog;
use super::group_ids::{GroupKeys, for_each_group};
use super::group_sums::Sums;
use super::order::sorted_ids;
use super::view::View;
use crate::hash::HashSeed;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, with_capacity};
use crate::value::cell::Cell;
use crate::value::shapes::PathId;

/// Groups of findings with equal values in some columns: the largest group first, then in the order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The values of each group: one for each column, group after group.
    pub keys: Vec<Cell>,
    /// The aggregate of each group.
    pub aggregates: Vec<Aggregate>,
    /// The number of the grouping, unique in a live table; 0 if there are no later results.
    pub grouping: u32,
    /// The number of each group, the same in all results of the grouping. Empty if there are no later results.
    pub ids: Vec<u32>,
}

impl Groups {
    /// Returns the groups as words, without the summaries: the number of the grouping and of the groups; the keys; the numbers of findings; and
    /// the numbers of the groups, if there are later results.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn words(&self) -> Result<Vec<u32>, OutOfMemory> {
        const HEAD: usize = 2;
        let length = self.aggregates.len();
        let mut words = with_capacity(HEAD + self.keys.len() + length + self.ids.len())?;
        words.extend([self.grouping, length as u32]);
        words.extend(self.keys.iter().map(|cell| cell.word()));
        // A table has at most `u32::MAX` findings.
        words.extend(self.aggregates.iter().map(|aggregate| aggregate.findings as u32));
        words.extend_from_slice(&self.ids);
        Ok(words)
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

/// A grouping to which chunks are added in any order. The groups, their order and their sums depend only on the indexes of the chunks.
pub(super) struct Grouping {
    paths: Vec<PathId>,
    summarized: Option<PathId>,
    keys: GroupKeys,
    /// The aggregate of each group. Its sum covers only the current chunk.
    aggregates: Vec<Aggregate>,
    /// The first finding of each group.
    firsts: Vec<Position>,
    sums: Sums,
}

/// The position of a group among those of its chunk, by their first findings. Earlier positions are less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    chunk: u64,
    rank: u32,
}

impl Aggregate {
    const EMPTY: Self = Self { findings: 0, count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn add_number(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }
}

impl Grouping {
    /// A grouping by the values at `paths`, which summarizes the numbers at another path if it is given.
    pub(super) fn new(paths: &[PathId], summarized: Option<PathId>, seed: &HashSeed) -> Result<Self, OutOfMemory> {
        let mut own_paths = with_capacity(paths.len())?;
        own_paths.extend_from_slice(paths);
        Ok(Grouping {
            paths: own_paths,
            summarized,
            keys: GroupKeys::new(paths.len(), seed),
            aggregates: Vec::new(),
            firsts: Vec::new(),
            sums: Sums::default(),
        })
    }

    /// Adds the rows of a view as the chunk with this index. After an error the grouping is unusable.
    pub(super) fn add(&mut self, index: u64, view: &View) -> Result<(), OutOfMemory> {
        let Grouping { paths, summarized, keys, aggregates, .. } = self;
        let summarized = summarized.map(|path| view.column(path)).transpose()?;
        let mut numbers = Vec::new();
        keys.begin_chunk();
        for_each_group(view, paths, keys, &mut |start, groups| {
            for group in groups {
                // A group id is at most one above the ids before it.
                if *group as usize >= aggregates.len() {
                    push(aggregates, Aggregate::EMPTY)?;
                }
                if let Some(aggregate) = aggregates.get_mut(*group as usize).certain() {
                    aggregate.findings += 1;
                }
            }
            if let Some(column) = &summarized {
                column.numbers(start..start + groups.len(), &mut numbers)?;
                for (group, number) in groups.iter().zip(&numbers).filter(|(_, number)| !number.is_nan()) {
                    if let Some(aggregate) = aggregates.get_mut(*group as usize).certain() {
                        aggregate.add_number(*number);
                    }
                }
            }
            Ok(())
        })?;
        self.note_firsts(index)?;
        if self.summarized.is_some() { self.note_sums(index) } else { Ok(()) }
    }

    /// Returns the groups of all chunks added, which are of this catalog.
    pub(super) fn groups(&mut self, catalog: &Catalog) -> Result<Groups, OutOfMemory> {
        self.sums.update();
        let Grouping { aggregates, firsts, .. } = self;
        let ids = sorted_ids(aggregates.len(), self.keys.seed(), &mut |left, right| {
            let key = |group: u32| {
                let (aggregate, first) = (aggregates.get(group as usize), firsts.get(group as usize));
                (std::cmp::Reverse(aggregate.map(|aggregate| aggregate.findings)), first)
            };
            key(left).cmp(&key(right))
        })?;
        let key_length = self.paths.len().checked_mul(ids.len()).ok_or(OutOfMemory)?;
        let (mut keys, mut aggregates) = (with_capacity(key_length)?, with_capacity(ids.len())?);
        keys.resize(key_length, Cell::MISSING);
        for (column, path) in self.paths.iter().enumerate() {
            // No chunk has codes of a column that no chunk has yet.
            let Ok(codes) = catalog.column_codes(*path) else { continue };
            for (group, key) in ids.iter().zip(keys.chunks_exact_mut(self.paths.len())) {
                if let (Some(cell), Some(code)) = (key.get_mut(column), self.keys.key(*group).get(column)) {
                    *cell = codes.cell(*code);
                }
            }
        }
        for group in &ids {
            if let Some(aggregate) = self.aggregates.get(*group as usize).certain() {
                aggregates.push(Aggregate { sum: self.sums.of(*group), ..*aggregate });
            }
        }
        Ok(Groups { keys, aggregates, grouping: 0, ids })
    }

    /// Returns the bytes of memory that the grouping holds.
    pub(super) fn byte_length(&self) -> usize {
        self.keys.byte_length()
            + self.aggregates.capacity() * size_of::<Aggregate>()
            + self.firsts.capacity() * size_of::<Position>()
            + self.sums.byte_length()
    }

    fn note_firsts(&mut self, chunk: u64) -> Result<(), OutOfMemory> {
        for (rank, group) in (0..).zip(self.keys.occurring()) {
            let position = Position { chunk, rank };
            match self.firsts.get_mut(*group as usize) {
                Some(first) => *first = position.min(*first),
                // New ids count up in the order in which they occur.
                None => push(&mut self.firsts, position)?,
            }
        }
        Ok(())
    }

    /// Moves the sums of the last chunk to the sums by chunk.
    fn note_sums(&mut self, index: u64) -> Result<(), OutOfMemory> {
        let mut sums = with_capacity(self.keys.occurring().len())?;
        for group in self.keys.occurring() {
            let sum = self.aggregates.get_mut(*group as usize).map(|aggregate| std::mem::take(&mut aggregate.sum));
            sums.extend(sum.filter(|sum| *sum != 0.0).map(|sum| (*group, sum)));
        }
        self.sums.add(index, sums, self.aggregates.len())
    }
}
