//! The partitions that a call has received. A later call can resume from them.

use std::cell::{Cell, Ref, RefCell};
#[cfg(feature = "tables")]
use std::rc::Rc;

#[cfg(feature = "tables")]
use chunk::Chunk;
#[cfg(feature = "tables")]
use chunk::memory::with_capacity;
use chunk::memory::{OutOfMemory, reserve};
use futures_util::lock::{Mutex, MutexLockFuture};
use serde::Serialize;

use crate::contract::KindCounts;
use crate::scheduling::partition_tracker::{PartitionTracker, Ticket};
use chunk::form::Formed;

/// The findings of a partition, in the form in which the host of a call keeps them.
pub trait Findings {
    /// Their number.
    fn len(&self) -> usize;
    /// The bytes of memory that they take. Their body had `body` bytes.
    fn byte_length(&self, body: usize) -> usize;
    /// Whether others are the same, in the same order.
    #[cfg(feature = "tables")]
    fn is_same(&self, other: &Self) -> bool;
}

/// The objects of a partition.
pub trait Objects {
    /// Their number.
    fn len(&self) -> usize;
}

/// The received partitions of one kind of findings, in a form that only the host knows.
pub struct Accumulator<F> {
    tracker: RefCell<PartitionTracker>,
    /// The partitions received, in index order.
    partitions: RefCell<Vec<ReceivedPartition<F>>>,
    /// Whether the counts are known.
    is_begun: Cell<bool>,
    /// Bytes of the bodies of the partitions received.
    bytes: Cell<u64>,
    /// The partitions to begin with if the counts are the same, and these counts.
    earlier: RefCell<Option<EarlierPartitions<F>>>,
    /// The earlier partitions to begin with although the counts differ, until that is decided.
    #[cfg(feature = "tables")]
    bet: RefCell<Option<Bet<F>>>,
    growth: Cell<Option<Growth>>,
    /// The last partition of an earlier table whose other partitions are kept.
    #[cfg(feature = "tables")]
    grown: Cell<Option<u64>>,
    /// Calls use the accumulator one at a time.
    call: Mutex<()>,
}

/// A partition that was received.
pub struct ReceivedPartition<F> {
    /// Its index.
    pub index: u64,
    /// The number of partitions that were received before it.
    pub before: usize,
    /// Its findings.
    pub findings: F,
}

/// The partitions of an earlier table, each with its index, and the counts when it was loaded.
pub struct EarlierPartitions<F> {
    /// The counts.
    pub counts: KindCounts,
    /// The partitions.
    pub partitions: Vec<(u64, F)>,
}

/// How a call treats an earlier table with other counts, if the service only appends.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Growth {
    /// It keeps its partitions.
    Append,
    /// It requests all again.
    Reload,
}

/// The bet that the service has only appended to an inspection since an earlier table was loaded.
#[cfg(feature = "tables")]
struct Bet<F> {
    /// The partitions that cannot have grown, in index order.
    older: Vec<(u64, F)>,
    /// The last partition, which may have grown, if the table has it.
    last: Option<u64>,
    /// The two that are requested again, which decide.
    checks: [Check<F>; 2],
}

/// A partition that is requested again.
#[cfg(feature = "tables")]
struct Check<F> {
    /// Its position among the older ones.
    position: usize,
    index: u64,
    state: CheckState<F>,
}

#[cfg(feature = "tables")]
enum CheckState<F> {
    Missing,
    Arrived(Ticket, F),
    /// It has failed in a call that goes on.
    Failed,
}

/// How a call may begin with an earlier table.
#[derive(Clone, Copy, Default)]
pub struct Trust<'host> {
    /// Random numbers, if the service is said to append: then the call may begin with a table that has other counts.
    pub(crate) random: Option<Random<'host>>,
    /// Whether the number of findings must equal the total.
    pub(crate) is_strict: bool,
}

/// Returns a random number in `0.0..1.0`.
pub(crate) type Random<'host> = &'host dyn Fn() -> f64;

