//! Conditions on the values of a column.

use memchr::memchr2_iter;

use super::utf16::utf16_units;
use super::view::View;
use crate::cell::{Cell, Content};
use crate::dictionary::{Dictionary, Value};
use crate::hash_index::HashIndex;
use crate::memory::{OutOfMemory, filled};
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
        /// The string to search for, in lower case. Lone surrogates are replaced by U+FFFD.
        lower: String,
        /// Searches the strings that need the case tables of Unicode.
        contains: ContainsFn,
    },
}

/// Returns true if a string, or the string that raw JSON stands for, contains the one to search for, ignoring case. The host
/// provides it: it has the case tables of Unicode, which would make the module larger.
pub type ContainsFn = Box<dyn Fn(Value<'_>) -> bool>;

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
    /// A string without lone surrogates.
    Text(String),
    /// A string with lone surrogates, as the JSON that `JSON.stringify` writes.
    Json(String),
}

impl Condition {
    /// Returns a [`Condition::Contains`] that uses the case tables of Rust's standard library. For tests.
    pub fn contains_by_rust(text: &str) -> Self {
        let (lower, needle) = (text.to_lowercase(), text.to_lowercase());
        let text_of = |value: Value<'_>| String::from_utf16_lossy(&utf16_units(&value).collect::<Vec<_>>());
        Condition::Contains { lower, contains: Box::new(move |value| text_of(value).to_lowercase().contains(&needle)) }
    }
}

/// Clears the mask of each row whose value at `path` does not meet the condition.
pub(super) fn apply(view: &View, path: PathId, condition: &Condition, mask: &mut [bool]) -> Result<(), OutOfMemory> {
    let dictionary = &*view.dictionary();
    match condition {
        Condition::OneOf(operands) => {
            let mut accepted = HashIndex::default();
            let contains = |accepted: &HashIndex, cell| accepted.find(hash(cell), |_| true).is_some();
            for operand in operands {
                for cell in cells_of(dictionary, operand).into_iter().flatten() {
                    if !contains(&accepted, cell) {
                        accepted.insert(hash(cell), cell.word())?;
                    }
                }
            }
            apply_test(view, path, mask, &mut |cell| contains(&accepted, cell))
        }
        Condition::Between { min, max } => apply_test(view, path, mask, &mut |cell| {
            let is_between = |number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
            dictionary.number(cell).is_some_and(is_between)
        }),
        Condition::Contains { lower, contains } => {
            let needle = Needle::new(lower);
            let search =
                |cell, id| needle.find_in(&dictionary.strings, id).unwrap_or_else(|| contains(dictionary.value(cell)));
            // The result for each string, so that each is searched once.
            let mut results: Vec<Option<bool>> = filled(dictionary.strings.len(), None)?;
            apply_test(view, path, mask, &mut |cell| match cell.content() {
                Content::Text(id) | Content::RawJson(id) => {
                    let result = results.get_mut(id as usize);
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

/// A hash that is different for every two cells, so that equal hashes mean equal cells.
fn hash(cell: Cell) -> u32 {
    cell.word().wrapping_mul(0x9E37_79B9).rotate_left(16)
}

/// Returns the cells that a value equal to `operand` can have.
fn cells_of(dictionary: &Dictionary, operand: &Operand) -> [Option<Cell>; 2] {
    let value = match operand {
        Operand::Missing => Value::Missing,
        Operand::Null => Value::Null,
        Operand::Boolean(value) => Value::Boolean(*value),
        Operand::Number(0.0) => return [dictionary.find(Value::Number(0.0)), dictionary.find(Value::Number(-0.0))],
        Operand::Number(value) => Value::Number(*value),
        Operand::Text(text) => Value::Text(text),
        Operand::Json(json) => Value::Json(json),
    };
    [dictionary.find(value), None]
}

/// A lower-case string to search for.
struct Needle<'text> {
    text: &'text str,
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
    fn new(text: &'text str) -> Self {
        let rarity = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        let (rarest, byte) = text.bytes().enumerate().max_by_key(|(_, byte)| rarity(*byte)).unwrap_or_default();
        let before = rarest.checked_sub(1).and_then(|before| text.as_bytes().get(before).copied());
        let is_latin1 = text.chars().all(|character| character <= '\u{FF}');
        Needle { text, is_latin1, rarest, either_case: (byte, upper(before, byte)) }
    }

    /// Returns whether an interned string contains the needle, or `None` if that needs the case tables of Unicode.
    fn find_in(&self, strings: &StringInterner, id: u32) -> Option<bool> {
        let bytes = strings.bytes(id);
        match strings.kind(id)? {
            StringKind::Ascii => Some(self.text.is_ascii() && self.is_in_bytes(bytes)),
            StringKind::Latin1 => Some(self.is_latin1 && self.is_in_bytes(bytes)),
            StringKind::TwoByte if self.text.is_ascii() && !strings.text(id).contains(ASCII_IN_LOWER_CASE) => {
                Some(self.is_in_bytes(bytes))
            }
            StringKind::RawJson if !strings.text(id).starts_with('"') => Some(false),
            StringKind::TwoByte | StringKind::RawJson => None,
        }
    }

    /// Returns true if a string contains the needle when only letters up to U+00FF are put into lower case.
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
            match Needle::new(&lower).find_in(&strings, id) {
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
