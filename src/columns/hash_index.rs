//! Finds the number of a thing by the hash of the thing; the things themselves are kept elsewhere.

use super::memory::{OutOfMemory, filled, try_clone};

/// An open hash table from hashes to numbers.
#[derive(Default)]
pub struct HashIndex {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy, PartialEq)]
struct Slot {
    hash: u32,
    id: u32,
}

const FREE: Slot = Slot { hash: 0, id: u32::MAX };
const FIRST_CAPACITY: usize = 16;

impl HashIndex {
    /// A copy of its own.
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(HashIndex { slots: try_clone(&self.slots)?, used: self.used })
    }

    /// The number whose thing has this hash and for which `is_equal` holds.
    #[inline]
    pub fn find(&self, hash: u32, mut is_equal: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == FREE {
                return None;
            }
            if slot.hash == hash && is_equal(slot.id) {
                return Some(slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a number that is not in the index.
    pub fn insert(&mut self, hash: u32, id: u32) -> Result<(), OutOfMemory> {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow()?;
        }
        self.fill(Slot { hash, id });
        self.used += 1;
        Ok(())
    }

    /// Forgets every number from `end` on.
    pub fn truncate(&mut self, end: u32) {
        // What is moved goes towards its home. Beginning behind a free slot, nothing moves past the beginning.
        let Some(free) = self.slots.iter().position(|slot| *slot == FREE) else {
            return;
        };
        let mask = self.slots.len() - 1;
        for step in 1..=self.slots.len() {
            let Some(slot) = self.slots.get_mut((free + step) & mask) else {
                continue;
            };
            let taken = std::mem::replace(slot, FREE);
            if taken == FREE {
                continue;
            }
            if taken.id < end {
                self.fill(taken);
            } else {
                self.used -= 1;
            }
        }
    }

    /// Returns the number of ids.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// How many bytes the index holds.
    pub fn byte_length(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let capacity = (self.slots.len() * 2).max(FIRST_CAPACITY);
        let old = std::mem::replace(&mut self.slots, filled(capacity, FREE)?);
        for slot in old {
            if slot != FREE {
                self.fill(slot);
            }
        }
        Ok(())
    }

    fn fill(&mut self, slot: Slot) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = slot.hash as usize & mask;
        while let Some(candidate) = self.slots.get_mut(at) {
            if *candidate == FREE {
                *candidate = slot;
                return;
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_index_finds_nothing() {
        assert_eq!(HashIndex::default().find(7, |_| true), None);
    }

    proptest! {
        #[test]
        fn what_is_below_the_end_is_found_after_truncation_and_nothing_else(
            hashes in prop::collection::vec(0u32..40, 0..200),
            end in 0u32..200,
        ) {
            let mut index = HashIndex::default();
            for (id, hash) in hashes.iter().enumerate() {
                index.insert(hash.wrapping_mul(0x9E37_79B9) >> 3, id as u32).unwrap();
            }
            index.truncate(end);
            for (id, hash) in hashes.iter().enumerate() {
                let id = id as u32;
                let found = index.find(hash.wrapping_mul(0x9E37_79B9) >> 3, |other| other == id);
                prop_assert_eq!(found, (id < end).then_some(id));
            }
        }
    }
}
