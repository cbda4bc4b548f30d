//! Conditions on the values of a column.

use std::rc::Rc;

use memchr::memchr2_iter;

use super::utf16::utf16_units;
use super::view::View;
use crate::cell::{Cell, Content};
use crate::dictionary::{Dictionary, Value};
use crate::hash_index::HashIndex;
use crate::hash_seed::HashSeed;
use crate::memory::{OutOfMemory, filled, push, reserve, resize, try_shared, try_to_owned, with_capacity};
use crate::shapes::PathId;
use crate::string_interner::{StringInterner, StringKind};

/// A condition on a value.
pub enum Condition {
    /// The value equals one of these.
    OneOf(Vec<Operand>),
    /// The value is a number within these bounds.
    Between {
        /// The smallest number to accept.
        min: Option<f64>,
        /// The largest number to accept.
        max: Option<f64>,
    },
    /// The value is a string that contains another, ignoring case.
    Contains {
        /// The string to search for, in lower case.
        lower: Text,
        /// Searches the strings that need the case tables of Unicode.
        contains: ContainsFn,
    },
}

/// Returns true if a string, or the string that raw JSON stands for, contains the needle, ignoring case. The host provides it, because it
/// has Unicode's case tables.
pub type ContainsFn = Box<dyn Fn(Value<'_>) -> bool>;

/// A string of JavaScript. Equal strings have the same variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// A string without lone surrogates.
    Utf8(String),
    /// A string with lone surrogates, as the JSON that `JSON.stringify` writes.
    Json(String),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The field is missing.
    Missing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number; `0` equals `-0`.
    Number(f64),
    /// A string.
    Text(Text),
}

impl Text {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Text::Utf8(text) => Text::Utf8(try_to_owned(text)?),
            Text::Json(json) => Text::Json(try_to_owned(json)?),
        })
    }

    fn byte_length(&self) -> usize {
        match self {
            Text::Utf8(text) | Text::Json(text) => text.capacity(),
        }
    }
}

impl Operand {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Operand::Missing => Operand::Missing,
            Operand::Null => Operand::Null,
            Operand::Boolean(value) => Operand::Boolean(*value),
            Operand::Number(value) => Operand::Number(*value),
            Operand::Text(text) => Operand::Text(text.try_clone()?),
        })
    }

    fn byte_length(&self) -> usize {
        match self {
            Operand::Text(text) => size_of::<Self>() + text.byte_length(),
            _ => size_of::<Self>(),
        }
    }

    /// Whether both operands accept the same values.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Operand::Number(left), Operand::Number(right)) => is_same_bound(left, right),
            _ => self == other,
        }
    }
}

impl Condition {
    /// Returns a copy that only [`equals`](Self::equals) is called on.
    fn key(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Condition::OneOf(operands) => {
                let mut copies = with_capacity(operands.len())?;
                for operand in operands {
                    copies.push(operand.try_clone()?);
                }
                Condition::OneOf(copies)
            }
            Condition::Between { min, max } => Condition::Between { min: *min, max: *max },
            Condition::Contains { lower, .. } => {
                Condition::Contains { lower: lower.try_clone()?, contains: Box::new(|_| false) }
            }
        })
    }

    /// Whether both conditions accept the same values.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Condition::OneOf(left), Condition::OneOf(right)) => is_same(left, right, Operand::equals),
            (Condition::Between { min, max }, Condition::Between { min: other_min, max: other_max }) => {
                is_same(min.as_slice(), other_min.as_slice(), is_same_bound)
                    && is_same(max.as_slice(), other_max.as_slice(), is_same_bound)
            }
            (Condition::Contains { lower, .. }, Condition::Contains { lower: other, .. }) => lower == other,
            _ => false,
        }
    }

    fn byte_length(&self) -> usize {
        match self {
            Condition::OneOf(operands) => operands.iter().map(Operand::byte_length).sum(),
            Condition::Between { .. } => 0,
            Condition::Contains { lower, .. } => lower.byte_length(),
        }
    }

    /// Returns a [`Condition::Contains`] that uses the case tables of Rust's standard library. For tests.
    pub fn contains_by_rust(text: &str) -> Self {
        let (lower, needle) = (text.to_lowercase(), text.to_lowercase());
        let text_of = |value: Value<'_>| String::from_utf16_lossy(&utf16_units(&value).collect::<Vec<_>>());
        let contains = move |value: Value<'_>| text_of(value).to_lowercase().contains(&needle);
        Condition::Contains { lower: Text::Utf8(lower), contains: Box::new(contains) }
    }
}