impl<F: Findings> Accumulator<F> {
    /// An accumulator without partitions. It begins with those of an earlier table of the same inspection and kind, if there is one and the
    /// counts are still the same.
    pub fn new(earlier: Option<EarlierPartitions<F>>) -> Self {
        Accumulator {
            tracker: RefCell::new(PartitionTracker::new(KindCounts { partitions: 0, findings: None })),
            partitions: RefCell::default(),
            is_begun: Cell::new(false),
            bytes: Cell::new(0),
            earlier: RefCell::new(earlier),
            #[cfg(feature = "tables")]
            bet: RefCell::default(),
            growth: Cell::new(None),
            #[cfg(feature = "tables")]
            grown: Cell::new(None),
            call: Mutex::default(),
        }
    }

    /// Waits until no other call uses the accumulator, and locks it for this one.
    pub(crate) fn exclusive(&self) -> MutexLockFuture<'_, ()> {
        self.call.lock()
    }

    /// Begins with these counts, or resumes with the missing partitions. If it may begin with an earlier table that has other counts, only the
    /// two partitions that decide get tickets first.
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub fn begin(&self, counts: KindCounts, trust: Trust<'_>) -> Result<(), KindCounts> {
        if !self.is_begun.replace(true) {
            self.tracker.replace(PartitionTracker::new(counts));
            self.begin_with_earlier(counts, trust);
        } else if self.tracker.borrow().counts() != counts {
            return Err(self.tracker.borrow().counts());
        }
        let mut tracker = self.tracker.borrow_mut();
        #[cfg(feature = "tables")]
        if let Some(bet) = &mut *self.bet.borrow_mut() {
            tracker.reopen_only(bet.reopened());
            return Ok(());
        }
        tracker.reopen();
        Ok(())
    }

    fn begin_with_earlier(&self, counts: KindCounts, Trust { random, is_strict }: Trust<'_>) {
        let Some(earlier) = self.earlier.take() else { return };
        let is_right = !is_strict || earlier.has_its_total();
        if earlier.counts == counts {
            if is_right {
                self.take_earlier(earlier.partitions);
            }
            return;
        }
        let Some(random) = random else { return };
        self.growth.set(Some(Growth::Reload));
        #[cfg(feature = "tables")]
        if is_right && let Some(bet) = Bet::on(earlier, counts, random) {
            self.growth.set(None);
            self.bet.replace(Some(bet));
        }
        #[cfg(not(feature = "tables"))]
        let _ = random;
    }

    /// Notes that a partition has failed in a call that goes on. Returns whether that decides on an earlier table.
    pub(crate) fn give_up(&self, index: u64) -> Result<bool, OutOfMemory> {
        #[cfg(feature = "tables")]
        if let Some(bet) = &mut *self.bet.borrow_mut() {
            bet.settle(index, CheckState::Failed);
        }
        #[cfg(not(feature = "tables"))]
        let _ = index;
        self.decide()
    }

    /// Decides on the earlier table once the two partitions are settled. Begins with what it has if they are the same as before, otherwise
    /// with the two. Returns whether it has decided.
    #[cfg(feature = "tables")]
    fn decide(&self) -> Result<bool, OutOfMemory> {
        let Some(Bet { older, last, checks }) = self.bet.borrow_mut().take_if(|bet| bet.is_settled()) else {
            return Ok(false);
        };
        let is_won = checks.iter().all(|check| check.is_same(&older));
        self.growth.set(Some(if is_won { Growth::Append } else { Growth::Reload }));
        let mut failed = [None; 2];
        if is_won {
            self.grown.set(last);
            self.take_earlier(older);
        } else {
            drop(older);
            for (Check { index, state, .. }, failed) in checks.into_iter().zip(&mut failed) {
                match state {
                    CheckState::Arrived(ticket, findings) => self.keep(ticket, findings)?,
                    _ => *failed = Some(index),
                }
            }
        }
        self.tracker.borrow_mut().reopen_without(failed);
        Ok(true)
    }

    /// There is no earlier table to decide on.
    #[cfg(not(feature = "tables"))]
    fn decide(&self) -> Result<bool, OutOfMemory> {
        Ok(false)
    }

    /// Whether an earlier table, with which the call may begin or has begun, has a partition that the call has not.
    #[cfg(feature = "tables")]
    pub fn is_behind(&self) -> bool {
        self.bet.borrow().is_some() || self.grown.get().is_some_and(|last| !self.tracker.borrow().has(last))
    }

    /// How the call has treated an earlier table with other counts.
    pub(crate) fn growth(&self) -> Option<Growth> {
        self.growth.get()
    }

    /// Takes over the partitions that are missing.
    fn take_earlier(&self, partitions: Vec<(u64, F)>) {
        for (index, findings) in partitions {
            // A table that was forged may have more partitions.
            let Some(ticket) = self.tracker.borrow().ticket_of(index) else { continue };
            // Without memory for the earlier partitions, they are requested again.
            if self.keep(ticket, findings).is_err() {
                return;
            }
        }
    }

    /// The counts of the partitions that are missing; of their findings, about.
    pub fn missing(&self) -> KindCounts {
        let (received, in_received) = self.received();
        let KindCounts { partitions, findings } = self.tracker.borrow().counts();
        // Those that may be kept are not worth a worker.
        #[cfg(feature = "tables")]
        let (held, in_held) = self.bet.borrow().as_ref().map_or((0, 0), Bet::held);
        #[cfg(not(feature = "tables"))]
        let (held, in_held) = (0, 0);
        KindCounts {
            partitions: partitions.saturating_sub(received + held),
            findings: findings.map(|findings| findings.saturating_sub(in_received + in_held)),
        }
    }

    /// The number of partitions received, and of their findings, with those that are to decide.
    pub(crate) fn received(&self) -> (u64, u64) {
        let tracker = self.tracker.borrow();
        let received = (tracker.partitions(), tracker.findings());
        #[cfg(feature = "tables")]
        if let Some(bet) = &*self.bet.borrow() {
            let (arrived, in_arrived) = bet.arrived();
            return (received.0 + arrived, received.1 + in_arrived);
        }
        received
    }

    /// Whether the counts are known.
    pub fn is_begun(&self) -> bool {
        self.is_begun.get()
    }

    /// The counts, once they are known.
    pub fn counts(&self) -> Option<KindCounts> {
        self.is_begun().then(|| self.tracker.borrow().counts())
    }

    /// Whether all findings are received: every partition once, and as many findings as the counts say.
    pub fn is_complete(&self) -> bool {
        self.has_each_once() && self.tracker.borrow().check().is_ok()
    }

    /// Whether the findings of every partition are kept, and of none twice.
    pub(crate) fn has_each_once(&self) -> bool {
        let partitions = self.partitions.borrow();
        partitions.iter().map(|one| one.index).eq(0..self.tracker.borrow().counts().partitions)
    }

    /// Whether every partition was received.
    pub fn is_whole(&self) -> bool {
        self.tracker.borrow().is_whole()
    }

    /// Which partitions were received and which are missing.
    pub(crate) fn tracker(&self) -> &RefCell<PartitionTracker> {
        &self.tracker
    }

    /// Adds the findings of a partition, decoded from a body of this many bytes. Those of a partition that is to decide on an earlier table
    /// wait until that is decided.
    ///
    /// # Errors
    ///
    /// Out of memory. The partition counts as missing.
    pub fn take(&self, ticket: Ticket, findings: F, bytes: usize) -> Result<(), OutOfMemory> {
        #[cfg(feature = "tables")]
        match &mut *self.bet.borrow_mut() {
            Some(bet) => bet.settle(ticket.index(), CheckState::Arrived(ticket, findings)),
            None => self.keep(ticket, findings)?,
        }
        #[cfg(not(feature = "tables"))]
        self.keep(ticket, findings)?;
        self.bytes.update(|sum| sum + bytes as u64);
        self.decide().map(drop)
    }

    fn keep(&self, ticket: Ticket, findings: F) -> Result<(), OutOfMemory> {
        let mut partitions = self.partitions.borrow_mut();
        reserve(&mut partitions, 1)?;
        let index = ticket.index();
        self.tracker.borrow_mut().take(ticket, findings.len())?;
        let (position, before) = (partitions.partition_point(|other| other.index < index), partitions.len());
        partitions.insert(position, ReceivedPartition { index, before, findings });
        Ok(())
    }

    /// Bytes of the bodies of the partitions received.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Borrows the partitions received so far, in index order. The borrow must end before another one is added.
    pub fn partitions(&self) -> Ref<'_, [ReceivedPartition<F>]> {
        Ref::map(self.partitions.borrow(), Vec::as_slice)
    }
}

