//! Findings grouped by the values of some columns.

use super::group_ids::{Compare, GroupKeys, for_each_group, sort_ids};
use super::view::View;
use crate::cell::Cell;
use crate::memory::{OutOfMemory, filled, push, reserve, resize, with_capacity};
use crate::shapes::PathId;

/// The groups of findings that have equal values in some columns, the largest group first, and of groups of one size the one that
/// occurs first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Groups {
    /// The values of each group: one for each column, group after group.
    pub keys: Vec<Cell>,
    /// The aggregate of each group.
    pub aggregates: Vec<Aggregate>,
    /// The ids of the groups, for tables of a live table.
    pub ids: Option<GroupIds>,
}

/// Ids by which a group is found again in the groups of a later snapshot, if its number of findings has not changed.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupIds {
    /// The number of the grouping, different for all groupings of one live table.
    pub grouping: u32,
    /// The id of each group: the groups of a grouping have the ids from 0 to before their number.
    pub ids: Vec<u32>,
}

impl Groups {
    /// Returns the number of findings of each group.
    ///
    /// # Errors
    ///
    /// Memory ran out.
    pub fn counts(&self) -> Result<Vec<f64>, OutOfMemory> {
        let mut counts = with_capacity(self.aggregates.len())?;
        counts.extend(self.aggregates.iter().map(|aggregate| aggregate.findings as f64));
        Ok(counts)
    }

    /// Returns the summary of each group: the number of findings, the number of numbers, their sum, minimum and maximum.
    ///
    /// # Errors
    ///
    /// Memory ran out.
    pub fn summaries(&self) -> Result<Vec<[f64; 5]>, OutOfMemory> {
        let mut summaries = with_capacity(self.aggregates.len())?;
        summaries.extend(
            self.aggregates.iter().map(|Aggregate { findings, count, sum, min, max }| {
                [*findings as f64, *count as f64, *sum, *min, *max]
            }),
        );
        Ok(summaries)
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
    /// The sums of the chunks, by index. They are added in this order, because the sum of numbers that are not integers depends on it.
    sums: Vec<ChunkSums>,
    order: Order,
}

/// The order of the groups, kept from one call to the next, so that only groups to which findings have been added are sorted again.
#[derive(Default)]
struct Order {
    /// The groups that are in order.
    sorted: Vec<u32>,
    /// The groups to which findings have been added since.
    changed: Vec<u32>,
    /// Whether a group is among the changed ones.
    is_changed: Vec<bool>,
}

/// The position of a group among those of its chunk, by their first findings. Earlier positions are less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    chunk: u64,
    rank: u32,
}

/// The sums of one chunk by group; groups without a sum are left out.
struct ChunkSums {
    index: u64,
    sums: Vec<(u32, f64)>,
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
    pub(super) fn new(paths: &[PathId], summarized: Option<PathId>) -> Result<Self, OutOfMemory> {
        let mut own_paths = with_capacity(paths.len())?;
        own_paths.extend_from_slice(paths);
        Ok(Grouping {
            paths: own_paths,
            summarized,
            keys: GroupKeys::new(paths.len()),
            aggregates: Vec::new(),
            firsts: Vec::new(),
            sums: Vec::new(),
            order: Order::default(),
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
        self.order.note(self.keys.occurring())?;
        if self.summarized.is_some() { self.note_sums(index) } else { Ok(()) }
    }

    /// Returns the groups of all chunks added.
    pub(super) fn groups(&mut self) -> Result<Groups, OutOfMemory> {
        let mut sums = filled(self.aggregates.len(), 0.0)?;
        for (group, sum) in self.sums.iter().flat_map(|chunk| &chunk.sums) {
            if let Some(total) = sums.get_mut(*group as usize) {
                *total += sum;
            }
        }
        let Grouping { order, aggregates, firsts, .. } = self;
        let order = order.update(&mut |left, right| {
            let key = |group: u32| {
                let (aggregate, first) = (aggregates.get(group as usize), firsts.get(group as usize));
                (std::cmp::Reverse(aggregate.map(|aggregate| aggregate.findings)), first)
            };
            key(left).cmp(&key(right))
        })?;
        let key_length = self.paths.len().checked_mul(order.len()).ok_or(OutOfMemory)?;
        let (keys, aggregates) = (with_capacity(key_length)?, with_capacity(order.len())?);
        let mut groups = Groups { keys, aggregates, ids: None };
        for group in order {
            groups.keys.extend(self.keys.key(*group).iter().map(|word| Cell::from_word(*word)));
            if let (Some(aggregate), Some(sum)) = (self.aggregates.get(*group as usize), sums.get(*group as usize)) {
                groups.aggregates.push(Aggregate { sum: *sum, ..*aggregate });
            }
        }
        Ok(groups)
    }

    /// Returns the ids of the groups, in the order of the last call of [`groups`](Self::groups).
    pub(super) fn ids(&self) -> Result<Vec<u32>, OutOfMemory> {
        let mut ids = with_capacity(self.order.sorted.len())?;
        ids.extend_from_slice(&self.order.sorted);
        Ok(ids)
    }

    /// Returns the bytes of memory that the grouping holds.
    pub(super) fn byte_length(&self) -> usize {
        let sums: usize = self.sums.iter().map(|chunk| chunk.sums.capacity() * size_of::<(u32, f64)>()).sum();
        self.keys.byte_length()
            + self.aggregates.capacity() * size_of::<Aggregate>()
            + self.firsts.capacity() * size_of::<Position>()
            + self.sums.capacity() * size_of::<ChunkSums>()
            + sums
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
        reserve(&mut self.sums, 1)?;
        let position = self.sums.partition_point(|chunk| chunk.index < index);
        self.sums.insert(position, ChunkSums { index, sums });
        Ok(())
    }
}

impl Order {
    /// Notes that findings have been added to these groups.
    fn note(&mut self, groups: &[u32]) -> Result<(), OutOfMemory> {
        for group in groups {
            let known = self.is_changed.len().max(*group as usize + 1);
            resize(&mut self.is_changed, known, false)?;
            if let Some(is_changed @ false) = self.is_changed.get_mut(*group as usize) {
                *is_changed = true;
                push(&mut self.changed, *group)?;
            }
        }
        Ok(())
    }

    /// Sorts the changed groups and merges them with the others. Returns all groups in order.
    fn update(&mut self, compare: &mut Compare<'_>) -> Result<&[u32], OutOfMemory> {
        let Order { sorted, changed, is_changed } = self;
        let mut merged = with_capacity(sorted.len().max(is_changed.len()))?;
        sort_ids(changed, compare);
        let mut others = sorted.iter().filter(|group| is_changed.get(**group as usize) == Some(&false)).peekable();
        for group in changed.iter() {
            while let Some(before) = others.next_if(|other| compare(**other, *group).is_lt()) {
                merged.push(*before);
            }
            merged.push(*group);
        }
        merged.extend(others);
        changed.clear();
        is_changed.fill(false);
        *sorted = merged;
        Ok(sorted)
    }

    fn byte_length(&self) -> usize {
        (self.sorted.capacity() + self.changed.capacity()) * size_of::<u32>() + self.is_changed.capacity()
    }
}