/// Whether two lists are equal, item by item.
fn is_same<T>(left: &[T], right: &[T], equals: impl Fn(&T, &T) -> bool) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equals(left, right))
}

/// Whether two numbers accept the same values. NaN, which does not equal itself, accepts none.
fn is_same_bound(left: &f64, right: &f64) -> bool {
    left == right || left.is_nan() && right.is_nan()
}

/// A condition, prepared once for all chunks.
pub(super) struct Test<'condition> {
    path: PathId,
    form: Form<'condition>,
}

enum Form<'condition> {
    OneOf(Accepted<'condition>),
    Between { min: Option<f64>, max: Option<f64> },
    Contains { needle: Needle<'condition>, contains: &'condition ContainsFn },
}

impl<'condition> Test<'condition> {
    /// The tests of conditions on values of this dictionary.
    pub(super) fn all(
        dictionary: &Dictionary,
        conditions: &[(PathId, &'condition Condition)],
    ) -> Result<Vec<Self>, OutOfMemory> {
        let mut tests = with_capacity(conditions.len())?;
        for (path, condition) in conditions {
            tests.push(Test { path: *path, form: Form::new(dictionary, condition)? });
        }
        Ok(tests)
    }
}

impl<'condition> Form<'condition> {
    fn new(dictionary: &Dictionary, condition: &'condition Condition) -> Result<Self, OutOfMemory> {
        Ok(match condition {
            Condition::OneOf(operands) => Form::OneOf(Accepted::new(dictionary, operands)?),
            Condition::Between { min, max } => Form::Between { min: *min, max: *max },
            Condition::Contains { lower, contains } => Form::Contains { needle: Needle::new(lower), contains },
        })
    }
}

/// The values that equal one of some operands.
struct Accepted<'condition> {
    /// Cells of all values but texts that may have several cells.
    cells: HashIndex,
    texts: Texts<'condition>,
}

impl<'condition> Accepted<'condition> {
    fn new(dictionary: &Dictionary, operands: &'condition [Operand]) -> Result<Self, OutOfMemory> {
        let mut cells = HashIndex::default();
        let mut texts = Texts::default();
        for operand in operands {
            for cell in cells_of(dictionary, operand).into_iter().flatten() {
                if !is_accepted(&cells, dictionary.seed(), cell) {
                    cells.insert(hash(dictionary.seed(), cell), cell.word())?;
                }
            }
            if let Operand::Text(Text::Utf8(text)) = operand {
                texts.add(text, dictionary.seed())?;
            }
        }
        texts.lengths.sort_unstable();
        Ok(Accepted { cells, texts })
    }

    fn contains(&self, dictionary: &Dictionary, cell: Cell) -> bool {
        match cell.content() {
            Content::Text(id) if dictionary.strings.may_repeat(id) => {
                self.texts.contains(dictionary.strings.text(id), dictionary.seed())
            }
            _ => is_accepted(&self.cells, dictionary.seed(), cell),
        }
    }
}

/// Texts to compare with.
#[derive(Default)]
struct Texts<'condition> {
    list: Vec<&'condition str>,
    index: HashIndex,
    /// The lengths of the texts, in ascending order: a text of another length is not hashed.
    lengths: Vec<usize>,
}

impl<'condition> Texts<'condition> {
    fn add(&mut self, text: &'condition str, seed: &HashSeed) -> Result<(), OutOfMemory> {
        let hash = seed.of_bytes(text.as_bytes());
        if self.has(hash, text) {
            return Ok(());
        }
        self.index.insert(hash, self.list.len() as u32)?;
        push(&mut self.list, text)?;
        push(&mut self.lengths, text.len())
    }

