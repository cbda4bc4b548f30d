//! JSON values as JavaScript has them, read by serde_json, for the tests and the fuzz target to compare with.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Boolean(bool),
    /// The bits of the number, which tell `-0` from `0`.
    Number(u64),
    /// UTF-8 in which lone surrogates are encoded like other code points.
    Text(Vec<u8>),
    Array(Vec<Json>),
    Object(Vec<(Vec<u8>, Json)>),
}

impl Json {
    /// Reads a JSON text, which must have no white space around it.
    pub(super) fn of(text: &str) -> Self {
        let mut reader = serde_json::Deserializer::from_str(text);
        match text.as_bytes()[0] {
            b'n' => Self::Null,
            b't' | b'f' => Self::Boolean(text == "true"),
            b'"' => Self::Text(Bytes.deserialize(&mut reader).unwrap()),
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
                Self::Array(elements.iter().map(|element| Self::of(element.get())).collect())
            }
            b'{' => Self::Object(reader.deserialize_map(Members).unwrap()),
            _ => Self::Number(text.parse::<f64>().unwrap().to_bits()),
        }
    }

    /// Returns the value of a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    /// Returns an object without what is in none of these columns, each given by its keys.
    pub(super) fn pruned(&self, columns: &[&[String]]) -> Self {
        let Self::Object(members) = self else { panic!("{self:?}") };
        let kept = members.iter().filter_map(|(key, value)| {
            let below: Vec<_> = columns
                .iter()
                .filter_map(|keys| keys.split_first())
                .filter(|(first, _)| first.as_bytes() == key)
                .map(|(_, rest)| rest)
                .collect();
            let value = match value {
                _ if below.iter().any(|keys| keys.is_empty()) => value.clone(),
                Self::Object(_) if !below.is_empty() => value.pruned(&below),
                _ => return None,
            };
            Some((key.clone(), value))
        });
        Self::Object(kept.collect())
    }
}

/// Returns the names of columns, each followed by the byte that ends it.
pub(super) fn names_of(columns: &[Vec<String>]) -> Vec<u8> {
    let escaped = |key: &String| key.replace('\\', r"\\").replace('.', r"\.");
    let name =
        |keys: &Vec<String>| [keys.iter().map(escaped).collect::<Vec<_>>().join(".").as_bytes(), b"\xFF"].concat();
    columns.iter().flat_map(name).collect()
}

struct Bytes;

impl<'de> DeserializeSeed<'de> for Bytes {
    type Value = Vec<u8>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

/// The members of an object. A repeated key keeps its first position and takes its last value.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Vec<u8>, Json)>;
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Self::Value = Vec::new();
        // Read as raw JSON, because serde_json refuses keys with lone surrogates.
        while let Some(key) = map.next_key::<&RawValue>()? {
            let Json::Text(key) = Json::of(key.get()) else { continue };
            let value = Json::of(map.next_value::<&RawValue>()?.get());
            match members.iter_mut().find(|(name, _)| *name == key) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
        }
        Ok(members)
    }
}
