//! The rows that meet some conditions.

use std::rc::Rc;

use super::column_reader::{CodeReader, ColumnReader};
use super::condition::{Condition, ContainsFn};
use super::part::{BATCH, Part};
use super::per_chunk::PerChunk;
use super::scope::Scope;
use super::search::Needle;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, push, try_shared, with_capacity};
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::PathId;

/// A condition, prepared once for all chunks of a scope.
pub(super) struct Test<'condition> {
    alternative: u32,
    path: PathId,
    predicate: Predicate<'condition>,
    /// Whether values that do not meet the predicate pass.
    is_negated: bool,
}

enum Predicate<'condition> {
    /// The value has one of these codes.
    OneOf(Accepted),
    Between {
        min: f64,
        max: f64,
    },
    Contains {
        needle: Needle<'condition>,
        contains: &'condition ContainsFn,
    },
}

impl<'condition> Test<'condition> {
    /// The tests of conditions on values of a scope.
    pub(super) fn all(
        scope: &Scope,
        conditions: &[(u32, PathId, &'condition Condition)],
    ) -> Result<Vec<Self>, OutOfMemory> {
        let mut tests = with_capacity(conditions.len())?;
        for (alternative, path, condition) in conditions {
            let (predicate, is_negated) = Predicate::new(scope, *path, condition)?;
            tests.push(Test { alternative: *alternative, path: *path, predicate, is_negated });
        }
        Ok(tests)
    }
}

impl<'condition> Predicate<'condition> {
    /// The predicate of a condition on a column, and whether the condition negates it.
    fn new(scope: &Scope, path: PathId, condition: &'condition Condition) -> Result<(Self, bool), OutOfMemory> {
        let predicate = match condition {
            Condition::OneOf(operands) => {
                // The values of all chunks have codes afterwards.
                scope.codes(path)?;
                let (contents, codes) = (scope.contents(), scope.catalog().column_codes(path).certain());
                let mut accepted = Accepted::default();
                for operand in operands {
                    if let Some(code) = codes.find(&contents, operand) {
                        accepted.add(code, codes.len())?;
                    }
                }
                Predicate::OneOf(accepted)
            }
            Condition::Between { min, max } => Predicate::Between { min: *min, max: *max },
            Condition::Contains { lower, contains } => Predicate::Contains { needle: Needle::new(lower), contains },
            Condition::Not(negated) => {
                let (predicate, is_negated) = Predicate::new(scope, path, negated)?;
                return Ok((predicate, !is_negated));
            }
        };
        Ok((predicate, false))
    }
}

/// A set of codes.
#[derive(Default)]
enum Accepted {
    #[default]
    None,
    One(u32),
    /// A bit for each code of the column.
    Several(Vec<u32>),
}

impl Accepted {
    /// Adds one of `count` codes.
    fn add(&mut self, code: u32, count: usize) -> Result<(), OutOfMemory> {
        match self {
            Accepted::None => *self = Accepted::One(code),
            Accepted::One(known) if *known == code => {}
            Accepted::One(known) => {
                let mut bits = filled(count.div_ceil(32), 0)?;
                set(&mut bits, *known);
                set(&mut bits, code);
                *self = Accepted::Several(bits);
            }
            Accepted::Several(bits) => set(bits, code),
        }
        Ok(())
    }

    #[inline]
    fn has(&self, code: u32) -> bool {
        match self {
            Accepted::None => false,
            Accepted::One(known) => *known == code,
            Accepted::Several(bits) => bits.get(code as usize / 32).is_some_and(|bits| bits >> (code % 32) & 1 == 1),
        }
    }
}

fn set(bits: &mut [u32], code: u32) {
    *bits.get_mut(code as usize / 32).certain() |= 1 << (code % 32);
}

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
    pub(super) fn rows(&mut self, scope: &Scope, tests: &[Test<'_>]) -> Result<Vec<Rc<Vec<u32>>>, OutOfMemory> {
        let (mut rows, mut readers) = (Vec::new(), None);
        for part in scope.parts()? {
            if let Some(known) = self.rows.get(part.number) {
                push(&mut rows, Rc::clone(known))?;
                continue;
            }
            let readers = match &mut readers {
                Some(readers) => readers,
                readers => readers.insert(TestReader::all(scope, tests)?),
            };
            let selected = try_shared(self.selected(&part, readers)?)?;
            push(&mut rows, Rc::clone(&selected))?;
            self.rows.set(part.number, selected)?;
        }
        Ok(rows)
    }

    /// Returns the rows of a part that meet the conditions: those of the chunk, or of the store if they are in any order.
    fn selected(&self, part: &Part<'_>, readers: &[TestReader<'_>]) -> Result<Vec<u32>, OutOfMemory> {
        let mut mask = Vec::new();
        for alternative in 0..self.alternatives {
            let mut meets_all = filled(part.rows.len(), true)?;
            for reader in readers.iter().filter(|reader| reader.test.alternative == alternative) {
                reader.apply(part, &mut meets_all)?;
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

/// A test of the rows of a scope, with the column that it reads.
struct TestReader<'scope> {
    test: &'scope Test<'scope>,
    scope: &'scope Scope,
    column: TestColumn<'scope>,
}

/// The column that a test reads.
enum TestColumn<'scope> {
    Codes(CodeReader<'scope>, &'scope Accepted),
    Numbers(ColumnReader<'scope>, f64, f64),
    Strings(ColumnReader<'scope>, &'scope Needle<'scope>, &'scope ContainsFn),
}

impl<'scope> TestReader<'scope> {
    /// Prepares all tests.
    fn all(scope: &'scope Scope, tests: &'scope [Test<'scope>]) -> Result<Vec<Self>, OutOfMemory> {
        let mut readers = with_capacity(tests.len())?;
        for test in tests {
            let column = match &test.predicate {
                Predicate::OneOf(accepted) => TestColumn::Codes(scope.codes(test.path)?, accepted),
                Predicate::Between { min, max } => TestColumn::Numbers(scope.column(test.path)?, *min, *max),
                Predicate::Contains { needle, contains } => {
                    TestColumn::Strings(scope.column(test.path)?, needle, contains)
                }
            };
            readers.push(TestReader { test, scope, column });
        }
        Ok(readers)
    }

    /// Clears the mask of each row of a part whose value does not pass.
    fn apply(&self, part: &Part<'_>, mask: &mut [bool]) -> Result<(), OutOfMemory> {
        match &self.column {
            TestColumn::Codes(column, accepted) => {
                let mut codes = Vec::new();
                for (rows, mask) in part.batches().zip(mask.chunks_mut(BATCH)) {
                    column.codes(rows, &mut codes)?;
                    self.clear(mask, &codes, |code| accepted.has(*code));
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
            *is_kept &= passes(value) != self.test.is_negated;
        }
    }
}
