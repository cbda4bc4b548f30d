//! The arguments and the errors of queries.

use columns::dictionary::Value;
use columns::memory::{OutOfMemory, push, with_capacity};
use columns::table::{Condition, Direction, Operand, QueryError, Table};
use js_sys::{Array, JSON, JsString, Object, RangeError, Reflect};
use wasm_bindgen::prelude::*;

use super::arguments::type_error;
use super::deserialize::named;
use super::findings_error::no_memory;
use crate::excerpt::Excerpt;
use crate::js_string::{copied, word};
use crate::spelling::nearest_path;

#[wasm_bindgen]
extern "C" {
    type Searched;
    #[wasm_bindgen(method)]
    fn includes(this: &Searched, sought: &JsString) -> bool;
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
    // Found out once: then the names are known.
    drop(table.columns()?);
    let hint = match nearest_path(name, || table.columns().into_iter().flatten()) {
        Some(nearest) => format!("the nearest is \"{}\"", Excerpt(nearest)),
        None => String::from("there are no columns at all"),
    };
    Ok(format!("there is no column \"{}\"; {hint}", Excerpt(name)))
}

/// Reads the name of a column.
pub(super) fn name(value: &JsValue) -> Result<String, JsValue> {
    text(value.dyn_ref().ok_or_else(|| type_error("the name of a column", "a string", value))?)
}

/// Reads the names of columns.
pub(super) fn names(values: &Array) -> Result<Vec<String>, JsValue> {
    list(values, |value| name(&value))
}

/// Reads the direction of a sort, by default ascending.
pub(super) fn direction(value: &JsValue) -> Result<Direction, JsValue> {
    if value.is_undefined() { Ok(Direction::Ascending) } else { named("direction", value) }
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

/// Copies a text of any length.
fn text(string: &JsString) -> Result<String, JsValue> {
    copied(string).map_err(|OutOfMemory| no_memory())
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
        return Ok(match string.is_valid_utf16() {
            true => Operand::Text(text(string)?),
            false => Operand::Json(text(&JSON::stringify(value)?)?),
        });
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
