//! The order of groups, in which an update moves only the groups that have changed.

use super::group_ids::{Compare, sort_ids};
use crate::memory::{OutOfMemory, filled, push, resize, with_capacity};

/// The former position of a group that is new.
pub const NO_POSITION: u32 = u32::MAX;

/// Stands for the former position of a group that has not changed.
const SETTLED: u32 = u32::MAX - 1;

/// The ids of groups in an order, and which of them may have another position.
#[derive(Default)]
pub(super) struct Order {
    sorted: Vec<u32>,
    /// The groups that have changed since the last update.
    changed: Vec<u32>,
    /// By group: [`SETTLED`] unless it has changed.
    formers: Vec<u32>,
}

/// The groups that an update has moved to their positions.
pub(super) struct Moved {
    /// The groups in their order.
    pub(super) groups: Vec<u32>,
    /// The position of each of them.
    pub(super) positions: Vec<u32>,
    /// The position of each of them before the update, or [`NO_POSITION`].
    pub(super) formers: Vec<u32>,
}

impl Order {
    /// Returns all groups in the order of the last update.
    pub(super) fn sorted(&self) -> &[u32] {
        &self.sorted
    }

    /// Notes that these groups have changed. There are `count` groups in all; new ones have the highest ids.
    pub(super) fn note(&mut self, groups: &[u32], count: usize) -> Result<(), OutOfMemory> {
        resize(&mut self.formers, count, SETTLED)?;
        for group in groups {
            if let Some(former @ &mut SETTLED) = self.formers.get_mut(*group as usize) {
                *former = NO_POSITION;
                push(&mut self.changed, *group)?;
            }
        }
        Ok(())
    }

    /// Sorts the changed groups, of which no two compare as equal, and merges them with the others. While all of them are new, that takes time in proportion to their number
    /// and to that of the groups behind the first of them; otherwise also to the number of all groups.
    pub(super) fn update(&mut self, compare: &mut Compare<'_>) -> Result<Moved, OutOfMemory> {
        self.take_out_changed();
        let Order { sorted, changed, formers: former_of } = self;
        let groups = std::mem::take(changed);
        let mut moved = Moved { positions: filled(groups.len(), 0)?, formers: with_capacity(groups.len())?, groups };
        sort_ids(&mut moved.groups, compare);
        let mut end = sorted.len();
        resize(sorted, end + moved.groups.len(), 0)?;
        for (before, (group, position)) in moved.groups.iter().zip(&mut moved.positions).enumerate().rev() {
            let others = sorted.get(..end).unwrap_or_default();
            let start = partition_point_from_end(others, &mut |other| compare(other, *group).is_lt());
            sorted.copy_within(start..end, start + before + 1);
            if let Some(place) = sorted.get_mut(start + before) {
                *place = *group;
            }
            *position = (start + before) as u32;
            end = start;
        }
        for group in &moved.groups {
            let former = former_of.get_mut(*group as usize).map(|former| std::mem::replace(former, SETTLED));
            moved.formers.push(former.unwrap_or(NO_POSITION));
        }
        Ok(moved)
    }

    /// Returns the bytes of memory that the order holds.
    pub(super) fn byte_length(&self) -> usize {
        (self.sorted.capacity() + self.changed.capacity() + self.formers.capacity()) * size_of::<u32>()
    }

    /// Removes the changed groups from the sorted ones, and keeps their positions.
    fn take_out_changed(&mut self) {
        let Order { sorted, changed, formers } = self;
        if changed.iter().all(|group| *group as usize >= sorted.len()) {
            return;
        }
        let mut position = 0;
        sorted.retain(|group| {
            let former = formers.get_mut(*group as usize).filter(|former| **former != SETTLED);
            let is_settled = former.is_none();
            if let Some(former) = former {
                *former = position;
            }
            position += 1;
            is_settled
        });
    }
}

/// Returns the number of leading groups that are before a place. Fast if the place is near the end.
fn partition_point_from_end(groups: &[u32], is_before: &mut dyn FnMut(u32) -> bool) -> usize {
    let (mut high, mut step) = (groups.len(), 1);
    let low = loop {
        let Some(probe) = high.checked_sub(step) else { break 0 };
        if groups.get(probe).is_some_and(|group| is_before(*group)) {
            break probe + 1;
        }
        high = probe;
        step *= 2;
    };
    let between = groups.get(low..high).unwrap_or_default();
    low + between.partition_point(|group| is_before(*group))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Groups are ordered by values that only grow, as their numbers of findings do.
        #[test]
        fn sorts_all_groups_and_tells_what_has_moved(
            updates in prop::collection::vec(prop::collection::vec((0usize..60, 1u32..9), 0..30), 0..12),
        ) {
            let (mut order, mut values, mut known) = (Order::default(), Vec::<u32>::new(), Vec::<u32>::new());
            for update in updates {
                let mut changed = Vec::new();
                for (group, more) in update {
                    // A new group has the next id.
                    let group = group.min(values.len());
                    if group == values.len() {
                        values.push(0);
                    }
                    values[group] += more;
                    changed.push(group as u32);
                }
                order.note(&changed, values.len()).unwrap();
                let by_value = |left: u32, right: u32| values[right as usize].cmp(&values[left as usize]).then(left.cmp(&right));
                let Moved { groups, positions, formers } = order.update(&mut { by_value }).unwrap();
                let mut expected: Vec<u32> = (0..values.len() as u32).collect();
                expected.sort_by_key(|group| (std::cmp::Reverse(values[*group as usize]), *group));
                prop_assert_eq!(order.sorted(), &expected);
                // Applied to the last order as JavaScript does.
                let before = known.clone();
                known.retain(|group| !groups.contains(group));
                for ((group, position), former) in groups.iter().zip(&positions).zip(&formers) {
                    prop_assert_eq!(before.get(*former as usize).unwrap_or(group), group);
                    prop_assert_eq!(*former == NO_POSITION, !before.contains(group));
                    known.insert(*position as usize, *group);
                }
                prop_assert_eq!(&known, &expected);
                let is_ascending = positions.is_sorted_by(|left, right| left < right);
                changed.sort_unstable();
                changed.dedup();
                prop_assert!(is_ascending && groups.len() == changed.len());
            }
        }
    }

    #[test]
    fn finds_the_place_of_a_group_among_few_and_many() {
        for length in 0..70 {
            let groups: Vec<u32> = (0..length).collect();
            for place in 0..=length {
                assert_eq!(partition_point_from_end(&groups, &mut |group| group < place), place as usize);
            }
        }
    }
}
