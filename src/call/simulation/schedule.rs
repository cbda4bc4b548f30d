//! A schedule: everything that happens to the calls of one client, drawn from a seed.

use super::earlier::EarlierTable;
use super::inspection::{Finding, MAX_ROWS, Partition, draw_counts};
use super::rng::Rng;
use super::service::ServiceScript;
use super::worker::WorkerScript;
use crate::contract::{Kind, KindCounts};
use crate::machine::Order;
use crate::retry::Policy;
use crate::settings::{Completeness, FailurePolicy, Settings};

/// Everything that happens to the calls of one client. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The client's `concurrency`.
    pub(super) concurrency: usize,
    /// The client's `maxBufferedBytes`.
    pub(super) byte_budget: u64,
    /// The client's `headers` function, if it has one.
    pub(super) headers: Option<Headers>,
    /// When the device is offline: from, until.
    pub(super) offline: Option<(f64, f64)>,
    /// Whether CORS hides the headers of responses.
    pub(super) hides_headers: bool,
    /// The workers that decode bodies; `None` if the page decodes them.
    pub(super) worker: Option<WorkerScript>,
    /// The calls.
    pub(super) calls: Vec<Call>,
}

/// A `headers` function.
#[derive(Clone, Debug)]
pub(super) struct Headers {
    /// The time that the function takes.
    pub(super) takes: f64,
    /// The call, from 0, at which it throws.
    pub(super) throws_at: Option<u64>,
    /// The call, from 0, at which it never resolves.
    pub(super) hangs_at: Option<u64>,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The time at which it begins.
    pub(super) begins: f64,
    /// What it requests.
    pub(super) task: Task,
    /// The kind of the findings.
    pub(super) kind: Kind,
    /// The settings of the first run and of each resumed one.
    pub(super) runs: Vec<Settings>,
    /// The counts that the service sends in each of these runs.
    pub(super) counts: Vec<KindCounts>,
    /// The script for the requests for the counts.
    pub(super) counts_script: ServiceScript,
    /// The partitions of the inspection.
    pub(super) partitions: Vec<Partition>,
    /// The time after its beginning at which it is aborted.
    pub(super) aborted_after: Option<f64>,
    /// A callback that throws or aborts.
    pub(super) intervention: Option<Intervention>,
    /// The time before it is resumed.
    pub(super) pause: f64,
    /// Its `from`.
    pub(super) from: Option<EarlierTable>,
    /// Whether a live table shows it.
    pub(super) is_watched: bool,
    /// Whether its `readCounts` reads the counts.
    pub(super) maps_counts: bool,
}

/// What a call requests.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Counts,
    Partition(u64),
    Findings,
    Stream(Order, Reader),
}

/// The reader of a stream.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// The time that it takes for each partition.
    pub(super) pause: f64,
    /// What it does instead of reading on, after this number of partitions.
    pub(super) interruption: Option<(u64, Interruption)>,
}

/// What a reader does instead of reading on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Interruption {
    /// Breaks out of its loop.
    Breaks,
    /// Stops reading without breaking out of its loop.
    Idles,
    /// Waits until the stream of this call is read.
    WaitsFor(usize),
}

/// An exception that a callback throws, or an abort that it causes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervention {
    /// The callback.
    pub(super) callback: Callback,
    /// The call of the callback, from 0.
    pub(super) at: u64,
    /// Whether it throws; otherwise it aborts the call.
    pub(super) throws: bool,
}

/// A callback of the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Callback {
    Progress,
    Partition,
}

/// The `maxPartitionBytes` of each call.
pub(super) const MAX_PARTITION_BYTES: usize = 4096;

/// An upper bound of the table of one partition, in bytes.
pub(super) const MAX_TABLE_BYTES: u64 = 1 << 15;

impl Schedule {
    /// Draws a schedule.
    pub(super) fn draw(rng: &Rng) -> Self {
        // In a storm, enough requests fail to use up the retry budget.
        let is_storm = rng.once_in(100);
        let pace = rng.one_of(&[5, 50, 100]);
        let trouble = if is_storm { 90 } else { rng.one_of(&[0, 3, 10, 30, 60]) };
        let calls = rng.one_of(&[1, 1, 1, 2, 2, 3, 4]);
        Schedule {
            concurrency: rng.between(1, 8) as usize,
            byte_budget: draw_byte_budget(rng),
            headers: rng.sometimes(2, || Headers {
                takes: rng.milliseconds(2) * rng.milliseconds(20),
                throws_at: rng.sometimes(15, || rng.below(30)),
                hangs_at: rng.sometimes(20, || rng.below(30)),
            }),
            offline: rng.sometimes(6, || {
                let from = rng.milliseconds(1_000);
                (from, from + rng.milliseconds(3_000))
            }),
            hides_headers: rng.once_in(10),
            worker: rng.sometimes(3, || WorkerScript::draw(rng)),
            calls: (0..calls).map(|number| Call::draw(rng, number, pace, trouble)).collect(),
        }
    }

