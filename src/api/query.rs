//! The arguments and the errors of queries.

use columns::dictionary::Value;
use columns::memory::{OutOfMemory, push, with_capacity};
use columns::table::{Condition, Direction, Operand, QueryError, Table, Text};
use js_sys::{Array, JSON, JsString, Object, RangeError, Reflect, TypeError};
use wasm_bindgen::prelude::*;

use super::findings_error::no_memory;
use crate::excerpt::Excerpt;
use crate::js_string::{copied, excerpt, word};

/// The most columns that a message about an unknown one lists.
const MAX_LISTED: usize = 50;

#[wasm_bindgen]
extern "C" {
    type Searched;
    #[wasm_bindgen(method)]
    fn includes(this: &Searched, sought: &JsString) -> bool;

    #[wasm_bindgen(js_name = String)]
    fn string_of(value: &JsValue) -> String;
}

/// Makes the error of a query.
pub(super) fn failed(table: &Table, error: QueryError<'_>) -> JsValue {
    match error {
        QueryError::UnknownColumn(name) => unknown_column(table, name)
            .map_or_else(|OutOfMemory| no_memory(), |message| RangeError::new(&message).into()),
        QueryError::OutOfMemory(_) => no_memory(),
    }
}

fn unknown_column(table: &Table, name: &str) -> Result<String, OutOfMemory> {
    let mut known = table.columns()?;
    let listed: Vec<String> = known.by_ref().take(MAX_LISTED).map(|name| Excerpt(name).to_string()).collect();
    let more = if known.next().is_some() { ", …" } else { "" };
    Ok(format!("there is no column \"{}\"; the columns are {}{more}", Excerpt(name), listed.join(", ")))
}

/// Reads the name of a column.
pub(super) fn name(value: &JsValue) -> Result<String, JsValue> {
    let name = value.dyn_ref().ok_or_else(|| type_error("the name of a column", "a string", value))?;
    Ok(match text(name)? {
        Text::Utf8(name) => name,
        // Without its quotes, this is the name of no column: JSON writes a surrogate as `\ud800`, but in a name only a dot or a backslash
        // follows a backslash.
        Text::Json(json) => json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned(),
    })
}

/// Reads the names of columns.
pub(super) fn names(values: &Array) -> Result<Vec<String>, JsValue> {
    list(values, |value| name(&value))
}

/// Reads the direction of a sort, by default ascending.
pub(super) fn direction(value: &JsValue) -> Result<Direction, JsValue> {
    match word(value).as_deref() {
        None if value.is_undefined() => Ok(Direction::Ascending),
        Some("asc") => Ok(Direction::Ascending),
        Some("desc") => Ok(Direction::Descending),
        _ => Err(type_error("direction", "\"asc\" or \"desc\"", value)),
    }
}

/// Reads the conditions of a filter, by the names of their columns.
pub(super) fn conditions(value: &JsValue) -> Result<Vec<(String, Condition)>, JsValue> {
    if !value.is_object() || Array::is_array(value) {
        return Err(type_error("where", "an object of conditions by the names of columns", value));
    }
    list(&Object::keys(value.unchecked_ref::<Object>()), |key| {
        let name = name(&key)?;
        let condition = condition(&Excerpt(&name), &Reflect::get(value, &key)?)?;
        Ok((name, condition))
    })
}

fn condition(name: &Excerpt<'_>, value: &JsValue) -> Result<Condition, JsValue> {
    if let Some(values) = value.dyn_ref::<Array>() {
        return list(values, |value| operand(name, &value)).map(Condition::OneOf);
    }
    if !value.is_object() {
        return Ok(Condition::OneOf(vec![operand(name, value)?]));
    }
    let keys = Object::keys(value.unchecked_ref::<Object>());
    let [first, second] = [0, 1].map(|place| word(&keys.get(place)));
    match (first.as_deref(), second.as_deref(), keys.length()) {
        (Some("contains"), _, 1) => containing(name, &Reflect::get(value, &"contains".into())?),
        (Some("min" | "max"), _, 1) | (Some("min"), Some("max"), 2) | (Some("max"), Some("min"), 2) => {
            Ok(Condition::Between { min: bound(name, value, "min")?, max: bound(name, value, "max")? })
        }
        _ => Err(type_error(&name.to_string(), "a value, an array of values, { min, max } or { contains }", value)),
    }
}

