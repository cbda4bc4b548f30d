//! Bytes by which a query is recognized.

use std::rc::Rc;

use super::condition::{Condition, Operand, Text};
use chunk::memory::{OutOfMemory, extend, push, try_shared};
use chunk::value::shapes::PathId;

/// Equal for equal queries only.
pub(super) type QueryKey = Vec<u8>;

/// The key of groups by the values at `paths`, which summarize the numbers at another path, and count the distinct values at a third, if
/// these are given, of the rows that a filter with this key selects; of all rows if `None`.
pub(super) fn of_groups(
    paths: &[PathId],
    summarized: Option<PathId>,
    distinct: Option<PathId>,
    filter: Option<&Rc<QueryKey>>,
) -> Result<Rc<QueryKey>, OutOfMemory> {
    let mut key = QueryKey::new();
    write(&mut key, b'g', &[])?;
    for path in paths {
        write(&mut key, b'p', &path.to_le_bytes())?;
    }
    if let Some(path) = summarized {
        write(&mut key, b's', &path.to_le_bytes())?;
    }
    if let Some(path) = distinct {
        write(&mut key, b'd', &path.to_le_bytes())?;
    }
    if let Some(filter) = filter {
        extend(&mut key, filter)?;
    }
    try_shared(key)
}

/// The key of a filter.
pub(super) fn of_filter(
    alternatives: u32,
    conditions: &[(u32, PathId, &Condition)],
) -> Result<Rc<QueryKey>, OutOfMemory> {
    let mut key = QueryKey::new();
    write(&mut key, b'f', &alternatives.to_le_bytes())?;
    for (alternative, path, condition) in conditions {
        write(&mut key, b'a', &alternative.to_le_bytes())?;
        write(&mut key, b'p', &path.to_le_bytes())?;
        write_condition(&mut key, condition)?;
    }
    try_shared(key)
}

fn write_condition(key: &mut QueryKey, condition: &Condition) -> Result<(), OutOfMemory> {
    match condition {
        Condition::OneOf(operands) => {
            write(key, b'o', &[])?;
            operands.iter().try_for_each(|operand| write_operand(key, operand))
        }
        Condition::Between { min, max } => write(key, b'b', [bytes_of(*min), bytes_of(*max)].as_flattened()),
        Condition::Contains { lower, .. } => {
            write(key, b'c', &[])?;
            write_text(key, lower)
        }
        Condition::Not(condition) => {
            write(key, b'n', &[])?;
            write_condition(key, condition)
        }
    }
}

fn write_operand(key: &mut QueryKey, operand: &Operand) -> Result<(), OutOfMemory> {
    match operand {
        Operand::Missing => write(key, b'm', &[]),
        Operand::Null => write(key, b'0', &[]),
        Operand::Boolean(value) => write(key, b'?', &[u8::from(*value)]),
        Operand::Number(value) => write(key, b'#', &bytes_of(*value)),
        Operand::Text(text) => write_text(key, text),
    }
}

fn write_text(key: &mut QueryKey, text: &Text) -> Result<(), OutOfMemory> {
    match text {
        Text::Utf8(text) => write(key, b't', text.as_bytes()),
        Text::Json(json) => write(key, b'j', json.as_bytes()),
    }
}

/// Appends bytes of a kind. Their length is written too, so no other bytes look the same, whatever follows.
fn write(key: &mut QueryKey, kind: u8, bytes: &[u8]) -> Result<(), OutOfMemory> {
    push(key, kind)?;
    extend(key, &(bytes.len() as u32).to_le_bytes())?;
    extend(key, bytes)
}

/// The same bytes for numbers that accept the same values: zeros are equal, and no NaN equals a value.
fn bytes_of(number: f64) -> [u8; 8] {
    let number = if number.is_nan() { f64::NAN } else { number + 0.0 };
    number.to_le_bytes()
}
