//! A place in a body, and what is wrong there.

use std::fmt;

use crate::bytes::starts_with;
use crate::memory::OutOfMemory;

/// Why a body is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is nothing but white space.
    NoBody,
    /// The body ends too early.
    End,
    /// A byte that cannot be there.
    Unexpected(u8),
    /// A control character inside a string.
    Control(u8),
    /// A backslash and what is no escape.
    Escape,
    /// What begins like a number and is none.
    Number,
    /// Not UTF-8.
    Utf8,
    /// Arrays and objects inside a finding, more than 128 deep.
    Depth,
    /// The body has no `Findings`.
    NoFindings,
    /// `Findings` is not an array.
    NotAnArray,
    /// The body, or an element of `Findings`, is not an object.
    NotAnObject,
    /// A counts answer has no such field.
    Missing(&'static str),
    /// A count is not a non-negative integer.
    NotACount,
    /// There is no memory for it.
    Memory,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBody => formatter.write_str("the answer has no body"),
            Self::End => formatter.write_str("the body is not JSON: it ends too early"),
            Self::Unexpected(byte) if byte.is_ascii_graphic() => {
                write!(formatter, "the body is not JSON: unexpected {}", char::from(*byte))
            }
            Self::Unexpected(byte) => write!(formatter, "the body is not JSON: unexpected byte 0x{byte:02X}"),
            Self::Control(byte) => {
                write!(formatter, "the body is not JSON: control character 0x{byte:02X} inside a string")
            }
            Self::Escape => formatter.write_str("the body is not JSON: no such escape"),
            Self::Number => formatter.write_str("the body is not JSON: no such number"),
            Self::Utf8 => formatter.write_str("the body is not UTF-8"),
            Self::Depth => write!(formatter, "the value is nested more than {} deep", super::MAX_NESTING),
            Self::NoFindings => formatter.write_str("Findings is missing"),
            Self::NotAnArray => formatter.write_str("the value is not an array of objects"),
            Self::NotAnObject => formatter.write_str("the value is not an object"),
            Self::Missing(field) => write!(formatter, "{field} is missing"),
            Self::NotACount => formatter.write_str("the value is not a non-negative integer"),
            Self::Memory => formatter.write_str("there is no memory for the value"),
        }
    }
}

/// Why, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub offset: usize,
    pub reason: Reason,
}

/// A place in a body.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    pub body: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// The byte here, or 0 at the end: that byte is nowhere allowed, so that both lead to [`Self::unexpected`].
    #[inline]
    pub fn peek(&self) -> u8 {
        self.body.get(self.at).copied().unwrap_or(0)
    }

    /// The byte here, behind any white space.
    #[inline]
    pub fn peek_token(&mut self) -> u8 {
        loop {
            let byte = self.peek();
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            self.at += 1;
        }
    }

    /// What is left.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.body.get(self.at..).unwrap_or_default()
    }

    /// What lies between two places.
    #[inline]
    pub fn between(&self, from: usize, to: usize) -> &'a [u8] {
        self.body.get(from..to).unwrap_or_default()
    }

    /// Goes past `word` if it is here.
    #[inline]
    pub fn take(&mut self, word: &[u8]) -> bool {
        let is_here = starts_with(self.rest(), word);
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    /// Goes past what is here if the same bytes are between two places before.
    #[inline]
    pub fn take_again(&mut self, from: usize, to: usize) -> bool {
        let is_here = to > from && starts_with(self.rest(), self.between(from, to));
        if is_here {
            self.at += to - from;
        }
        is_here
    }

    /// Goes past `word`, which has to be here.
    pub fn expect(&mut self, word: &[u8]) -> Result<(), Fault> {
        for byte in word {
            if self.peek() != *byte {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        Ok(())
    }

    /// There has to be something here.
    pub fn check_body(&self) -> Result<(), Fault> {
        if self.rest().is_empty() { Err(Fault { offset: 0, reason: Reason::NoBody }) } else { Ok(()) }
    }

    /// The byte here cannot be here.
    pub fn unexpected(&self) -> Fault {
        self.fault(self.body.get(self.at).map_or(Reason::End, |byte| Reason::Unexpected(*byte)))
    }

    /// Something is wrong here.
    pub fn fault(&self, reason: Reason) -> Fault {
        Fault { offset: self.at, reason }
    }

    /// There is no memory for what is here.
    pub fn out_of_memory(&self) -> impl Fn(OutOfMemory) -> Fault + use<> {
        let fault = self.fault(Reason::Memory);
        move |_| fault
    }
}
