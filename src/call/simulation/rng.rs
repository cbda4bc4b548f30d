//! A reproducible random number generator.

use std::cell::Cell;

/// A SplitMix64 generator.
pub(super) struct Rng {
    state: Cell<u64>,
}

impl Rng {
    /// A generator that starts from a seed.
    pub(super) fn new(seed: u64) -> Self {
        Rng { state: Cell::new(seed) }
    }

    /// Draws any number.
    pub(super) fn number(&self) -> u64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.state.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws from `0.0..1.0` in steps of 1/256, so that sums of times stay exact.
    pub(super) fn part(&self) -> f64 {
        self.below(256) as f64 / 256.0
    }

    /// Draws from `0..end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.number() % end
    }

    /// Draws from `least..=most`.
    pub(super) fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Draws whole milliseconds from `0..=most`.
    pub(super) fn milliseconds(&self, most: u64) -> f64 {
        self.between(0, most) as f64
    }

    /// Draws `true` with probability 1/`times`.
    pub(super) fn once_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Draws one of the choices.
    pub(super) fn one_of<T: Clone>(&self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    /// Draws a value with probability 1/`times`.
    pub(super) fn sometimes<T>(&self, times: u64, draw: impl FnOnce() -> T) -> Option<T> {
        self.once_in(times).then(draw)
    }
}
