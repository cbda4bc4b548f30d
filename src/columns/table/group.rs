//! Findings grouped by the values of some columns.

use super::group_ids::{for_each_group, sorted_ids};
use super::view::View;
use crate::cell::Cell;
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

impl Aggregate {
    const EMPTY: Self = Self { findings: 0, count: 0, sum: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn add_number(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }
}

/// Groups the findings by their values at `paths`, and summarizes their numbers at another path if it is given.
pub(super) fn group(view: &View, paths: &[PathId], summarized: Option<PathId>) -> Result<Groups, OutOfMemory> {
    let mut aggregates: Vec<Aggregate> = Vec::new();
    let mut words = Vec::new();
    let keys = for_each_group(view, paths, &mut |start, groups| {
        for group in groups {
            // A group id is at most one above the ids before it.
            if *group as usize >= aggregates.len() {
                push(&mut aggregates, Aggregate::EMPTY)?;
            }
            if let Some(aggregate) = aggregates.get_mut(*group as usize) {
                aggregate.findings += 1;
            }
        }
        if let Some(path) = summarized {
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
    let findings_of = |group: u32| aggregates.get(group as usize).map(|aggregate| aggregate.findings);
    let order = sorted_ids(aggregates.len(), &mut |left, right| findings_of(right).cmp(&findings_of(left)))?;
    let key_length = paths.len().checked_mul(order.len()).ok_or(OutOfMemory)?;
    let mut groups = Groups { keys: with_capacity(key_length)?, aggregates: with_capacity(order.len())? };
    for group in order {
        groups.keys.extend(keys.key(group).iter().map(|word| Cell::from_word(*word)));
        groups.aggregates.extend(aggregates.get(group as usize));
    }
    Ok(groups)
}
