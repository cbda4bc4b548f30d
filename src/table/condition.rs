//! Conditions on the values of a column.

#[cfg(any(test, feature = "testing"))]
use super::utf16::utf16_units;
use chunk::value::Value;

/// A condition on a value.
pub enum Condition {
    /// The value equals one of these.
    OneOf(Vec<Operand>),
    /// The value is a number within these bounds.
    Between {
        /// The smallest number to accept; minus infinity accepts all.
        min: f64,
        /// The largest number to accept; infinity accepts all.
        max: f64,
    },
    /// The value is a string that contains another, ignoring case.
    Contains {
        /// The string to search for, in lower case, with `σ` for `ς`.
        lower: Text,
        /// Searches the strings that need the case tables of Unicode.
        contains: ContainsFn,
    },
    /// The value does not meet this condition.
    Not(Box<Condition>),
}

/// Returns true if a string, or the string that raw JSON stands for, contains the needle, ignoring case and the form of a sigma. The host provides it, because it
/// has Unicode's case tables.
pub type ContainsFn = Box<dyn Fn(Value<'_>) -> bool>;

/// A string of JavaScript. Equal strings have the same variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// A string without lone surrogates.
    Utf8(String),
    /// A string with lone surrogates, as the JSON that `JSON.stringify` writes.
    Json(String),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The field is missing.
    Missing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number; `0` equals `-0`.
    Number(f64),
    /// A string.
    Text(Text),
}

#[cfg(any(test, feature = "testing"))]
impl Condition {
    /// Returns a [`Condition::Contains`] that uses the case tables of Rust's standard library. For tests.
    pub fn contains_by_rust(text: &str) -> Self {
        let folded = |text: &str| text.to_lowercase().replace('ς', "σ");
        let (lower, needle) = (folded(text), folded(text));
        let text_of = |value: Value<'_>| String::from_utf16_lossy(&utf16_units(&value).collect::<Vec<_>>());
        let contains = move |value: Value<'_>| folded(&text_of(value)).contains(&needle);
        Condition::Contains { lower: Text::Utf8(lower), contains: Box::new(contains) }
    }
}
