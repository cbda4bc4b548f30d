//! The rows that meet some conditions.

use std::rc::Rc;

use super::condition::{Condition, ContainsFn, Operand, Text};
use super::search::Needle;
use super::utf16::utf16_units;
use super::view::View;
use crate::cell::{Cell, Content};
use crate::dictionary::{Dictionary, Value};
use crate::hash_index::HashIndex;
use crate::hash_seed::HashSeed;
use crate::memory::{OutOfMemory, filled, push, reserve, resize, try_shared, with_capacity};
use crate::shapes::PathId;
use crate::string_interner::StringKind;

/// A condition, prepared once for all chunks.
pub(super) struct Test<'condition> {
    alternative: u32,
    path: PathId,
    predicate: Predicate<'condition>,
    /// Whether values that do not meet the predicate pass.
    is_negated: bool,
}

enum Predicate<'condition> {
    OneOf(Accepted<'condition>),
    Between { min: f64, max: f64 },
    Contains { needle: Needle<'condition>, contains: &'condition ContainsFn },
}

impl<'condition> Test<'condition> {
    /// The tests of conditions on values of this dictionary.
    pub(super) fn all(
        dictionary: &Dictionary,
        conditions: &[(u32, PathId, &'condition Condition)],
    ) -> Result<Vec<Self>, OutOfMemory> {
        let mut tests = with_capacity(conditions.len())?;
        for (alternative, path, condition) in conditions {
            let (predicate, is_negated) = Predicate::new(dictionary, condition)?;
            tests.push(Test { alternative: *alternative, path: *path, predicate, is_negated });
        }
        Ok(tests)
    }
}

impl<'condition> Predicate<'condition> {
    /// The predicate of a condition, and whether the condition negates it.
    fn new(dictionary: &Dictionary, condition: &'condition Condition) -> Result<(Self, bool), OutOfMemory> {
        let predicate = match condition {
            Condition::OneOf(operands) => Predicate::OneOf(Accepted::new(dictionary, operands)?),
            Condition::Between { min, max } => Predicate::Between { min: *min, max: *max },
            Condition::Contains { lower, contains } => Predicate::Contains { needle: Needle::new(lower), contains },
            Condition::Not(negated) => {
                let (predicate, is_negated) = Predicate::new(dictionary, negated)?;
                return Ok((predicate, !is_negated));
            }
        };
        Ok((predicate, false))
    }
}

/// The values that equal one of some operands.
#[derive(Default)]
struct Accepted<'condition> {
    /// The cells of all values except texts that may have several cells, and strings with lone surrogates.
    cells: HashIndex,
    texts: Texts<'condition>,
    /// The JSON of strings with lone surrogates, which the service may write in several ways.
    json: Vec<&'condition str>,
}

impl<'condition> Accepted<'condition> {
    fn new(dictionary: &Dictionary, operands: &'condition [Operand]) -> Result<Self, OutOfMemory> {
        let mut accepted = Accepted::default();
        for operand in operands {
            let cell = match operand {
                Operand::Missing => Some(Cell::MISSING),
                Operand::Null => Some(Cell::NULL),
                Operand::Boolean(value) => Some(Cell::boolean(*value)),
                Operand::Number(value) => {
                    if *value == 0.0 {
                        accepted.add(dictionary, dictionary.numbers.find(-value))?;
                    }
                    dictionary.numbers.find(*value)
                }
                Operand::Text(Text::Utf8(text)) => {
                    accepted.texts.add(text, dictionary.seed())?;
                    let kind = StringKind::of_text(text.as_bytes());
                    dictionary.strings.find(kind, text.as_bytes()).map(Cell::text)
                }
                Operand::Text(Text::Json(json)) => {
                    push(&mut accepted.json, json.as_str())?;
                    None
                }
            };
            accepted.add(dictionary, cell)?;
        }
        Ok(accepted)
    }