    fn contains(&self, text: &str, seed: &HashSeed) -> bool {
        self.lengths.binary_search(&text.len()).is_ok() && self.has(seed.of_bytes(text.as_bytes()), text)
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

/// The conditions of a filter, each with its column.
pub(super) type Conditions = Vec<(PathId, Condition)>;

/// A filter to which chunks are added in any order.
pub(super) struct Filter {
    /// Copies of the conditions, to recognize the filter.
    conditions: Rc<Conditions>,
    searched: Vec<Searched>,
    /// The rows of each chunk that meet the conditions, by the index of the chunk.
    rows: Vec<(u64, Rc<Vec<u32>>)>,
}

impl Filter {
    /// A filter without rows.
    pub(super) fn new(conditions: &[(PathId, &Condition)]) -> Result<Self, OutOfMemory> {
        let mut copies = with_capacity(conditions.len())?;
        let mut searched = with_capacity(conditions.len())?;
        for (path, condition) in conditions {
            copies.push((*path, condition.key()?));
            searched.push(Searched::new());
        }
        Ok(Filter { conditions: Rc::new(copies), searched, rows: Vec::new() })
    }

    /// Whether this filter has these conditions.
    pub(super) fn is_by(&self, conditions: &[(PathId, &Condition)]) -> bool {
        let is_same = |((path, known), (other, condition)): (&(PathId, Condition), &(PathId, &Condition))| {
            path == other && known.equals(condition)
        };
        self.conditions.len() == conditions.len() && self.conditions.iter().zip(conditions).all(is_same)
    }

    /// Returns the conditions: the same object as long as the filter exists.
    pub(super) fn conditions(&self) -> &Rc<Conditions> {
        &self.conditions
    }

    /// Adds the rows of a view as the chunk with this index. After an error the filter is unusable.
    pub(super) fn add(&mut self, index: u64, view: &View, tests: &[Test<'_>]) -> Result<(), OutOfMemory> {
        let mut mask = filled(view.len(), true)?;
        for (test, searched) in tests.iter().zip(&mut self.searched) {
            apply(view, test, searched, &mut mask)?;
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
        let conditions: usize = self.conditions.iter().map(|(_, condition)| condition.byte_length()).sum();
        rows + searched * size_of::<Option<bool>>() + conditions
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
    match &test.form {
        Form::OneOf(accepted) => apply_test(view, test.path, mask, &mut |cell| accepted.contains(dictionary, cell)),
        Form::Between { min, max } => apply_test(view, test.path, mask, &mut |cell| {
            let is_between = |number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
            dictionary.number(cell).is_some_and(is_between)
        }),
        Form::Contains { needle, contains } => {
            let search =
                |cell, id| needle.find_in(&dictionary.strings, id).unwrap_or_else(|| contains(dictionary.value(cell)));
            let known = searched.len().max(dictionary.strings.len());
            resize(searched, known, None)?;
            apply_test(view, test.path, mask, &mut |cell| match cell.content() {
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
    path: PathId,
    mask: &mut [bool],
    test: &mut dyn FnMut(Cell) -> bool,
) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    // Neighbouring rows often have the same value.
    let (mut last_cell, mut last_result) = (Cell::MISSING, test(Cell::MISSING));
    for rows in view.batches() {
        view.read(path, rows.clone(), &mut words)?;
        for (is_kept, word) in mask.get_mut(rows).unwrap_or_default().iter_mut().zip(&words) {
            let cell = Cell::from_word(*word);
            if cell != last_cell {
                (last_cell, last_result) = (cell, test(cell));
            }
            *is_kept &= last_result;
        }
    }
    Ok(())
}

fn hash(seed: &HashSeed, cell: Cell) -> u32 {
    seed.of_words(&[cell.word()])
}

/// Returns the cells that a value equal to `operand` can have.
fn cells_of(dictionary: &Dictionary, operand: &Operand) -> [Option<Cell>; 2] {
    let value = match operand {
        Operand::Missing => Value::Missing,
        Operand::Null => Value::Null,
        Operand::Boolean(value) => Value::Boolean(*value),
        Operand::Number(0.0) => return [dictionary.find(Value::Number(0.0)), dictionary.find(Value::Number(-0.0))],
        Operand::Number(value) => Value::Number(*value),
        Operand::Text(Text::Utf8(text)) => Value::Text(text),
        Operand::Text(Text::Json(json)) => Value::Json(json),
    };
    [dictionary.find(value), None]
}

/// A lower-case string to search for.
struct Needle<'text> {
    /// The string; empty if it has lone surrogates, which UTF-8 cannot encode.
    text: &'text str,
    is_ascii: bool,
    is_latin1: bool,
    /// The offset of the byte that is probably rarest in the strings to search.
    rarest: usize,
    /// That byte in lower and in upper case.
    either_case: (u8, u8),
}

/// The first UTF-8 byte of U+00C0 to U+00FF. The second byte tells upper from lower case.
const LATIN1_LEAD: u8 = 0xC3;

/// The space and the letters, roughly by their frequency in European languages; all other bytes count as rarer.
const FREQUENT: &[u8] = b" eaintrosldumchgpvfbkwzyjqx";

/// The characters beyond ASCII whose lower case contains ASCII letters: the Kelvin sign and the capital I with a dot.
const ASCII_IN_LOWER_CASE: [char; 2] = ['\u{212A}', '\u{130}'];

impl<'text> Needle<'text> {
    fn new(text: &'text Text) -> Self {
        let Text::Utf8(text) = text else {
            return Needle { text: "", is_ascii: false, is_latin1: false, rarest: 0, either_case: (0, 0) };
        };
        let rarity = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        let (rarest, byte) = text.bytes().enumerate().max_by_key(|(_, byte)| rarity(*byte)).unwrap_or_default();
        let before = rarest.checked_sub(1).and_then(|before| text.as_bytes().get(before).copied());
        let is_latin1 = text.chars().all(|character| character <= '\u{FF}');
        Needle { text, is_ascii: text.is_ascii(), is_latin1, rarest, either_case: (byte, upper(before, byte)) }
    }

    /// Returns whether an interned string contains the needle, or `None` if that needs the case tables of Unicode.
    fn find_in(&self, strings: &StringInterner, id: u32) -> Option<bool> {
        let bytes = strings.bytes(id);
        match strings.kind(id)? {
            StringKind::Ascii => Some(self.is_ascii && self.is_in_bytes(bytes)),
            StringKind::Latin1 => Some(self.is_latin1 && self.is_in_bytes(bytes)),
            StringKind::TwoByte if self.is_ascii && !strings.text(id).contains(ASCII_IN_LOWER_CASE) => {
                Some(self.is_in_bytes(bytes))
            }
            StringKind::RawJson if !strings.text(id).starts_with('"') => Some(false),
            StringKind::TwoByte | StringKind::RawJson => None,
        }
    }

    /// Returns true if a string contains the needle, lower-casing only letters up to U+00FF.
    fn is_in_bytes(&self, text: &[u8]) -> bool {
        let needle = self.text.as_bytes();
        let matches_at = |at: usize| {
            let start = at.checked_sub(self.rarest);
            let part = start.and_then(|start| text.get(start..)?.get(..needle.len()));
            part.is_some_and(|part| eq_lower_case(part, needle))
        };
        needle.is_empty() || memchr2_iter(self.either_case.0, self.either_case.1, text).any(matches_at)
    }
}

/// Returns true if `part` in lower case is `lower`, which has no letters above U+00FF.
fn eq_lower_case(part: &[u8], lower: &[u8]) -> bool {
    let mut before = None;
    part.len() == lower.len()
        && part.iter().zip(lower).all(|(byte, lower)| {
            let is_same = byte == lower || *byte == upper(before, *lower);
            before = Some(*lower);
            is_same
        })
}

/// Returns the upper-case form of a byte of a lower-case string, given the byte before it.
fn upper(before: Option<u8>, lower: u8) -> u8 {
    match lower {
        b'a'..=b'z' => lower - 0x20,
        // The upper case of U+00E0 to U+00FE, except of the division sign (U+00F7), which has no case.
        0xA0..=0xBE if before == Some(LATIN1_LEAD) && lower != 0xB7 => lower - 0x20,
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    #[test]
    fn finds_what_the_lower_cased_string_contains() {
        let mut runner = TestRunner::new(Config::with_cases(20_000));
        let texts = prop::string::string_regex("[aAxX éÉÿŸßẞ×÷ÀàµκΚς\u{212A}kK]{0,12}").unwrap();
        let needle = prop::string::string_regex("[aAxX éÉÿ÷×ÀàµκΚkK]{0,3}").unwrap();
        let check = |(text, needle): (String, String)| {
            let mut strings = StringInterner::default();
            let kind = StringKind::of_text(text.as_bytes());
            let id = strings.intern(kind, text.as_bytes()).unwrap();
            let lower = needle.to_lowercase();
            match Needle::new(&Text::Utf8(lower.clone())).find_in(&strings, id) {
                Some(is_in) => {
                    prop_assert_eq!(is_in, text.to_lowercase().contains(&lower), "{:?} in {:?}", lower, text)
                }
                None => prop_assert_eq!(kind, StringKind::TwoByte),
            }
            Ok(())
        };
        runner.run(&(texts, needle), check).unwrap();
    }
}