impl<F: Findings> EarlierPartitions<F> {
    /// Whether its findings are as many as its counts say, as far as is known.
    fn has_its_total(&self) -> bool {
        let received: u64 = self.partitions.iter().map(|(_, findings)| findings.len() as u64).sum();
        let is_whole = self.partitions.len() as u64 == self.counts.partitions;
        !is_whole || self.counts.findings.is_none_or(|total| total == received)
    }
}

#[cfg(feature = "tables")]
impl<F: Findings> Bet<F> {
    /// Bets on an earlier table; `None` if the inspection cannot have grown from it, nothing would be saved, or nothing can be told.
    fn on(earlier: EarlierPartitions<F>, counts: KindCounts, random: Random<'_>) -> Option<Self> {
        let EarlierPartitions { counts: before, partitions: mut older } = earlier;
        let has_shrunk = before.findings.zip(counts.findings).is_some_and(|(before, now)| now < before);
        if counts.partitions < before.partitions || has_shrunk {
            return None;
        }
        let last = before.partitions.checked_sub(1).filter(|last| older.iter().any(|(index, _)| index == last));
        older.retain(|(index, _)| *index + 1 < before.partitions);
        // Any inspection may have an empty partition.
        let telling = || older.iter().enumerate().filter(|(_, (_, findings))| findings.len() > 0);
        let count = telling().count();
        if older.len() < 3 || count < 2 {
            return None;
        }
        let one_of = |count: usize| ((random() * count as f64) as usize).min(count - 1);
        let first = one_of(count);
        let second = one_of(count - 1);
        let check = |nth: usize| {
            let (position, (index, _)) = telling().nth(nth)?;
            Some(Check { position, index: *index, state: CheckState::Missing })
        };
        let checks = [check(first)?, check(if second < first { second } else { second + 1 })?];
        Some(Bet { older, last, checks })
    }

