//! A reproducible source of random choices, which can be replayed with fewer of them.

use std::cell::RefCell;

/// Random numbers: from a seed, or those of an earlier run. The simplest choice is always 0.
pub(super) struct Rng {
    state: RefCell<State>,
}

struct State {
    /// The state of a SplitMix64 generator; `None` for a replay, where zeros follow the numbers.
    seed: Option<u64>,
    numbers: Vec<u64>,
    drawn: usize,
}

impl Rng {
    /// A generator that starts from a seed.
    pub(super) fn new(seed: u64) -> Self {
        Rng { state: RefCell::new(State { seed: Some(seed), numbers: Vec::new(), drawn: 0 }) }
    }

    /// A generator that draws these numbers.
    pub(super) fn replay(numbers: Vec<u64>) -> Self {
        Rng { state: RefCell::new(State { seed: None, numbers, drawn: 0 }) }
    }

    /// The numbers drawn so far.
    pub(super) fn drawn(&self) -> Vec<u64> {
        let state = self.state.borrow();
        state.numbers[..state.drawn.min(state.numbers.len())].to_vec()
    }

    /// Draws from `0..end`.
    pub(super) fn below(&self, end: u64) -> u64 {
        let mut state = self.state.borrow_mut();
        if let Some(seed) = &mut state.seed {
            *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *seed;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            state.numbers.push(mixed % end);
        }
        state.drawn += 1;
        state.numbers.get(state.drawn - 1).map_or(0, |number| number % end)
    }

    /// Draws from `0.0..1.0` in steps of 1/256, so that sums of times stay exact.
    pub(super) fn part(&self) -> f64 {
        self.below(256) as f64 / 256.0
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
        self.below(times) == times - 1
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
