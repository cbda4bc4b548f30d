//! Why a body cannot be decoded.

use thiserror::Error;

use crate::memory::OutOfMemory;

/// How many arrays and objects may lie inside each other in a finding.
pub const MAX_NESTING: usize = 128;

/// The maximum number of bytes of a string, which JavaScript's strings do not exceed either. Tests of this crate have shorter bodies.
pub(crate) const MAX_LENGTH: usize = if cfg!(test) { 1 << 22 } else { (1 << 29) - 1 };

/// Why a body, or its findings, cannot be decoded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{kind}{diagnosis} (at byte {offset}, {path}{})", if path == "$" { ", the whole body" } else { "" })]
pub struct DecodeError {
    /// The offset of the error in the body, in bytes.
    pub offset: usize,
    /// The JSON path of the value around that byte, such as `$.Findings[3].Topic.Text`.
    pub path: String,
    /// What is wrong there.
    pub kind: DecodeErrorKind,
    /// What the body has instead, as the continuation of the message; may be empty. Like the path, it may quote keys of the body.
    pub diagnosis: String,
}

impl DecodeError {
    /// There is no memory for what a body becomes.
    pub fn out_of_memory() -> Self {
        let kind = DecodeErrorKind::OutOfMemory;
        DecodeError { offset: 0, path: String::from("$"), kind, diagnosis: String::new() }
    }

    /// Whether the body may be the beginning of a longer one.
    pub fn is_cut_off(&self) -> bool {
        matches!(self.kind, DecodeErrorKind::EmptyBody | DecodeErrorKind::UnexpectedEnd)
    }

    /// Whether the body begins as HTML or XML.
    pub fn begins_as_markup(&self) -> bool {
        self.kind == DecodeErrorKind::UnexpectedByte(b'<') && self.path == "$"
    }
}

/// What is wrong with a body.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DecodeErrorKind {
    /// The body is empty, or white space only.
    #[error("the response has no body")]
    EmptyBody,
    /// The body ends inside a value.
    #[error("the body is not JSON: it ends too early")]
    UnexpectedEnd,
    /// The JSON grammar does not allow this byte here.
    #[error("the body is not JSON: unexpected {}", printable(*.0))]
    UnexpectedByte(u8),
    /// The body is not UTF-8.
    #[error("the body is not UTF-8")]
    InvalidUtf8,
    /// Arrays and objects in a finding are nested more than [`MAX_NESTING`] deep.
    #[error("the value is nested more than {} levels deep", MAX_NESTING)]
    TooDeep,
    /// A string, or a value that is kept as JSON, has more than 2^29 - 1 bytes.
    #[error("the value has more than {} bytes, and JavaScript has no longer strings", MAX_LENGTH)]
    TooLong,
    /// The body lacks this field.
    #[error("{0} is missing")]
    MissingField(&'static str),
    /// `Findings` is not an array.
    #[error("the value is not an array of objects")]
    NotAnArray,
    /// The body, or an element of `Findings`, is not an object.
    #[error("the value is not an object")]
    NotAnObject,
    /// The value is not a non-negative integer.
    #[error("the value is not a non-negative integer")]
    NotAnUnsignedInteger,
    /// Only the host can parse a number, and a worker has no host: the page decodes the body again.
    #[error("the number needs the host")]
    NeedsHost,
    /// Out of memory.
    #[error("out of memory")]
    OutOfMemory,
}

/// An error at a byte of a body whose path has not been looked up yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) kind: DecodeErrorKind,
}

/// The position is not used: no message says where memory ran out.
impl From<OutOfMemory> for SyntaxError {
    fn from(_: OutOfMemory) -> Self {
        SyntaxError { offset: 0, kind: DecodeErrorKind::OutOfMemory }
    }
}

fn printable(byte: u8) -> String {
    if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("byte 0x{byte:02X}") }
}
