//! Findings written as JSON, for tests.

use std::fmt::Write;

use crate::chunk::{Chunk, value_of};
use crate::invariant::Certain;
use crate::packing::Unpacker;
use crate::value::Value;
use crate::value::cell::Cell;
use crate::value::column_name::END_OF_NAME;
use crate::value::shapes::{Event, PathId, ROOT_PATH, UNSHAPED};
use crate::value::strings::text_of;

/// Writes a finding as JSON: the same value as in the body, but not the same bytes.
pub fn finding(chunk: &Chunk, row: usize) -> String {
    let shape = chunk.shapes().word(row);
    if shape == UNSHAPED {
        return value_at(chunk, row, ROOT_PATH);
    }
    let structure = chunk.structure();
    let name = |path| structure.name(path).unwrap_or_default().to_owned();
    object(structure.events(shape).unwrap_or_default(), &name, &mut |path| value_at(chunk, row, path))
}

/// Writes the findings of packed rows as JSON; `None` if they are malformed.
pub fn packed_rows(packed: &[u8]) -> Option<Vec<String>> {
    let mut unpacker = Unpacker::new(packed, 0);
    let cells = words(&mut unpacker)?;
    let of_shapes = words(&mut unpacker)?;
    let (mut shapes, mut rest) = (Vec::new(), of_shapes.as_slice());
    while let Some((count, events)) = rest.split_first() {
        let (events, others) = events.split_at_checked(*count as usize)?;
        shapes.push(events.iter().map(|word| Event::of_word(*word)).collect::<Option<Vec<_>>>()?);
        rest = others;
    }
    let described = words(&mut unpacker)?;
    let bits = unpacker.list::<8>().ok()?;
    let numbers: Vec<f64> = bits.iter().map(|bits| f64::from_le_bytes(*bits)).collect();
    let names = unpacker.bytes().ok()?.split_inclusive(|byte| *byte == END_OF_NAME);
    let names: Vec<&str> = names.map(|name| text(name.strip_suffix(&[END_OF_NAME])?)).collect::<Option<_>>()?;
    let strings = strings_of(&described, packed.get(packed.len() - unpacker.left()..)?)?;
    let mut cells = cells.into_iter();
    let mut rows = Vec::new();
    while let Some(shape) = cells.next() {
        let mut value = |_| {
            let cell = Cell::from_word(cells.next().unwrap_or_default());
            let string = |id| strings.get(id as usize).map_or("", String::as_str);
            value(value_of(cell, |id| numbers.get(id as usize).copied().unwrap_or(f64::NAN), string))
        };
        let name = |path| names.get(path as usize).copied().unwrap_or_default().to_owned();
        rows.push(match shape as i32 >> 1 {
            -1 => value(ROOT_PATH),
            shape => object(shapes.get(shape as usize)?.clone(), &name, &mut value),
        });
    }
    Some(rows)
}

fn words(unpacker: &mut Unpacker<'_>) -> Option<Vec<u32>> {
    Some(unpacker.list::<4>().ok()?.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

fn text(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok()
}

/// Cuts the pieces that these words describe, all of `bytes`, into strings by their ids.
fn strings_of(mut words: &[u32], mut bytes: &[u8]) -> Option<Vec<String>> {
    let mut strings = Vec::new();
    while let [length, count, rest @ ..] = words {
        let (piece, others) = bytes.split_at_checked(*length as usize)?;
        let (described, next) = rest.split_at_checked(2 * *count as usize)?;
        (bytes, words) = (others, next);
        let mut units = text(piece)?.encode_utf16();
        for [id, length] in described.as_chunks::<2>().0 {
            let id = *id as usize;
            strings.resize(strings.len().max(id + 1), String::new());
            let cut: Vec<u16> = units.by_ref().take(*length as usize).collect();
            *strings.get_mut(id)? = String::from_utf16(&cut).ok()?;
        }
        if units.next().is_some() {
            return None;
        }
    }
    bytes.is_empty().then_some(strings)
}

/// Writes an object with these events.
fn object(events: Vec<Event>, name: &dyn Fn(PathId) -> String, value: &mut dyn FnMut(PathId) -> String) -> String {
    let mut json = String::from("{");
    for event in events {
        if !matches!(event, Event::Close(_)) {
            if !json.ends_with('{') {
                json.push(',');
            }
            json += &quoted(&name(event.path()));
            json.push(':');
        }
        match event {
            Event::Open(_) => json.push('{'),
            Event::Close(_) => json.push('}'),
            Event::Value(path) => json += &value(path),
        }
    }
    json
}

fn value_at(chunk: &Chunk, row: usize, path: PathId) -> String {
    let cell = Cell::from_word(chunk.column(path).word(row));
    let strings = chunk.strings();
    value(value_of(cell, |id| chunk.number(id).certain(), |id| text_of(strings.get(id).certain().1)))
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
