//! Findings written as JSON, for tests.

use std::fmt::Write;

use crate::chunk::{Chunk, value_of};
use crate::value::Value;
use crate::value::cell::Cell;
use crate::value::shapes::{Event, PathId, ROOT_PATH, UNSHAPED};
use crate::value::strings::text_of;

/// Writes a finding as JSON: the same value as in the body, but not the same bytes.
pub fn finding(chunk: &Chunk, row: usize) -> String {
    let mut shape = chunk.shapes().word(row);
    if shape == UNSHAPED {
        return value_at(chunk, row, ROOT_PATH);
    }
    let structure = chunk.structure();
    let mut events = Vec::new();
    while let Some((previous, event)) = structure.shape(shape) {
        events.push(event);
        shape = previous;
    }
    let mut json = String::from("{");
    for event in events.into_iter().rev() {
        if !matches!(event, Event::Close(_)) {
            if !json.ends_with('{') {
                json.push(',');
            }
            json += &quoted(structure.name(event.path()).unwrap_or_default());
            json.push(':');
        }
        match event {
            Event::Open(_) => json.push('{'),
            Event::Close(_) => json.push('}'),
            Event::Value(path) => json += &value_at(chunk, row, path),
        }
    }
    json
}

fn value_at(chunk: &Chunk, row: usize, path: PathId) -> String {
    let cell = Cell::from_word(chunk.column(path).word(row));
    let strings = chunk.strings();
    value(value_of(cell, |id| chunk.number(id), |id| strings.get(id).map_or("", |(_, bytes)| text_of(bytes))))
}

/// Writes a value as JSON, a missing one as nothing. Infinity is written as `1e999`, which overflows when it is read.
pub fn value(value: Value<'_>) -> String {
    let mut json = String::new();
    match value {
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
