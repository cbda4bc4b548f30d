//! StringInterner that were read lately, to be known again by their bytes alone.

use super::cursor::Cursor;
use crate::cell::Cell;
use crate::memory::{OutOfMemory, filled};

/// Where strings of this body were read last, by how they begin.
///
/// A string that is found here need be neither scanned nor checked, hashed or looked up. Comments are repeated by the next
/// findings, and topics are few.
#[derive(Default)]
pub(super) struct StringCache {
    slots: Vec<Slot>,
}

/// Where a string is in the body, quotes included, and its cell.
#[derive(Clone, Copy)]
struct Slot {
    start: usize,
    end: usize,
    cell: Cell,
}

const SLOTS: usize = 1024;
const FREE: Slot = Slot { start: 0, end: 0, cell: Cell::MISSING };

impl StringCache {
    /// Goes past the string here if it was read lately, and gives its cell.
    #[inline]
    pub(super) fn read(&self, cursor: &mut Cursor<'_>) -> Option<Cell> {
        let slot = self.slots.get(slot_of(cursor)?)?;
        cursor.consume_repeat(slot.start, slot.end).then_some(slot.cell)
    }

    /// Notes the string that was read from `start` on to here.
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

/// The slot of a string that begins like this; close to the end of the body there is none.
#[inline]
fn slot_of(cursor: &Cursor<'_>) -> Option<usize> {
    let block = u128::from_le_bytes(*cursor.rest().first_chunk()?);
    let mixed = ((block as u64).rotate_left(23) ^ (block >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Some((mixed >> 54) as usize)
}
