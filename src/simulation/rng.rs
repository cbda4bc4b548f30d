//! Rng that can be had again: everything drawn follows from one number.

use std::cell::Cell;

/// A source of numbers (SplitMix64).
pub(super) struct Rng {
    state: Cell<u64>,
}

impl Rng {
    /// What follows from that seed.
    pub(super) fn new(seed: u64) -> Self {
        Rng { state: Cell::new(seed) }
    }

    /// Any number.
    pub(super) fn number(&self) -> u64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.state.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to 1, of so few digits that sums of times that are made with it are exact.
    pub(super) fn part(&self) -> f64 {
        self.below(256) as f64 / 256.0
    }

    /// A number below that one.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.number() % end
    }

    /// A number from the one to the other, both included.
    pub(super) fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Whole milliseconds up to that many.
    pub(super) fn milliseconds(&self, most: u64) -> f64 {
        self.between(0, most) as f64
    }

    /// True once in so many times.
    pub(super) fn once_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(super) fn one_of<T: Clone>(&self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    /// Something once in so many times.
    pub(super) fn sometimes<T>(&self, times: u64, draw: impl FnOnce() -> T) -> Option<T> {
        self.once_in(times).then(draw)
    }
}
