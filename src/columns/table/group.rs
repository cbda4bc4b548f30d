//! Findings grouped by the values of some columns.

use super::group_ids::{GroupKeys, for_each_group};
use super::group_order::{Moved, Order};
use super::group_sums::Sums;
use super::view::View;
use crate::cell::Cell;
use crate::hash_seed::HashSeed;
use crate::memory::{OutOfMemory, push, with_capacity};
use crate::shapes::PathId;

/// The groups of findings that have equal values in some columns, the largest group first, and of groups of one size the one that
/// occurs first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The values of each group: one for each column, group after group.
    pub keys: Vec<Cell>,
    /// The aggregate of each group.
    pub aggregates: Vec<Aggregate>,
    /// The result of which these are all groups or those that have changed, for tables of a live table.
    pub revision: Option<Revision>,
}

/// A result of a grouping of a live table, and how it changes the result before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revision {
    /// The number of the grouping, different for all groupings of one live table.
    pub grouping: u32,
    /// The number of this result, at least 1.
    pub number: u32,
    /// The number of the result that it changes; 0 if all groups are given.
    pub before: u32,
    /// The position of each given group among all groups. Empty if all are given.
    pub positions: Vec<u32>,
    /// The position of each given group in the result before, or [`NO_POSITION`](super::NO_POSITION). Empty if all are given.
    pub formers: Vec<u32>,
}

impl Groups {
    /// Returns the groups as words, without the summaries: the number of the grouping, of the result and of the result before, and the number
    /// of groups given, or zeros without a revision; the keys; the numbers of findings; the positions and the former ones.
    ///
    /// # Errors
    ///
    /// Memory ran out.
    pub fn words(&self) -> Result<Vec<u32>, OutOfMemory> {
        const HEAD: usize = 4;
        let none = Revision::default();
        let Revision { grouping, number, before, positions, formers } = self.revision.as_ref().unwrap_or(&none);
        let given = self.aggregates.len();
        let mut words = with_capacity(HEAD + self.keys.len() + given + positions.len() + formers.len())?;
        words.extend([*grouping, *number, *before, given as u32]);
        words.extend(self.keys.iter().map(|cell| cell.word()));
        // A table has at most `u32::MAX` findings.
        words.extend(self.aggregates.iter().map(|aggregate| aggregate.findings as u32));
        words.extend_from_slice(positions);
        words.extend_from_slice(formers);
        Ok(words)
    }

    /// Returns the summary of each group: the number of numbers, their sum, minimum and maximum.
    ///
    /// # Errors
    ///
    /// Memory ran out.
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
    /// The smallest of these numbers; infinity where there is none.
    pub min: f64,
    /// The largest of these numbers; minus infinity where there is none.
    pub max: f64,
}

/// A grouping to which chunks are added in any order. The groups, their order and their sums depend on the indexes of the chunks alone.
pub(super) struct Grouping {
    paths: Vec<PathId>,
    summarized: Option<PathId>,
    keys: GroupKeys,
    /// The aggregate of each group. The sum is that of the chunk that is being added.
    aggregates: Vec<Aggregate>,
    /// The first finding of each group.
    firsts: Vec<Position>,
    sums: Sums,
    order: Order,
    /// The number of the last result.
    result: u32,
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
            order: Order::default(),
            result: 0,
        })
    }

    /// Whether this is the grouping that [`new`](Self::new) creates from these arguments.
    pub(super) fn is_of(&self, paths: &[PathId], summarized: Option<PathId>) -> bool {
        self.paths == paths && self.summarized == summarized
    }

    /// Adds the rows of a view as the chunk with this index. After an error the grouping is unusable.
    pub(super) fn add(&mut self, index: u64, view: &View) -> Result<(), OutOfMemory> {
        let Grouping { paths, summarized, keys, aggregates, .. } = self;
        let mut words = Vec::new();
        keys.begin_chunk();
        for_each_group(view, paths, keys, &mut |start, groups| {
            for group in groups {
                // A group id is at most one above the ids before it.
                if *group as usize >= aggregates.len() {
                    push(aggregates, Aggregate::EMPTY)?;
                }
                if let Some(aggregate) = aggregates.get_mut(*group as usize) {
                    aggregate.findings += 1;
                }
            }
            if let Some(path) = *summarized {
                view.read(path, start..start + groups.len(), &mut words)?;
                let dictionary = view.dictionary();
                for (group, word) in groups.iter().zip(&words) {
                    if let Some(aggregate) = aggregates.get_mut(*group as usize)
                        && let Some(number) = dictionary.number(Cell::from_word(*word))
                    {
                        aggregate.add_number(number);
                    }
                }
            }
            Ok(())
        })?;
        self.note_firsts(index)?;
        self.order.note(self.keys.occurring(), self.keys.len())?;
        if self.summarized.is_some() { self.note_sums(index) } else { Ok(()) }
    }

    /// Returns the groups of all chunks added, as the result of the grouping with this number in its live table. Gives only those to which
    /// findings have been added since the last result unless `all` are asked for.
    pub(super) fn groups(&mut self, grouping: u32, all: bool) -> Result<Groups, OutOfMemory> {
        self.sums.update();
        let Grouping { order, aggregates, firsts, .. } = self;
        let Moved { groups, positions, formers } = order.update(&mut |left, right| {
            let key = |group: u32| {
                let (aggregate, first) = (aggregates.get(group as usize), firsts.get(group as usize));
                (std::cmp::Reverse(aggregate.map(|aggregate| aggregate.findings)), first)
            };
            key(left).cmp(&key(right))
        })?;
        let before = self.result;
        if before == 0 || !groups.is_empty() {
            // 0 stands for no result.
            self.result = before.wrapping_add(1).max(1);
        }
        let number = self.result;
        let (given, revision) = match all || before == 0 {
            true => (
                self.order.sorted(),
                Revision { grouping, number, before: 0, positions: Vec::new(), formers: Vec::new() },
            ),
            false => (&*groups, Revision { grouping, number, before, positions, formers }),
        };
        let key_length = self.paths.len().checked_mul(given.len()).ok_or(OutOfMemory)?;
        let (keys, aggregates) = (with_capacity(key_length)?, with_capacity(given.len())?);
        let mut groups = Groups { keys, aggregates, revision: Some(revision) };
        for group in given {
            groups.keys.extend(self.keys.key(*group).iter().map(|word| Cell::from_word(*word)));
            if let Some(aggregate) = self.aggregates.get(*group as usize) {
                groups.aggregates.push(Aggregate { sum: self.sums.of(*group), ..*aggregate });
            }
        }
        Ok(groups)
    }

    /// Returns the bytes of memory that the grouping holds.
    pub(super) fn byte_length(&self) -> usize {
        self.keys.byte_length()
            + self.aggregates.capacity() * size_of::<Aggregate>()
            + self.firsts.capacity() * size_of::<Position>()
            + self.sums.byte_length()
            + self.order.byte_length()
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

    /// Moves the sums of the groups that occur in the last chunk to the sums of the chunks.
    fn note_sums(&mut self, index: u64) -> Result<(), OutOfMemory> {
        let mut sums = with_capacity(self.keys.occurring().len())?;
        for group in self.keys.occurring() {
            let sum = self.aggregates.get_mut(*group as usize).map(|aggregate| std::mem::take(&mut aggregate.sum));
            sums.extend(sum.filter(|sum| *sum != 0.0).map(|sum| (*group, sum)));
        }
        self.sums.add(index, sums, self.aggregates.len())
    }
}
