//! A schedule that breaks a promise, made shorter while it still breaks one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::rng::Rng;
use super::run::run;
use super::schedule::Schedule;
use super::world::World;

/// The maximum number of attempts to make a schedule shorter.
const ATTEMPTS: usize = 20_000;

/// Prints the schedule of a seed and its events. If it breaks a promise, makes it shorter first, and fails.
pub(super) fn show(seed: u64) {
    let rng = Rng::new(seed);
    let schedule = Schedule::draw(&rng);
    let mut world = World::new(schedule, rng);
    let has_failed = catch_unwind(AssertUnwindSafe(|| world.run())).is_err();
    let mut numbers = world.rng.drawn();
    if has_failed {
        numbers = shortened(numbers);
    }
    let rng = Rng::replay(numbers);
    let mut world = World::new(Schedule::draw(&rng), rng);
    world.trace = Some(Vec::new());
    let end = catch_unwind(AssertUnwindSafe(|| world.run()));
    println!("{:#?}", world.schedule);
    world.trace.iter().flatten().for_each(|line| println!("{line}"));
    if end.is_err() {
        println!("{:#?}", world.calls);
    }
    assert!(end.is_ok() && !has_failed, "the schedule breaks a promise: see above");
}

/// Removes random numbers, or makes them zero, the simplest choice, as long as their schedule still breaks a promise.
fn shortened(mut numbers: Vec<u64>) -> Vec<u64> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut attempts = 0;
    let mut size = numbers.len() / 2;
    while size > 0 {
        let mut start = 0;
        while start < numbers.len() && attempts < ATTEMPTS {
            let end = (start + size).min(numbers.len());
            let without = [&numbers[..start], &numbers[end..]].concat();
            let mut simple = numbers.clone();
            simple[start..end].fill(0);
            let shorter = [without, simple].into_iter().find(|one| *one != numbers && fails(one));
            attempts += 2;
            match shorter {
                Some(shorter) => numbers = shorter,
                None => start = end,
            }
        }
        size /= 2;
    }
    let _ = std::panic::take_hook();
    numbers
}

fn fails(numbers: &[u64]) -> bool {
    let numbers = numbers.to_vec();
    catch_unwind(AssertUnwindSafe(|| drop(run(Rng::replay(numbers))))).is_err()
}
