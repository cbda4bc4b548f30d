//! The order of values.

use std::cmp::Ordering;
use std::str::Chars;

use super::Table;
use super::group::for_each_group;
use crate::cell::{Cell, Content};
use crate::dictionary::{Dictionary, Value};
use crate::memory::{OutOfMemory, extend, filled, with_capacity};
use crate::shapes::PathId;

/// Which values come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The smallest.
    Ascending,
    /// The largest.
    Descending,
}

/// The rows in the order of their values.
pub fn order(table: &Table, path: PathId, direction: Direction) -> Result<Vec<u32>, OutOfMemory> {
    let dictionary = table.dictionary();
    let mut group_of_row = with_capacity(table.len())?;
    let groups = for_each_group(table, &[path], &mut |_, groups| extend(&mut group_of_row, groups))?;
    let values = groups.words();
    let cell_of = |group: usize| values.get(group).map_or(Cell::MISSING, |word| Cell::from_word(*word));
    let sorted =
        sorted(values.len(), &mut |left, right| compare(dictionary, cell_of(left), cell_of(right), direction))?;

    // The rows of each value follow each other; the place of the next one is known once the rows before are counted.
    let mut places = filled(values.len(), 0_u32)?;
    for group in &group_of_row {
        places.get_mut(*group as usize).into_iter().for_each(|count| *count += 1);
    }
    let mut next = 0;
    for place in sorted {
        places.get_mut(place).into_iter().for_each(|place| next += std::mem::replace(place, next));
    }
    let mut order = filled(group_of_row.len(), 0_u32)?;
    for (row, group) in group_of_row.iter().enumerate() {
        if let Some(place) = places.get_mut(*group as usize) {
            order.get_mut(*place as usize).into_iter().for_each(|at| *at = row as u32);
            *place += 1;
        }
    }
    Ok(order)
}

/// Which of two numbered things comes first.
type Compare<'a> = dyn FnMut(usize, usize) -> Ordering + 'a;

/// The numbers below `length`, sorted; those that are equal stay in their order.
///
/// The sort of the standard library makes a module larger, is hardly faster where comparing is what takes time, and would not survive
/// to find no memory.
pub fn sorted(length: usize, compare: &mut Compare<'_>) -> Result<Vec<usize>, OutOfMemory> {
    let mut order = with_capacity(length)?;
    order.extend(0..length);
    let mut merged = with_capacity(length)?;
    let mut run = 1;
    while run < length {
        for runs in order.chunks(2 * run) {
            merge(runs.split_at(run.min(runs.len())), compare, &mut merged);
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        run *= 2;
    }
    Ok(order)
}

/// Appends two sorted runs as one, for which there is room.
fn merge((mut first, mut second): (&[usize], &[usize]), compare: &mut Compare<'_>, merged: &mut Vec<usize>) {
    while let ([left, behind_left @ ..], [right, behind_right @ ..]) = (first, second) {
        if compare(*right, *left).is_lt() {
            merged.push(*right);
            second = behind_right;
        } else {
            merged.push(*left);
            first = behind_left;
        }
    }
    merged.extend_from_slice(first);
    merged.extend_from_slice(second);
}

fn compare(dictionary: &Dictionary, left: Cell, right: Cell, direction: Direction) -> Ordering {
    let (order, is_last) = match (left.content(), right.content()) {
        (Content::Text(left), Content::Text(right)) => {
            (compare_texts(dictionary.strings.bytes(left), dictionary.strings.bytes(right)), false)
        }
        _ => {
            let (left, right) = (dictionary.value(left), dictionary.value(right));
            let is_last = rank(&left).max(rank(&right)) >= rank(&Value::Null);
            (rank(&left).cmp(&rank(&right)).then_with(|| compare_alike(&left, &right)), is_last)
        }
    };
    if direction == Direction::Descending && !is_last { order.reverse() } else { order }
}

/// Which kinds of values come before others.
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

fn compare_alike(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.total_cmp(right),
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        _ => units(left).cmp(units(right)),
    }
}

/// Compares texts in UTF-8 by their UTF-16 code units.
fn compare_texts(left: &[u8], right: &[u8]) -> Ordering {
    // UTF-8 has the order of code points. In UTF-16 those above U+FFFF come before U+E000 to U+FFFF, whose first byte is EE or EF.
    let place = |byte: &u8| if matches!(byte, 0xEE | 0xEF) { byte | 0x10 } else { *byte };
    left.iter().map(place).cmp(right.iter().map(place))
}

/// The UTF-16 code units of a text; of another value those of its JSON.
pub fn units<'value>(value: &Value<'value>) -> Units<'value> {
    match *value {
        Value::Text(text) => Units::of(text),
        Value::Json(json) => Units::of_string(json).unwrap_or(Units::of(json)),
        _ => Units::of(""),
    }
}

/// The UTF-16 code units of a text.
pub struct Units<'text> {
    rest: Chars<'text>,
    /// Whether a backslash begins an escape.
    has_escapes: bool,
    /// The second half of a character whose first has been given.
    low: Option<u16>,
}

impl<'text> Units<'text> {
    fn of(text: &'text str) -> Self {
        Units { rest: text.chars(), has_escapes: false, low: None }
    }

    /// Those of what a JSON string means; nothing if it is no string.
    fn of_string(json: &'text str) -> Option<Self> {
        let inside = json.strip_prefix('"')?.strip_suffix('"')?;
        Some(Units { has_escapes: true, ..Self::of(inside) })
    }
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let next = self.rest.next()?;
        if next != '\\' || !self.has_escapes {
            let mut units = [0; 2];
            next.encode_utf16(&mut units);
            let [first, second] = units;
            self.low = (next.len_utf16() == 2).then_some(second);
            return Some(first);
        }
        Some(match self.rest.next()? {
            'b' => 0x08,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'u' => (0..4).try_fold(0, |unit, _| Some(unit << 4 | self.rest.next()?.to_digit(16)? as u16))?,
            other => other as u16,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_are_in_the_order_of_their_code_units(left in "[aé\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{0,4}", right in "[aé\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{0,4}") {
            let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            prop_assert_eq!(compare_texts(left.as_bytes(), right.as_bytes()), units(&left).cmp(&units(&right)));
        }
    }

    #[test]
    fn lone_surrogates_are_read_from_json() {
        let text: Vec<u16> = units(&Value::Json(r#""\ud800a\n\"é😀""#)).collect();
        assert_eq!(text, [0xD800, 0x61, 0x0A, 0x22, 0xE9, 0xD83D, 0xDE00]);
        assert!(units(&Value::Json("[1]")).eq("[1]".encode_utf16()));
    }
}
