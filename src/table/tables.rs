//! Tables of the chunks that a call has received: of all of them, or of one.

use std::cell::RefCell;
use std::rc::Rc;

use crate::{Arrived, CanonicalJson, Catalog, Member, QueryCache, Table, TableError};
use chunk::Chunk;
use chunk::hash::HashSeed;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, reserve, resize, with_capacity};

/// What a catalog needs of the host.
#[derive(Clone, Copy)]
pub struct Host {
    /// Writes a value canonically.
    pub canonical: CanonicalJson,
    /// Returns a random seed of hashes.
    pub hash_seed: fn() -> HashSeed,
}

/// The chunk of a partition that a call has received.
#[derive(Clone, Copy)]
pub struct ReceivedChunk<'a> {
    /// The index of the partition.
    pub index: u64,
    /// The number of partitions that were received before it.
    pub before: usize,
    /// Its findings.
    pub chunk: &'a Rc<Chunk>,
}

/// Makes tables of what a call has received. They share one catalog.
#[derive(Default)]
pub struct Tables {
    /// The cache that queries on live tables share; `None` for other tables.
    cache: Option<Rc<QueryCache>>,
    /// The names of the columns that findings are limited to, each followed by the byte `0xFF`; `None` if they have all.
    column_list: RefCell<Option<Rc<[u8]>>>,
    /// Created with the first table: a host may not draw random numbers before its first request.
    catalog: RefCell<Option<Rc<Catalog>>>,
    /// The chunks in the catalog, in order of arrival.
    members: RefCell<Vec<Rc<Member>>>,
}

impl Tables {
    /// The tables of a live table: queries on each reuse results of the one before.
    pub fn live() -> Self {
        Tables { cache: Some(Rc::default()), ..Tables::default() }
    }

    /// Sets the columns that the partitions to come are limited to. Must be called before the first one.
    pub fn limit_to(&self, columns: Option<Rc<[u8]>>) {
        self.column_list.replace(columns);
        self.catalog.replace(None);
    }

    /// Returns the findings received so far, in index order. `is_whole`: whether every partition was received.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many findings.
    pub fn table<'a>(
        &self,
        host: Host,
        received: impl Iterator<Item = ReceivedChunk<'a>> + Clone,
        is_whole: bool,
    ) -> Result<Table, TableError> {
        let catalog = self.catalog(host)?;
        let count = received.clone().count();
        self.add_new(&catalog, received.clone(), count)?;
        let members = self.members.borrow();
        let mut arrived = with_capacity(count)?;
        for ReceivedChunk { index, before, .. } in received {
            arrived.push(Arrived { index, member: Rc::clone(members.get(before).certain()) });
        }
        // Only a live table may be queried for a column that a later partition brings.
        Ok(Table::arrived(catalog, &arrived, self.cache.clone(), self.cache.is_none() || is_whole)?)
    }

    fn catalog(&self, host: Host) -> Result<Rc<Catalog>, OutOfMemory> {
        let mut catalog = self.catalog.borrow_mut();
        if let Some(catalog) = &*catalog {
            return Ok(Rc::clone(catalog));
        }
        let new = Rc::new(new_catalog(host, self.column_list.borrow().as_deref())?);
        Ok(Rc::clone(catalog.insert(new)))
    }

    /// Adds the chunks that have arrived since the last table.
    fn add_new<'a>(
        &self,
        catalog: &Catalog,
        received: impl Iterator<Item = ReceivedChunk<'a>>,
        count: usize,
    ) -> Result<(), TableError> {
        let mut members = self.members.borrow_mut();
        let mut new = Vec::new();
        resize(&mut new, count.saturating_sub(members.len()), None)?;
        for one in received {
            if let Some(place) = one.before.checked_sub(members.len()).and_then(|place| new.get_mut(place)) {
                *place = Some(one.chunk);
            }
        }
        reserve(&mut members, new.len())?;
        for chunk in new.into_iter().flatten() {
            members.push(catalog.add(Rc::clone(chunk))?);
        }
        Ok(())
    }
}

/// Returns an empty catalog of findings that are limited to `columns`.
///
/// # Errors
///
/// Out of memory.
pub fn new_catalog(host: Host, columns: Option<&[u8]>) -> Result<Catalog, OutOfMemory> {
    let mut column_list = Vec::new();
    extend(&mut column_list, columns.unwrap_or_default())?;
    Ok(Catalog::new(host.canonical, (host.hash_seed)(), columns.map(|_| column_list)))
}

/// Returns the findings of one partition, which are limited to `columns`.
///
/// # Errors
///
/// Out of memory, or there are too many findings.
pub fn table_of(host: Host, index: u64, chunk: Rc<Chunk>, columns: Option<&[u8]>) -> Result<Table, TableError> {
    let catalog = Rc::new(new_catalog(host, columns)?);
    let member = catalog.add(chunk)?;
    Ok(Table::arrived(catalog, &[Arrived { index, member }], None, true)?)
}

#[cfg(test)]
mod tests {
    use chunk::testing::chunk;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::HOST;

    /// Partitions of one finding each, in index order: those that have arrived of all, in the order `arrivals`.
    fn table(tables: &Tables, arrivals: &[usize]) -> Table {
        let chunk_of = |index: usize| Rc::new(chunk(&format!(r#"{{"Findings":[{{"Comment":"{index}"}}]}}"#)));
        let mut all: Vec<_> =
            arrivals.iter().enumerate().map(|(before, index)| (*index, before, chunk_of(*index))).collect();
        all.sort_by_key(|(index, ..)| *index);
        let received =
            all.iter().map(|(index, before, chunk)| ReceivedChunk { index: *index as u64, before: *before, chunk });
        tables.table(HOST, received, false).unwrap()
    }

    fn comments(table: &Table) -> Vec<String> {
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    #[test]
    fn leaves_a_table_unchanged_when_another_partition_arrives() {
        let tables = Tables::default();
        let partial = table(&tables, &[1]);
        let whole = table(&tables, &[1, 0]);
        assert_eq!(comments(&partial), [r#"{"Comment":"1"}"#]);
        assert_eq!(comments(&whole), [r#"{"Comment":"0"}"#, r#"{"Comment":"1"}"#]);
        assert_eq!(partial.columns().unwrap().collect::<Vec<_>>(), ["Comment"]);
    }

    proptest! {
        #[test]
        fn orders_findings_by_index_whatever_the_order_of_arrival_and_however_many_tables_there_were(
            arrivals in (1..20usize).prop_flat_map(|partitions| Just((0..partitions).collect::<Vec<_>>()).prop_shuffle()),
            tables_after in prop::collection::vec(any::<bool>(), 20),
        ) {
            let tables = Tables::default();
            for (arrived, makes_table) in (1..=arrivals.len()).zip(tables_after) {
                if makes_table {
                    table(&tables, &arrivals[..arrived]);
                }
            }
            let expected: Vec<_> = (0..arrivals.len()).map(|index| format!(r#"{{"Comment":"{index}"}}"#)).collect();
            prop_assert_eq!(comments(&table(&tables, &arrivals)), expected);
        }
    }
}
