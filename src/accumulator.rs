//! The partitions that a call has received. A later call can resume from them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::hash::HashSeed;
use columns::host_json::HostJson;
use columns::memory::{OutOfMemory, extend, reserve};
use columns::table::{Arrived, Catalog, QueryCache, Table};
use futures_util::lock::{Mutex, MutexLockFuture};

use crate::contract::KindCounts;
use crate::scheduling::partition_tracker::{PartitionTracker, Ticket};

/// The received partitions of one kind of findings, in columns.
pub(crate) struct Accumulator {
    tracker: RefCell<PartitionTracker>,
    /// The partitions received, in index order.
    chunks: RefCell<Vec<Arrived>>,
    /// The cache that queries on live tables share; `None` for other tables.
    cache: Option<Rc<QueryCache>>,
    /// Whether the counts are known.
    is_begun: Cell<bool>,
    /// Bytes of the bodies of the partitions received.
    bytes: Cell<u64>,
    /// The chunks of the partitions, created with the first use: a host may not draw random numbers before its first request.
    catalog: RefCell<Option<Rc<Catalog>>>,
    /// The names of the columns that findings keep, each followed by the byte `0xFF`; `None` if they keep all.
    kept: RefCell<Option<Vec<u8>>>,
    json: HostJson,
    seed: fn() -> HashSeed,
    /// A table to begin with if the counts are the same, and its counts.
    earlier: RefCell<Option<(Table, KindCounts)>>,
    /// Calls use the accumulator one at a time.
    call: Mutex<()>,
}

impl Accumulator {
    /// An empty accumulator. `json` reads and compares values of the findings; `seed` returns the seed of all hashes.
    pub(crate) fn new(json: HostJson, seed: fn() -> HashSeed) -> Self {
        Self::with_cache(json, seed, None)
    }

    /// An empty accumulator for a live table: queries on each snapshot reuse results of the previous snapshot.
    pub(crate) fn live(json: HostJson, seed: fn() -> HashSeed) -> Self {
        Self::with_cache(json, seed, Some(Rc::default()))
    }

    fn with_cache(json: HostJson, seed: fn() -> HashSeed, cache: Option<Rc<QueryCache>>) -> Self {
        Accumulator {
            tracker: RefCell::new(PartitionTracker::new(KindCounts { partitions: 0, findings: None })),
            chunks: RefCell::default(),
            cache,
            is_begun: Cell::new(false),
            bytes: Cell::new(0),
            catalog: RefCell::default(),
            kept: RefCell::default(),
            json,
            seed,
            earlier: RefCell::default(),
            call: Mutex::default(),
        }
    }

    /// Begins with the partitions of an earlier table of the same inspection and kind, if the counts are still the same.
    pub(crate) fn with_earlier(self, table: Table, counts: KindCounts) -> Self {
        self.earlier.replace(Some((table, counts)));
        self
    }

    /// Waits until no other call uses the accumulator, and locks it for this one.
    pub(crate) fn exclusive(&self) -> MutexLockFuture<'_, ()> {
        self.call.lock()
    }

    /// Keeps only these columns of the partitions to come. Must be called before the first one.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn keep_only(&self, columns: Option<&[u8]>) -> Result<(), OutOfMemory> {
        let mut kept = Vec::new();
        extend(&mut kept, columns.unwrap_or_default())?;
        self.kept.replace(columns.map(|_| kept));
        self.catalog.replace(None);
        Ok(())
    }

    /// Begins with these counts, or resumes with the missing partitions.
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub(crate) fn begin(&self, counts: KindCounts) -> Result<(), KindCounts> {
        let mut tracker = self.tracker.borrow_mut();
        if !self.is_begun.replace(true) {
            *tracker = PartitionTracker::new(counts);
            let earlier = self.earlier.take().filter(|(_, before)| *before == counts);
            // Without memory for the earlier partitions, they are requested again.
            let catalog = self.catalog();
            if let Some((tracked, chunks)) = earlier.and_then(|(table, _)| adopted(&table, counts, &catalog).ok()) {
                *tracker = tracked;
                self.chunks.replace(chunks);
            }
        } else if tracker.counts() != counts {
            return Err(tracker.counts());
        }
        tracker.reopen();
        Ok(())
    }

    /// The counts of the partitions that are missing; of their findings, about.
    pub(crate) fn missing(&self) -> KindCounts {
        let tracker = self.tracker.borrow();
        let KindCounts { partitions, findings } = tracker.counts();
        KindCounts {
            partitions: partitions - tracker.partitions(),
            findings: findings.map(|findings| findings.saturating_sub(tracker.findings())),
        }
    }

    /// Whether the counts are known.
    pub(crate) fn is_begun(&self) -> bool {
        self.is_begun.get()
    }

    /// The counts, once they are known.
    pub(crate) fn counts(&self) -> Option<KindCounts> {
        self.is_begun().then(|| self.tracker.borrow().counts())
    }

    /// Whether all findings are received: every partition, and as many findings as the counts say.
    pub(crate) fn is_complete(&self) -> bool {
        let tracker = self.tracker.borrow();
        tracker.is_whole() && tracker.check().is_ok()
    }

    /// Which partitions were received and which are missing.
    pub(crate) fn tracker(&self) -> &RefCell<PartitionTracker> {
        &self.tracker
    }

    /// Adds a partition of this many findings, decoded from a body of this many bytes. Without columns, the host keeps the findings.
    ///
    /// # Errors
    ///
    /// Out of memory. The partition counts as missing.
    pub(crate) fn take(
        &self,
        ticket: Ticket,
        length: usize,
        chunk: Option<Rc<Chunk>>,
        bytes: usize,
    ) -> Result<(), OutOfMemory> {
        let mut chunks = self.chunks.borrow_mut();
        reserve(&mut chunks, 1)?;
        let index = ticket.index();
        let member = chunk.map(|chunk| self.catalog().add(chunk)).transpose()?;
        self.tracker.borrow_mut().take(ticket, length)?;
        if let Some(member) = member {
            let (position, before) = (chunks.partition_point(|other| other.index < index), chunks.len());
            chunks.insert(position, Arrived { index, before, member });
        }
        self.bytes.update(|sum| sum + bytes as u64);
        Ok(())
    }

    /// Bytes of the bodies of the partitions received.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// The chunks of the partitions.
    fn catalog(&self) -> Rc<Catalog> {
        let mut catalog = self.catalog.borrow_mut();
        let new = || Rc::new(Catalog::new(self.json.canonical, (self.seed)(), self.kept.take()));
        Rc::clone(catalog.get_or_insert_with(new))
    }

    /// The findings received so far, in index order. Shares all columns.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn table(&self) -> Result<Table, OutOfMemory> {
        // Only a live table may be queried for a column that a later partition brings.
        let is_whole = self.cache.is_none() || self.tracker.borrow().is_whole();
        Table::arrived(self.catalog(), &self.chunks.borrow(), self.cache.clone(), is_whole)
    }
}

