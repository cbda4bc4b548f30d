//! A cache of recently read strings.

use crate::json::cursor::Cursor;
use crate::memory::{OutOfMemory, filled};
use crate::value::cell::Cell;

/// A direct-mapped cache of recent strings of this body, by their first 16 bytes.
/// Strings with the same hash replace each other, which costs no more than a new string. So the hash needs no seed.
/// A cached string is not scanned, checked, hashed or interned again. The hit rate is high: findings repeat their comment, and topics are
/// few.
#[derive(Default)]
pub(super) struct StringCache {
    slots: Vec<Slot>,
}

/// The range of a string in the body, including the quotes, and its cell.
#[derive(Clone, Copy)]
struct Slot {
    start: usize,
    end: usize,
    cell: Cell,
    /// The hash of the first 16 bytes. Compared first, so that a miss does not touch an earlier, uncached part of the body.
    hash: u32,
}

const SLOTS: usize = 1024;
const FREE: Slot = Slot { start: 0, end: 0, cell: Cell::MISSING, hash: 0 };

impl StringCache {
    /// Consumes the string at the cursor and returns its cell, if the cache has it.
    #[inline]
    pub(super) fn read(&self, cursor: &mut Cursor<'_>) -> Option<Cell> {
        let hash = hash_of(cursor)?;
        let slot = self.slots.get(slot_of(hash))?;
        (slot.hash == hash && cursor.consume_repeat(slot.start, slot.end)).then_some(slot.cell)
    }

    /// Adds the string between `start` and `end`. A body that is smaller than the cache has none: a finding without a shape is read as such a
    /// body, and there may be many.
    pub(super) fn insert(&mut self, start: &Cursor<'_>, end: usize, cell: Cell) -> Result<(), OutOfMemory> {
        if start.body.len() < size_of::<[Slot; SLOTS]>() {
            return Ok(());
        }
        if self.slots.is_empty() {
            self.slots = filled(SLOTS, FREE)?;
        }
        let Some(hash) = hash_of(start) else { return Ok(()) };
        if let Some(slot) = self.slots.get_mut(slot_of(hash)) {
            *slot = Slot { start: start.at, end, cell, hash };
        }
        Ok(())
    }
}

#[inline]
fn slot_of(hash: u32) -> usize {
    hash as usize % SLOTS
}

/// Hashes the first 16 bytes at the cursor; `None` within 16 bytes of the end of the body.
#[inline]
fn hash_of(cursor: &Cursor<'_>) -> Option<u32> {
    let block = u128::from_le_bytes(*cursor.rest().first_chunk()?);
    let mixed = ((block as u64).rotate_left(23) ^ (block >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Some((mixed >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_body_has_no_cache() {
        for (length, is_cached) in [(100, false), (10_000, false), (30_000, true)] {
            let body = vec![b'a'; length];
            let mut cache = StringCache::default();
            cache.insert(&Cursor { body: &body, at: 0 }, 20, Cell::NULL).unwrap();
            assert_eq!(!cache.slots.is_empty(), is_cached, "{length} bytes");
        }
    }
}
