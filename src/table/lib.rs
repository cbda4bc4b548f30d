//! Tables of the chunks of a call: a catalog of their values, queries over columns, tables as bytes, and the values of Arrow columns.
//!
//! ```
//! use std::rc::Rc;
//!
//! use chunk::decode::Decoder;
//! use chunk::hash::HashSeed;
//! use chunk::memory::try_to_owned;
//! use chunk::value::dictionary::Dictionary;
//! use inspection_findings_table::{Catalog, Condition, Table};
//!
//! let body = br#"{"Findings":[{"Sentiment":1},{"Sentiment":-2}]}"#.to_vec();
//! let seed = HashSeed::new(0.5);
//! let dictionary = Dictionary::new(Some(|json| json.parse().unwrap_or(f64::NAN)), seed.clone());
//! let mut decoder = Decoder::new(body, dictionary);
//! while !decoder.advance(64 * 1024)? {}
//! let catalog = Catalog::new(try_to_owned, seed, None);
//! let table = Table::new(catalog, vec![Rc::new(decoder.finish().findings?)])?;
//!
//! let negative = Condition::Between { min: f64::NEG_INFINITY, max: -1.0 };
//! let negative = table.filter(1, &[(0, "Sentiment", negative)]).unwrap();
//! assert_eq!(negative.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrow;
mod catalog;
mod checksum;
mod codes;
mod concat;
mod condition;
pub(crate) mod contents;
mod distinct;
mod filter;
mod gathered;
mod group;
mod group_ids;
mod names;
mod order;
mod packed;
mod per_chunk;
mod query_cache;
mod query_key;
pub mod saved;
mod scope;
mod search;
mod selection;
mod sort;
mod starts;
pub mod string_copy;
pub mod tables;
mod utf16;

#[cfg(test)]
mod arrivals;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod opened;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod with_column_tests;

use std::cell::Ref;
use std::ops::Range;
use std::rc::Rc;

use thiserror::Error;

pub use self::arrow::{ArrowColumn, Buffer, DistinctStrings, Measure, RowStrings, kind, string_indexes};
pub use self::catalog::Catalog;
use self::codes::MISSING;
pub use self::condition::{Condition, ContainsFn, Operand, Text};
use self::contents::MemberRows;
pub use self::contents::{Contents, Member};
use self::gathered::{Added, NO_VALUE};
pub use self::group::{Aggregate, Groups};
use self::names::{DOCUMENTED, is_within};
pub use self::query_cache::QueryCache;
pub use self::scope::Arrived;
use self::scope::Scope;
pub use self::sort::Direction;
use chunk::Chunk;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, check_reserve, filled, push, with_capacity};
#[cfg(any(test, feature = "testing"))]
use chunk::rows::json;
use chunk::rows::row_buffer::RowBuffer;
use chunk::value::cell::Cell;
use chunk::value::number_interner::inline;
use chunk::value::shapes::{ABSENT_PATH, END_OF_NAME, FieldRefusal, MAX_NAMES, PathId, name_of_key};

/// The findings of a call, or a selection of them in any order.
///
/// A selection (the result of [`filter`](Self::filter) or [`sort_by`](Self::sort_by)) shares the columns of its table and costs four bytes
/// for each row.
/// A query rejects an unknown column name, except the name of a documented field, whose values are then missing. If more chunks may arrive,
/// one of them may have the column, so until then its values are missing, or objects whose fields have separate columns. A table without
/// findings accepts any name.
#[derive(Clone)]
pub struct Table {
    scope: Scope,
    /// What its queries share with those of other tables.
    cache: Option<Rc<QueryCache>>,
}

/// The values of one column.
pub enum ColumnValues {
    /// Every value is an integer that fits into a cell.
    Integers(Vec<i32>),
    /// At least one value is anything else.
    Cells(Vec<Cell>),
}

