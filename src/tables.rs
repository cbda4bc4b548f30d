//! Tables of the chunks that a call has received: of all of them, or of one; and tables that were saved.

use std::cell::RefCell;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::memory::{OutOfMemory, extend, reserve, resize, with_capacity};
use columns::table::saved::{self, OpenError};
use columns::table::{Arrived, Catalog, Member, QueryCache, Table};

use crate::accumulator::{Accumulator, EarlierTable, Objects, Received};
use crate::contract::KindCounts;
use crate::decode::Runtime;
use crate::form::Formed;

/// Opens a saved table. `read` fills a list with the bytes from an offset on. Also returns the text about the table.
///
/// # Errors
///
/// Out of memory, or the bytes are not a saved table.
pub(crate) async fn open<T: Runtime>(
    runtime: &T,
    byte_length: u64,
    read: &mut dyn FnMut(u64, &mut [u8]),
) -> Result<(Vec<u8>, Table), OpenError> {
    saved::open(byte_length, read, T::JSON, T::hash_seed(), async || runtime.yield_now().await).await
}

/// Makes tables of what an accumulator has received. They share one catalog.
#[derive(Default)]
pub(crate) struct Tables {
    /// The cache that queries on live tables share; `None` for other tables.
    cache: Option<Rc<QueryCache>>,
    /// The names of the columns that findings keep, each followed by the byte `0xFF`; `None` if they keep all.
    kept: RefCell<Option<Vec<u8>>>,
    /// Created with the first table: a host may not draw random numbers before its first request.
    catalog: RefCell<Option<Rc<Catalog>>>,
    /// The chunks in the catalog, in order of arrival.
    members: RefCell<Vec<Rc<Member>>>,
}

impl Tables {
    /// The tables of a live table: queries on each reuse results of the one before.
    pub(crate) fn live() -> Self {
        Tables { cache: Some(Rc::default()), ..Tables::default() }
    }

    /// Sets the columns that the partitions to come keep. Must be called before the first one.
    pub(crate) fn keep_only(&self, columns: Option<Vec<u8>>) {
        self.kept.replace(columns);
        self.catalog.replace(None);
    }

    /// Returns the findings received so far, in index order.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn table<T: Runtime, O: Objects>(
        &self,
        accumulator: &Accumulator<Formed<O>>,
    ) -> Result<Table, OutOfMemory> {
        let catalog = self.catalog::<T>()?;
        let partitions = accumulator.partitions();
        self.add_new(&catalog, &partitions)?;
        let members = self.members.borrow();
        let mut arrived = with_capacity(partitions.len())?;
        for &Received { index, before, .. } in partitions.iter() {
            arrived.push(Arrived { index, member: Rc::clone(members.get(before).ok_or(OutOfMemory)?) });
        }
        // Only a live table may be queried for a column that a later partition brings.
        let is_whole = self.cache.is_none() || accumulator.is_whole();
        Table::arrived(catalog, &arrived, self.cache.clone(), is_whole)
    }

    fn catalog<T: Runtime>(&self) -> Result<Rc<Catalog>, OutOfMemory> {
        let mut catalog = self.catalog.borrow_mut();
        if let Some(catalog) = &*catalog {
            return Ok(Rc::clone(catalog));
        }
        let new = Rc::new(new_catalog::<T>(self.kept.borrow().as_deref())?);
        Ok(Rc::clone(catalog.insert(new)))
    }

    /// Adds the chunks that have arrived since the last table.
    fn add_new<O>(&self, catalog: &Catalog, partitions: &[Received<Formed<O>>]) -> Result<(), OutOfMemory> {
        let mut members = self.members.borrow_mut();
        let mut new = Vec::new();
        resize(&mut new, partitions.len().saturating_sub(members.len()), None)?;
        for one in partitions {
            if let Some(place) = one.before.checked_sub(members.len()).and_then(|place| new.get_mut(place)) {
                *place = Some(&one.findings);
            }
        }
        reserve(&mut members, new.len())?;
        for findings in new.into_iter().flatten() {
            if let Formed::Chunk(chunk) = findings {
                members.push(catalog.add(Rc::clone(chunk))?);
            }
        }
        Ok(())
    }
}

