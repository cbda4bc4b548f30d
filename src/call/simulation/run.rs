//! The run of a schedule to its end: one thing happens after the other, and the oracle checks what must hold.

use super::rng::Rng;
use super::schedule::Schedule;
use super::world::World;
use super::{oracle, stray};
use crate::machine::Event;

/// The step limit: a schedule that exceeds it hangs.
const STEPS: u64 = 200_000;

/// Runs the schedule that these numbers draw to its end.
pub(super) fn run(rng: Rng) -> World {
    let mut world = World::new(Schedule::draw(&rng), rng);
    world.run();
    world
}

impl World {
    /// Lets everything happen until all calls have ended, and nothing is left.
    pub(super) fn run(&mut self) {
        while self.step() || self.end_idle_streams() {
            self.steps += 1;
            assert!(self.steps < STEPS, "the schedule hangs");
        }
        assert!(self.records.iter().all(|record| record.is_finished), "a call never ends");
        let left = self.calls.left();
        assert!(left.is_empty(), "something is left at the end: {left:?}");
        assert!(self.outside.is_empty(), "something is left outside: {:?}", self.outside);
        oracle::check_duration(self);
    }

    /// Lets the next thing happen; false if nothing is left.
    fn step(&mut self) -> bool {
        let next = self.coming.iter().map(|(time, _)| *time).fold(f64::INFINITY, f64::min);
        let wake = self.calls.next_wake();
        let time = next.min(wake);
        if time == f64::INFINITY {
            return false;
        }
        self.is_interrupted = false;
        if time > self.now {
            self.check_diligence();
            self.now = time;
        }
        if self.rng.once_in(30) {
            stray::throw_in(self);
        }
        let due: Vec<_> = (0..self.coming.len()).filter(|at| self.coming[*at].0 <= time).collect();
        let choices = due.len() + usize::from(wake <= time);
        match due.get(self.rng.below(choices as u64) as usize) {
            Some(position) => {
                let (_, coming) = self.coming.remove(*position);
                self.happen(coming);
            }
            None => self.handle(Event::Tick),
        }
        self.check();
        true
    }
}
