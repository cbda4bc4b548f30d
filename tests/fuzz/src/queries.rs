//! What can be asked of a table, compared with loops over the values of its columns.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use chunk::rows::json;
use chunk::rows::row_buffer::RowBuffer;
use chunk::value::Value;
use chunk::value::cell::Cell;
use chunk::value::shapes::{Event, UNSHAPED};
use table::{ColumnValues, Condition, Direction, Groups, Operand, Table, Text};

use crate::json::{canonical, units};
use crate::reference::Json;

/// The number of columns to query.
const COLUMNS: usize = 3;

/// The values of a column.
struct Column {
    name: String,
    cells: Vec<Cell>,
}

/// Runs all queries on the table and on selections of it.
pub fn check(table: &Table) {
    check_rows(table);
    let names: Vec<&str> = table.columns().unwrap().collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    names.iter().skip(COLUMNS).for_each(|name| drop(cells(table, name)));
    check_queries(table);
    check_queries(&table.filter::<&str>(1, &[]).unwrap());
    if let Some(last) = names.into_iter().take(COLUMNS).last() {
        check_queries(&table.sort_by(last, Direction::Descending).unwrap());
    }
}

/// The rows as JavaScript gets them are the findings, row by row as well as column by column.
fn check_rows(table: &Table) {
    let rows = 0..table.len();
    let (mut alike, mut one_by_one) = (RowBuffer::default(), RowBuffer::default());
    table.write_rows(&mut alike, rows.clone()).unwrap();
    table.filter::<&str>(1, &[]).unwrap().write_rows(&mut one_by_one, rows.clone()).unwrap();
    assert_eq!(alike.words(), one_by_one.words());
    let mut words = alike.words().iter().copied();
    for row in rows {
        let finding = finding(table, &mut words).map(|json| Json::of(&json));
        assert_eq!(finding, table.json(row).map(|json| Json::of(&json)));
    }
    assert_eq!(words.next(), None);
}

/// The next finding of a row buffer as JSON text.
fn finding(table: &Table, words: &mut impl Iterator<Item = u32>) -> Option<String> {
    let contents = table.contents();
    let shapes = contents.shapes();
    let shape = Cell::from_word(words.next()?).as_integer()? as u32;
    if shape == UNSHAPED {
        return Some(json::value(contents.value(Cell::from_word(words.next()?))));
    }
    let mut text = String::from("{");
    for event in shapes.events(shape).ok()? {
        if let Event::Close(_) = event {
            text.push('}');
            continue;
        }
        let comma = if text.ends_with('{') { "" } else { "," };
        text += &format!("{comma}{}:", serde_json::Value::from(shapes.name(event.path()).unwrap()));
        match event {
            Event::Value(_) => text += &json::value(contents.value(Cell::from_word(words.next()?))),
            _ => text.push('{'),
        }
    }
    Some(text)
}

fn check_queries(table: &Table) {
    let names: Vec<String> = table.columns().unwrap().take(COLUMNS).map(str::to_owned).collect();
    let columns: Vec<Column> = names.into_iter().map(|name| Column { cells: cells(table, &name), name }).collect();
    for count in 0..=columns.len() {
        check_counts(table, &columns[..count]);
    }
    for column in &columns {
        check_conditions(table, column);
        check_order(table, column, &columns);
    }
    if let [group, value, ..] = columns.as_slice() {
        check_summaries(table, group, value);
    }
}

/// The values of a column.
fn cells(table: &Table, name: &str) -> Vec<Cell> {
    let cells: Vec<Cell> = match table.column(name).unwrap() {
        Some(ColumnValues::Integers(integers)) => integers.into_iter().map(Cell::integer).collect(),
        Some(ColumnValues::Cells(cells)) => {
            assert!(cells.is_empty() || cells.iter().any(|cell| cell.as_integer().is_none()));
            cells
        }
        None => Vec::new(),
    };
    assert_eq!(cells.len(), table.len());
    cells
}

fn check_counts(table: &Table, columns: &[Column]) {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let mut expected: HashMap<Vec<Key>, usize> = HashMap::new();
    for row in 0..table.len() {
        let key = columns.iter().map(|column| key(table, column.cells[row])).collect();
        *expected.entry(key).or_default() += 1;
    }
    let Groups { keys, aggregates, .. } = table.groups(&names, None, None).unwrap();
    assert!(aggregates.is_sorted_by(|left, right| left.findings >= right.findings));
    assert_eq!(aggregates.iter().map(|aggregates| aggregates.findings).sum::<usize>(), table.len());
    assert_eq!((keys.len(), aggregates.len()), (expected.len() * names.len(), expected.len()));
    for (group, aggregates) in aggregates.iter().enumerate() {
        let cells = &keys[group * names.len()..(group + 1) * names.len()];
        let key: Vec<Key> = cells.iter().map(|cell| key(table, *cell)).collect();
        assert_eq!(expected.get(&key), Some(&aggregates.findings));
    }
}

