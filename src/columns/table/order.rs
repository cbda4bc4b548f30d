//! Ids in an order.

use std::cmp::Ordering;

use crate::hash::HashSeed;
use crate::memory::{OutOfMemory, with_capacity};

/// Compares two ids.
type Compare<'a> = dyn FnMut(u32, u32) -> Ordering + 'a;

/// Sorts the ids from 0 to `count`; equal ids stay in ascending order.
pub(super) fn sorted_ids(count: usize, seed: &HashSeed, compare: &mut Compare<'_>) -> Result<Vec<u32>, OutOfMemory> {
    let mut ids: Vec<u32> = with_capacity(count)?;
    ids.extend(0..count as u32);
    // Findings are often in order already.
    if ids.array_windows().any(|[left, right]| compare(*left, *right) == Ordering::Greater) {
        sort(&mut ids, seed, compare);
    }
    Ok(ids)
}

/// A quicksort, which at first reads texts in the order in which they lie in memory. The sort of the standard library, compiled for size, is a
/// heap sort: on texts it takes more than twice as long, like a merge sort.
fn sort(mut ids: &mut [u32], seed: &HashSeed, compare: &mut Compare<'_>) {
    while let [_, _, ..] = ids {
        // The choice is secret, so that nobody can send findings that take quadratic time. The factor spreads lengths by any secret.
        let random = (seed.multiplier() ^ ids.len() as u32).wrapping_mul(0x9E37_79B9);
        ids.swap(0, ((u64::from(random) * ids.len() as u64) >> 32) as usize);
        let [pivot, others @ ..] = ids else { return };
        let mut less = 0;
        for at in 0..others.len() {
            if others.get(at).is_some_and(|id| compare(*id, *pivot).then(id.cmp(pivot)) == Ordering::Less) {
                others.swap(at, less);
                less += 1;
            }
        }
        ids.swap(0, less);
        let (low, rest) = ids.split_at_mut(less);
        let high = rest.split_first_mut().map_or(Default::default(), |(_, high)| high);
        // Only the smaller part takes stack, so that there is always enough.
        let (few, many) = if low.len() < high.len() { (low, high) } else { (high, low) };
        sort(few, seed, compare);
        ids = many;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_ids_and_keeps_the_order_of_equal_ones(values in prop::collection::vec(0..20_u8, 0..300), random in 0.0..1.0) {
            let mut compare = |left: u32, right: u32| values[left as usize].cmp(&values[right as usize]);
            let sorted = sorted_ids(values.len(), &HashSeed::new(random), &mut compare).unwrap();
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by_key(|id| values[*id as usize]);
            prop_assert_eq!(sorted, expected);
        }

        #[test]
        fn takes_no_quadratic_time_whatever_the_order(step in 1..10_000_u32, is_folded in any::<bool>(), random in 0.0..1.0) {
            const COUNT: u32 = 10_007;
            let rank = |id: u32| if is_folded { (id * step % COUNT).abs_diff(COUNT / 2) } else { id * step % COUNT };
            let mut comparisons = 0;
            let mut compare = |left, right| {
                comparisons += 1;
                rank(left).cmp(&rank(right))
            };
            sorted_ids(COUNT as usize, &HashSeed::new(random), &mut compare).unwrap();
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
        sorted_ids(count, &HashSeed::default(), &mut compare).unwrap();
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
