//! What a call has got of one kind of findings: partitions in columns, and what they call_budget. A later call can go on with it.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::dictionary::Dictionary;
use columns::memory::{OutOfMemory, reserve, with_capacity};
use columns::number_interner::ReadNumber;
use columns::table::Table;

use crate::contract::KindCounts;
use crate::scheduling::partition_tracker::{PartitionTracker, Ticket};
use crate::scheduling::semaphore::{Permit, Semaphore};

/// The partitions that have come, and those that are missing.
pub(crate) struct Accumulator {
    tracker: RefCell<PartitionTracker>,
    /// Those that have come, with their indexes and in the order of these.
    chunks: RefCell<Vec<(u64, Rc<Chunk>)>>,
    /// Whether the counts are known.
    is_begun: Cell<bool>,
    /// Bytes of the partitions that have come.
    bytes: Cell<u64>,
    /// What the partitions call_budget.
    dictionary: RefCell<Rc<Dictionary>>,
    /// One slot, for what uses the dictionary: partitions are decoded one after the other.
    decode_lock: Semaphore,
    /// One slot, for the call that goes on with it.
    call_lock: Semaphore,
}

/// The dictionary, for the time in which a partition is decoded.
pub(crate) struct DecodeGuard<'accumulator> {
    dictionary: RefMut<'accumulator, Rc<Dictionary>>,
    _permit: Permit,
}

impl Accumulator {
    /// Nothing yet.
    pub(crate) fn new(read: ReadNumber) -> Self {
        Accumulator {
            tracker: RefCell::new(PartitionTracker::new(KindCounts { partitions: 0, findings: None })),
            chunks: RefCell::default(),
            is_begun: Cell::new(false),
            bytes: Cell::new(0),
            dictionary: RefCell::new(Rc::new(Dictionary::new(read))),
            decode_lock: Semaphore::new(1),
            call_lock: Semaphore::new(1),
        }
    }

    /// Waits until no other call goes on with it.
    pub(crate) async fn exclusive(&self) -> Permit {
        self.call_lock.acquire().await
    }

    /// Begins, or goes on with what is missing. If it was begun with other counts, these are the error.
    pub(crate) fn begin(&self, counts: KindCounts) -> Result<(), KindCounts> {
        let mut tracker = self.tracker.borrow_mut();
        if !self.is_begun.replace(true) {
            *tracker = PartitionTracker::new(counts);
        } else if tracker.counts() != counts {
            return Err(tracker.counts());
        }
        tracker.reopen();
        Ok(())
    }

    /// Whether the counts are known.
    pub(crate) fn is_begun(&self) -> bool {
        self.is_begun.get()
    }

    /// What has come and what is missing.
    pub(crate) fn tracker(&self) -> &RefCell<PartitionTracker> {
        &self.tracker
    }

    /// Takes a partition that was decoded from so many bytes.
    pub(crate) fn take(&self, ticket: Ticket, chunk: Rc<Chunk>, bytes: usize) -> Result<(), OutOfMemory> {
        let mut chunks = self.chunks.borrow_mut();
        reserve(&mut chunks, 1)?;
        let (index, length) = (ticket.index(), chunk.len());
        self.tracker.borrow_mut().take(ticket, length)?;
        let position = chunks.partition_point(|(other, _)| *other < index);
        chunks.insert(position, (index, chunk));
        self.bytes.update(|sum| sum + bytes as u64);
        Ok(())
    }

    /// Bytes of the partitions that have come.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Waits for the turn to decode a partition.
    pub(crate) async fn lock_dictionary(&self) -> DecodeGuard<'_> {
        let permit = self.decode_lock.acquire().await;
        DecodeGuard { dictionary: self.dictionary.borrow_mut(), _permit: permit }
    }

    /// What has come, in index ticket.
    pub(crate) async fn table(&self) -> Result<Table, OutOfMemory> {
        let DecodeGuard { mut dictionary, _permit } = self.lock_dictionary().await;
        if let Some(own) = Rc::get_mut(&mut dictionary) {
            // A decoding that was broken off leaves something behind.
            own.rollback();
        }
        let received = self.chunks.borrow();
        let mut chunks = with_capacity(received.len())?;
        chunks.extend(received.iter().map(|(_, chunk)| Rc::clone(chunk)));
        Table::new(Rc::clone(&dictionary), chunks)
    }

    /// The table of a partition that is all that was decoded.
    pub(crate) fn into_table(self, chunk: Rc<Chunk>) -> Result<Table, OutOfMemory> {
        Table::new(self.dictionary.into_inner(), vec![chunk])
    }
}

