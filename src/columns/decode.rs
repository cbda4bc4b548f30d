//! The body of a partition: from bytes to columns, and every error with its position.
//!
//! A body is accepted and refused as `JSON.parse` over strict UTF-8 does it, except that a finding cannot be nested more than
//! [`MAX_NESTING`] deep. It is decoded in slices, so that whoever calls can let others have a turn.

mod cursor;
mod error;
mod finding;
mod messages;
mod number;
pub mod object;
mod path;
mod scan;
mod skip;
mod string;
mod string_cache;
mod unshaped;
mod value;

use std::mem;

use self::cursor::Cursor;
use self::error::SyntaxError;
pub use self::error::{DecodeError, DecodeErrorKind, MAX_NESTING};
use self::finding::FindingReader;
pub use self::messages::read_messages;
use self::skip::Skipper;
use self::value::{Key, next_key};
use crate::chunk::{Chunk, ChunkBuilder};
use crate::dictionary::Dictionary;

/// The field of a partition that holds its findings.
pub const FINDINGS: &str = "Findings";

/// The field of every answer that says whether the request failed: null or absent means success.
pub const ERRORS: &str = "errors";

/// What a body holds.
pub struct Body {
    /// The messages of the service: nothing if `errors` is null or absent, and its JSON text if it is not an array of strings.
    pub errors: Option<Vec<String>>,
    /// The findings, or why the body, which is JSON, has none.
    pub findings: Result<Chunk, DecodeError>,
    /// What it was decoded from.
    pub bytes: Vec<u8>,
}

/// Decodes one body.
///
/// All bodies of a retrieval are decoded against its one dictionary, one after the other: the first [`advance`](Self::advance) of a
/// decoder drops from the dictionary what a decoder before it added and did not bring to its end.
pub struct Decoder {
    body: Vec<u8>,
    at: usize,
    state: State,
    /// The value that is only checked, and where it begins.
    skip: Skipper,
    start: usize,
    reader: FindingReader,
    chunk: ChunkBuilder,
    /// Why there are no findings, as far as is known.
    findings_error: Option<SyntaxError>,
    errors: Option<Vec<String>>,
    /// The findings, or why there are none, once all is done or the body has failed.
    findings: Option<Result<Chunk, DecodeError>>,
}

/// What is read next.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    /// A key of the body, or its end.
    Member {
        is_first: bool,
    },
    /// A value that is only checked.
    Value(SkippedValue),
    /// A finding, or the end of them.
    Finding {
        is_first: bool,
    },
    /// The end of the body.
    End,
    /// The columns, which are read and have to be encoded.
    Encode,
    Done,
    Failed,
}

/// What a value that is only checked belongs to.
#[derive(Clone, Copy, PartialEq)]
enum SkippedValue {
    Errors,
    Other,
    /// An element of `Findings` after one that is no finding.
    Element,
    /// The body itself, which is no object.
    Body,
}

impl Decoder {
    /// Starts with a body.
    pub fn new(body: Vec<u8>) -> Self {
        Self {
            body,
            at: 0,
            state: State::Start,
            skip: Skipper::new(usize::MAX),
            start: 0,
            reader: FindingReader::default(),
            chunk: ChunkBuilder::default(),
            findings_error: Some(SyntaxError { offset: 0, kind: DecodeErrorKind::MissingField(FINDINGS) }),
            errors: None,
            findings: None,
        }
    }

    /// Goes on for about `budget` bytes, but never stops inside a finding; true when all is done. An error is final.
    #[inline(never)]
    pub fn advance(&mut self, dictionary: &mut Dictionary, budget: usize) -> Result<bool, DecodeError> {
        let mut left = budget.max(1);
        while left > 0 && !matches!(self.state, State::Done | State::Failed) {
            match self.step(dictionary, left) {
                Ok(cost) => left = left.saturating_sub(cost),
                Err(error) => self.fail(error, dictionary),
            }
        }
        match &self.findings {
            Some(Err(error)) if self.state == State::Failed => Err(error.clone()),
            _ => Ok(self.state == State::Done),
        }
    }

    /// What the body holds, once [`advance`](Self::advance) has said that all is done.
    pub fn finish(self) -> Body {
        let unfinished =
            || Err(SyntaxError { offset: self.at, kind: DecodeErrorKind::UnexpectedEnd }.with_path(&self.body));
        let findings = self.findings.unwrap_or_else(unfinished);
        Body { errors: self.errors, findings, bytes: self.body }
    }

    /// Takes one step from a state to the next, and says what it cost, in bytes.
    fn step(&mut self, dictionary: &mut Dictionary, left: usize) -> Result<usize, SyntaxError> {
        if self.state == State::Encode {
            let cost = self.chunk.rows() * size_of::<u32>();
            self.encode_column(dictionary)?;
            return Ok(cost);
        }
        let body = mem::take(&mut self.body);
        let mut cursor = Cursor { body: &body, at: self.at };
        let next = self.read(&mut cursor, dictionary, left);
        let cost = cursor.at - self.at + 1;
        self.at = cursor.at;
        self.body = body;
        self.state = next?;
        Ok(cost)
    }

    fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        left: usize,
    ) -> Result<State, SyntaxError> {
        let pause = cursor.at.saturating_add(left);
        match self.state {
            State::Start => {
                dictionary.rollback();
                self.read_start(cursor)
            }
            State::Member { is_first } => self.read_member(cursor, dictionary, is_first),
            State::Finding { is_first } => self.read_findings(cursor, dictionary, is_first, pause),
            State::Value(value) => {
                if !self.skip.run(cursor, pause)? {
                    return Ok(self.state);
                }
                if value == SkippedValue::Errors {
                    self.errors = read_messages(cursor.between(self.start, cursor.at));
                }
                Ok(match value {
                    SkippedValue::Errors | SkippedValue::Other => State::Member { is_first: false },
                    SkippedValue::Element => State::Finding { is_first: false },
                    SkippedValue::Body => State::End,
                })
            }
            State::End => {
                cursor.peek_past_whitespace();
                if !cursor.rest().is_empty() {
                    return Err(cursor.unexpected());
                }
                Ok(State::Encode)
            }
            State::Encode | State::Done | State::Failed => Ok(self.state),
        }
    }

    fn read_start(&mut self, cursor: &mut Cursor<'_>) -> Result<State, SyntaxError> {
        cursor.skip_byte_order_mark();
        let first = cursor.peek_past_whitespace();
        cursor.check_not_empty()?;
        if first == b'{' {
            cursor.at += 1;
            return Ok(State::Member { is_first: true });
        }
        self.findings_error = Some(cursor.error(DecodeErrorKind::NotAnObject));
        Ok(self.skip_value(cursor, SkippedValue::Body))
    }

    fn read_member(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        is_first: bool,
    ) -> Result<State, SyntaxError> {
        let mut scratch = Vec::new();
        let value = match next_key(cursor, &mut scratch, is_first)? {
            None => return Ok(State::End),
            Some(Key::Name(FINDINGS)) => {
                // Of a repeated key the last value counts.
                dictionary.rollback();
                self.reader = FindingReader::default();
                self.chunk = ChunkBuilder::default();
                if cursor.peek() == b'[' {
                    self.findings_error = None;
                    cursor.at += 1;
                    return Ok(State::Finding { is_first: true });
                }
                self.findings_error = Some(cursor.error(DecodeErrorKind::NotAnArray));
                SkippedValue::Other
            }
            Some(Key::Name(ERRORS)) => SkippedValue::Errors,
            Some(_) => SkippedValue::Other,
        };
        Ok(self.skip_value(cursor, value))
    }

    fn read_findings(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        mut is_first: bool,
        pause: usize,
    ) -> Result<State, SyntaxError> {
        while cursor.at < pause {
            if cursor.peek_past_whitespace() == b']' {
                cursor.at += 1;
                return Ok(State::Member { is_first: false });
            }
            if !is_first {
                cursor.expect(b",")?;
                cursor.peek_past_whitespace();
            }
            is_first = false;
            if cursor.peek() != b'{' && self.findings_error.is_none() {
                self.findings_error = Some(cursor.error(DecodeErrorKind::NotAnObject));
            }
            if self.findings_error.is_some() {
                return Ok(self.skip_value(cursor, SkippedValue::Element));
            }
            self.reader.read(cursor, dictionary, &mut self.chunk)?;
        }
        Ok(State::Finding { is_first })
    }

    /// Goes on with a value that is only checked.
    fn skip_value(&mut self, cursor: &Cursor<'_>, value: SkippedValue) -> State {
        self.skip = Skipper::new(usize::MAX);
        self.start = cursor.at;
        State::Value(value)
    }

    /// Encodes one more column; after the last one all is done, and the dictionary keeps what was added.
    fn encode_column(&mut self, dictionary: &mut Dictionary) -> Result<(), SyntaxError> {
        let no_memory = SyntaxError { offset: self.body.len(), kind: DecodeErrorKind::OutOfMemory };
        if self.findings_error.is_none() && !self.chunk.encode_one().map_err(|_| no_memory)? {
            return Ok(());
        }
        self.findings = Some(match self.findings_error {
            None => {
                let chunk = mem::take(&mut self.chunk).finish().map_err(|_| no_memory)?;
                dictionary.commit();
                Ok(chunk)
            }
            Some(error) => {
                dictionary.rollback();
                Err(error.with_path(&self.body))
            }
        });
        self.state = State::Done;
        Ok(())
    }

    fn fail(&mut self, error: SyntaxError, dictionary: &mut Dictionary) {
        dictionary.rollback();
        self.chunk = ChunkBuilder::default();
        self.findings = Some(Err(error.with_path(&mem::take(&mut self.body))));
        self.state = State::Failed;
    }
}

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
