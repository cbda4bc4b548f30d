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
    /// The hash of their body, if it was kept.
    #[cfg(feature = "tables")]
    fn body_hash(&self) -> Option<u64>;
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
    /// The earlier partitions that the call may still begin with, although the counts differ.
    #[cfg(feature = "tables")]
    bet: RefCell<Option<Bet<F>>>,
    growth: Cell<Option<Growth>>,
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
    kept: Vec<(u64, F)>,
    /// The positions of the two that are requested again.
    checks: [usize; 2],
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
            call: Mutex::default(),
        }
    }

    /// Waits until no other call uses the accumulator, and locks it for this one.
    pub(crate) fn exclusive(&self) -> MutexLockFuture<'_, ()> {
        self.call.lock()
    }

    /// Begins with these counts, or resumes with the missing partitions. With `random`, the service is said to append: with other counts than
    /// those of the earlier table, only two of its older partitions get tickets, until the call is settled.
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub fn begin(&self, counts: KindCounts, random: Option<Random<'_>>) -> Result<(), KindCounts> {
        if !self.is_begun.replace(true) {
            self.tracker.replace(PartitionTracker::new(counts));
            self.begin_with_earlier(counts, random);
        } else if self.tracker.borrow().counts() != counts {
            return Err(self.tracker.borrow().counts());
        }
        self.tracker.borrow_mut().reopen();
        Ok(())
    }

    fn begin_with_earlier(&self, counts: KindCounts, random: Option<Random<'_>>) {
        let Some(earlier) = self.earlier.take() else { return };
        if earlier.counts == counts {
            return self.take_earlier(earlier.partitions);
        }
        let Some(random) = random else { return };
        self.growth.set(Some(Growth::Reload));
        #[cfg(feature = "tables")]
        if let Some((bet, held)) = Bet::on(earlier, counts, random) {
            self.tracker.borrow_mut().hold(held);
            self.growth.set(None);
            self.bet.replace(Some(bet));
        }
        #[cfg(not(feature = "tables"))]
        let _ = random;
    }

    /// Decides on the partitions of the earlier table, once all other partitions have been requested: keeps them if the two that were requested
    /// again are the same and the total is right; otherwise they get tickets. Returns whether there was something to decide.
    #[cfg(feature = "tables")]
    pub(crate) fn settle(&self) -> bool {
        let Some(bet) = self.bet.take() else { return false };
        let is_won = self.is_won(&bet);
        self.growth.set(Some(if is_won { Growth::Append } else { Growth::Reload }));
        if is_won {
            self.take_earlier(bet.kept);
        }
        self.tracker.borrow_mut().release();
        true
    }

    #[cfg(feature = "tables")]
    fn is_won(&self, bet: &Bet<F>) -> bool {
        let (tracker, partitions, (held, in_held)) = (self.tracker.borrow(), self.partitions.borrow(), bet.held());
        let is_same = |check: &usize| {
            let (index, kept) = bet.kept.get(*check)?;
            let position = partitions.binary_search_by_key(index, |one| one.index).ok()?;
            Some(kept.body_hash()? == partitions.get(position)?.findings.body_hash()?)
        };
        let counts = tracker.counts();
        bet.checks.iter().all(|check| is_same(check) == Some(true))
            && tracker.partitions() + held == counts.partitions
            && counts.findings.is_none_or(|total| total == tracker.findings() + in_held)
    }

    /// There is no earlier table to decide on.
    #[cfg(not(feature = "tables"))]
    pub(crate) fn settle(&self) -> bool {
        false
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
            if self.take(ticket, findings, 0).is_err() {
                return;
            }
        }
    }

    /// The counts of the partitions that are missing; of their findings, about.
    pub fn missing(&self) -> KindCounts {
        let tracker = self.tracker.borrow();
        let KindCounts { partitions, findings } = tracker.counts();
        // Those that may be kept are not worth a worker.
        #[cfg(feature = "tables")]
        let (held, in_held) = self.bet.borrow().as_ref().map_or((0, 0), Bet::held);
        #[cfg(not(feature = "tables"))]
        let (held, in_held) = (0, 0);
        KindCounts {
            partitions: partitions.saturating_sub(tracker.partitions() + held),
            findings: findings.map(|findings| findings.saturating_sub(tracker.findings() + in_held)),
        }
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

    /// Adds the findings of a partition, decoded from a body of this many bytes.
    ///
    /// # Errors
    ///
    /// Out of memory. The partition counts as missing.
    pub fn take(&self, ticket: Ticket, findings: F, bytes: usize) -> Result<(), OutOfMemory> {
        let mut partitions = self.partitions.borrow_mut();
        reserve(&mut partitions, 1)?;
        let index = ticket.index();
        self.tracker.borrow_mut().take(ticket, findings.len())?;
        let (position, before) = (partitions.partition_point(|other| other.index < index), partitions.len());
        partitions.insert(position, ReceivedPartition { index, before, findings });
        self.bytes.update(|sum| sum + bytes as u64);
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

#[cfg(feature = "tables")]
impl<F: Findings> Bet<F> {
    /// Bets on an earlier table, whose last partition may have grown. Also returns the partitions to hold back; `None` if the inspection cannot
    /// have grown from it, or nothing would be saved.
    fn on(earlier: EarlierPartitions<F>, counts: KindCounts, random: Random<'_>) -> Option<(Self, Vec<u64>)> {
        let EarlierPartitions { counts: before, partitions: mut kept } = earlier;
        let has_shrunk = before.findings.zip(counts.findings).is_some_and(|(before, now)| now < before);
        if counts.partitions < before.partitions || has_shrunk {
            return None;
        }
        kept.retain(|(index, _)| *index + 1 < before.partitions);
        if kept.len() < 3 {
            return None;
        }
        let one_of = |count: usize| ((random() * count as f64) as usize).min(count - 1);
        let first = one_of(kept.len());
        let second = one_of(kept.len() - 1);
        let bet = Bet { checks: [first, if second < first { second } else { second + 1 }], kept };
        let mut held = with_capacity(bet.kept.len()).ok()?;
        held.extend(bet.others().map(|(index, _)| *index));
        Some((bet, held))
    }

    /// The partitions that are not requested again.
    fn others(&self) -> impl Iterator<Item = &(u64, F)> {
        let others = self.kept.iter().enumerate().filter(|(position, _)| !self.checks.contains(position));
        others.map(|(_, partition)| partition)
    }

    /// The number of partitions that are not requested again, and of their findings.
    fn held(&self) -> (u64, u64) {
        self.others().fold((0, 0), |(count, sum), (_, findings)| (count + 1, sum + findings.len() as u64))
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
    fn body_hash(&self) -> Option<u64> {
        match self {
            Formed::Chunk(chunk) => chunk.body_hash(),
            Formed::Rows(_) => None,
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

        fn body_hash(&self) -> Option<u64> {
            let hash = self.bytes().fold(1, |hash, byte| hash * 31 + u64::from(byte));
            Some(hash)
        }
    }

    const THREE: KindCounts = KindCounts { partitions: 3, findings: None };

    fn begun(partitions: u64) -> Accumulator<&'static str> {
        let accumulator = Accumulator::new(None);
        accumulator.begin(KindCounts { partitions, findings: None }, None).unwrap();
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
        accumulator.begin(THREE, None).unwrap();
        assert_eq!(indexes(&tickets(&accumulator)), [0, 2]);
    }

    #[test]
    fn refuses_counts_that_differ_from_the_first() {
        let accumulator = begun(3);
        assert_eq!(accumulator.begin(KindCounts { partitions: 4, ..THREE }, None), Err(THREE));
        assert_eq!(accumulator.begin(KindCounts { findings: Some(1), ..THREE }, None), Err(THREE));
    }

    #[test]
    fn begins_with_the_earlier_partitions_if_the_counts_are_the_same() {
        let missing = |counts| {
            let accumulator =
                Accumulator::new(Some(EarlierPartitions { counts, partitions: vec![(0, "a"), (2, "c"), (3, "d")] }));
            accumulator.begin(THREE, None).unwrap();
            indexes(&tickets(&accumulator))
        };
        assert_eq!(missing(THREE), [1], "the partition beyond the counts is ignored");
        assert_eq!(missing(KindCounts { findings: Some(3), ..THREE }), [0, 1, 2]);
    }

    #[test]
    fn has_each_partition_once_as_soon_as_none_is_missing_with_or_without_a_total() {
        for findings in [None, Some(3)] {
            let accumulator = Accumulator::new(None);
            accumulator.begin(KindCounts { findings, ..THREE }, None).unwrap();
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
            accumulator.begin(KindCounts { partitions: 25, findings: None }, Some(&random)).unwrap();
            let requested = indexes(&tickets(&accumulator));
            let older = kept.iter().filter(|index| **index < 19).count();
            let unknown = (0..25).filter(|index| *index >= 19 || !kept.contains(index)).count();
            if older < 3 {
                prop_assert_eq!((requested.len(), accumulator.growth()), (25, Some(Growth::Reload)));
            } else {
                prop_assert_eq!((requested.len(), accumulator.growth()), (unknown + 2, None));
                prop_assert!((19..25).all(|index| requested.contains(&index)));
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
            accumulator.begin(KindCounts { partitions: 7, ..counts }, Some(&random)).unwrap();
            pairs.push(indexes(&tickets(&accumulator))[..2].to_vec());
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