    /// Returns the partitions that decide and are missing. Those that have failed are missing again.
    fn reopened(&mut self) -> [Option<u64>; 2] {
        for check in &mut self.checks {
            if matches!(check.state, CheckState::Failed) {
                check.state = CheckState::Missing;
            }
        }
        self.checks.each_ref().map(|check| matches!(check.state, CheckState::Missing).then_some(check.index))
    }

    fn settle(&mut self, index: u64, state: CheckState<F>) {
        if let Some(check) = self.checks.iter_mut().find(|check| check.index == index) {
            check.state = state;
        }
    }

    fn is_settled(&self) -> bool {
        self.checks.iter().all(|check| !matches!(check.state, CheckState::Missing))
    }

    /// The number of partitions that have arrived, and of their findings.
    fn arrived(&self) -> (u64, u64) {
        let arrived = self.checks.iter().filter_map(|check| check.findings());
        arrived.fold((0, 0), |(count, sum), findings| (count + 1, sum + findings.len() as u64))
    }

    /// The number of partitions that may be kept without a request, and of their findings.
    fn held(&self) -> (u64, u64) {
        let is_check = |position: &usize| self.checks.iter().any(|check| check.position == *position);
        let held = self.older.iter().enumerate().filter(|(position, _)| !is_check(position));
        held.fold((0, 0), |(count, sum), (_, (_, findings))| (count + 1, sum + findings.len() as u64))
    }
}

#[cfg(feature = "tables")]
impl<F: Findings> Check<F> {
    fn findings(&self) -> Option<&F> {
        match &self.state {
            CheckState::Arrived(_, findings) => Some(findings),
            _ => None,
        }
    }

