//! Findings written as JSON, for tests.

use std::fmt::Write;

use super::cell::Cell;
use super::chunk::Chunk;
use super::dictionary::{Dictionary, Value};
use super::shapes::{Event, ROOT_PATH, UNSHAPED};

/// Writes a finding as JSON: the same value as in the body, but not the same bytes.
pub fn finding(dictionary: &Dictionary, chunk: &Chunk, row: usize) -> String {
    let shape = chunk.shapes().word(row);
    if shape == UNSHAPED {
        return value(dictionary, chunk.cell(row, ROOT_PATH));
    }
    let mut json = String::from("{");
    for event in dictionary.shapes.events(shape).unwrap_or_default() {
        if !matches!(event, Event::Close(_)) {
            if !json.ends_with('{') {
                json.push(',');
            }
            json += &quoted(dictionary.shapes.name(event.path()));
            json.push(':');
        }
        match event {
            Event::Open(_) => json.push('{'),
            Event::Close(_) => json.push('}'),
            Event::Value(path) => json += &value(dictionary, chunk.cell(row, path)),
        }
    }
    json
}

/// Writes a value as JSON, a missing one as nothing. Infinity is written as `1e999`, which overflows when it is read.
pub fn value(dictionary: &Dictionary, cell: Cell) -> String {
    let mut json = String::new();
    match dictionary.value(cell) {
        Value::Missing | Value::Object => {}
        Value::Null => json.push_str("null"),
        Value::Number(number) if number.is_infinite() => json.push_str(if number > 0.0 { "1e999" } else { "-1e999" }),
        // Writing to a string cannot fail.
        Value::Number(number) => drop(write!(json, "{number:?}")),
        Value::Boolean(boolean) => drop(write!(json, "{boolean}")),
        Value::Text(text) => json = quoted(text),
        Value::Json(text) => json.push_str(text),
    }
    json
}

fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a string cannot fail.
            '\0'..='\x1F' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}
