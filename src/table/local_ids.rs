//! Numbers from 0 for what some rows refer to.

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, with_capacity};

/// Keys, numbered in the order of their first occurrence. A key gets another number if one with the same last bits came between.
pub(super) struct LocalIds {
    pub(super) keys: Vec<u32>,
    /// The number of the last key with these bits.
    slots: Vec<u32>,
}

/// The maximum number of slots: the strings of a chunk have consecutive ids.
const SLOTS: usize = 1 << 12;

impl LocalIds {
    /// Makes room for this many keys.
    pub(super) fn new(most: usize) -> Result<Self, OutOfMemory> {
        Ok(LocalIds { keys: with_capacity(most)?, slots: filled(most.clamp(1, SLOTS).next_power_of_two(), 0)? })
    }

    /// Returns the number of a key with these bits, and whether it is new.
    #[inline]
    pub(super) fn of(&mut self, key: u32, bits: u32) -> (u32, bool) {
        let slot = bits as usize & (self.slots.len() - 1);
        let known = *self.slots.get(slot).certain();
        if self.keys.get(known as usize) == Some(&key) {
            return (known, false);
        }
        let new = self.add(key);
        *self.slots.get_mut(slot).certain() = new;
        (new, true)
    }

    /// Returns a new number for a key.
    #[inline]
    pub(super) fn add(&mut self, key: u32) -> u32 {
        self.keys.push(key);
        self.keys.len() as u32 - 1
    }
}
