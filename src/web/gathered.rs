//! The chunks that a call for a table gathers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chunk::Chunk;
use chunk::memory::{OutOfMemory, reserve, with_capacity};
use chunk::value::column_name::ColumnList;
use table::tables::{Partition, Tables};
use table::{Table, TableError};
use wasm_bindgen::prelude::*;

use super::decoding::hash_seed;
use super::earlier_table::EarlierTable;
use super::tables::{Origin, table};
use super::watch::Watch;
use call::contract::Kind;
use call::machine::{Coverage, Earlier};

/// The chunks that calls for one table have received.
pub(super) struct GatheredChunks {
    /// Makes tables of them.
    tables: Tables,
    /// In index order.
    partitions: RefCell<Vec<Partition>>,
    /// What they may begin with, until a table is made with the counts.
    earlier: RefCell<Option<EarlierTable>>,
    /// The number of partitions that have arrived, and are still to be added.
    expected: Cell<usize>,
    /// The progress for a live table.
    pub(super) watch: Option<Watch>,
}

impl GatheredChunks {
    /// No chunks yet, for `tables`. The calls may begin with an earlier table.
    pub(super) fn new(tables: Tables, earlier: Option<EarlierTable>, watch: Option<Watch>) -> Self {
        let earlier = RefCell::new(earlier);
        GatheredChunks { tables, partitions: RefCell::default(), earlier, expected: Cell::default(), watch }
    }

    /// Limits the findings to these columns, unless some may have arrived.
    pub(super) fn limit_to(&self, columns: ColumnList) {
        if self.partitions.borrow().is_empty() {
            self.tables.limit_to(columns);
        }
    }

    /// The earlier table as the machine knows it. Without memory for its partitions, they are requested again.
    pub(super) fn earlier(&self) -> Option<Earlier> {
        let earlier = self.earlier.borrow();
        let EarlierTable { table, counts } = earlier.as_ref()?;
        let chunks = table.partitions()?;
        reserve(&mut self.partitions.borrow_mut(), chunks.len()).ok()?;
        let mut partitions = with_capacity(chunks.len()).ok()?;
        partitions.extend(chunks.map(|(index, chunk)| (index, chunk.len() as u64)));
        Some(Earlier { counts: *counts, partitions })
    }

    /// Makes room for a partition that is to be added, besides those that are expected already.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn expect(&self) -> Result<(), OutOfMemory> {
        let expected = self.expected.get() + 1;
        let earlier = self.earlier.borrow().as_ref().and_then(|one| one.table.partitions()).map_or(0, |all| all.len());
        reserve(&mut self.partitions.borrow_mut(), earlier + expected)?;
        self.expected.set(expected);
        Ok(())
    }

    /// Adds a partition that was expected, unless it is there.
    pub(super) fn add_expected(&self, index: u64, chunk: Rc<Chunk>) {
        self.expected.set(self.expected.get().saturating_sub(1));
        self.add(index, chunk);
    }

    /// Adds a partition, unless it is there. There has to be room.
    fn add(&self, index: u64, chunk: Rc<Chunk>) {
        let mut partitions = self.partitions.borrow_mut();
        if let Err(place) = partitions.binary_search_by_key(&index, |one| one.index) {
            partitions.insert(place, Partition::new(index, chunk));
        }
    }

    /// The findings received so far, in columns. Once the counts are known, those of the earlier table are kept, or forgotten.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many.
    pub(super) fn table(&self, received: Option<Coverage>) -> Result<Table, TableError> {
        if let Some(received) = received
            && let Some(EarlierTable { table, counts }) = self.earlier.take().filter(|_| received.keeps_earlier)
        {
            let chunks = table.partitions().into_iter().flatten().filter(|(index, _)| *index < counts.partitions);
            chunks.for_each(|(index, chunk)| self.add(index, Rc::clone(chunk)));
        }
        let is_whole = received.is_some_and(|received| received.is_whole);
        self.tables.table(hash_seed, &mut self.partitions.borrow_mut(), is_whole)
    }

    /// The table of the package with the findings received so far from this base URL.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many.
    pub(super) fn table_for_caller(
        &self,
        coverage: Option<Coverage>,
        inspection_key: &JsValue,
        kind: Kind,
        base_url: &str,
    ) -> Result<JsValue, TableError> {
        let findings = self.table(coverage)?;
        let is_complete = coverage.is_some_and(|coverage| coverage.is_complete);
        let total = is_complete.then_some(findings.len() as u64);
        let counts = coverage.map(|coverage| coverage.counts);
        let origin = Origin::Call { inspection_key: inspection_key.clone(), kind, total, counts, base_url };
        Ok(table(findings, &origin))
    }
}
