//! The arguments of queries, which JavaScript has checked, and the errors of queries.

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, push, with_capacity};
use chunk::value::Value;
use chunk::value::shapes::{MAX_KEYS, MAX_NAME};
use js_sys::{Array, JSON, JsString, Reflect};
use table::{Condition, Operand, QueryError, Table, Text};
use wasm_bindgen::prelude::*;

use super::findings_error::{no_memory, unmade};
use crate::host_functions::{make_range_error, make_type_error};
use crate::js_string::copied;
use call::excerpt::Excerpt;
use call::nearest::nearest;

/// The maximum number of columns that a message about an unknown one lists.
const MAX_LISTED: usize = 50;

#[wasm_bindgen]
extern "C" {
    type Searched;
    #[wasm_bindgen(method)]
    fn includes(this: &Searched, sought: &JsString) -> bool;
}

/// Makes the error of a query.
pub(super) fn failed(table: &Table, error: QueryError<'_>) -> JsValue {
    match error {
        QueryError::UnknownColumn(name) => {
            unknown_column(table, name).map_or_else(|OutOfMemory| no_memory(), |message| make_range_error(&message))
        }
        QueryError::FieldExists(key) => make_type_error(&format!("there is a field \"{}\" already", Excerpt(key))),
        QueryError::NoRoomForField(key) => make_range_error(&format!(
            "there is no room for the field \"{}\": a finding can have {MAX_KEYS} fields, and the name of a column {MAX_NAME} bytes",
            Excerpt(key)
        )),
        QueryError::Table(error) => unmade(error),
    }
}

fn unknown_column(table: &Table, name: &str) -> Result<String, OutOfMemory> {
    if table.fields.exclude(name) {
        return Ok(format!("there is no column \"{name}\", because these are topic findings: load \"sentiment\""));
    }
    let mut known = table.columns()?;
    let listed: Vec<String> = known.by_ref().take(MAX_LISTED).map(|name| Excerpt(name).to_string()).collect();
    if listed.is_empty() {
        let advice = if table.columns_truncated() { "see columnsTruncated" } else { "check the option columns" };
        return Ok(format!("there is no column \"{}\": the table has no columns; {advice}", Excerpt(name)));
    }
    let more = if known.next().is_some() { ", …" } else { "" };
    let question = nearest(name, table.columns()?).map(|meant| format!(" (did you mean {meant}?)")).unwrap_or_default();
    Ok(format!("there is no column \"{}\"{question}; the columns are {}{more}", Excerpt(name), listed.join(", ")))
}

/// Reads the name of a column.
pub(super) fn name(name: &JsString) -> Result<String, JsValue> {
    Ok(match text(name)? {
        Text::Utf8(name) => name,
        // Without quotes, this cannot be the name of a column: JSON writes a surrogate as `\ud800`, but in a name only a dot or a backslash
        // follows a backslash.
        Text::Json(mut json) => {
            json.truncate(json.len().saturating_sub(1));
            json.drain(..json.len().min(1));
            json
        }
    })
}

/// Reads the names of columns.
pub(super) fn names(values: &Array) -> Result<Vec<String>, JsValue> {
    list(values, |value| name(value.unchecked_ref()))
}

/// Reads the conditions of a filter: each a list of the number of its alternative, the name of its column, and the condition.
pub(super) fn conditions(of: &Array) -> Result<Vec<(u32, String, Condition)>, JsValue> {
    list(of, |one| {
        let one: &Array = one.unchecked_ref();
        let alternative = one.get(0).as_f64().certain() as u32;
        Ok((alternative, name(one.get(1).unchecked_ref())?, condition(&one.get(2))?))
    })
}

fn condition(value: &JsValue) -> Result<Condition, JsValue> {
    if let Some(values) = value.dyn_ref::<Array>() {
        return list(values, |value| operand(&value)).map(Condition::OneOf);
    }
    let member = |name: &str| Reflect::get(value, &name.into());
    let not = member("not")?;
    if not.is_object() {
        return condition(&not).map(|condition| Condition::Not(Box::new(condition)));
    }
    match member("contains")?.dyn_into() {
        Ok(sought) => containing(&sought),
        Err(_) => Ok(Condition::Between {
            min: member("min")?.as_f64().unwrap_or(f64::NEG_INFINITY),
            max: member("max")?.as_f64().unwrap_or(f64::INFINITY),
        }),
    }
}

fn containing(sought: &JsString) -> Result<Condition, JsValue> {
    let lower = with_one_sigma(sought.to_lower_case());
    let contains = {
        let (lower, has_sigma) = (lower.clone(), lower.includes(SIGMA, 0));
        move |value: Value<'_>| {
            let text = text_of(value).to_lower_case();
            let text = if has_sigma { with_one_sigma(text) } else { text };
            text.unchecked_ref::<Searched>().includes(&lower)
        }
    };
    Ok(Condition::Contains { lower: text(&lower)?, contains: Box::new(contains) })
}

const SIGMA: &str = "σ";

/// Replaces the sigma at the end of words: which of the two sigmas is the lower case of a capital one depends on what follows.
fn with_one_sigma(lower: JsString) -> JsString {
    lower.split("ς").join(SIGMA)
}

/// Returns a text value, or the text that its JSON encodes.
fn text_of(value: Value<'_>) -> JsString {
    match value {
        Value::Text(text) => text.into(),
        Value::Json(json) => JSON::parse(json).ok().and_then(|text| text.dyn_into().ok()).unwrap_or_default(),
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
    // The copy has U+FFFD in place of a lone surrogate. Few other characters begin with its first byte, so most strings need no check.
    if !text.as_bytes().contains(&0xEF) || string.is_valid_utf16() {
        return Ok(Text::Utf8(text));
    }
    drop(text);
    copy(&JSON::stringify(string)?).map(Text::Json)
}

/// Reads a value to compare with: `undefined` unless it is one of the others.
fn operand(value: &JsValue) -> Result<Operand, JsValue> {
    if let Some(string) = value.dyn_ref::<JsString>() {
        return text(string).map(Operand::Text);
    }
    if let Some(number) = value.as_f64() {
        return Ok(Operand::Number(number));
    }
    if let Some(boolean) = value.as_bool() {
        return Ok(Operand::Boolean(boolean));
    }
    Ok(if value.is_null() { Operand::Null } else { Operand::Missing })
}