fn check_summaries(table: &Table, group: &Column, value: &Column) {
    let mut expected: HashMap<Key, Vec<f64>> = HashMap::new();
    for (group, value) in group.cells.iter().zip(&value.cells) {
        expected.entry(key(table, *group)).or_default().extend(number(table, *value));
    }
    let summaries = table.groups(&[&group.name], Some(&&value.name), None).unwrap();
    assert_eq!((summaries.keys.len(), summaries.aggregates.len()), (expected.len(), expected.len()));
    for (cell, summary) in summaries.keys.iter().zip(&summaries.aggregates) {
        let numbers = &expected[&key(table, *cell)];
        let sum = numbers.iter().fold(0.0, |sum, number| sum + number);
        assert_eq!(summary.count, numbers.len());
        assert!(summary.sum == sum || summary.sum.is_nan() && sum.is_nan());
        assert_eq!(summary.min, numbers.iter().copied().fold(f64::INFINITY, f64::min));
        assert_eq!(summary.max, numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

fn check_conditions(table: &Table, column: &Column) {
    for text in ["", "e", &first_characters(table, column)] {
        let sought = folded(text);
        let condition = Condition::contains_by_rust(text);
        check_condition(table, column, condition, &|cell| {
            let text = text_units(&table.contents().value(cell)).map(|units| String::from_utf16_lossy(&units));
            text.is_some_and(|text| folded(&text).contains(&sought))
        });
    }
    let Some(first) = column.cells.first().copied() else { return };
    if let Some(operand) = operand(table.contents().value(first)) {
        let first = key(table, first);
        check_condition(table, column, Condition::OneOf(vec![operand]), &|cell| key(table, cell) == first);
    }
    let (first, max) = (column.cells.iter().find_map(|cell| number(table, *cell)), f64::INFINITY);
    let min = first.unwrap_or(f64::NEG_INFINITY);
    check_condition(table, column, Condition::Between { min, max }, &|cell| {
        number(table, cell).is_some_and(|number| number >= min)
    });
}

/// A text as `contains` compares it.
fn folded(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// A filter keeps what a loop keeps, and its negation the rest.
fn check_condition(table: &Table, column: &Column, condition: Condition, is_kept: &dyn Fn(Cell) -> bool) {
    let (kept, left): (Vec<Cell>, Vec<Cell>) = column.cells.iter().copied().partition(|cell| is_kept(*cell));
    let conditions = [(0, &column.name, condition)];
    assert_eq!(cells(&table.filter(1, &conditions).unwrap(), &column.name), kept);
    let [(_, name, condition)] = conditions;
    let negation = [(0, name, Condition::Not(Box::new(condition)))];
    assert_eq!(cells(&table.filter(1, &negation).unwrap(), &column.name), left);
    // The second alternative has no conditions.
    assert_eq!(table.filter(2, &negation).unwrap().len(), table.len());
}

/// Sorting is stable and in order, whatever other columns hold.
fn check_order(table: &Table, column: &Column, all: &[Column]) {
    for direction in [Direction::Ascending, Direction::Descending] {
        let mut rows: Vec<usize> = (0..table.len()).collect();
        rows.sort_by(|left, right| in_order(table, column.cells[*left], column.cells[*right], direction));
        let sorted = table.sort_by(&column.name, direction).unwrap();
        for other in all {
            let expected: Vec<Cell> = rows.iter().map(|row| other.cells[*row]).collect();
            assert_eq!(cells(&sorted, &other.name), expected);
        }
    }
}

fn in_order(table: &Table, left: Cell, right: Cell, direction: Direction) -> Ordering {
    let contents = table.contents();
    let (left, right) = (contents.value(left), contents.value(right));
    let order = class(&left).cmp(&class(&right)).then_with(|| match (&left, &right) {
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right).unwrap(),
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        _ => order_units(&left).cmp(&order_units(&right)),
    });
    let is_reversed = direction == Direction::Descending && class(&left).max(class(&right)) < class(&Value::Null);
    if is_reversed { order.reverse() } else { order }
}

/// Which kinds of values come before others.
fn class(value: &Value<'_>) -> u8 {
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

/// What texts, arrays and objects are ordered by.
fn order_units(value: &Value<'_>) -> Vec<u16> {
    match (text_units(value), value) {
        (Some(units), _) => units,
        (None, Value::Json(json)) => canonical(json).unwrap().encode_utf16().collect(),
        _ => Vec::new(),
    }
}

/// The UTF-16 code units of a text.
fn text_units(value: &Value<'_>) -> Option<Vec<u16>> {
    match value {
        Value::Text(text) => Some(text.encode_utf16().collect()),
        Value::Json(json) => match Json::of(json) {
            Json::Text(text) => Some(units(&text)),
            _ => None,
        },
        _ => None,
    }
}

/// The first characters of the first text in a column, in upper case.
fn first_characters(table: &Table, column: &Column) -> String {
    let contents = table.contents();
    let text = column.cells.iter().find_map(|cell| match contents.value(*cell) {
        Value::Text(text) => Some(text),
        _ => None,
    });
    text.unwrap_or_default().chars().take(2).collect::<String>().to_uppercase()
}

fn operand(value: Value<'_>) -> Option<Operand> {
    match value {
        Value::Missing => Some(Operand::Missing),
        Value::Null => Some(Operand::Null),
        Value::Boolean(value) => Some(Operand::Boolean(value)),
        Value::Number(number) => Some(Operand::Number(number)),
        Value::Text(text) => Some(Operand::Text(Text::Utf8(text.to_owned()))),
        Value::Json(json) if json.starts_with('"') => Some(Operand::Text(Text::Json(canonical(json).unwrap()))),
        Value::Json(_) | Value::Object => None,
    }
}

fn number(table: &Table, cell: Cell) -> Option<f64> {
    match table.contents().value(cell) {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// What equal values have in common.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Number(u64),
    Text(String),
    Json(String),
    Constant(Cell),
}

fn key(table: &Table, cell: Cell) -> Key {
    match table.contents().value(cell) {
        // `-0` is `0`.
        Value::Number(number) => Key::Number((number + 0.0).to_bits()),
        Value::Text(text) => Key::Text(text.to_owned()),
        Value::Json(json) => Key::Json(canonical(json).unwrap()),
        _ => Key::Constant(cell),
    }
}
