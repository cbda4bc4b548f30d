//! The arguments of queries, checked, and the errors of those that have no answer.

use js_sys::{Array, JSON, JsString, Object, RangeError, Reflect};
use wasm_bindgen::prelude::*;

use super::arguments::type_error;
use super::error::no_memory;
use crate::table::{Condition, Direction, Operand, QueryError};

/// The error for a query that has no answer.
pub fn failed(error: QueryError) -> JsValue {
    match error {
        QueryError::UnknownColumn(unknown) => RangeError::new(&unknown.to_string()).into(),
        QueryError::Memory => no_memory(),
    }
}

/// The name of a column.
pub fn name(value: &JsValue) -> Result<String, JsValue> {
    value.as_string().ok_or_else(|| type_error("the name of a column", "a string", value))
}

/// The names of columns.
pub fn names(values: &Array) -> Result<Vec<String>, JsValue> {
    values.iter().map(|value| name(&value)).collect()
}

/// The direction of an order; ascending where none is given.
pub fn direction(value: &JsValue) -> Result<Direction, JsValue> {
    match value.as_string().as_deref() {
        Some("asc") => Ok(Direction::Ascending),
        Some("desc") => Ok(Direction::Descending),
        None if value.is_undefined() => Ok(Direction::Ascending),
        _ => Err(type_error("direction", "\"asc\" or \"desc\"", value)),
    }
}

/// The conditions of a filter, by the names of their columns.
pub fn conditions(value: &JsValue) -> Result<Vec<(String, Condition)>, JsValue> {
    if !value.is_object() || Array::is_array(value) {
        return Err(type_error("where", "an object of conditions by the names of columns", value));
    }
    let names = Object::keys(value.unchecked_ref::<Object>());
    names.iter().filter_map(|name| name.as_string()).map(|name| named_condition(value, name)).collect()
}

fn named_condition(of: &JsValue, name: String) -> Result<(String, Condition), JsValue> {
    let value = Reflect::get(of, &name.as_str().into())?;
    let condition = condition(&name, &value)?;
    Ok((name, condition))
}

fn condition(name: &str, value: &JsValue) -> Result<Condition, JsValue> {
    if let Some(values) = value.dyn_ref::<Array>() {
        return one_of(name, values);
    }
    if !value.is_object() {
        return Ok(Condition::OneOf(vec![operand(name, value)?]));
    }
    let keys: Vec<String> =
        Object::keys(value.unchecked_ref::<Object>()).iter().filter_map(|key| key.as_string()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    match keys.as_slice() {
        ["contains"] => {
            let text = Reflect::get(value, &"contains".into())?;
            let text = text
                .dyn_ref::<JsString>()
                .ok_or_else(|| type_error(&format!("contains of {name}"), "a string", &text))?;
            Ok(match well_formed(text) {
                Some(text) => Condition::Contains { text, lower },
                None => Condition::ContainsUnits(text.iter().collect()),
            })
        }
        ["min"] | ["max"] | ["min", "max"] | ["max", "min"] => {
            Ok(Condition::Between { min: bound(name, value, "min")?, max: bound(name, value, "max")? })
        }
        _ => Err(type_error(name, "a value, an array of values, { min, max } or { contains }", value)),
    }
}

fn one_of(name: &str, values: &Array) -> Result<Condition, JsValue> {
    let mut operands = Vec::new();
    operands.try_reserve_exact(values.length() as usize).map_err(|_| no_memory())?;
    for value in values.iter() {
        operands.push(operand(name, &value)?);
    }
    Ok(Condition::OneOf(operands))
}

/// A string that has no lone surrogates.
fn well_formed(text: &JsString) -> Option<String> {
    if text.is_valid_utf16() { text.as_string() } else { None }
}

/// As JavaScript does it.
fn lower(text: &str) -> String {
    JsString::from(text).to_lower_case().into()
}

fn bound(name: &str, of: &JsValue, which: &str) -> Result<Option<f64>, JsValue> {
    let value = Reflect::get(of, &which.into())?;
    if value.is_undefined() {
        return Ok(None);
    }
    value.as_f64().map(Some).ok_or_else(|| type_error(&format!("{which} of {name}"), "a number", &value))
}

fn operand(name: &str, value: &JsValue) -> Result<Operand, JsValue> {
    if let Some(text) = value.dyn_ref::<JsString>() {
        return match String::try_from(value.clone()) {
            Ok(known) if text.is_valid_utf16() => Ok(Operand::Text(known)),
            _ => Ok(Operand::Json(JSON::stringify(value)?.into())),
        };
    }
    if let Some(number) = value.as_f64() {
        return Ok(Operand::Number(number));
    }
    match () {
        () if value.is_undefined() => Ok(Operand::Missing),
        () if value.is_null() => Ok(Operand::Null),
        () if value.as_bool().is_some() => Ok(Operand::Boolean(value.is_truthy())),
        () => Err(type_error(
            &format!("a value to compare {name} with"),
            "a string, number, boolean, null or undefined",
            value,
        )),
    }
}
