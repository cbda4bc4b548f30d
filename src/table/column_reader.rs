//! Readers of a column of a scope.

use std::ops::Range;

use super::codes::{MISSING, StoredCodes};
use super::member::Member;
use super::scope::Scope;
use super::selection::Selection;
use chunk::column::Column;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, reserve};
use chunk::value::cell::{Cell, Content};

/// Visits, and may replace, the words of some rows of one chunk.
type WordVisitor<'a> = dyn FnMut(&Member, &mut [u32]) + 'a;

/// Reads a column of a scope: all that queries compare and count goes through it.
pub(super) struct ColumnReader<'scope> {
    pub(super) scope: &'scope Scope,
    /// The column of each chunk of the store.
    pub(super) columns: Vec<Column<'scope>>,
    /// The codes of each chunk of the store, if they are read in place of the words.
    pub(super) codes: Vec<StoredCodes>,
}

/// Reads the codes of the values of a column of a scope.
pub(super) struct CodeReader<'scope>(pub(super) ColumnReader<'scope>);

impl ColumnReader<'_> {
    /// Replaces `words` with the global cells of `rows`.
    pub(super) fn cells(&self, rows: Range<usize>, words: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        let mut globalize = |member: &Member, some: &mut [u32]| {
            // An integer is the same in all chunks.
            if !Cell::are_integers(some) {
                some.iter_mut().for_each(|word| *word = member.global(*word));
            }
        };
        self.read(rows, words, Some(&mut globalize))
    }

    /// Replaces `numbers` with the numbers of `rows`; NaN for other values.
    pub(super) fn numbers(&self, rows: Range<usize>, numbers: &mut Vec<f64>) -> Result<(), OutOfMemory> {
        numbers.clear();
        reserve(numbers, rows.len())?;
        let mut number_of = |member: &Member, some: &mut [u32]| {
            numbers.extend(some.iter().map(|word| number(member, *word)));
        };
        self.read(rows, &mut Vec::new(), Some(&mut number_of))
    }

    /// Returns true if a row, selected or not, has a value.
    pub(super) fn has_values(&self) -> bool {
        let mut columns = self.columns.iter().zip(self.scope.chunks());
        columns.any(|(column, (_, chunk))| column.constant(chunk.len()) != Some(Cell::MISSING.word()))
    }

    /// Returns the column of a chunk of the store.
    #[inline]
    fn of_chunk(&self, at: usize) -> Column<'_> {
        let column = self.columns.get(at).certain();
        self.codes.get(at).map_or(*column, |codes| column.with_words(codes, MISSING))
    }

    /// Replaces `words` with those of `rows`, and visits as many of one chunk at once as follow each other.
    fn read(
        &self,
        rows: Range<usize>,
        words: &mut Vec<u32>,
        mut visit: Option<&mut WordVisitor<'_>>,
    ) -> Result<(), OutOfMemory> {
        let store = &*self.scope.store;
        let mut visit_from = |start: usize, words: &mut Vec<u32>, at: usize| {
            if let Some(visit) = &mut visit {
                visit(&store.chunks.get(at).certain().member, words.get_mut(start..).certain());
            }
        };
        words.clear();
        reserve(words, rows.len())?;
        match &self.scope.selection {
            None => {
                for (at, rows) in store.starts.parts(rows) {
                    let start = words.len();
                    self.of_chunk(at).read(rows, words)?;
                    visit_from(start, words, at);
                }
            }
            Some(Selection::Rows(selected)) => {
                for (start, row) in selected.get(rows).certain().iter().enumerate() {
                    let (at, row) = store.starts.locate(*row as usize).certain();
                    words.push(self.of_chunk(at).word(row));
                    visit_from(start, words, at);
                }
            }
            Some(Selection::ByChunk(by_chunk)) => {
                for (at, in_chunk) in by_chunk.parts(rows) {
                    let (start, column) = (words.len(), self.of_chunk(at));
                    words.extend(in_chunk.iter().map(|row| column.word(*row as usize)));
                    visit_from(start, words, at);
                }
            }
        }
        Ok(())
    }
}

#[inline]
fn number(member: &Member, word: u32) -> f64 {
    match Cell::from_word(word).content() {
        Content::Integer(integer) => f64::from(integer),
        Content::Number(id) => member.chunk.number(id).certain(),
        _ => f64::NAN,
    }
}

impl CodeReader<'_> {
    /// Replaces `codes` with the codes of the values of `rows`.
    pub(super) fn codes(&self, rows: Range<usize>, codes: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        self.0.read(rows, codes, None)
    }

    /// Returns the column of a chunk of the store, with codes in place of its words.
    pub(super) fn of_chunk(&self, at: usize) -> Column<'_> {
        self.0.of_chunk(at)
    }
}
