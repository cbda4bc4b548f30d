//! Tables of the chunks of a call: a catalog of their values, queries over columns, tables as bytes, and the values of Arrow columns.
//!
//! ```
//! use std::rc::Rc;
//!
//! use chunk::decode::Decoder;
//! use chunk::hash::HashSeed;
//! use chunk::value::dictionary::Dictionary;
//! use inspection_findings_table::{Catalog, Condition, Table};
//!
//! let body = br#"{"Findings":[{"Sentiment":1},{"Sentiment":-2}]}"#.to_vec();
//! let seed = HashSeed::new(0.5);
//! let dictionary = Dictionary::new(Some(|json| json.parse().unwrap_or(f64::NAN)), seed.clone());
//! let mut decoder = Decoder::new(body, dictionary);
//! while !decoder.advance(64 * 1024)? {}
//! let catalog = Catalog::new(seed, None);
//! let table = Table::new(catalog, vec![Rc::new(decoder.finish().findings?)])?;
//!
//! let negative = Condition::Between { min: f64::NEG_INFINITY, max: -1.0 };
//! let negative = table.filter(1, &[(0, "Sentiment", negative)]).unwrap();
//! assert_eq!(negative.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrow;
mod asked_names;
mod catalog;
mod checksum;
mod codes;
mod column_reader;
mod column_values;
mod concat;
mod condition;
pub(crate) mod contents;
mod distinct;
mod filter;
mod gathered;
mod group;
mod group_ids;
mod limit;
mod local_ids;
mod member;
mod names;
mod order;
mod packed;
mod part;
mod per_chunk;
mod query_cache;
mod query_error;
mod query_key;
pub mod saved;
mod scope;
mod search;
mod selection;
mod sort;
mod starts;
mod string_reader;
pub mod tables;
mod utf16;
mod with_column;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::cell::Ref;
use std::rc::Rc;

pub use self::arrow::{ArrowColumn, Buffer, DistinctStrings, Measure, kind, string_indexes};
pub use self::catalog::Catalog;
pub use self::column_values::ColumnValues;
pub use self::condition::{Condition, ContainsFn, Operand, Text};
pub use self::contents::Contents;
use self::gathered::{Copied, gathered};
pub use self::group::{Aggregate, Groups};
pub use self::limit::{Limit, TableError};
pub use self::member::Member;
pub use self::names::Fields;
pub use self::query_cache::QueryCache;
pub use self::query_error::QueryError;
pub use self::scope::Arrived;
use self::scope::Scope;
pub use self::sort::Direction;
use chunk::Chunk;
use chunk::memory::{OutOfMemory, check_reserve, with_capacity};
#[cfg(any(test, feature = "testing"))]
use chunk::rows::json;
use chunk::value::shapes::UNSHAPED;

/// The findings of a call, or a selection of them in any order.
///
/// A selection (the result of [`filter`](Self::filter) or [`sort_by`](Self::sort_by)) shares the columns of its table and costs four bytes
/// for each row.
/// A query rejects an unknown column name, except the name of a documented field that its findings may have, whose values are then missing.
/// If more chunks may arrive, one of them may have the column, so until then its values are missing, or objects whose fields have separate
/// columns. A table without findings accepts any name.
#[derive(Clone)]
pub struct Table {
    scope: Scope,
    /// What its queries share with those of other tables.
    cache: Option<Rc<QueryCache>>,
    /// The documented fields that its findings may have.
    pub fields: Fields,
}

impl Table {
    /// The findings of these chunks, in this order, which are added to the catalog.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many findings, strings or numbers.
    pub fn new(catalog: Catalog, chunks: Vec<Rc<Chunk>>) -> Result<Self, TableError> {
        let mut arrived = with_capacity(chunks.len())?;
        for (index, chunk) in (0..).zip(chunks) {
            arrived.push(Arrived { index, member: catalog.add(chunk)? });
        }
        Ok(Self::arrived(Rc::new(catalog), &arrived, None, true)?)
    }