    /// Whether the `headers` function makes attempts time out before their request.
    pub(super) fn has_lost_attempts(&self) -> bool {
        self.headers.as_ref().is_some_and(|headers| headers.hangs_at.is_some())
    }
}

impl Call {
    fn draw(rng: &Rng, number: usize, pace: u64, trouble: u64) -> Self {
        let partitions = if rng.once_in(3) { rng.below(31) } else { rng.below(9) };
        // The percentage of final errors among the errors.
        let lasting = rng.one_of(&[0, 0, 3, 20]);
        let partitions: Vec<_> =
            (0..partitions).map(|index| Partition::draw(rng, index, pace, trouble, lasting)).collect();
        let task = Task::draw(rng, number, partitions.len() as u64);
        let is_resumed = matches!(task, Task::Findings) && rng.once_in(2);
        let runs = if is_resumed { rng.between(1, 4) } else { 1 };
        let true_counts = KindCounts {
            partitions: partitions.len() as u64,
            findings: (!rng.once_in(5))
                .then(|| partitions.iter().map(|partition| partition.findings.len() as u64).sum()),
        };
        Call {
            begins: if rng.once_in(2) { 0.0 } else { rng.milliseconds(20 * pace) },
            kind: rng.one_of(&Kind::ALL),
            runs: (0..runs).map(|_| draw_settings(rng, is_resumed)).collect(),
            counts: (0..runs).map(|_| draw_counts(rng, true_counts)).collect(),
            counts_script: if rng.once_in(2) {
                ServiceScript::flawless(rng, pace)
            } else {
                ServiceScript::draw(rng, pace, trouble / 2, lasting)
            },
            task,
            partitions,
            aborted_after: rng.sometimes(8, || rng.part() * rng.one_of(&[10.0, 300.0, 5_000.0])),
            intervention: rng.sometimes(12, || Intervention {
                callback: rng.one_of(&[Callback::Progress, Callback::Partition]),
                at: rng.below(20),
                throws: rng.once_in(2),
            }),
            pause: rng.milliseconds(2_000),
            from: None,
            is_watched: rng.once_in(2),
            maps_counts: rng.once_in(4),
        }
        .with_earlier_table(rng)
    }

    /// Draws an earlier table.
    fn with_earlier_table(mut self, rng: &Rng) -> Self {
        if let Task::Findings = self.task {
            self.from = rng.sometimes(3, || EarlierTable::draw(rng, self.counts[0], &self.partitions));
        }
        self
    }
}

impl Task {
    fn draw(rng: &Rng, number: usize, partitions: u64) -> Self {
        match rng.below(12) {
            0 => Task::Counts,
            1 if partitions > 0 => Task::Partition(rng.below(partitions)),
            2..7 => Task::Findings,
            _ => {
                let order = rng.one_of(&[Order::Index, Order::Completion]);
                let pause = if rng.once_in(2) { 0.0 } else { rng.milliseconds(500) };
                let interruption = rng.sometimes(3, || {
                    let others = if number > 0 { 3 } else { 2 };
                    let interruption = match rng.below(others) {
                        0 => Interruption::Breaks,
                        1 => Interruption::Idles,
                        _ => Interruption::WaitsFor(rng.below(number as u64) as usize),
                    };
                    (rng.below(partitions.min(5) + 1), interruption)
                });
                Task::Stream(order, Reader { pause, interruption })
            }
        }
    }
}

impl Partition {
    fn draw(rng: &Rng, index: u64, pace: u64, trouble: u64, lasting: u64) -> Self {
        let most = if rng.once_in(4) { 600 } else { 60 };
        let (rows, length) = (rng.between(0, MAX_ROWS), rng.below(most) as usize);
        // Some texts are in other partitions, too.
        let length_in = |row: u64| if row.is_multiple_of(3) { length.min(12) } else { length };
        let findings = (0..rows).map(|row| Finding { id: format!("{index}.{row}"), length: length_in(row) });
        Partition { findings: findings.collect(), script: ServiceScript::draw(rng, pace, trouble, lasting) }
    }
}

fn draw_byte_budget(rng: &Rng) -> u64 {
    if rng.once_in(2) { 64 << 20 } else { rng.between(1, 16) * rng.one_of(&[10, 1_000]) }
}

fn draw_settings(rng: &Rng, is_resumed: bool) -> Settings {
    Settings {
        concurrency: rng.between(1, 8) as usize,
        timeout: rng.between(4_000, 30_000) as f64,
        total_timeout: rng
            .sometimes(6, || rng.between(1, 100) as f64 * rng.one_of(&[1.0, 10.0, 500.0]))
            .unwrap_or(f64::INFINITY),
        policy: Policy { retries: rng.one_of(&[0, 1, 3, 3, 3, 5]), max_retry_after: 60_000.0 },
        completeness: rng.one_of(&[Completeness::Strict, Completeness::Strict, Completeness::Off]),
        failure_policy: if is_resumed || rng.once_in(3) { FailurePolicy::Collect } else { FailurePolicy::FailFast },
        max_partition_bytes: MAX_PARTITION_BYTES,
        max_buffered_bytes: draw_byte_budget(rng),
    }
}
