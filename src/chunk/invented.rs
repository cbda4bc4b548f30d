//! Findings for properties.

use proptest::prelude::*;
use serde_json::{Value, json};

/// A finding with values of every kind, half of them texts.
pub fn finding(texts: impl Strategy<Value = String>) -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        5 => texts.prop_map(Value::from),
        2 => any::<i32>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => Just(json!(null)),
        1 => Just(json!([1, "two"])),
        1 => Just(json!({ "inner": true })),
    ];
    let finding = prop::collection::btree_map("[a-e]", value, 0..4);
    finding.prop_map(|fields| Value::Object(fields.into_iter().collect()))
}