    /// Whether it has arrived, and is the same as before.
    fn is_same(&self, older: &[(u64, F)]) -> bool {
        let before = older.get(self.position).map(|(_, before)| before);
        before.zip(self.findings()).is_some_and(|(before, now)| before.is_same(now))
    }
}

impl<O: Objects> Findings for Formed<O> {
    fn len(&self) -> usize {
        match self {
            #[cfg(feature = "tables")]
            Formed::Chunk(chunk) => chunk.len(),
            Formed::Rows(objects) => objects.len(),
        }
    }

    #[cfg(feature = "tables")]
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Formed::Chunk(chunk), Formed::Chunk(other)) => chunk.is_same(other),
            _ => false,
        }
    }

    fn byte_length(&self, body: usize) -> usize {
        match self {
            #[cfg(feature = "tables")]
            Formed::Chunk(chunk) => chunk.byte_length(),
            // Objects are about as large as the body.
            Formed::Rows(_) => body,
        }
    }
}

#[cfg(feature = "tables")]
impl<O> ReceivedPartition<Formed<O>> {
    /// Its chunk, unless its findings are objects.
    pub fn chunk(&self) -> Option<&Rc<Chunk>> {
        match &self.findings {
            Formed::Chunk(chunk) => Some(chunk),
            Formed::Rows(_) => None,
        }
    }
}

#[cfg(feature = "tables")]
impl<O> EarlierPartitions<Formed<O>> {
    /// The partitions of a table for a call to begin with; `None` if memory runs out.
    pub fn of_chunks<'a>(
        counts: KindCounts,
        chunks: impl ExactSizeIterator<Item = (u64, &'a Rc<Chunk>)>,
    ) -> Option<Self> {
        let mut partitions = with_capacity(chunks.len()).ok()?;
        partitions.extend(chunks.map(|(index, chunk)| (index, Formed::Chunk(Rc::clone(chunk)))));
        Some(EarlierPartitions { counts, partitions })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Findings for &'static str {
        fn len(&self) -> usize {
            1
        }

        fn byte_length(&self, body: usize) -> usize {
            body
        }

        fn is_same(&self, other: &Self) -> bool {
            self == other
        }
    }

    const THREE: KindCounts = KindCounts { partitions: 3, findings: None };

