//! Conditions on the values of a column.

use super::Table;
use super::cell::{Cell, Content};
use super::dictionary::{Dictionary, Value};
use super::group::number;
use super::memory::{OutOfMemory, filled, with_room};
use super::shapes::PathId;
use super::sort::unpaired_units;

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
            let sought = lower(text)?;
            // Of each text it is found out once.
            let mut known: Vec<Option<bool>> = filled(dictionary.strings.len(), None)?;
            apply_test(table, path, verdicts, &mut |cell| {
                let (Content::Text(id) | Content::Token(id)) = cell.content() else {
                    return Ok(false);
                };
                match known.get_mut(id as usize) {
                    Some(Some(known)) => Ok(*known),
                    Some(unknown) => Ok(*unknown.insert(contains(dictionary, cell, &sought, *lower)?)),
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

fn contains(dictionary: &Dictionary, cell: Cell, sought: &str, lower: Lower) -> Result<bool, OutOfMemory> {
    Ok(match dictionary.value(cell) {
        Value::Text(text) if sought.is_ascii() && !text.contains(LOWER_IN_ASCII) => {
            contains_ascii(text.as_bytes(), sought.as_bytes())
        }
        Value::Text(text) => lower(text)?.contains(sought),
        Value::Json(json) => match unpaired_units(json)? {
            Some(units) => paired_parts_contain(&units, sought, lower)?,
            None => false,
        },
        _ => false,
    })
}

/// Whether a part of a text between its lone surrogates contains another text, which can have none of them.
fn paired_parts_contain(units: &[u16], sought: &str, lower: Lower) -> Result<bool, OutOfMemory> {
    let mut part = String::new();
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(character) => {
                part.try_reserve(character.len_utf8())?;
                part.push(character);
            }
            Err(_) if lower(&part)?.contains(sought) => return Ok(true),
            Err(_) => part.clear(),
        }
    }
    Ok(lower(&part)?.contains(sought))
}

/// The characters beyond ASCII whose lower case has ASCII letters in it: the Kelvin sign and the I with a dot.
const LOWER_IN_ASCII: [char; 2] = ['\u{212A}', '\u{130}'];

/// Whether a text contains another, which is of ASCII characters and in lower case.
fn contains_ascii(text: &[u8], sought: &[u8]) -> bool {
    let Some(first) = sought.first() else { return true };
    let fits = |window: &[u8]| {
        window.first().is_some_and(|byte| byte.to_ascii_lowercase() == *first) && window.eq_ignore_ascii_case(sought)
    };
    text.windows(sought.len()).any(fits)
}
