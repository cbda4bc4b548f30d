//! The outer object of every answer: the fields that the contract names, unread, and what `errors` says.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::path::path_at;
use super::{DecodeError, Problem};
use crate::contract::ERRORS;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The fields of an answer, each as its JSON text; the last of several equal ones.
#[derive(Debug)]
pub struct Envelope<'body, const FIELDS: usize> {
    errors: Option<&'body RawValue>,
    /// The fields asked for, in that order.
    pub fields: [Option<&'body RawValue>; FIELDS],
}

impl<'body, const FIELDS: usize> Envelope<'body, FIELDS> {
    /// Reads these fields of an answer and checks that the whole of it is JSON.
    pub fn read(text: &'body str, names: [&str; FIELDS]) -> Result<Self, DecodeError> {
        let json = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if json.trim_start().is_empty() {
            return Err(DecodeError { offset: 0, path: "$".into(), reason: Problem::NoBody });
        }
        check_json(text, json)?;
        let visitor = Fields { names, envelope: Envelope { errors: None, fields: [None; FIELDS] } };
        serde_json::Deserializer::from_str(json).deserialize_map(visitor).map_err(|_| DecodeError {
            offset: 0,
            path: "$".into(),
            reason: Problem::Not("an object"),
        })
    }

    /// What the service said about a failure; `None` where `errors` is null or absent.
    pub fn errors(&self) -> Option<Vec<String>> {
        let errors = self.errors.filter(|errors| errors.get() != "null")?;
        let several = serde_json::from_str::<Vec<&RawValue>>(errors.get());
        Some(several.unwrap_or_else(|_| vec![errors]).into_iter().map(message).collect())
    }
}

/// The body as text.
pub fn text_of(body: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(body).map_err(|error| located(body, error.valid_up_to(), Problem::Utf8))
}

/// The range of an array of objects in the text, and its length.
pub fn array_of_objects(
    text: &str,
    name: &'static str,
    field: Option<&RawValue>,
) -> Result<(Range<usize>, usize), DecodeError> {
    let field = field.ok_or_else(|| DecodeError { offset: 0, path: "$".into(), reason: Problem::Missing(name) })?;
    let start = offset_of(text, field);
    let elements = serde_json::Deserializer::from_str(field.get()).deserialize_seq(Objects);
    match elements {
        Ok(Elements::AllObjects(length)) => Ok((start..start + field.get().len(), length)),
        Ok(Elements::Other(index, other)) => {
            let path = format!("$.{name}[{index}]");
            Err(DecodeError { offset: offset_of(text, other), path, reason: Problem::Not("an object") })
        }
        Err(_) => {
            Err(DecodeError { offset: start, path: format!("$.{name}"), reason: Problem::Not("an array of objects") })
        }
    }
}

/// Where in the text a value of it begins.
pub fn offset_of(text: &str, value: &RawValue) -> usize {
    value.get().as_ptr().addr().saturating_sub(text.as_ptr().addr())
}

fn message(error: &RawValue) -> String {
    serde_json::from_str::<String>(error.get()).unwrap_or_else(|_| error.get().to_owned())
}

fn check_json(text: &str, json: &str) -> Result<(), DecodeError> {
    serde_json::from_str::<&RawValue>(json).map(|_| ()).map_err(|error| {
        let skipped = text.len() - json.len();
        located(text.as_bytes(), skipped + offset_in(json, &error), Problem::Json(without_position(&error)))
    })
}

fn located(body: &[u8], offset: usize, reason: Problem) -> DecodeError {
    DecodeError { offset, path: path_at(body, offset), reason }
}

/// The byte at which the parser stopped: it counts lines and columns from 1, and the byte that it stopped at with them.
fn offset_in(json: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return json.len();
    }
    let line: usize = json.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (line + error.column().saturating_sub(1)).min(json.len())
}

fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

struct Fields<'body, 'names, const FIELDS: usize> {
    names: [&'names str; FIELDS],
    envelope: Envelope<'body, FIELDS>,
}

impl<'body, const FIELDS: usize> Visitor<'body> for Fields<'body, '_, FIELDS> {
    type Value = Envelope<'body, FIELDS>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'body>>(mut self, mut members: M) -> Result<Self::Value, M::Error> {
        while let Some(key) = members.next_key::<Key>()? {
            let value = members.next_value()?;
            if key.0 == ERRORS.as_bytes() {
                self.envelope.errors = Some(value);
            }
            for (name, field) in self.names.iter().zip(&mut self.envelope.fields) {
                if key.0 == name.as_bytes() {
                    *field = Some(value);
                }
            }
        }
        Ok(self.envelope)
    }
}

/// A key as bytes, for it may hold a lone surrogate, which a Rust string cannot.
struct Key(Vec<u8>);

impl<'body> serde::Deserialize<'body> for Key {
    fn deserialize<D: Deserializer<'body>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Key;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(Key(key.as_bytes().to_vec()))
            }

            fn visit_bytes<E>(self, key: &[u8]) -> Result<Key, E> {
                Ok(Key(key.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

enum Elements<'body> {
    AllObjects(usize),
    Other(usize, &'body RawValue),
}

struct Objects;

impl<'body> Visitor<'body> for Objects {
    type Value = Elements<'body>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'body>>(self, mut elements: S) -> Result<Self::Value, S::Error> {
        let (mut length, mut other) = (0, None);
        while let Some(element) = elements.next_element::<&RawValue>()? {
            if other.is_none() && !element.get().starts_with('{') {
                other = Some((length, element));
            }
            length += 1;
        }
        Ok(other.map_or(Elements::AllObjects(length), |(index, element)| Elements::Other(index, element)))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        Err(E::custom("null is no array"))
    }
}
