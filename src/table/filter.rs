//! The rows that meet some conditions.

use std::rc::Rc;

use super::column_reader::{CodeReader, ColumnReader};
use super::condition::{Condition, ContainsFn, Operand};
use super::part::{BATCH, Part};
use super::per_chunk::PerChunk;
use super::scope::Scope;
use super::search::Needle;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, push, try_shared, with_capacity};
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::PathId;

/// A filter, and the rows that it has selected in each chunk.
pub(super) struct Filter {
    /// The number of alternatives.
    alternatives: u32,
    rows: PerChunk<Rc<Vec<u32>>>,
}

impl Filter {
    /// A filter by this number of alternatives.
    pub(super) fn new(alternatives: u32) -> Self {
        Filter { alternatives, rows: PerChunk::default() }
    }

    /// Returns the rows of each chunk of a scope that meet the conditions, all of one alternative. Each scope has the same rows of a chunk.
    pub(super) fn rows(
        &mut self,
        scope: &Scope,
        conditions: &[(u32, PathId, &Condition)],
    ) -> Result<Vec<Rc<Vec<u32>>>, OutOfMemory> {
        let (mut rows, mut tests) = (Vec::new(), None);
        for part in scope.parts()? {
            if let Some(known) = self.rows.get(part.number) {
                push(&mut rows, Rc::clone(known))?;
                continue;
            }
            let tests = match &mut tests {
                Some(tests) => tests,
                tests => tests.insert(Test::all(scope, conditions)?),
            };
            let selected = try_shared(self.selected(&part, tests)?)?;
            push(&mut rows, Rc::clone(&selected))?;
            self.rows.set(part.number, selected)?;
        }
        Ok(rows)
    }

    /// Returns the rows of a part that meet the conditions: those of the chunk, or of the store if they are in any order.
    fn selected(&self, part: &Part<'_>, tests: &[Test<'_>]) -> Result<Vec<u32>, OutOfMemory> {
        let mut mask = Vec::new();
        for alternative in 0..self.alternatives {
            let mut meets_all = filled(part.rows.len(), true)?;
            for test in tests.iter().filter(|test| test.alternative == alternative) {
                test.apply(part, &mut meets_all)?;
            }
            if mask.is_empty() {
                mask = meets_all;
            } else {
                mask.iter_mut().zip(meets_all).for_each(|(is_kept, meets_all)| *is_kept |= meets_all);
            }
        }
        let mut rows = selected(&mask)?;
        if let Some(of_part) = part.selected {
            rows.iter_mut().for_each(|row| *row = of_part.get(*row as usize).copied().certain());
        }
        Ok(rows)
    }

    /// Returns the bytes of memory that the filter holds.
    pub(super) fn byte_length(&self) -> usize {
        self.rows.byte_length(|rows| rows.capacity() * size_of::<u32>())
    }
}

/// Returns the rows whose mask is set.
fn selected(mask: &[bool]) -> Result<Vec<u32>, OutOfMemory> {
    let mut rows = with_capacity(mask.iter().filter(|is_kept| **is_kept).count())?;
    rows.extend((0..).zip(mask).filter(|(_, is_kept)| **is_kept).map(|(row, _)| row));
    Ok(rows)
}

/// A condition on the rows of a scope, with the column that it reads.
struct Test<'scope> {
    alternative: u32,
    /// Whether the values that do not meet the condition pass.
    is_negated: bool,
    scope: &'scope Scope,
    column: TestColumn<'scope>,
}

