//! A position in a body.

use super::error::{DecodeErrorKind, SyntaxError};
use crate::bytes::starts_with;

/// A position in a body.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    /// Returns the next byte, or 0 at the end. JSON never contains a 0 byte, so both lead to [`Self::unexpected`].
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.body.get(self.at).copied().unwrap_or(0)
    }

    /// Skips white space and returns the byte after it, like [`Self::peek`].
    #[inline]
    pub(crate) fn peek_past_whitespace(&mut self) -> u8 {
        loop {
            let byte = self.peek();
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return byte;
            }
            self.at += 1;
        }
    }

    /// Returns the rest of the body.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.body.get(self.at..).unwrap_or_default()
    }

    /// Returns the bytes between two offsets.
    #[inline]
    pub(crate) fn between(&self, from: usize, to: usize) -> &'a [u8] {
        self.body.get(from..to).unwrap_or_default()
    }

    /// Consumes `word` if it comes next, and returns whether it did.
    #[inline]
    pub(crate) fn consume(&mut self, word: &[u8]) -> bool {
        let is_here = starts_with(self.rest(), word);
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    /// Consumes the next bytes if they are the same as those between two earlier offsets, and returns whether they are.
    #[inline]
    pub(crate) fn consume_repeat(&mut self, from: usize, to: usize) -> bool {
        let is_here = to > from && starts_with(self.rest(), self.between(from, to));
        if is_here {
            self.at += to - from;
        }
        is_here
    }

    /// Begins to read a body: consumes the opening brace, or returns an error at another value.
    ///
    /// # Errors
    /// The body is empty.
    pub(crate) fn open_body(&mut self) -> Result<Option<SyntaxError>, SyntaxError> {
        self.consume(b"\xEF\xBB\xBF");
        let first = self.peek_past_whitespace();
        if self.rest().is_empty() {
            return Err(SyntaxError { offset: 0, kind: DecodeErrorKind::EmptyBody });
        }
        Ok(if first == b'{' {
            self.at += 1;
            None
        } else {
            Some(self.error(DecodeErrorKind::NotAnObject))
        })
    }

    /// Checks that only white space follows.
    pub(crate) fn check_end(&mut self) -> Result<(), SyntaxError> {
        self.peek_past_whitespace();
        self.rest().first().map_or(Ok(()), |byte| Err(self.error(DecodeErrorKind::ByteAfterEnd(*byte))))
    }

    /// Consumes `word`.
    ///
    /// # Errors
    /// The next byte differs.
    pub(crate) fn expect(&mut self, word: &[u8]) -> Result<(), SyntaxError> {
        for byte in word {
            if self.peek() != *byte {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Returns the error that the next byte is not allowed here.
    pub(crate) fn unexpected(&self) -> SyntaxError {
        self.error(
            self.body
                .get(self.at)
                .map_or(DecodeErrorKind::UnexpectedEnd, |byte| DecodeErrorKind::UnexpectedByte(*byte)),
        )
    }

    /// Returns an error at this position.
    pub(crate) fn error(&self, kind: DecodeErrorKind) -> SyntaxError {
        SyntaxError { offset: self.at, kind }
    }
}