/// Why a query fails.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueryError<'name> {
    /// The table has no column of this name.
    #[error("there is no column \"{0}\"")]
    UnknownColumn(&'name str),
    /// A finding of the table has a field with this key.
    #[error("there is a field \"{0}\" already")]
    FieldExists(&'name str),
    /// A finding of the table has as many fields as there can be, or the name of another is too long.
    #[error("there is no room for the field \"{0}\"")]
    NoRoomForField(&'name str),
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// The column of a lookup with the keys.
pub const LOOKUP_KEY: &str = "key";
/// The column of a lookup with the value of each key.
pub const LOOKUP_VALUE: &str = "value";

impl Table {
    /// The findings of these chunks, in this order, which are added to the catalog.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are more than `u32::MAX` findings.
    pub fn new(catalog: Catalog, chunks: Vec<Rc<Chunk>>) -> Result<Self, OutOfMemory> {
        let mut arrived = with_capacity(chunks.len())?;
        for (index, chunk) in (0..).zip(chunks) {
            arrived.push(Arrived { index, member: catalog.add(chunk)? });
        }
        Self::arrived(Rc::new(catalog), &arrived, None, true)
    }

    /// The findings of the chunks that have arrived so far, sorted by index. Queries share results with other tables that have the same
    /// cache, if there is one. `is_whole` unless more chunks may arrive. All chunks are of `catalog`.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are more than `u32::MAX` findings.
    pub fn arrived(
        catalog: Rc<Catalog>,
        chunks: &[Arrived],
        cache: Option<Rc<QueryCache>>,
        is_whole: bool,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self { scope: Scope::new(catalog, chunks, is_whole)?, cache })
    }

    /// Returns the same findings as the beginning of a table that grows: a column that they lack may still arrive.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn growing(&self) -> Result<Self, OutOfMemory> {
        let mut arrived = Vec::new();
        for one in self.scope.partitions().into_iter().flatten() {
            push(&mut arrived, one.clone())?;
        }
        Self::arrived(Rc::clone(self.scope.catalog()), &arrived, None, false)
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
    pub(crate) fn gathered(&self) -> Result<Option<Self>, OutOfMemory> {
        if self.scope.is_selection() { self.copied(None).map(Some) } else { Ok(None) }
    }

    /// Returns the chunks that it has rows of, each with its index.
    pub(crate) fn chunks(&self) -> impl ExactSizeIterator<Item = (u64, &Rc<Chunk>)> {
        self.scope.chunks()
    }

    /// Returns the names of the columns that findings keep, each followed by the byte `0xFF`, unless they keep all.
    pub fn kept(&self) -> Option<&[u8]> {
        self.scope.catalog().kept()
    }

    /// Borrows what the cells of this table refer to.
    pub fn contents(&self) -> Ref<'_, Contents> {
        self.scope.contents()
    }

    /// Copies the values of a column. Takes time in proportion to the number of rows. Without rows, the values are of the type that those of
    /// all findings have; `None` if no finding has the column.
    ///
    /// # Errors
    ///
    /// The table has no such column, or memory ran out.
    pub fn column<'name>(&self, name: &'name str) -> Result<Option<ColumnValues>, QueryError<'name>> {
        if self.is_empty() {
            let Some(path) = self.scope.path(name)? else { return Ok(None) };
            let are_integers = self.scope.has_only_integers(path)?;
            let values =
                |are_integers| if are_integers { ColumnValues::Integers(vec![]) } else { ColumnValues::Cells(vec![]) };
            return Ok(are_integers.map(values));
        }
        let path = self.path(name)?;
        let mut words = with_capacity(self.len())?;
        self.scope.column(path)?.cells(0..self.len(), &mut words)?;
        if !Cell::are_integers(&words) {
            let contents = self.contents();
            // A number that only the host could parse has no separate cell, even if it is a small integer.
            let integer_of = |word: &u32| contents.number(Cell::from_word(*word)).and_then(inline);
            if !words.iter().all(|word| integer_of(word).is_some()) {
                return Ok(Some(ColumnValues::Cells(words.into_iter().map(Cell::from_word).collect())));
            }
            words.iter_mut().for_each(|word| *word = integer_of(word).certain().word());
        }
        Ok(Some(ColumnValues::Integers(words.into_iter().map(|word| word as i32 >> 1).collect())))
    }

    /// Returns a column for Arrow.
    ///
    /// # Errors
    ///
    /// The table has no such column, or memory ran out.
    pub fn arrow<'name>(&self, name: &'name str) -> Result<ArrowColumn<'_>, QueryError<'name>> {
        Ok(ArrowColumn { scope: &self.scope, path: self.path(name)? })
    }

    /// Replaces the contents of `buffer` by these rows.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write_rows(&self, buffer: &mut RowBuffer, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let contents = self.contents();
        let rows_of = |member| MemberRows { member, shapes: contents.shapes() };
        buffer.clear();
        if !self.scope.is_selection() {
            let mut parts = self.scope.members_of(rows);
            return parts.try_for_each(|(member, rows)| buffer.append(&rows_of(member), rows));
        }
        let (mut of, mut some): (Option<&Rc<Member>>, _) = (None, Vec::new());
        for (member, row) in rows.map_while(|row| self.scope.locate(row)) {
            if let Some(last) = of.filter(|last| !Rc::ptr_eq(last, member)) {
                buffer.append_rows(&rows_of(last), &some)?;
                some.clear();
            }
            push(&mut some, row as u32)?;
            of = Some(member);
        }
        of.map_or(Ok(()), |last| buffer.append_rows(&rows_of(last), &some))
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
        if !self.is_empty() {
            let known = self.scope.names()?;
            let mut names =
                names.split(|byte| *byte == END_OF_NAME).map(|name| str::from_utf8(name).unwrap_or_default());
            let may_keep = |name| self.may_keep(&|kept| is_within(name, kept) || is_within(kept, name));
            let may_lack = |name| (!self.scope.is_whole() || DOCUMENTED.contains(&name)) && may_keep(name);
            let is_known = |name| known.has(name) || may_lack(name);
            if let Some(unknown) = names.find(|name| !name.is_empty() && !is_known(name)) {
                return Err(QueryError::UnknownColumn(unknown));
            }
        }
        Ok(self.copied(Some(names))?)
    }

    /// Copies the table, with one more column: a field with the key `key`, at the end of each finding. Its value is that of the column
    /// [`LOOKUP_VALUE`] in the last finding of the table `lookup` whose [`LOOKUP_KEY`] is the value of the column `by`. It is missing if there
    /// is no such finding, if the value of `by` is missing, or if the row is kept as raw JSON. Without `by`, each row has the value of the
    /// first finding of `lookup`. Takes time and memory in proportion to the rows of both tables.
    ///
    /// # Errors
    ///
    /// The table has no column `by`, its findings cannot have one more field with this key, or memory ran out.
    pub fn with_column<'name>(
        &self,
        lookup: &Self,
        by: Option<&'name str>,
        key: &'name str,
    ) -> Result<Self, QueryError<'name>> {
        check_reserve()?;
        let path = by.map(|by| self.path(by)).transpose()?;
        let name = name_of_key(key)?;
        self.check_new_field(by, key, &name)?;
        let member = lookup.scope.members().next().ok_or(OutOfMemory)?;
        let path_of = |name| Ok::<_, OutOfMemory>(lookup.scope.path(name)?.unwrap_or(ABSENT_PATH));
        let (keys, values) = (path_of(LOOKUP_KEY)?, path_of(LOOKUP_VALUE)?);
        let rows = match path {
            Some(path) => self.rows_of_keys(path, lookup, keys)?,
            None => filled(self.len(), 0)?,
        };
        let added = Added { key, name: &name, lookup: &member.chunk, values: member.column(values), rows: &rows };
        let scope = gathered::gathered(&self.scope, self.scope.names()?, None, Some(added))?;
        Ok(Self { scope, cache: None })
    }

    /// Returns the row of a lookup for each row: the last one whose key is the value at a path; [`NO_VALUE`] if there is none.
    fn rows_of_keys(&self, path: PathId, lookup: &Self, keys: PathId) -> Result<Vec<u32>, OutOfMemory> {
        let codes_of_rows = self.scope.codes(path)?;
        let rows_by_code = self.rows_by_code(path, lookup, keys)?;
        let (mut rows, mut codes) = (with_capacity(self.len())?, Vec::new());
        for batch in self.scope.batches() {
            codes_of_rows.codes(batch, &mut codes)?;
            rows.extend(codes.iter().map(|code| rows_by_code.get(*code as usize).copied().unwrap_or(NO_VALUE)));
        }
        Ok(rows)
    }

    /// Returns the last row of a lookup by the code of its key in a column of this table, whose codes are known.
    fn rows_by_code(&self, path: PathId, lookup: &Self, keys: PathId) -> Result<Vec<u32>, OutOfMemory> {
        let Some(codes) = self.scope.catalog().column_codes(path) else { return Ok(Vec::new()) };
        let (contents, of_lookup) = (self.contents(), lookup.contents());
        let (strings, column) = (contents.strings(), lookup.scope.column(keys)?);
        let mut rows_by_code = filled(codes.len(), NO_VALUE)?;
        let mut words = Vec::new();
        for batch in lookup.scope.batches() {
            column.cells(batch.clone(), &mut words)?;
            for (row, word) in batch.zip(&words) {
                let code = codes.find_value(&contents, &strings, of_lookup.value(Cell::from_word(*word)));
                // A missing value is no key.
                if let Some(code) = code.filter(|code| *code != MISSING) {
                    *rows_by_code.get_mut(code as usize).certain() = row as u32;
                }
            }
        }
        Ok(rows_by_code)
    }

    /// Checks that each finding can have one more field with this key and dotted name.
    fn check_new_field<'name>(&self, by: Option<&str>, key: &'name str, name: &str) -> Result<(), QueryError<'name>> {
        let mut refusal = (name.len() > MAX_NAMES).then_some(FieldRefusal::NoRoom);
        if by.is_some_and(|by| is_within(by, name)) || self.scope.names()?.has(name) {
            refusal = Some(FieldRefusal::Exists);
        }
        let contents = self.contents();
        let mut shapes = self.scope.members().flat_map(|member| member.shapes());
        let refusal = refusal.or_else(|| shapes.find_map(|shape| contents.shapes().refusal_of(shape, key)));
        match refusal {
            None => Ok(()),
            Some(FieldRefusal::Exists) => Err(QueryError::FieldExists(key)),
            Some(FieldRefusal::NoRoom) => Err(QueryError::NoRoomForField(key)),
        }
    }

    /// Copies the rows, and these columns or all.
    fn copied(&self, names: Option<&[u8]>) -> Result<Self, OutOfMemory> {
        Ok(Self { scope: gathered::gathered(&self.scope, self.scope.names()?, names, None)?, cache: None })
    }

    /// A selection of no rows.
    fn without_rows<'name>(&self) -> Result<Self, QueryError<'name>> {
        Ok(self.with(self.scope.select(Vec::new())?))
    }

    /// Some rows of this table.
    fn with(&self, scope: Scope) -> Self {
        Table { scope, cache: self.cache.clone() }
    }

    /// Returns what the queries of earlier and later tables have computed, if they can select the same rows.
    fn shared_queries(&self) -> Option<&QueryCache> {
        self.cache.as_deref().filter(|_| self.scope.can_share_queries())
    }

    fn path<'name>(&self, name: &'name str) -> Result<PathId, QueryError<'name>> {
        if let Some(path) = self.scope.path(name)? {
            return Ok(path);
        }
        if self.is_empty() {
            return Ok(ABSENT_PATH);
        }
        // A documented field is missing, unless it is an object, whose columns have longer names.
        let may_lack = !self.scope.is_whole() || (DOCUMENTED.contains(&name) && !self.scope.names()?.has(name));
        if may_lack && self.may_keep(&|kept| is_within(name, kept)) {
            Ok(self.contents().shapes().find_dotted(name)?.unwrap_or(ABSENT_PATH))
        } else {
            Err(QueryError::UnknownColumn(name))
        }
    }

    /// Returns true if all columns are kept, or one of the names that are kept has the property.
    fn may_keep(&self, has_property: &dyn Fn(&str) -> bool) -> bool {
        let Some(kept) = self.kept() else { return true };
        let names = kept.split(|byte| *byte == END_OF_NAME).filter_map(|kept| str::from_utf8(kept).ok());
        names.filter(|kept| !kept.is_empty()).any(has_property)
    }
}
