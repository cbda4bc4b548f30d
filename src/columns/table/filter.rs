//! Conditions on the values of a column.

use memchr::memchr2_iter;

use super::Table;
use super::group::number;
use super::sort::units;
use crate::cell::{Cell, Content};
use crate::dictionary::{Dictionary, Value};
use crate::hash_index::HashIndex;
use crate::memory::{OutOfMemory, filled};
use crate::shapes::PathId;
use crate::string_interner::{StringInterner, StringKind};

/// What has to hold for a value.
pub enum Condition {
    /// It is one of these.
    OneOf(Vec<Operand>),
    /// It is a number and not outside these bounds.
    Between {
        /// The smallest that is accepted.
        min: Option<f64>,
        /// The largest that is accepted.
        max: Option<f64>,
    },
    /// It is a text with this text in it, upper and lower case being the same.
    Contains {
        /// The text to look for, in lower case, with U+FFFD in the place of lone surrogates.
        lower: String,
        /// How it is looked for where more than a few letters have an upper and a lower case.
        is_in: ContainsFn,
    },
}

/// Whether a text that is looked for is in a text, or in the one that a JSON string means: every host knows how to put these
/// into lower case, with tables that would be large here.
pub type ContainsFn = Box<dyn Fn(Value<'_>) -> bool>;

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The finding has no such field.
    Missing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number; `0` and `-0` are the same.
    Number(f64),
    /// A text without lone surrogates.
    Text(String),
    /// A text with lone surrogates as `JSON.stringify` writes it.
    Json(String),
}

impl Condition {
    /// [`Condition::Contains`] as Rust tells upper from lower case, whose tables for that make a module larger: for tests.
    pub fn contains_by_rust(text: &str) -> Self {
        let (lower, needle) = (text.to_lowercase(), text.to_lowercase());
        let text_of = |value: Value<'_>| String::from_utf16_lossy(&units(&value).collect::<Vec<_>>());
        Condition::Contains { lower, is_in: Box::new(move |value| text_of(value).to_lowercase().contains(&needle)) }
    }
}

/// Turns the is_kept to false for each row whose value does not meet the condition.
pub fn apply(table: &Table, path: PathId, condition: &Condition, mask: &mut [bool]) -> Result<(), OutOfMemory> {
    let dictionary = table.dictionary();
    match condition {
        Condition::OneOf(operands) => {
            let mut accepted = HashIndex::default();
            let is_in = |accepted: &HashIndex, cell| accepted.find(hash(cell), |_| true).is_some();
            for operand in operands {
                for cell in cells_of(dictionary, operand).into_iter().flatten() {
                    if !is_in(&accepted, cell) {
                        accepted.insert(hash(cell), cell.word())?;
                    }
                }
            }
            apply_test(table, path, mask, &mut |cell| is_in(&accepted, cell))
        }
        Condition::Between { min, max } => apply_test(table, path, mask, &mut |cell| {
            let is_between = |number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
            number(dictionary, cell).is_some_and(is_between)
        }),
        Condition::Contains { lower, is_in } => {
            let needle = Needle::new(lower);
            let look =
                |cell, id| needle.find_in(&dictionary.strings, id).unwrap_or_else(|| is_in(dictionary.value(cell)));
            // Of each text it is found out once.
            let mut known: Vec<Option<bool>> = filled(dictionary.strings.len(), None)?;
            apply_test(table, path, mask, &mut |cell| match cell.content() {
                Content::Text(id) | Content::RawJson(id) => {
                    known.get_mut(id as usize).is_some_and(|known| *known.get_or_insert_with(|| look(cell, id)))
                }
                _ => false,
            })
        }
    }
}

fn apply_test(
    table: &Table,
    path: PathId,
    mask: &mut [bool],
    test: &mut dyn FnMut(Cell) -> bool,
) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    let mut last = (Cell::MISSING, test(Cell::MISSING));
    for rows in table.batches() {
        table.read(path, rows.clone(), &mut words)?;
        for (is_kept, word) in mask.get_mut(rows).unwrap_or_default().iter_mut().zip(&words) {
            let cell = Cell::from_word(*word);
            if cell != last.0 {
                last = (cell, test(cell));
            }
            *is_kept &= last.1;
        }
    }
    Ok(())
}