/// Returns an empty catalog of findings that keep only `columns`.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn new_catalog<T: Runtime>(columns: Option<&[u8]>) -> Result<Catalog, OutOfMemory> {
    let mut kept = Vec::new();
    extend(&mut kept, columns.unwrap_or_default())?;
    Ok(Catalog::new(T::JSON.canonical, T::hash_seed(), columns.map(|_| kept)))
}

/// Returns the findings of one partition, which keep only `columns`.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn table_of<T: Runtime>(index: u64, chunk: Rc<Chunk>, columns: Option<&[u8]>) -> Result<Table, OutOfMemory> {
    let catalog = Rc::new(new_catalog::<T>(columns)?);
    let member = catalog.add(chunk)?;
    Table::arrived(catalog, &[Arrived { index, member }], None, true)
}

/// Returns the partitions of a table for another call to begin with; `None` if it has none, or if memory runs out.
pub(crate) fn earlier<O>(table: &Table, counts: KindCounts) -> Option<EarlierTable<Formed<O>>> {
    let chunks = table.partitions()?;
    let mut partitions = with_capacity(chunks.len()).ok()?;
    partitions.extend(chunks.map(|(index, chunk)| (index, Formed::Chunk(Rc::clone(chunk)))));
    Some(EarlierTable { counts, partitions })
}

#[cfg(test)]
mod tests {
    use columns::decode::Decoder;
    use columns::dictionary::Dictionary;
    use proptest::prelude::*;

    use super::*;
    use crate::mock_host::{MockFindings, MockHost};
    use crate::scheduling::partition_tracker::Ticket;

    type Chunks = Accumulator<MockFindings>;

    fn begun(partitions: u64) -> (Chunks, Vec<Ticket>) {
        let accumulator = Chunks::new(None);
        accumulator.begin(KindCounts { partitions, findings: None }, None).unwrap();
        let tickets = std::iter::from_fn(|| accumulator.tracker().borrow_mut().next_ticket()).collect();
        (accumulator, tickets)
    }

    /// Adds a partition of one finding.
    fn take(accumulator: &Chunks, ticket: Ticket, text: &str) {
        let body = format!(r#"{{"Findings":[{{"Comment":"{text}"}}]}}"#).into_bytes();
        let mut decoder = Decoder::new(body, Dictionary::default());
        assert_eq!(decoder.advance(usize::MAX), Ok(true));
        let chunk = decoder.finish().findings.unwrap();
        accumulator.take(ticket, Formed::Chunk(Rc::new(chunk)), 40).unwrap();
    }

    fn comments(table: &Table) -> Vec<String> {
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    #[test]
    fn leaves_a_table_unchanged_when_another_partition_arrives() {
        let (tables, (accumulator, mut tickets)) = (Tables::default(), begun(2));
        take(&accumulator, tickets.remove(1), "second");
        let partial = tables.table::<MockHost, _>(&accumulator).unwrap();
        take(&accumulator, tickets.remove(0), "first");
        let whole = tables.table::<MockHost, _>(&accumulator).unwrap();
        assert_eq!(comments(&partial), [r#"{"Comment":"second"}"#]);
        assert_eq!(comments(&whole), [r#"{"Comment":"first"}"#, r#"{"Comment":"second"}"#]);
        assert_eq!(partial.columns().unwrap().collect::<Vec<_>>(), ["Comment"]);
    }

    proptest! {
        #[test]
        fn orders_findings_by_index_whatever_the_order_of_arrival_and_however_many_tables_there_were(
            arrivals in (1..20usize).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle()),
            tables_after in prop::collection::vec(any::<bool>(), 20),
        ) {
            let (tables, (accumulator, tickets)) = (Tables::default(), begun(arrivals.len() as u64));
            let mut tickets: Vec<_> = tickets.into_iter().map(Some).collect();
            for (&index, makes_table) in arrivals.iter().zip(tables_after) {
                take(&accumulator, tickets[index].take().unwrap(), &index.to_string());
                if makes_table {
                    tables.table::<MockHost, _>(&accumulator).unwrap();
                }
            }
            let table = tables.table::<MockHost, _>(&accumulator).unwrap();
            let expected: Vec<_> = (0..arrivals.len()).map(|index| format!(r#"{{"Comment":"{index}"}}"#)).collect();
            prop_assert_eq!(comments(&table), expected);
        }
    }
}
