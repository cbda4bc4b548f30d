//! A cache of recently read strings.

use super::cursor::Cursor;
use crate::cell::Cell;
use crate::memory::{OutOfMemory, filled};

/// A direct-mapped cache of recent strings of this body, by their first 16 bytes.
///
/// A string in the cache is neither scanned, checked, hashed nor interned again. The hit rate is high: findings repeat the comment that they
/// come from, and topics are few.
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
}

const SLOTS: usize = 1024;
const FREE: Slot = Slot { start: 0, end: 0, cell: Cell::MISSING };

impl StringCache {
    /// Consumes the string at the cursor and returns its cell, if the cache has it.
    #[inline]
    pub(super) fn read(&self, cursor: &mut Cursor<'_>) -> Option<Cell> {
        let slot = self.slots.get(slot_of(cursor)?)?;
        cursor.consume_repeat(slot.start, slot.end).then_some(slot.cell)
    }

    /// Adds the string between `start` and `end`.
    pub(super) fn insert(&mut self, start: &Cursor<'_>, end: usize, cell: Cell) -> Result<(), OutOfMemory> {
        if self.slots.is_empty() {
            self.slots = filled(SLOTS, FREE)?;
        }
        if let Some(slot) = slot_of(start).and_then(|slot| self.slots.get_mut(slot)) {
            *slot = Slot { start: start.at, end, cell };
        }
        Ok(())
    }
}

/// Returns the slot of the string at the cursor; `None` within 16 bytes of the end of the body.
#[inline]
fn slot_of(cursor: &Cursor<'_>) -> Option<usize> {
    let block = u128::from_le_bytes(*cursor.rest().first_chunk()?);
    let mixed = ((block as u64).rotate_left(23) ^ (block >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Some((mixed >> 54) as usize)
}