/// Adds the partitions of an earlier table with these counts to a catalog, and returns them.
fn adopted(
    table: &Table,
    counts: KindCounts,
    catalog: &Catalog,
) -> Result<(PartitionTracker, Vec<Arrived>), OutOfMemory> {
    let mut tracker = PartitionTracker::new(counts);
    let mut chunks = Vec::new();
    for (before, (index, chunk)) in table.partitions().into_iter().flatten().enumerate() {
        // A table that was forged may have more partitions.
        let Some(ticket) = tracker.ticket_of(index) else { break };
        reserve(&mut chunks, 1)?;
        tracker.take(ticket, chunk.len())?;
        chunks.push(Arrived { index, before, member: catalog.add(Rc::clone(chunk))? });
    }
    Ok((tracker, chunks))
}

#[cfg(test)]
mod tests {
    use columns::decode::Decoder;
    use columns::dictionary::Dictionary;
    use proptest::prelude::*;

    use super::*;

    fn accumulator(partitions: u64) -> Accumulator {
        let accumulator = Accumulator::new(HostJson::RUST, || HashSeed::new(0.5));
        accumulator.begin(KindCounts { partitions, findings: None }).unwrap();
        accumulator
    }

    /// Adds a partition of one finding.
    fn take(accumulator: &Accumulator, ticket: Ticket, text: &str) {
        let body = format!(r#"{{"Findings":[{{"Comment":"{text}"}}]}}"#).into_bytes();
        let mut decoder = Decoder::new(body, Dictionary::default());
        assert_eq!(decoder.advance(usize::MAX), Ok(true));
        let chunk = decoder.finish().findings.unwrap();
        accumulator.take(ticket, chunk.len(), Some(Rc::new(chunk)), 40).unwrap();
    }

    fn comments(table: &Table) -> Vec<String> {
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    fn tickets(accumulator: &Accumulator) -> Vec<Ticket> {
        std::iter::from_fn(|| accumulator.tracker().borrow_mut().next_ticket()).collect()
    }

    #[test]
    fn leaves_a_table_unchanged_when_another_partition_arrives() {
        let accumulator = accumulator(2);
        let mut tickets = tickets(&accumulator);
        take(&accumulator, tickets.remove(1), "second");
        let partial = accumulator.table().unwrap();
        take(&accumulator, tickets.remove(0), "first");
        let whole = accumulator.table().unwrap();
        assert_eq!(comments(&partial), [r#"{"Comment":"second"}"#]);
        assert_eq!(comments(&whole), [r#"{"Comment":"first"}"#, r#"{"Comment":"second"}"#]);
        assert_eq!(partial.columns().unwrap().collect::<Vec<_>>(), ["Comment"]);
    }

    #[test]
    fn issues_tickets_for_the_missing_partitions_when_resumed() {
        let accumulator = accumulator(3);
        let mut first = tickets(&accumulator);
        take(&accumulator, first.remove(1), "1");
        accumulator.begin(KindCounts { partitions: 3, findings: None }).unwrap();
        assert_eq!(tickets(&accumulator).iter().map(Ticket::index).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn refuses_counts_that_differ_from_the_first() {
        let accumulator = accumulator(3);
        let before = KindCounts { partitions: 3, findings: None };
        assert_eq!(accumulator.begin(KindCounts { partitions: 4, findings: None }), Err(before));
        assert_eq!(accumulator.begin(KindCounts { partitions: 3, findings: Some(1) }), Err(before));
    }

    proptest! {
        #[test]
        fn orders_findings_by_index_whatever_the_order_of_arrival(
            arrivals in (1..20usize).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle())
        ) {
            let accumulator = accumulator(arrivals.len() as u64);
            let mut tickets: Vec<_> = tickets(&accumulator).into_iter().map(Some).collect();
            for &index in &arrivals {
                take(&accumulator, tickets[index].take().unwrap(), &index.to_string());
            }
            let table = accumulator.table().unwrap();
            let expected: Vec<_> = (0..arrivals.len()).map(|index| format!(r#"{{"Comment":"{index}"}}"#)).collect();
            prop_assert_eq!(comments(&table), expected);
        }
    }
}
