//! Deserialization of options and arguments.
//!
//! Members are taken as JavaScript values and checked here: serde-wasm-bindgen copies strings of any length, and calls the caller's
//! code to describe an unexpected object.

use std::fmt;

use js_sys::Function;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;

use super::arguments::{refusal, secret_refusal, type_error};
use crate::js_string::word;

/// Reads a struct from a plain object whose members are its fields.
///
/// # Errors
///
/// A `TypeError` that begins with the path of the wrong member.
pub(super) fn from_object<T: DeserializeOwned>(object: &JsValue) -> Result<T, JsValue> {
    let given = serde_wasm_bindgen::Deserializer::from(object.clone());
    serde_path_to_error::deserialize(given).map_err(|error| {
        let path = error.path().to_string();
        let refusal: js_sys::Error = JsValue::from(error.into_inner()).unchecked_into();
        js_sys::TypeError::new(&format!("{path} {}", String::from(refusal.message()))).into()
    })
}

/// Reads an enum from one of its names.
///
/// # Errors
///
/// A `TypeError` that lists the names.
pub(super) fn named<T: DeserializeOwned>(argument: &str, value: &JsValue) -> Result<T, JsValue> {
    from_name(value).map_err(|Expected(names)| type_error(argument, &quoted(names), value))
}

/// Returns the names of a struct's fields.
pub(super) fn field_names<T: DeserializeOwned>() -> &'static [&'static str] {
    match T::deserialize(FieldNames) {
        Err(Expected(names)) => names,
        Ok(_) => &[],
    }
}

/// Reads a member that its user checks. Undefined means absent.
pub(super) fn value<'de, D: Deserializer<'de>>(given: D) -> Result<Option<JsValue>, D::Error> {
    let value: JsValue = preserve::deserialize(given)?;
    Ok(Some(value).filter(|value| !value.is_undefined()))
}

/// Reads a number.
pub(super) fn number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<f64>, D::Error> {
    checked(given, "a number", |value| value.as_f64())
}

/// Reads a boolean.
pub(super) fn boolean<'de, D: Deserializer<'de>>(given: D) -> Result<Option<bool>, D::Error> {
    checked(given, "true or false", |value| value.as_bool())
}

/// Reads a function.
pub(super) fn function<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Function>, D::Error> {
    checked(given, "a function", |value| value.dyn_ref().cloned())
}

/// Reads an enum from one of its names.
pub(super) fn name<'de, D: Deserializer<'de>, T: DeserializeOwned>(given: D) -> Result<Option<T>, D::Error> {
    name_or(given, refusal)
}

/// Reads an enum from one of its names; the error does not quote the value, which may be a secret in the wrong place.
pub(super) fn secret_name<'de, D: Deserializer<'de>, T: DeserializeOwned>(given: D) -> Result<Option<T>, D::Error> {
    name_or(given, secret_refusal)
}

fn name_or<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    given: D,
    refusal: fn(&str, &JsValue) -> String,
) -> Result<Option<T>, D::Error> {
    let Some(value) = value(given)? else { return Ok(None) };
    from_name(&value).map(Some).map_err(|Expected(names)| D::Error::custom(refusal(&quoted(names), &value)))
}

fn checked<'de, D: Deserializer<'de>, T>(
    given: D,
    expected: &str,
    check: fn(&JsValue) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    let Some(value) = value(given)? else { return Ok(None) };
    check(&value).map(Some).ok_or_else(|| D::Error::custom(refusal(expected, &value)))
}

fn from_name<T: DeserializeOwned>(value: &JsValue) -> Result<T, Expected> {
    let name = word(value).unwrap_or_default();
    T::deserialize(StrDeserializer::new(&name))
}

/// `"one", "two" or "three"`.
fn quoted(names: &[&str]) -> String {
    let mut list = String::new();
    for (index, name) in names.iter().enumerate() {
        list += match names.len() - index {
            _ if index == 0 => "\"",
            1 => "\" or \"",
            _ => "\", \"",
        };
        list += name;
    }
    list + "\""
}

/// The expected names.
#[derive(Debug)]
struct Expected(&'static [&'static str]);

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "expected {}", quoted(self.0))
    }
}

impl std::error::Error for Expected {}

impl Error for Expected {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Expected(&[])
    }

    fn unknown_variant(_: &str, names: &'static [&'static str]) -> Self {
        Expected(names)
    }
}

/// Deserializes nothing: its error lists the fields that a struct asks for.
struct FieldNames;

impl<'de> Deserializer<'de> for FieldNames {
    type Error = Expected;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Expected> {
        Err(Expected(names))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Expected> {
        Err(Expected(&[]))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