    /// The findings of the chunks that have arrived so far, sorted by index. Queries share results with other tables that have the same
    /// cache, if there is one. `is_whole` unless more chunks may arrive. All chunks are of `catalog`.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn arrived(
        catalog: Rc<Catalog>,
        chunks: &[Arrived],
        cache: Option<Rc<QueryCache>>,
        is_whole: bool,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self { scope: Scope::new(catalog, chunks, is_whole)?, cache, fields: Fields::All })
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.scope.len()
    }

    /// Returns true if the table has no findings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true unless more chunks may arrive.
    pub fn is_whole(&self) -> bool {
        self.scope.is_whole()
    }

    /// Returns the bytes of memory that the table held when it was created, including memory that it shares with other tables.
    pub fn byte_length(&self) -> u64 {
        self.scope.byte_length()
    }

    /// Returns the partitions that it has, each with its index; `None` for a selection.
    pub fn partitions(&self) -> Option<impl ExactSizeIterator<Item = (u64, &Rc<Chunk>)>> {
        let partitions = self.scope.partitions()?;
        Some(partitions.iter().map(|one| (one.index, &one.member.chunk)))
    }

    /// Returns the names of the columns, in the order of first occurrence.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn columns(&self) -> Result<impl Iterator<Item = &str>, OutOfMemory> {
        Ok(self.scope.names()?.iter())
    }

    /// Returns true if a finding, selected or not, has fields without a column: one that is kept as raw JSON.
    pub fn columns_truncated(&self) -> bool {
        self.scope.has_unshaped()
    }

    /// Returns the number of findings whose fields have no columns, of those that are selected. Looks at each finding if there may be one.
    pub fn findings_without_columns(&self) -> usize {
        let rows = 0..if self.columns_truncated() { self.len() } else { 0 };
        let located = rows.filter_map(|row| self.scope.locate(row));
        located.filter(|(member, row)| member.chunk.shapes().word(*row) == UNSHAPED).count()
    }

    /// Returns true if an integer of a finding, selected or not, is too large for doubles to tell it from its neighbours.
    pub fn integers_rounded(&self) -> bool {
        self.scope.chunks().any(|(_, chunk)| chunk.has_unsafe_integer())
    }

    /// Writes a finding as JSON: the same value as in the body, but not the same bytes.
    #[cfg(any(test, feature = "testing"))]
    pub fn json(&self, row: usize) -> Option<String> {
        let (member, row) = self.scope.locate(row)?;
        Some(json::finding(&member.chunk, row))
    }

    /// Gathers the rows of a selection; `None` if all rows are selected in their order.
    pub(crate) fn gathered(&self) -> Result<Option<Self>, TableError> {
        if self.scope.is_selection() { self.copied(Copied::All).map(Some) } else { Ok(None) }
    }

    /// Returns the chunks that it has rows of, each with its index.
    pub(crate) fn chunks(&self) -> impl ExactSizeIterator<Item = (u64, &Rc<Chunk>)> {
        self.scope.chunks()
    }

    /// Returns the names of the columns that its findings are limited to, each followed by the byte `0xFF`; `None` if they have all.
    pub fn column_list(&self) -> Option<&Rc<Vec<u8>>> {
        self.scope.catalog().column_list()
    }

    /// Borrows what the cells of this table refer to.
    pub fn contents(&self) -> Ref<'_, Contents> {
        self.scope.contents()
    }

    /// Returns a column for Arrow.
    ///
    /// # Errors
    ///
    /// The table has no such column, or memory ran out.
    pub fn arrow<'name>(&self, name: &'name str) -> Result<ArrowColumn<'_>, QueryError<'name>> {
        Ok(ArrowColumn { scope: &self.scope, path: self.path(name)? })
    }

    /// Groups the findings by their combinations of values in the columns `names`. Summarizes the numbers of each group in the column
    /// `summarized`, and counts its values in the column `distinct`, each once, missing and null never. Takes a few nanoseconds for each row
    /// and column.
    ///
    /// # Errors
    ///
    /// The table lacks one of the columns, or memory ran out.
    pub fn groups<'name, Name: AsRef<str>>(
        &self,
        names: &'name [Name],
        summarized: Option<&'name Name>,
        distinct: Option<&'name Name>,
    ) -> Result<Groups, QueryError<'name>> {
        if self.is_empty() {
            return Ok(Groups::default());
        }
        let mut paths = with_capacity(names.len())?;
        for name in names {
            paths.push(self.path(name.as_ref())?);
        }
        let summarized = summarized.map(|name| self.path(name.as_ref())).transpose()?;
        let distinct = distinct.map(|name| self.path(name.as_ref())).transpose()?;
        Ok(query_cache::groups(&self.scope, self.shared_queries(), &paths, summarized, distinct)?)
    }

    /// Selects the findings that meet all conditions of at least one of the `alternatives`, in the same order. Each condition has the number
    /// of its alternative, from 0. Takes a few nanoseconds for each row and condition; [`Condition::Contains`] searches each distinct
    /// string once.
    ///
    /// # Errors
    ///
    /// The table lacks one of the columns, or memory ran out.
    pub fn filter<'name, Name: AsRef<str>>(
        &self,
        alternatives: u32,
        conditions: &'name [(u32, Name, Condition)],
    ) -> Result<Self, QueryError<'name>> {
        check_reserve()?;
        if self.is_empty() {
            return self.without_rows();
        }
        let mut by_path = with_capacity(conditions.len())?;
        for (alternative, name, condition) in conditions {
            by_path.push((*alternative, self.path(name.as_ref())?, condition));
        }
        Ok(self.with(query_cache::filter(&self.scope, self.shared_queries(), alternatives, &by_path)?))
    }

    /// Returns the same findings as a part of more: queries take any column that they lack for missing.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn as_part(&self) -> Result<Self, OutOfMemory> {
        Ok(Self { scope: self.scope.as_part()?, cache: None, fields: Fields::All })
    }

    /// Sorts the findings by a column. Findings with equal values keep their order.
    ///
    /// Numbers come first, then strings by their UTF-16 code units, booleans, and arrays and objects; null and missing values come last in
    /// both directions. Sorts the distinct values, then places the rows in time proportional to their number.
    ///
    /// # Errors
    ///
    /// The table has no such column, or memory ran out.
    pub fn sort_by<'name>(&self, name: &'name str, direction: Direction) -> Result<Self, QueryError<'name>> {
        check_reserve()?;
        if self.is_empty() {
            return self.without_rows();
        }
        let rows = sort::sorted_rows(&self.scope, self.path(name)?, direction)?;
        Ok(self.with(self.scope.select(rows)?))
    }

    /// Copies the columns with these names into a separate table, which has no others. The name of an object stands for all columns
    /// below it. Each name is followed by the byte `0xFF`. Takes tens of nanoseconds for each row and column, and copies each string once.
    ///
    /// # Errors
    ///
    /// The table has no column for one of the names, or memory ran out.
    pub fn select<'name>(&self, names: &'name [u8]) -> Result<Self, QueryError<'name>> {
        check_reserve()?;
        self.check_listed(names)?;
        Ok(self.copied(Copied::Listed(names))?)
    }

    /// Copies the rows.
    fn copied(&self, what: Copied<'_>) -> Result<Self, TableError> {
        Ok(Self { scope: gathered(&self.scope, what)?, cache: None, ..*self })
    }

    /// A selection of no rows.
    fn without_rows<'name>(&self) -> Result<Self, QueryError<'name>> {
        Ok(self.with(self.scope.select(Vec::new())?))
    }

    /// Some rows of this table.
    fn with(&self, scope: Scope) -> Self {
        Table { scope, cache: self.cache.clone(), fields: self.fields }
    }

    /// Returns what the queries of earlier and later tables have computed, if they can select the same rows.
    fn shared_queries(&self) -> Option<&QueryCache> {
        self.cache.as_deref().filter(|_| self.scope.can_share_queries())
    }
}
