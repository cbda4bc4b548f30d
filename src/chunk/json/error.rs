//! Why a body cannot be decoded.

use thiserror::Error;

use crate::decode::format_of;
use crate::memory::OutOfMemory;

/// How many arrays and objects may lie inside each other in a finding.
pub const MAX_NESTING: usize = 128;

/// The maximum number of bytes of a string, which JavaScript's strings do not exceed either. Tests of this crate have shorter bodies.
pub(crate) const MAX_LENGTH: usize = if cfg!(test) { 1 << 22 } else { (1 << 29) - 1 };

/// Why a body, or its findings, cannot be decoded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{kind}{} (at byte {offset}{})",
    format.as_ref().map_or_else(String::new, |format| format!("; it is {format}")),
    finding.map_or_else(String::new, |index| format!(", in Findings[{index}]")),
)]
pub struct DecodeError {
    /// The offset of the error in the body, in bytes.
    pub offset: usize,
    /// The index of the finding there.
    pub finding: Option<usize>,
    /// What is wrong there.
    pub kind: DecodeErrorKind,
    /// What the body is in the place of JSON in UTF-8. Quotes the title of HTML.
    pub format: Option<String>,
}

impl DecodeError {
    /// There is no memory for what a body becomes.
    pub fn out_of_memory() -> Self {
        DecodeError::of(DecodeErrorKind::OutOfMemory)
    }

    /// An error of a body as a whole.
    pub fn of(kind: DecodeErrorKind) -> Self {
        DecodeError { offset: 0, finding: None, kind, format: None }
    }

    /// Whether the body may be the beginning of a longer one.
    pub fn is_cut_off(&self) -> bool {
        matches!(self.kind, DecodeErrorKind::EmptyBody | DecodeErrorKind::UnexpectedEnd)
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
    /// The JSON has ended, and this byte follows.
    #[error("the body is not only JSON: the JSON ends, and {} follows it", printable(*.0))]
    ByteAfterEnd(u8),
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
    #[error("Findings is not an array of objects")]
    NotAnArray,
    /// The body is not an object.
    #[error("the body is not an object")]
    NotAnObject,
    /// An element of `Findings` is not an object.
    #[error("the finding is not an object")]
    NotAFinding,
    /// This field is not a non-negative integer.
    #[error("{0} is not a non-negative integer")]
    NotAnUnsignedInteger(&'static str),
    /// Only the host can parse a number, and a worker has no host: the page decodes the body again.
    #[error("the number needs the host")]
    NeedsHost,
    /// Out of memory.
    #[error("out of memory")]
    OutOfMemory,
}

/// An error at a byte of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) kind: DecodeErrorKind,
}

impl SyntaxError {
    /// The error of this body, which is in the finding of this index if it is in one.
    pub(crate) fn in_body(self, body: &[u8], finding: Option<usize>) -> DecodeError {
        let SyntaxError { offset, kind } = self;
        if self.is_in_last_character(body) {
            return DecodeError { offset: body.len(), finding, kind: DecodeErrorKind::UnexpectedEnd, format: None };
        }
        DecodeError { offset, finding, kind, format: format_of(body, offset, kind) }
    }

    /// Whether the error is a character that the end of the body cuts off.
    fn is_in_last_character(self, body: &[u8]) -> bool {
        let rest = body.get(self.offset..).unwrap_or_default();
        self.kind == DecodeErrorKind::InvalidUtf8
            && std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    }
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