    /// Adds the cell of a value; none if no finding has the value.
    fn add(&mut self, dictionary: &Dictionary, cell: Option<Cell>) -> Result<(), OutOfMemory> {
        match cell {
            Some(cell) if !is_accepted(&self.cells, dictionary.seed(), cell) => {
                self.cells.insert(hash(dictionary.seed(), cell), cell.word())
            }
            _ => Ok(()),
        }
    }

    fn contains(&self, dictionary: &Dictionary, cell: Cell) -> bool {
        match cell.content() {
            Content::Text(id) if dictionary.strings.is_long(id) => {
                self.texts.contains(dictionary.strings.text(id), dictionary.seed())
            }
            Content::RawJson(id) => self.contains_json(dictionary.strings.text(id)),
            _ => is_accepted(&self.cells, dictionary.seed(), cell),
        }
    }

    // A separate function, so that the loop over other values stays small.
    #[cold]
    #[inline(never)]
    fn contains_json(&self, text: &str) -> bool {
        let units = |json| utf16_units(&Value::Json(json));
        text.starts_with('"') && self.json.iter().any(|json| units(json).eq(units(text)))
    }
}

/// Texts to compare with.
#[derive(Default)]
struct Texts<'condition> {
    list: Vec<&'condition str>,
    index: HashIndex,
    /// The distinct lengths of the texts, in ascending order: a text of another length is not hashed.
    lengths: Vec<u32>,
}

impl<'condition> Texts<'condition> {
    fn add(&mut self, text: &'condition str, seed: &HashSeed) -> Result<(), OutOfMemory> {
        let hash = seed.of_bytes(text.as_bytes());
        if self.has(hash, text) {
            return Ok(());
        }
        self.index.insert(hash, self.list.len() as u32)?;
        push(&mut self.list, text)?;
        let length = text.len() as u32;
        if let Err(at) = self.lengths.binary_search(&length) {
            reserve(&mut self.lengths, 1)?;
            self.lengths.insert(at, length);
        }
        Ok(())
    }

    fn contains(&self, text: &str, seed: &HashSeed) -> bool {
        self.lengths.binary_search(&(text.len() as u32)).is_ok() && self.has(seed.of_bytes(text.as_bytes()), text)
    }

    fn has(&self, hash: u32, text: &str) -> bool {
        self.index.find(hash, |index| self.list.get(index as usize) == Some(&text)).is_some()
    }
}

fn is_accepted(accepted: &HashIndex, seed: &HashSeed, cell: Cell) -> bool {
    accepted.find(hash(seed, cell), |word| word == cell.word()).is_some()
}

/// The results of a [`Condition::Contains`] by string, so that each string is searched once.
type Searched = Vec<Option<bool>>;

/// A filter to which chunks are added in any order.
pub(super) struct Filter {
    /// The number of alternatives.
    alternatives: u32,
    searched: Vec<Searched>,
    /// The rows of each chunk that meet the conditions, by the index of the chunk.
    rows: Vec<(u64, Rc<Vec<u32>>)>,
}

impl Filter {
    /// A filter without rows, by this number of alternatives and of conditions.
    pub(super) fn new(alternatives: u32, conditions: usize) -> Result<Self, OutOfMemory> {
        let mut searched = with_capacity(conditions)?;
        searched.resize_with(conditions, Searched::new);
        Ok(Filter { alternatives, searched, rows: Vec::new() })
    }

