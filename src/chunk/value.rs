//! Values, and what a chunk stores of them: cells, strings, numbers, paths and shapes.

pub mod cell;
pub mod column_name;
pub mod dictionary;
pub mod number_interner;
pub mod shapes;
pub mod string_interner;
pub mod strings;
pub mod structure;

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// The finding lacks the field.
    Missing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string without lone surrogates.
    Text(&'a str),
    /// The raw JSON of an array, of an object nested too deep for separate columns, or of a string with lone surrogates.
    Json(&'a str),
    /// An object whose fields have separate columns.
    Object,
}
