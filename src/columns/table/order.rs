//! Ids in an order, by a merge sort. The stable sort of the standard library cannot report that it is out of memory; the other one, compiled for
//! size, takes twice as long.

use std::cmp::Ordering;
use std::mem::swap;

use crate::memory::{OutOfMemory, with_capacity};

/// Compares two ids.
pub(super) type Compare<'a> = dyn FnMut(u32, u32) -> Ordering + 'a;

/// Sorts the ids from 0 to `count`; equal ids stay in ascending order.
pub(super) fn sorted_ids(count: usize, compare: &mut Compare<'_>) -> Result<Vec<u32>, OutOfMemory> {
    let mut ids: Vec<u32> = with_capacity(count)?;
    ids.extend(0..count as u32);
    let mut merged = with_capacity(count)?;
    let mut length = 1;
    while length < count {
        merged.clear();
        for pair in ids.chunks(2 * length) {
            let (left, right) = pair.split_at(length.min(pair.len()));
            merge(left, right, &mut merged, compare);
        }
        swap(&mut ids, &mut merged);
        length *= 2;
    }
    Ok(ids)
}

/// Appends two sorted lists as one; of equal ids, those of `left` come first.
fn merge(mut left: &[u32], mut right: &[u32], merged: &mut Vec<u32>, compare: &mut Compare<'_>) {
    // Findings are often in order already: then one comparison is enough.
    if let ([.., last], [first, ..]) = (left, right)
        && compare(*last, *first) != Ordering::Greater
    {
        merged.extend_from_slice(left);
        left = &[];
    }
    while let ([first, after_first @ ..], [second, after_second @ ..]) = (left, right) {
        if compare(*first, *second) == Ordering::Greater {
            merged.push(*second);
            right = after_second;
        } else {
            merged.push(*first);
            left = after_first;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_ids_and_keeps_the_order_of_equal_ones(values in prop::collection::vec(0..20_u8, 0..300)) {
            let sorted = sorted_ids(values.len(), &mut |left, right| values[left as usize].cmp(&values[right as usize])).unwrap();
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by_key(|id| values[*id as usize]);
            prop_assert_eq!(sorted, expected);
        }
    }
}
