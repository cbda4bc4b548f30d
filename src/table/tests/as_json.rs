//! The values of tables as JSON, and how tests compare them.

use serde_json::{Value as Json, json};

use crate::{ColumnValues, Direction, Table};
use chunk::rows::json;
use chunk::rows::row_buffer::RowBuffer;
use chunk::value::Value;
use chunk::value::cell::Cell;
use chunk::value::shapes;

/// The value of a cell as JSON; `None` for a missing one.
pub(super) fn read(table: &Table, cell: Cell) -> Option<Json> {
    match table.contents().value(cell) {
        Value::Missing => None,
        Value::Object => Some(json!({})),
        value => Some(serde_json::from_str(&json::value(value)).map(normal).unwrap()),
    }
}

/// A text as `contains` compares it.
pub(super) fn folded(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// Integers as integers, so that `1.0` is `1`.
fn normal(value: Json) -> Json {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => json!(number as i64),
        _ => value,
    }
}

pub(super) fn cells(table: &Table, name: &str) -> Vec<Option<Json>> {
    all_cells(table, name).into_iter().map(|cell| read(table, cell)).collect()
}

/// The findings of a table as JSON, read from the row buffer.
pub(super) fn findings(table: &Table) -> Vec<Json> {
    let mut buffer = RowBuffer::default();
    table.write_rows(&mut buffer, 0..table.len()).unwrap();
    let mut words = buffer.words().iter().copied();
    let mut findings = Vec::new();
    while let Some(word) = words.next() {
        let shape = Cell::from_word(word).as_integer().unwrap() as u32;
        if shape == shapes::UNSHAPED {
            findings.push(read(table, Cell::from_word(words.next().unwrap())).unwrap());
            continue;
        }
        let mut open = vec![serde_json::Map::new()];
        for event in table.contents().shapes().events(shape).unwrap() {
            let name = table.contents().shapes().name(event.path()).unwrap().to_owned();
            match event {
                shapes::Event::Open(_) => open.push(serde_json::Map::new()),
                shapes::Event::Value(_) => {
                    let value = read(table, Cell::from_word(words.next().unwrap())).unwrap();
                    open.last_mut().unwrap().insert(name, value);
                }
                shapes::Event::Close(_) => {
                    let closed = Json::Object(open.pop().unwrap());
                    match open.last_mut() {
                        Some(outer) => drop(outer.insert(name, closed)),
                        None => findings.push(closed),
                    }
                }
            }
        }
    }
    findings
}

/// The cells of a column, whatever they are.
pub(super) fn all_cells(table: &Table, name: &str) -> Vec<Cell> {
    match table.column(name).unwrap() {
        ColumnValues::Integers(integers) => integers.into_iter().map(Cell::integer).collect(),
        ColumnValues::Cells { distinct, positions } => {
            positions.into_iter().map(|at| Cell::from_word(distinct[at as usize])).collect()
        }
    }
}

/// Ranks the types of values.
fn class(value: &Option<Json>) -> u8 {
    match value {
        Some(Json::Number(_)) => 0,
        Some(Json::String(_)) => 1,
        Some(Json::Bool(_)) => 2,
        Some(Json::Array(_) | Json::Object(_)) => 3,
        Some(Json::Null) => 4,
        None => 5,
    }
}

pub(super) fn in_order(left: &Option<Json>, right: &Option<Json>, direction: Direction) -> std::cmp::Ordering {
    let order = class(left).cmp(&class(right)).then_with(|| match (left, right) {
        (Some(Json::Number(left)), Some(Json::Number(right))) => left.as_f64().partial_cmp(&right.as_f64()).unwrap(),
        (Some(Json::String(left)), Some(Json::String(right))) => left.encode_utf16().cmp(right.encode_utf16()),
        (Some(Json::Bool(left)), Some(Json::Bool(right))) => left.cmp(right),
        (Some(Json::Array(_) | Json::Object(_)), Some(Json::Array(_) | Json::Object(_))) => {
            text_of_nested(left).encode_utf16().cmp(text_of_nested(right).encode_utf16())
        }
        _ => std::cmp::Ordering::Equal,
    });
    if direction == Direction::Descending && class(left).max(class(right)) < 4 { order.reverse() } else { order }
}

/// The text by which an array is sorted; an object whose fields have columns has none.
fn text_of_nested(value: &Option<Json>) -> String {
    value.as_ref().filter(|value| value.is_array()).map(Json::to_string).unwrap_or_default()
}

/// Integers as integers, also inside.
pub(super) fn normal_within(value: Json) -> Json {
    match value {
        Json::Array(values) => values.into_iter().map(normal_within).collect(),
        Json::Object(fields) => fields.into_iter().map(|(key, value)| (key, normal_within(value))).collect(),
        value => normal(value),
    }
}