    /// Adds the rows of a view as the chunk with this index. After an error the filter is unusable.
    pub(super) fn add(&mut self, index: u64, view: &View, tests: &[Test<'_>]) -> Result<(), OutOfMemory> {
        let mut mask = Vec::new();
        for alternative in 0..self.alternatives {
            let mut meets_all = filled(view.len(), true)?;
            for (test, searched) in tests.iter().zip(&mut self.searched) {
                if test.alternative == alternative {
                    apply(view, test, searched, &mut meets_all)?;
                }
            }
            if mask.is_empty() {
                mask = meets_all;
            } else {
                mask.iter_mut().zip(meets_all).for_each(|(is_kept, meets_all)| *is_kept |= meets_all);
            }
        }
        let mut rows = selected(&mask)?;
        if let Some(of_view) = view.selected_rows()? {
            for row in &mut rows {
                *row = of_view.get(*row as usize).copied().unwrap_or_default();
            }
        }
        reserve(&mut self.rows, 1)?;
        let position = self.rows.partition_point(|(other, _)| *other < index);
        self.rows.insert(position, (index, try_shared(rows)?));
        Ok(())
    }

    /// Returns the rows of each chunk that meet the conditions, in the order of the indexes.
    pub(super) fn rows(&self) -> Result<Vec<Rc<Vec<u32>>>, OutOfMemory> {
        let mut rows = with_capacity(self.rows.len())?;
        rows.extend(self.rows.iter().map(|(_, rows)| Rc::clone(rows)));
        Ok(rows)
    }

    /// Returns the bytes of memory that the filter holds.
    pub(super) fn byte_length(&self) -> usize {
        let rows: usize = self.rows.iter().map(|(_, rows)| rows.capacity() * size_of::<u32>()).sum();
        let searched: usize = self.searched.iter().map(Vec::capacity).sum();
        rows + searched * size_of::<Option<bool>>()
    }
}

/// Returns the rows whose mask is set.
fn selected(mask: &[bool]) -> Result<Vec<u32>, OutOfMemory> {
    let mut rows = with_capacity(mask.iter().filter(|is_kept| **is_kept).count())?;
    rows.extend((0..).zip(mask).filter(|(_, is_kept)| **is_kept).map(|(row, _)| row));
    Ok(rows)
}

/// Clears the mask of each row whose value does not pass the test.
fn apply(view: &View, test: &Test<'_>, searched: &mut Searched, mask: &mut [bool]) -> Result<(), OutOfMemory> {
    let dictionary = &*view.dictionary();
    match &test.predicate {
        Predicate::OneOf(accepted) => apply_test(view, test, mask, &mut |cell| accepted.contains(dictionary, cell)),
        Predicate::Between { min, max } => apply_test(view, test, mask, &mut |cell| {
            dictionary.number(cell).is_some_and(|number| number >= *min && number <= *max)
        }),
        Predicate::Contains { needle, contains } => {
            let search =
                |cell, id| needle.find_in(&dictionary.strings, id).unwrap_or_else(|| contains(dictionary.value(cell)));
            let known = searched.len().max(dictionary.strings.len());
            resize(searched, known, None)?;
            apply_test(view, test, mask, &mut |cell| match cell.content() {
                Content::Text(id) | Content::RawJson(id) => {
                    let result = searched.get_mut(id as usize);
                    result.is_some_and(|result| *result.get_or_insert_with(|| search(cell, id)))
                }
                _ => false,
            })
        }
    }
}

fn apply_test(
    view: &View,
    Test { path, is_negated, .. }: &Test<'_>,
    mask: &mut [bool],
    has_form: &mut dyn FnMut(Cell) -> bool,
) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    // Rows often have the value of an earlier row. A value with the same slot only takes its place, so the slots need no seed.
    let mut results = [(Cell::MISSING, has_form(Cell::MISSING) != *is_negated); 64];
    for rows in view.batches() {
        view.read(*path, rows.clone(), &mut words)?;
        for (is_kept, word) in mask.get_mut(rows).unwrap_or_default().iter_mut().zip(&words) {
            let cell = Cell::from_word(*word);
            let slot = (word.wrapping_mul(0x9E37_79B9) >> 26) as usize;
            let Some((known, result)) = results.get_mut(slot) else { continue };
            if cell != *known {
                (*known, *result) = (cell, has_form(cell) != *is_negated);
            }
            *is_kept &= *result;
        }
    }
    Ok(())
}

fn hash(seed: &HashSeed, cell: Cell) -> u32 {
    seed.of_words(&[cell.word()])
}