/// The column that a test reads, and what it compares.
enum TestColumn<'scope> {
    /// The codes that are sought, in ascending order.
    Codes(CodeReader<'scope>, Vec<u32>),
    Numbers(ColumnReader<'scope>, f64, f64),
    Strings(ColumnReader<'scope>, Needle<'scope>, &'scope ContainsFn),
}

impl<'scope> Test<'scope> {
    /// Prepares the tests of all conditions.
    fn all(scope: &'scope Scope, conditions: &[(u32, PathId, &'scope Condition)]) -> Result<Vec<Self>, OutOfMemory> {
        let mut tests = with_capacity(conditions.len())?;
        for (alternative, path, mut condition) in conditions.iter().copied() {
            let mut is_negated = false;
            let column = loop {
                match condition {
                    Condition::Not(negated) => (condition, is_negated) = (negated, !is_negated),
                    Condition::OneOf(operands) => {
                        // The values of all chunks have codes before they are compared.
                        break TestColumn::Codes(scope.codes(path)?, sought_codes(scope, path, operands)?);
                    }
                    Condition::Between { min, max } => break TestColumn::Numbers(scope.column(path)?, *min, *max),
                    Condition::Contains { lower, contains } => {
                        break TestColumn::Strings(scope.column(path)?, Needle::new(lower), contains);
                    }
                }
            };
            tests.push(Test { alternative, is_negated, scope, column });
        }
        Ok(tests)
    }

    /// Clears the mask of each row of a part whose value does not pass.
    fn apply(&self, part: &Part<'_>, mask: &mut [bool]) -> Result<(), OutOfMemory> {
        match &self.column {
            TestColumn::Codes(column, sought) => {
                let mut codes = Vec::new();
                for (rows, mask) in part.batches().zip(mask.chunks_mut(BATCH)) {
                    column.codes(rows, &mut codes)?;
                    self.clear(mask, &codes, |code| match sought.as_slice() {
                        [one] => code == one,
                        all => all.binary_search(code).is_ok(),
                    });
                }
            }
            TestColumn::Numbers(column, min, max) => {
                let mut numbers = Vec::new();
                for (rows, mask) in part.batches().zip(mask.chunks_mut(BATCH)) {
                    column.numbers(rows, &mut numbers)?;
                    // No comparison with NaN holds, which stands for other values.
                    self.clear(mask, &numbers, |number| *number >= *min && *number <= *max);
                }
            }
            TestColumn::Strings(column, needle, contains) => self.search(part, column, needle, contains, mask)?,
        }
        Ok(())
    }

    /// Searches each distinct string of the part's chunk, or of all chunks, once.
    fn search(
        &self,
        part: &Part<'_>,
        column: &ColumnReader<'_>,
        needle: &Needle<'_>,
        contains: &ContainsFn,
        mask: &mut [bool],
    ) -> Result<(), OutOfMemory> {
        let ids = part.member().map_or_else(|| self.scope.string_ids(), |member| member.strings());
        let mut results: Vec<Option<bool>> = filled(ids.len(), None)?;
        let (contents, mut words) = (self.scope.contents(), Vec::new());
        let strings = contents.strings();
        let mut search = |cell: Cell, id: u32| {
            let result = results.get_mut(id.wrapping_sub(ids.start) as usize)?;
            if result.is_none() {
                let (kind, bytes) = strings.get(id)?;
                *result = Some(needle.find_in(kind, bytes).unwrap_or_else(|| contains(contents.value(cell))));
            }
            *result
        };
        for (rows, mask) in part.batches().zip(mask.chunks_mut(BATCH)) {
            column.cells(rows, &mut words)?;
            self.clear(mask, &words, |word| {
                let cell = Cell::from_word(*word);
                match cell.content() {
                    Content::Text(id) | Content::RawJson(id) => search(cell, id).certain(),
                    _ => false,
                }
            });
        }
        Ok(())
    }

    /// Clears the mask of each of these values that does not pass.
    #[inline]
    fn clear<T>(&self, mask: &mut [bool], values: &[T], mut passes: impl FnMut(&T) -> bool) {
        for (is_kept, value) in mask.iter_mut().zip(values) {
            *is_kept &= passes(value) != self.is_negated;
        }
    }
}

/// Returns the codes of these values in a column, in ascending order.
fn sought_codes(scope: &Scope, path: PathId, operands: &[Operand]) -> Result<Vec<u32>, OutOfMemory> {
    let (contents, codes) = (scope.contents(), scope.catalog().column_codes(path).certain());
    let mut sought = with_capacity(operands.len())?;
    sought.extend(operands.iter().filter_map(|operand| codes.find(&contents, operand)));
    sought.sort_unstable();
    Ok(sought)
}
