//! Made-up schedules of everything that can happen to the calls of one client, each held against the promises of the contract.

mod caller;
mod executor;
mod host;
mod oracle;
mod outcome;
mod record;
mod rng;
mod schedule;
mod service;
mod signal;

use std::cell::Cell;
use std::time::Instant;
use std::{env, panic};

use self::caller::Role;
use self::executor::Executor;
use self::host::SimulatedHost;
use self::schedule::{Reader, Schedule, Task, Turn};

/// So many are run when nobody says otherwise.
const COUNT: u64 = 30_000;

/// So often somebody goes on before it is certain that there is no end.
const STEPS: u64 = 1_000_000;

thread_local! {
    /// The seed of the schedule that this thread runs.
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Runs `SCHEDULES` of them from the seed `SEED` on.
#[test]
fn no_schedule_breaks_a_promise() {
    let (first, count) = (variable("SEED").unwrap_or(0), variable("SCHEDULES").unwrap_or(COUNT));
    let begun = Instant::now();
    name_the_seed_in_panics();
    for seed in (0..count).map(|number| first.wrapping_add(number)) {
        SEED.set(Some(seed));
        run(Schedule::new(seed));
    }
    SEED.set(None);
    let seconds = begun.elapsed().as_secs_f64();
    println!("{count} schedules from seed {first} on kept every promise, in {seconds:.1} s");
}

/// Tells the schedule of the seed `SEED` in words, and runs it.
#[test]
#[ignore = "it runs one schedule only"]
fn the_schedule_of_a_seed_breaks_no_promise() {
    let schedule = Schedule::new(variable("SEED").unwrap_or(0));
    println!("{schedule}");
    run(schedule);
}

/// Schedules that broke a promise once.
#[test]
fn what_was_mended_stays_mended() {
    // A request sent in a pause that began while it was getting headers; a failed stream in whose place in the line for reservation
    // nobody else was let in; resumed calls that had everything and ended before they could read the counts.
    for seed in [21_299, 777_059_899, 482_359_353_829, 437_133_571_814, 893_620_100_000] {
        run(Schedule::new(seed));
    }
}

#[test]
fn a_seed_always_gives_the_same_schedule_and_the_same_end() {
    for seed in 0..100 {
        assert_eq!(Schedule::new(seed).to_string(), Schedule::new(seed).to_string());
        assert_eq!(run(Schedule::new(seed)), run(Schedule::new(seed)));
    }
}

/// A hook, because a panic cannot be caught on every target of the tests.
fn name_the_seed_in_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        if let Some(seed) = SEED.get() {
            eprintln!("schedule {seed} breaks a promise: see it with `npm run schedules -- --seed {seed}`");
        }
    }));
}

fn variable(name: &str) -> Option<u64> {
    let value = env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value}, which is no number")))
}

/// Runs a schedule to its end, and gives the time of the clock and the number of steps then.
fn run(schedule: Schedule) -> (f64, u64) {
    let host = SimulatedHost::new(schedule);
    let (mut executor, buffers) = caller::gather(&host);
    let mut steps = 0;
    loop {
        while executor.go_on(&host.rng) {
            host.check();
            steps += 1;
            assert!(steps < STEPS, "there is no end");
        }
        host.check_diligence();
        if executor.names().next().is_none() {
            oracle::check_end(&host);
            // Until now they had to keep nothing although they were there.
            drop(buffers);
            return (host.clock.now(), steps);
        }
        if !host.clock.ring_next() {
            end_idle_streams(&host, &executor);
        }
    }
}

/// When nobody has anything left to wait for but readers who do not read, they end their streams.
fn end_idle_streams(host: &SimulatedHost, executor: &Executor<Role>) {
    let stuck: Vec<_> = executor
        .names()
        .filter(|role| match role {
            Role::Supplier(call) | Role::Reader(call) => !host.records[*call].is_idle.get(),
            Role::Caller(_) | Role::Aborter(_) => true,
        })
        .collect();
    assert!(stuck.is_empty(), "everybody waits and no alarm is set: {stuck:?}");
    let calls = host.schedule.calls.iter().zip(&host.records);
    let idle = calls.filter(|(call, record)| {
        let idles = matches!(&call.task, Task::Stream(_, Reader { turn: Some((_, Turn::Idles)), .. }));
        idles && record.is_idle.get() && !record.over.is_given()
    });
    let ended = idle.map(|(_, record)| record.over.give()).count();
    assert!(ended > 0, "readers wait for each other");
}