impl DecodeGuard<'_> {
    /// The dictionary to decode against. It is copied first if a table has it already, which keeps what it has.
    pub(crate) fn dictionary(&mut self) -> Result<&mut Dictionary, OutOfMemory> {
        if Rc::get_mut(&mut self.dictionary).is_none() {
            *self.dictionary = Rc::new(self.dictionary.try_clone()?);
        }
        Rc::get_mut(&mut self.dictionary).ok_or(OutOfMemory)
    }
}

#[cfg(test)]
mod tests {
    use columns::decode::Decoder;
    use columns::number_interner::rust_number;
    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;

    fn accumulator(partitions: u64) -> Accumulator {
        let accumulator = Accumulator::new(rust_number);
        accumulator.begin(KindCounts { partitions, findings: None }).unwrap();
        accumulator
    }

    /// Takes a partition of one finding.
    fn take(accumulator: &Accumulator, ticket: Ticket, text: &str) {
        let mut guard = accumulator.lock_dictionary().now_or_never().unwrap();
        let body = format!(r#"{{"Findings":[{{"Comment":"{text}"}}]}}"#).into_bytes();
        let mut decoder = Decoder::new(body);
        assert_eq!(decoder.advance(guard.dictionary().unwrap(), usize::MAX), Ok(true));
        accumulator.take(ticket, Rc::new(decoder.finish().findings.unwrap()), 40).unwrap();
    }

    fn comments(table: &Table) -> Vec<String> {
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    fn tickets(accumulator: &Accumulator) -> Vec<Ticket> {
        std::iter::from_fn(|| accumulator.tracker().borrow_mut().next_ticket()).collect()
    }

    #[test]
    fn a_table_keeps_what_it_has_while_more_is_gathered() {
        let accumulator = accumulator(2);
        let mut tickets = tickets(&accumulator);
        take(&accumulator, tickets.remove(1), "second");
        let partial = accumulator.table().now_or_never().unwrap().unwrap();
        take(&accumulator, tickets.remove(0), "first");
        let whole = accumulator.table().now_or_never().unwrap().unwrap();
        assert_eq!(comments(&partial), [r#"{"Comment":"second"}"#]);
        assert_eq!(comments(&whole), [r#"{"Comment":"first"}"#, r#"{"Comment":"second"}"#]);
        assert_eq!(partial.dictionary().strings.len(), 1);
    }

    #[test]
    fn going_on_orders_just_what_is_missing() {
        let accumulator = accumulator(3);
        let mut first = tickets(&accumulator);
        take(&accumulator, first.remove(1), "1");
        accumulator.begin(KindCounts { partitions: 3, findings: None }).unwrap();
        assert_eq!(tickets(&accumulator).iter().map(Ticket::index).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn other_counts_than_those_of_the_beginning_are_refused() {
        let accumulator = accumulator(3);
        let before = KindCounts { partitions: 3, findings: None };
        assert_eq!(accumulator.begin(KindCounts { partitions: 4, findings: None }), Err(before));
        assert_eq!(accumulator.begin(KindCounts { partitions: 3, findings: Some(1) }), Err(before));
    }

    proptest! {
        #[test]
        fn whatever_the_order_of_arrival_the_order_of_the_findings_is_that_of_the_indexes(
            arrivals in (1..20usize).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle())
        ) {
            let accumulator = accumulator(arrivals.len() as u64);
            let mut tickets: Vec<_> = tickets(&accumulator).into_iter().map(Some).collect();
            for &index in &arrivals {
                take(&accumulator, tickets[index].take().unwrap(), &index.to_string());
            }
            let table = accumulator.table().now_or_never().unwrap().unwrap();
            let expected: Vec<_> = (0..arrivals.len()).map(|index| format!(r#"{{"Comment":"{index}"}}"#)).collect();
            prop_assert_eq!(comments(&table), expected);
        }
    }
}