/// A hash that no two cells share.
fn hash(cell: Cell) -> u32 {
    cell.word().wrapping_mul(0x9E37_79B9).rotate_left(16)
}

/// The cells that a value can have.
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

/// A text that is looked for, in lower case.
struct Needle<'text> {
    text: &'text str,
    is_latin: bool,
    /// Where its rarest byte is, and this in both cases.
    rarest: usize,
    either_case: (u8, u8),
}

/// What the UTF-8 of the characters from U+00C0 to U+00FF begins with, among which a second byte tells upper from lower case.
const LATIN: u8 = 0xC3;

/// Letters and the space, the more frequent first in the languages of Europe taken together; whatever else is rarer.
const FREQUENT: &[u8] = b" eaintrosldumchgpvfbkwzyjqx";

/// The characters beyond ASCII whose lower case has ASCII letters in it: the Kelvin sign and the I with a dot.
const LOWER_IN_ASCII: [char; 2] = ['\u{212A}', '\u{130}'];

impl<'text> Needle<'text> {
    fn new(text: &'text str) -> Self {
        let rarity = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        let (rarest, byte) = text.bytes().enumerate().max_by_key(|(_, byte)| rarity(*byte)).unwrap_or_default();
        let before = rarest.checked_sub(1).and_then(|before| text.as_bytes().get(before).copied());
        let is_latin = text.chars().all(|character| character <= '\u{FF}');
        Needle { text, is_latin, rarest, either_case: (byte, upper(before, byte)) }
    }

    /// Whether it is in the text with this number, where that is easily told.
    fn find_in(&self, strings: &StringInterner, id: u32) -> Option<bool> {
        let bytes = strings.bytes(id);
        match strings.kind(id)? {
            StringKind::Ascii => Some(self.text.is_ascii() && self.is_in_bytes(bytes)),
            StringKind::Latin1 => Some(self.is_latin && self.is_in_bytes(bytes)),
            StringKind::TwoByte if self.text.is_ascii() && !strings.text(id).contains(LOWER_IN_ASCII) => {
                Some(self.is_in_bytes(bytes))
            }
            StringKind::RawJson if !strings.text(id).starts_with('"') => Some(false),
            StringKind::TwoByte | StringKind::RawJson => None,
        }
    }

    /// Whether it is in a text in which only letters up to U+00FF have to be put into lower case for it.
    fn is_in_bytes(&self, text: &[u8]) -> bool {
        let needle = self.text.as_bytes();
        let fits = |at: usize| {
            let start = at.checked_sub(self.rarest);
            let part = start.and_then(|start| text.get(start..)?.get(..needle.len()));
            part.is_some_and(|part| is_same(part, needle))
        };
        needle.is_empty() || memchr2_iter(self.either_case.0, self.either_case.1, text).any(fits)
    }
}

/// Whether a text is another in lower case, in which there are no letters above U+00FF.
fn is_same(part: &[u8], lower: &[u8]) -> bool {
    let mut before = None;
    part.len() == lower.len()
        && part.iter().zip(lower).all(|(byte, lower)| {
            let is_same = byte == lower || *byte == upper(before, *lower);
            before = Some(*lower);
            is_same
        })
}

/// The byte of the upper case that stands where this byte of a lower case does, given the byte before; the same if there is none.
fn upper(before: Option<u8>, lower: u8) -> u8 {
    match lower {
        b'a'..=b'z' => lower - 0x20,
        // All but the division sign, which has no case.
        0xA0..=0xBE if before == Some(LATIN) && lower != 0xB7 => lower - 0x20,
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    #[test]
    fn a_search_in_a_text_finds_what_is_in_it_in_lower_case() {
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