fn containing(name: &Excerpt<'_>, value: &JsValue) -> Result<Condition, JsValue> {
    let sought: &JsString =
        value.dyn_ref().ok_or_else(|| type_error(&format!("contains of {name}"), "a string", value))?;
    let lower = sought.to_lower_case();
    let contains = {
        let lower = lower.clone();
        move |value: Value<'_>| text_of(value).to_lower_case().unchecked_ref::<Searched>().includes(&lower)
    };
    Ok(Condition::Contains { lower: text(&lower)?, contains: Box::new(contains) })
}

/// Returns a text value, or the text that its JSON encodes.
fn text_of(value: Value<'_>) -> JsString {
    match value {
        Value::Text(text) => text.into(),
        Value::Json(json) => JSON::parse(json).unwrap_or_default().unchecked_into(),
        _ => JsString::default(),
    }
}

/// Reads each value of an array.
fn list<T>(values: &Array, read: impl Fn(JsValue) -> Result<T, JsValue>) -> Result<Vec<T>, JsValue> {
    let mut list = with_capacity(values.length() as usize).map_err(|OutOfMemory| no_memory())?;
    for value in values.iter() {
        push(&mut list, read(value)?).map_err(|OutOfMemory| no_memory())?;
    }
    Ok(list)
}

/// Copies a string of any length.
fn text(string: &JsString) -> Result<Text, JsValue> {
    let copy = |string| copied(string).map_err(|OutOfMemory| no_memory());
    let text = copy(string)?;
    // The copy has U+FFFD in place of a lone surrogate, whose first byte few others have.
    if !text.as_bytes().contains(&0xEF) || string.is_valid_utf16() {
        return Ok(Text::Utf8(text));
    }
    drop(text);
    copy(&JSON::stringify(string)?).map(Text::Json)
}

fn bound(name: &Excerpt<'_>, of: &JsValue, which: &str) -> Result<Option<f64>, JsValue> {
    let value = Reflect::get(of, &which.into())?;
    if value.is_undefined() {
        return Ok(None);
    }
    value.as_f64().map(Some).ok_or_else(|| type_error(&format!("{which} of {name}"), "a number", &value))
}

fn operand(name: &Excerpt<'_>, value: &JsValue) -> Result<Operand, JsValue> {
    if let Some(string) = value.dyn_ref::<JsString>() {
        return text(string).map(Operand::Text);
    }
    if let Some(number) = value.as_f64() {
        return Ok(Operand::Number(number));
    }
    if let Some(boolean) = value.as_bool() {
        return Ok(Operand::Boolean(boolean));
    }
    if value.is_undefined() {
        return Ok(Operand::Missing);
    }
    if value.is_null() {
        return Ok(Operand::Null);
    }
    let what = format!("a value to compare {name} with");
    Err(type_error(&what, "a string, number, boolean, null or undefined", value))
}

/// The error for an argument of the wrong type.
fn type_error(name: &str, expected: &str, value: &JsValue) -> JsValue {
    TypeError::new(&format!("{name} must be {expected}; got {}", description(value))).into()
}

/// Describes a value without calling the caller's code.
fn description(value: &JsValue) -> String {
    if let Some(text) = value.dyn_ref::<JsString>() {
        return format!("\"{}\"", excerpt(text));
    }
    let kind = if value.is_object() {
        "an object"
    } else if value.is_function() {
        "a function"
    } else if value.is_symbol() {
        "a symbol"
    } else if value.is_bigint() {
        "a bigint"
    } else {
        // A number, true, false, null or undefined.
        return string_of(value);
    };
    kind.to_owned()
}
