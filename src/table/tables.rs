//! Tables of the chunks that a call has received: of all of them, or of one.

use std::cell::RefCell;
use std::rc::Rc;

use crate::{Arrived, Catalog, Member, QueryCache, Table, TableError};
use chunk::Chunk;
use chunk::hash::HashSeed;
use chunk::memory::with_capacity;
use chunk::value::column_name::ColumnList;

/// Returns a random seed of hashes.
pub type NewSeed = fn() -> HashSeed;

/// A partition that a call has received.
pub struct Partition {
    /// Its index.
    pub index: u64,
    /// Its findings.
    pub chunk: Rc<Chunk>,
    /// The chunk in the catalog, once a table has it.
    member: Option<Rc<Member>>,
}

impl Partition {
    /// The findings of the partition with this index.
    pub fn new(index: u64, chunk: Rc<Chunk>) -> Self {
        Partition { index, chunk, member: None }
    }
}

/// Makes tables of what a call has received. They share one catalog.
#[derive(Default)]
pub struct Tables {
    /// The cache that queries on live tables share; `None` for other tables.
    cache: Option<Rc<QueryCache>>,
    column_list: RefCell<ColumnList>,
    /// Created with the first table: a host may not draw random numbers before its first request.
    catalog: RefCell<Option<Rc<Catalog>>>,
}

impl Tables {
    /// The tables of a live table: queries on each reuse results of the one before.
    pub fn live() -> Self {
        Tables { cache: Some(Rc::default()), ..Tables::default() }
    }

    /// Sets the columns that the partitions to come are limited to. Must be called before the first one.
    pub fn limit_to(&self, columns: ColumnList) {
        self.column_list.replace(columns);
        self.catalog.replace(None);
    }

    /// Returns the findings received so far, which are in index order. `is_whole`: whether every partition was received.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many findings.
    pub fn table(&self, new_seed: NewSeed, received: &mut [Partition], is_whole: bool) -> Result<Table, TableError> {
        let new_catalog = || Rc::new(Catalog::new(new_seed(), self.column_list.borrow().clone()));
        let catalog = Rc::clone(self.catalog.borrow_mut().get_or_insert_with(new_catalog));
        let mut arrived = with_capacity(received.len())?;
        for Partition { index, chunk, member } in received {
            let member = match member {
                Some(member) => member,
                member => member.insert(catalog.add(Rc::clone(chunk))?),
            };
            arrived.push(Arrived { index: *index, member: Rc::clone(member) });
        }
        // Only a live table may be queried for a column that a later partition brings.
        Ok(Table::arrived(catalog, &arrived, self.cache.clone(), self.cache.is_none() || is_whole)?)
    }
}

/// Returns the findings of one partition, which are limited to `columns`.
///
/// # Errors
///
/// Out of memory, or there are too many findings.
pub fn table_of(new_seed: NewSeed, index: u64, chunk: Rc<Chunk>, columns: ColumnList) -> Result<Table, TableError> {
    let catalog = Rc::new(Catalog::new(new_seed(), columns));
    let member = catalog.add(chunk)?;
    Ok(Table::arrived(catalog, &[Arrived { index, member }], None, true)?)
}

#[cfg(test)]
mod tests {
    use chunk::testing::chunk;
    use proptest::prelude::*;

    use super::*;

    /// A partition of one finding arrives.
    fn arrive(received: &mut Vec<Partition>, index: usize) {
        let place = received.partition_point(|one| one.index < index as u64);
        let chunk = chunk(&format!(r#"{{"Findings":[{{"Comment":"{index}"}}]}}"#));
        received.insert(place, Partition::new(index as u64, Rc::new(chunk)));
    }

    fn table(tables: &Tables, received: &mut [Partition]) -> Table {
        tables.table(HashSeed::default, received, false).unwrap()
    }

    fn comments(table: &Table) -> Vec<String> {
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    #[test]
    fn leaves_a_table_unchanged_when_another_partition_arrives() {
        let (tables, mut received) = (Tables::default(), Vec::new());
        arrive(&mut received, 1);
        let partial = table(&tables, &mut received);
        arrive(&mut received, 0);
        let whole = table(&tables, &mut received);
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
            let (tables, mut received) = (Tables::default(), Vec::new());
            for (index, makes_table) in arrivals.iter().zip(tables_after) {
                arrive(&mut received, *index);
                if makes_table {
                    table(&tables, &mut received);
                }
            }
            let expected: Vec<_> = (0..arrivals.len()).map(|index| format!(r#"{{"Comment":"{index}"}}"#)).collect();
            prop_assert_eq!(comments(&table(&tables, &mut received)), expected);
        }
    }
}
