//! Conditions on the values of a column.

use memchr::memchr2_iter;

use super::Table;
use super::cell::{Cell, Content};
use super::dictionary::{Dictionary, Value};
use super::group::number;
use super::memory::{OutOfMemory, filled, with_room};
use super::shapes::PathId;
use super::sort::unpaired_units;
use super::strings::{Kind, Strings};

/// What has to hold for a value.
#[derive(Clone, Debug)]
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
        /// The text to look for.
        text: String,
        /// How a text is put into lower case: every host brings the tables for that along.
        lower: Lower,
    },
    /// It is a text with these UTF-16 code units in it, lone surrogates among them; upper and lower case are the same
    /// for ASCII letters.
    ContainsUnits(Vec<u16>),
}

/// Puts a text into lower case, as `toLowerCase` of JavaScript does.
pub type Lower = fn(&str) -> Result<String, OutOfMemory>;

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

/// Turns the verdict to false for each row whose value does not meet the condition.
pub fn apply(table: &Table, path: PathId, condition: &Condition, verdicts: &mut [bool]) -> Result<(), OutOfMemory> {
    let dictionary = table.dictionary();
    match condition {
        Condition::OneOf(operands) => {
            let mut accepted = with_room(2 * operands.len())?;
            accepted.extend(operands.iter().flat_map(|operand| cells_of(dictionary, operand)).flatten());
            accepted.sort_unstable();
            apply_test(table, path, verdicts, &mut |cell| Ok(accepted.binary_search(&cell).is_ok()))
        }
        Condition::Between { min, max } => apply_test(table, path, verdicts, &mut |cell| {
            let is_between = |number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
            Ok(number(dictionary, cell).is_some_and(is_between))
        }),
        Condition::ContainsUnits(sought) => {
            apply_test(table, path, verdicts, &mut |cell| contains_units(dictionary, cell, sought))
        }
        Condition::Contains { text, lower } => {
            let sought = Sought::new(lower(text)?, *lower);
            // Of each text it is found out once.
            let mut known: Vec<Option<bool>> = filled(dictionary.strings.len(), None)?;
            apply_test(table, path, verdicts, &mut |cell| {
                let (Content::Text(id) | Content::Token(id)) = cell.content() else {
                    return Ok(false);
                };
                match known.get_mut(id as usize) {
                    Some(Some(known)) => Ok(*known),
                    Some(unknown) => Ok(*unknown.insert(sought.is_in(&dictionary.strings, id)?)),
                    None => Ok(false),
                }
            })
        }
    }
}

fn contains_units(dictionary: &Dictionary, cell: Cell, sought: &[u16]) -> Result<bool, OutOfMemory> {
    let fits = |window: &[u16]| window.iter().zip(sought).all(|(unit, other)| lower_unit(*unit) == lower_unit(*other));
    Ok(match dictionary.value(cell) {
        Value::Json(json) => unpaired_units(json)?.is_some_and(|units| units.windows(sought.len().max(1)).any(fits)),
        _ => false,
    })
}

fn lower_unit(unit: u16) -> u16 {
    u8::try_from(unit).map_or(unit, |byte| u16::from(byte.to_ascii_lowercase()))
}

fn apply_test(
    table: &Table,
    path: PathId,
    verdicts: &mut [bool],
    test: &mut dyn FnMut(Cell) -> Result<bool, OutOfMemory>,
) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    let mut last = (Cell::MISSING, test(Cell::MISSING)?);
    for rows in table.batches() {
        table.read(path, rows.clone(), &mut words)?;
        for (verdict, word) in verdicts.get_mut(rows).unwrap_or_default().iter_mut().zip(&words) {
            let cell = Cell::from_word(*word);
            if cell != last.0 {
                last = (cell, test(cell)?);
            }
            *verdict &= last.1;
        }
    }
    Ok(())
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
struct Sought {
    text: String,
    lower: Lower,
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

impl Sought {
    fn new(text: String, lower: Lower) -> Self {
        let rarity = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        let (rarest, byte) = text.bytes().enumerate().max_by_key(|(_, byte)| rarity(*byte)).unwrap_or_default();
        let before = rarest.checked_sub(1).and_then(|before| text.as_bytes().get(before).copied());
        let is_latin = text.chars().all(|character| character <= '\u{FF}');
        Sought { text, lower, is_latin, rarest, either_case: (byte, upper(before, byte)) }
    }

    fn is_in(&self, strings: &Strings, id: u32) -> Result<bool, OutOfMemory> {
        let (bytes, text) = (strings.bytes(id), || strings.text(id));
        match strings.kind(id) {
            Some(Kind::Ascii) => Ok(self.text.is_ascii() && self.is_in_bytes(bytes)),
            Some(Kind::Latin) => Ok(self.is_latin && self.is_in_bytes(bytes)),
            Some(Kind::Wide) if self.text.is_ascii() && !text().contains(LOWER_IN_ASCII) => Ok(self.is_in_bytes(bytes)),
            // What is in lower case already stays what it is.
            Some(Kind::Wide) => Ok(text().contains(&self.text) || self.is_in_lower(text())?),
            Some(Kind::Token) => match unpaired_units(text())? {
                Some(units) => self.is_in_paired_parts(&units),
                None => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Whether it is in a text in which only letters up to U+00FF have to be put into lower case for it.
    fn is_in_bytes(&self, text: &[u8]) -> bool {
        let sought = self.text.as_bytes();
        let fits = |at: usize| {
            let start = at.checked_sub(self.rarest);
            let part = start.and_then(|start| text.get(start..)?.get(..sought.len()));
            part.is_some_and(|part| is_same(part, sought))
        };
        sought.is_empty() || memchr2_iter(self.either_case.0, self.either_case.1, text).any(fits)
    }

    fn is_in_lower(&self, text: &str) -> Result<bool, OutOfMemory> {
        Ok((self.lower)(text)?.contains(&self.text))
    }

    /// Whether it is in a part of a text between its lone surrogates, of which it can have none.
    fn is_in_paired_parts(&self, units: &[u16]) -> Result<bool, OutOfMemory> {
        let mut part = String::new();
        for unit in char::decode_utf16(units.iter().copied()) {
            match unit {
                Ok(character) => {
                    part.try_reserve(character.len_utf8())?;
                    part.push(character);
                }
                Err(_) if self.is_in_lower(&part)? => return Ok(true),
                Err(_) => part.clear(),
            }
        }
        self.is_in_lower(&part)
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

    fn rust_lower(text: &str) -> Result<String, OutOfMemory> {
        Ok(text.to_lowercase())
    }

    #[test]
    fn a_search_in_a_text_finds_what_is_in_it_in_lower_case() {
        let mut runner = TestRunner::new(Config::with_cases(20_000));
        let texts = prop::string::string_regex("[aAxX éÉÿŸßẞ×÷ÀàµκΚς\u{212A}kK]{0,12}").unwrap();
        let sought = prop::string::string_regex("[aAxX éÉÿ÷×ÀàµκΚkK]{0,3}").unwrap();
        let check = |(text, sought): (String, String)| {
            let mut strings = Strings::default();
            let id = strings.intern(Kind::of_text(text.as_bytes()), text.as_bytes()).unwrap();
            let is_in = Sought::new(sought.to_lowercase(), rust_lower).is_in(&strings, id).unwrap();
            prop_assert_eq!(is_in, text.to_lowercase().contains(&sought.to_lowercase()), "{:?} in {:?}", sought, text);
            Ok(())
        };
        runner.run(&(texts, sought), check).unwrap();
    }
}