    fn appending<'host>(random: Random<'host>) -> Trust<'host> {
        Trust { random: Some(random), is_strict: true }
    }

    fn begun(partitions: u64) -> Accumulator<&'static str> {
        let accumulator = Accumulator::new(None);
        accumulator.begin(KindCounts { partitions, findings: None }, Trust::default()).unwrap();
        accumulator
    }

    fn tickets(accumulator: &Accumulator<&'static str>) -> Vec<Ticket> {
        std::iter::from_fn(|| accumulator.tracker().borrow_mut().next_ticket()).collect()
    }

    fn indexes(tickets: &[Ticket]) -> Vec<u64> {
        tickets.iter().map(Ticket::index).collect()
    }

    #[test]
    fn issues_tickets_for_the_missing_partitions_when_resumed() {
        let accumulator = begun(3);
        let mut first = tickets(&accumulator);
        accumulator.take(first.remove(1), "", 0).unwrap();
        accumulator.begin(THREE, Trust::default()).unwrap();
        assert_eq!(indexes(&tickets(&accumulator)), [0, 2]);
    }

    #[test]
    fn refuses_counts_that_differ_from_the_first() {
        let accumulator = begun(3);
        assert_eq!(accumulator.begin(KindCounts { partitions: 4, ..THREE }, Trust::default()), Err(THREE));
        assert_eq!(accumulator.begin(KindCounts { findings: Some(1), ..THREE }, Trust::default()), Err(THREE));
    }

    #[test]
    fn begins_with_the_earlier_partitions_if_the_counts_are_the_same() {
        let missing = |counts| {
            let accumulator =
                Accumulator::new(Some(EarlierPartitions { counts, partitions: vec![(0, "a"), (2, "c"), (3, "d")] }));
            accumulator.begin(THREE, Trust::default()).unwrap();
            indexes(&tickets(&accumulator))
        };
        assert_eq!(missing(THREE), [1], "the partition beyond the counts is ignored");
        assert_eq!(missing(KindCounts { findings: Some(3), ..THREE }), [0, 1, 2]);
    }

    #[test]
    fn has_each_partition_once_as_soon_as_none_is_missing_with_or_without_a_total() {
        for findings in [None, Some(3)] {
            let accumulator = Accumulator::new(None);
            accumulator.begin(KindCounts { findings, ..THREE }, Trust::default()).unwrap();
            for ticket in tickets(&accumulator) {
                assert!(!accumulator.has_each_once() && !accumulator.is_complete());
                accumulator.take(ticket, "", 0).unwrap();
            }
            assert!(accumulator.has_each_once() && accumulator.is_complete());
        }
    }

    #[test]
    fn does_not_have_each_partition_once_if_it_has_one_twice() {
        let accumulator = begun(2);
        let mut first = tickets(&accumulator);
        accumulator.tracker().borrow_mut().reopen();
        let mut again = tickets(&accumulator);
        accumulator.take(first.remove(0), "", 0).unwrap();
        accumulator.take(again.remove(0), "", 0).unwrap();
        assert!(accumulator.tracker().borrow().is_whole());
        assert!(!accumulator.has_each_once());
    }

    proptest! {
        #[test]
        fn checks_two_older_partitions_whatever_is_drawn_and_never_the_last(
            kept in prop::collection::btree_set(0..20_u64, 0..20),
            draws in prop::collection::vec(0.0..1.0, 2),
        ) {
            let earlier = EarlierPartitions {
                counts: KindCounts { partitions: 20, findings: None },
                partitions: kept.iter().map(|index| (*index, "a")).collect(),
            };
            let accumulator = Accumulator::new(Some(earlier));
            let left = RefCell::new(draws);
            let random = || left.borrow_mut().pop().unwrap();
            accumulator.begin(KindCounts { partitions: 25, findings: None }, appending(&random)).unwrap();
            let requested = indexes(&tickets(&accumulator));
            let older: Vec<_> = kept.into_iter().filter(|index| *index < 19).collect();
            if older.len() < 3 {
                prop_assert_eq!((requested.len(), accumulator.growth()), (25, Some(Growth::Reload)));
            } else {
                prop_assert_eq!((requested.len(), accumulator.growth()), (2, None));
                prop_assert!(requested.iter().all(|index| older.contains(index)));
            }
        }
    }

    #[test]
    fn checks_each_pair_of_older_partitions_equally_often() {
        let mut pairs = Vec::new();
        for (first, second) in (0..5).flat_map(|first| (0..4).map(move |second| (first, second))) {
            let counts = KindCounts { partitions: 6, findings: None };
            let partitions = (0..6).map(|index| (index, "a")).collect();
            let accumulator = Accumulator::new(Some(EarlierPartitions { counts, partitions }));
            let draws = RefCell::new(vec![f64::from(second) / 4.0, f64::from(first) / 5.0]);
            let random = || draws.borrow_mut().pop().unwrap();
            accumulator.begin(KindCounts { partitions: 7, ..counts }, appending(&random)).unwrap();
            pairs.push(indexes(&tickets(&accumulator)));
        }
        pairs.sort();
        let expected = (0..5_u64).flat_map(|first| (first + 1..5).flat_map(move |second| [[first, second]; 2]));
        assert!(pairs.iter().eq(expected.collect::<Vec<_>>().iter()), "{pairs:?}");
    }

    proptest! {
        #[test]
        fn keeps_partitions_by_index_whatever_the_order_of_arrival(
            arrivals in (1..20usize).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle())
        ) {
            let accumulator = begun(arrivals.len() as u64);
            let mut tickets: Vec<_> = tickets(&accumulator).into_iter().map(Some).collect();
            for &index in &arrivals {
                accumulator.take(tickets[index].take().unwrap(), "", 0).unwrap();
            }
            let kept: Vec<_> = accumulator.partitions().iter().map(|one| (one.index, one.before)).collect();
            let place = |index| arrivals.iter().position(|&arrival| arrival == index).unwrap();
            let expected: Vec<_> = (0..arrivals.len()).map(|index| (index as u64, place(index))).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
