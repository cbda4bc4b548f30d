//! Plain objects, as callers are given them.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// The object with these members.
pub fn object(members: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in members {
        Reflect::set(&object, &(*name).into(), value)?;
    }
    Ok(object.into())
}

/// A count as a number; none of them is beyond what a number holds exactly.
pub fn number(count: u64) -> JsValue {
    (count as f64).into()
}
