//! An index from hashes to ids of values that are stored elsewhere.

use hashbrown::HashTable;

use crate::memory::{OutOfMemory, check_reserve, note_growth};
use crate::work::{Work, count};

/// A hash table of ids. The owner of the values hashes and compares them.
#[derive(Default)]
pub struct HashIndex {
    entries: HashTable<Entry>,
}

/// Keeps the hash, so that growing reads no values and most comparisons end at the hash.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    id: u32,
}

/// Tables of this many bytes or more grow only if the memory reserve is still free.
const LARGE: usize = 32 * 1024;

impl HashIndex {
    /// Looks up the id with this hash for which `is_equal` returns true.
    #[inline]
    pub fn find(&self, hash: u32, mut is_equal: impl FnMut(u32) -> bool) -> Option<u32> {
        count(Work::Lookup, 1);
        let entry = self.entries.find(spread(hash), |entry| {
            count(Work::Probe, 1);
            entry.hash == hash && is_equal(entry.id)
        })?;
        Some(entry.id)
    }

    /// Adds an id that the index does not have.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn insert(&mut self, hash: u32, id: u32) -> Result<(), OutOfMemory> {
        count(Work::Lookup, 1);
        if self.entries.len() == self.entries.capacity() {
            self.grow()?;
        }
        self.entries.insert_unique(spread(hash), Entry { hash, id }, hash_of);
        Ok(())
    }

    /// Returns the bytes of memory that the index holds.
    pub fn byte_length(&self) -> usize {
        self.entries.allocation_size()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let bytes = self.byte_length();
        // The table that replaces this one is twice as large.
        if bytes < LARGE {
            note_growth(2 * bytes)?
        } else {
            check_reserve()?
        }
        self.entries.try_reserve(1, hash_of).map_err(|_| OutOfMemory)
    }
}

fn hash_of(entry: &Entry) -> u64 {
    spread(entry.hash)
}

/// Repeats the bits of a hash: hashbrown takes the bucket from the lowest bits and a tag from the highest of `usize`, which has 64 bits
/// in native tests.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_nothing_when_empty() {
        assert_eq!(HashIndex::default().find(7, |_| true), None);
    }

    proptest! {
        #[test]
        fn finds_exactly_the_ids_that_were_added(hashes in prop::collection::vec(0u32..40, 0..200)) {
            let mut index = HashIndex::default();
            for (id, hash) in hashes.iter().enumerate() {
                index.insert(hash.wrapping_mul(0x9E37_79B9) >> 3, id as u32).unwrap();
            }
            for id in 0..2 * hashes.len() as u32 {
                let hash = hashes.get(id as usize).copied().unwrap_or(7);
                let found = index.find(hash.wrapping_mul(0x9E37_79B9) >> 3, |other| other == id);
                prop_assert_eq!(found, ((id as usize) < hashes.len()).then_some(id));
            }
        }
    }
}
