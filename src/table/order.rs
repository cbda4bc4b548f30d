//! Ids in an order.

use std::cmp::Ordering;

use chunk::memory::{OutOfMemory, with_capacity};

/// Compares two ids.
type Compare<'a> = dyn FnMut(u32, u32) -> Ordering + 'a;

/// Sorts the ids from 0 to `count`; equal ids stay in ascending order. A quicksort that reads English texts in the order in which they lie in
/// memory is less than 1.5 times as fast as the sort of the standard library, although that is compiled for size.
pub(super) fn sorted_ids(count: usize, compare: &mut Compare<'_>) -> Result<Vec<u32>, OutOfMemory> {
    let mut ids: Vec<u32> = with_capacity(count)?;
    ids.extend(0..count as u32);
    // Findings are often in order already.
    if ids.array_windows().any(|[left, right]| compare(*left, *right) == Ordering::Greater) {
        ids.sort_unstable_by(|left, right| compare(*left, *right).then(left.cmp(right)));
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_ids_and_keeps_the_order_of_equal_ones(values in prop::collection::vec(0..20_u8, 0..300)) {
            let mut compare = |left: u32, right: u32| values[left as usize].cmp(&values[right as usize]);
            let sorted = sorted_ids(values.len(), &mut compare).unwrap();
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by_key(|id| values[*id as usize]);
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn takes_no_quadratic_time_whatever_the_order(step in 1..10_000_u32, is_folded in any::<bool>()) {
            const COUNT: u32 = 10_007;
            let rank = |id: u32| if is_folded { (id * step % COUNT).abs_diff(COUNT / 2) } else { id * step % COUNT };
            let mut comparisons = 0;
            let mut compare = |left, right| {
                comparisons += 1;
                rank(left).cmp(&rank(right))
            };
            sorted_ids(COUNT as usize, &mut compare).unwrap();
            prop_assert!(comparisons < 400_000, "{comparisons}");
        }
    }

    /// Compares so that each pivot is the largest, or the smallest: M. D. McIlroy, "A Killer Adversary for Quicksort", 1999.
    #[cfg(not(target_family = "wasm"))]
    fn sort_worst(count: usize, is_largest: bool) {
        let (mut values, mut solid, mut candidate) = (vec![u32::MAX; count], 0, 0);
        let mut compare = |left: u32, right: u32| {
            if values[left as usize] == u32::MAX && values[right as usize] == u32::MAX {
                values[if left == candidate { left } else { right } as usize] = solid;
                solid += 1;
            }
            if values[left as usize] == u32::MAX {
                candidate = left;
            } else if values[right as usize] == u32::MAX {
                candidate = right;
            }
            let order = values[left as usize].cmp(&values[right as usize]);
            if is_largest { order.reverse() } else { order }
        };
        sorted_ids(count, &mut compare).unwrap();
    }

    /// With a stack for each pivot, this would abort.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn needs_little_stack_even_if_every_pivot_is_the_worst() {
        for is_largest in [false, true] {
            let small = std::thread::Builder::new().stack_size(1 << 16);
            small.spawn(move || sort_worst(5_000, is_largest)).unwrap().join().unwrap();
        }
    }
}
