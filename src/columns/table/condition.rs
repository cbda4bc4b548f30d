//! Conditions on the values of a column.

use super::utf16::utf16_units;
use crate::dictionary::Value;
use crate::memory::{OutOfMemory, try_to_owned, with_capacity};
use crate::shapes::PathId;

/// A condition on a value.
pub enum Condition {
    /// The value equals one of these.
    OneOf(Vec<Operand>),
    /// The value is a number within these bounds.
    Between {
        /// The smallest number to accept.
        min: Option<f64>,
        /// The largest number to accept.
        max: Option<f64>,
    },
    /// The value is a string that contains another, ignoring case.
    Contains {
        /// The string to search for, in lower case.
        lower: Text,
        /// Searches the strings that need the case tables of Unicode.
        contains: ContainsFn,
    },
    /// The value does not meet this condition.
    Not(Box<Condition>),
}

/// The conditions of a filter, each with the number of its alternative and its column.
pub(super) type Conditions = Vec<(u32, PathId, Condition)>;

/// Returns true if a string, or the string that raw JSON stands for, contains the needle, ignoring case. The host provides it, because it
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

impl Text {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Text::Utf8(text) => Text::Utf8(try_to_owned(text)?),
            Text::Json(json) => Text::Json(try_to_owned(json)?),
        })
    }

    fn byte_length(&self) -> usize {
        match self {
            Text::Utf8(text) | Text::Json(text) => text.capacity(),
        }
    }
}

impl Operand {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Operand::Missing => Operand::Missing,
            Operand::Null => Operand::Null,
            Operand::Boolean(value) => Operand::Boolean(*value),
            Operand::Number(value) => Operand::Number(*value),
            Operand::Text(text) => Operand::Text(text.try_clone()?),
        })
    }

    fn byte_length(&self) -> usize {
        match self {
            Operand::Text(text) => size_of::<Self>() + text.byte_length(),
            _ => size_of::<Self>(),
        }
    }

    /// Whether both operands accept the same values.
    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Operand::Number(left), Operand::Number(right)) => is_same_bound(left, right),
            _ => self == other,
        }
    }
}

impl Condition {
    /// Returns a copy that only [`equals`](Self::equals) is called on.
    pub(super) fn key(&self) -> Result<Self, OutOfMemory> {
        Ok(match self {
            Condition::OneOf(operands) => {
                let mut copies = with_capacity(operands.len())?;
                for operand in operands {
                    copies.push(operand.try_clone()?);
                }
                Condition::OneOf(copies)
            }
            Condition::Between { min, max } => Condition::Between { min: *min, max: *max },
            Condition::Contains { lower, .. } => {
                Condition::Contains { lower: lower.try_clone()?, contains: Box::new(|_| false) }
            }
            Condition::Not(condition) => Condition::Not(Box::new(condition.key()?)),
        })
    }

    /// Whether both conditions accept the same values.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Condition::OneOf(left), Condition::OneOf(right)) => is_same(left, right, Operand::equals),
            (Condition::Between { min, max }, Condition::Between { min: other_min, max: other_max }) => {
                is_same(min.as_slice(), other_min.as_slice(), is_same_bound)
                    && is_same(max.as_slice(), other_max.as_slice(), is_same_bound)
            }
            (Condition::Contains { lower, .. }, Condition::Contains { lower: other, .. }) => lower == other,
            (Condition::Not(condition), Condition::Not(other)) => condition.equals(other),
            _ => false,
        }
    }

    pub(super) fn byte_length(&self) -> usize {
        match self {
            Condition::OneOf(operands) => operands.iter().map(Operand::byte_length).sum(),
            Condition::Between { .. } => 0,
            Condition::Contains { lower, .. } => lower.byte_length(),
            Condition::Not(condition) => size_of::<Self>() + condition.byte_length(),
        }
    }

    /// Returns a [`Condition::Contains`] that uses the case tables of Rust's standard library. For tests.
    pub fn contains_by_rust(text: &str) -> Self {
        let (lower, needle) = (text.to_lowercase(), text.to_lowercase());
        let text_of = |value: Value<'_>| String::from_utf16_lossy(&utf16_units(&value).collect::<Vec<_>>());
        let contains = move |value: Value<'_>| text_of(value).to_lowercase().contains(&needle);
        Condition::Contains { lower: Text::Utf8(lower), contains: Box::new(contains) }
    }
}

/// Whether two lists are equal, item by item.
fn is_same<T>(left: &[T], right: &[T], equals: impl Fn(&T, &T) -> bool) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equals(left, right))
}

/// Whether two numbers accept the same values. NaN, which does not equal itself, accepts none.
fn is_same_bound(left: &f64, right: &f64) -> bool {
    left == right || left.is_nan() && right.is_nan()
}
