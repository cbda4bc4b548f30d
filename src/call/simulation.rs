//! Simulation of the calls of one client: random schedules of everything that can happen, checked against the promises of the
//! public interface.

mod callers;
mod earlier;
mod exchanges;
mod inspection;
mod oracle;
mod outcome;
mod page;
mod performer;
mod record;
mod rng;
mod run;
mod schedule;
mod service;
mod shrinking;
mod stray;
mod worker;
mod world;

use std::cell::Cell;
use std::time::Instant;
use std::{env, panic};

use self::record::Record;
use self::rng::Rng;
use self::run::run;
use self::world::World;

/// The default of `SCHEDULES`.
const COUNT: u64 = 30_000;

thread_local! {
    /// The seed of the schedule that runs on this thread, for the panic message.
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs `SCHEDULES` schedules with consecutive seeds from `SEED`.
// P1, P11
#[test]
fn no_schedule_breaks_a_promise() {
    let (first, count) = (variable("SEED").unwrap_or(0), variable("SCHEDULES").unwrap_or(COUNT));
    let (begun, mut steps, mut strays) = (Instant::now(), 0, 0);
    name_the_seed_in_panics();
    for seed in (0..count).map(|number| first.wrapping_add(number)) {
        SEED.set(Some(seed));
        let world = run(Rng::new(seed));
        (steps, strays) = (steps + world.steps, strays + world.strays);
    }
    SEED.set(None);
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{count} schedules from seed {first} on kept every promise, in {seconds:.1} s: {steps} steps, and {strays} events that \
         cannot be changed nothing"
    );
    assert!(strays > 0 || count < 100, "no event that cannot be was thrown in");
}

/// Prints the schedule of the seed `SEED`, and its events; if it breaks a promise, a shorter one that also does.
#[test]
#[ignore = "it runs one schedule only"]
fn the_schedule_of_a_seed_breaks_no_promise() {
    shrinking::show(variable("SEED").unwrap_or(0));
}

#[test]
fn runs_the_schedule_of_a_seed_alike_each_time() {
    let outline = |world: World| (format!("{:?}", world.schedule), world.now, world.steps, world.strays);
    for seed in 0..100 {
        let first = run(Rng::new(seed));
        let replay = run(Rng::replay(first.rng.drawn()));
        let first = outline(first);
        assert_eq!(outline(run(Rng::new(seed))), first);
        assert_eq!(outline(replay), first);
    }
}

#[test]
fn meets_earlier_tables_that_are_kept_and_dropped() {
    let mut met = Vec::new();
    for seed in 0..2_000 {
        let world = run(Rng::new(seed));
        met.extend(world.records.iter().filter_map(Record::keeps_earlier));
    }
    assert!(met.contains(&true) && met.contains(&false), "an earlier table is always kept, or never");
}

/// Adds the seed to panic messages. By a hook, because not every target of the tests can catch panics.
fn name_the_seed_in_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        if let Some(seed) = SEED.get() {
            eprintln!("schedule {seed} breaks a promise: see it with `SEED={seed} npm run schedules -- --ignored`");
        }
    }));
}

fn variable(name: &str) -> Option<u64> {
    let value = env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value}, which is not a number")))
}
