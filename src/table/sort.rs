//! Rows in the order of their values.

use std::cmp::Ordering;

use super::group_ids::{GroupKeys, GroupReader};
use super::order::sorted_ids;
use super::scope::Scope;
use super::utf16::utf16_units;
use chunk::bytes::first_difference;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, extend, filled, with_capacity};
use chunk::value::Value;
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::PathId;
use chunk::value::strings::text_of;
use chunk::work::{Work, count};

/// The direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The smallest value first.
    Ascending,
    /// The largest value first.
    Descending,
}

/// Returns the rows in the order of their values at `path`; rows with equal values keep their order.
pub(super) fn sorted_rows(scope: &Scope, path: PathId, direction: Direction) -> Result<Vec<u32>, OutOfMemory> {
    let mut group_of_row = with_capacity(scope.len())?;
    let mut keys = GroupKeys::new(1, scope.catalog().seed());
    let mut reader = GroupReader::new(scope, &[path])?;
    for part in scope.parts()? {
        reader.for_each_group(&part, &mut keys, &mut |_, groups| extend(&mut group_of_row, groups))?;
    }
    let (contents, codes) = (scope.contents(), scope.catalog().column_codes(path));
    let strings = contents.strings();
    let mut values = with_capacity(keys.len())?;
    values.extend((0..keys.len() as u32).map(|group| {
        let code = keys.key(group).first().copied().certain();
        let cell = codes.as_ref().map_or(Cell::MISSING, |codes| codes.cell(code));
        match (cell.content(), &codes) {
            (Content::Text(id), _) => Key::Text(strings.bytes(id)),
            // As `JSON.stringify` writes the value.
            (Content::RawJson(_), Some(codes)) => Key::Other(Value::Json(codes.json(code))),
            _ => Key::Other(contents.value(cell)),
        }
    }));
    let order = sorted_ids(keys.len(), &mut |left, right| {
        let value = |group: u32| values.get(group as usize).certain();
        compare(value(left), value(right), direction)
    })?;

    // A counting sort: first the number of rows of each group, then the position of its next row.
    let mut positions = filled(keys.len(), 0_u32)?;
    for group in &group_of_row {
        *positions.get_mut(*group as usize).certain() += 1;
    }
    let mut next = 0;
    for group in order {
        next += std::mem::replace(positions.get_mut(group as usize).certain(), next);
    }
    let mut rows = filled(group_of_row.len(), 0_u32)?;
    for (row, group) in group_of_row.iter().enumerate() {
        let position = positions.get_mut(*group as usize).certain();
        *rows.get_mut(*position as usize).certain() = row as u32;
        *position += 1;
    }
    Ok(rows)
}

/// A value to sort by.
enum Key<'value> {
    /// The bytes of a text: reading them as UTF-8 would check them again.
    Text(&'value [u8]),
    Other(Value<'value>),
}

impl<'value> Key<'value> {
    fn value(&self) -> Value<'value> {
        match self {
            Key::Text(bytes) => Value::Text(text_of(bytes)),
            Key::Other(value) => *value,
        }
    }
}

fn compare(left: &Key<'_>, right: &Key<'_>, direction: Direction) -> Ordering {
    count(Work::String, 2);
    let (order, is_last) = match (left, right) {
        (Key::Text(left), Key::Text(right)) => (compare_strings(left, right), false),
        _ => {
            let (left, right) = (&left.value(), &right.value());
            let is_last = rank(left).max(rank(right)) >= rank(&Value::Null);
            (rank(left).cmp(&rank(right)).then_with(|| compare_same_rank(left, right)), is_last)
        }
    };
    if direction == Direction::Descending && !is_last { order.reverse() } else { order }
}

/// Ranks the types of values: a lower rank comes first.
fn rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::Text(_) => 1,
        Value::Json(json) if json.starts_with('"') => 1,
        Value::Boolean(_) => 2,
        Value::Json(_) | Value::Object => 3,
        Value::Null => 4,
        Value::Missing => 5,
    }
}

fn compare_same_rank(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.total_cmp(right),
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        _ => utf16_units(left).cmp(utf16_units(right)),
    }
}

/// Compares strings in UTF-8 by their UTF-16 code units.
fn compare_strings(left: &[u8], right: &[u8]) -> Ordering {
    // The bytes of UTF-8 have the order of code points. In UTF-16, code points above U+FFFF (first byte F0 to F4) come before U+E000 to
    // U+FFFF (first byte EE or EF).
    let weight = |byte: u8| if matches!(byte, 0xEE | 0xEF) { byte | 0x10 } else { byte };
    match first_difference(left, right) {
        Some((left, right)) => weight(left).cmp(&weight(right)),
        None => left.len().cmp(&right.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn compares_strings_by_their_utf16_code_units(left in "[aé\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{0,4}", right in "[aé\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{0,4}") {
            let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            prop_assert_eq!(compare_strings(left.as_bytes(), right.as_bytes()), units(&left).cmp(&units(&right)));
        }
    }
}
