//! Decodes the body of a partition into columns.
//!
//! A body is valid if it is strict UTF-8 and `JSON.parse` accepts it, except that a finding may be nested at most [`MAX_NESTING`] deep. It is
//! decoded in slices, so that the caller can yield between them. Every error has its position, and the index of its finding.

mod finding;
mod format;
mod messages;
mod number;
pub mod object;
pub mod projection;
mod string_cache;
mod value;

use std::mem;
use std::rc::Rc;

use self::finding::FindingReader;

pub(crate) use self::format::format_of;
pub use self::format::page_of;
pub use self::messages::read_messages;
use self::projection::Projection;
use self::value::{Key, next_key};
use crate::chunk::Chunk;
use crate::chunk_builder::{About, ChunkBuilder};
use crate::fields::{ERRORS, FINDINGS};
use crate::json::cursor::Cursor;
use crate::json::error::SyntaxError;
pub use crate::json::error::{DecodeError, DecodeErrorKind, MAX_NESTING};
use crate::json::skip::Skipper;
use crate::memory::{OutOfMemory, extend};
use crate::value::dictionary::Dictionary;

/// A decoded body.
pub struct DecodedBody {
    /// The messages in `errors`, as [`read_messages`] returns them.
    pub errors: Option<Vec<String>>,
    /// The findings, or why valid JSON has none.
    pub findings: Result<Chunk, DecodeError>,
}

/// Decodes one body.
pub struct Decoder {
    dictionary: Dictionary,
    body: Vec<u8>,
    at: usize,
    state: State,
    /// Checks the value that is being skipped, which begins at `start`.
    skip: Skipper,
    start: usize,
    reader: FindingReader,
    chunk: ChunkBuilder,
    /// Why the body has no findings, as far as it has been read.
    findings_error: Option<SyntaxError>,
    errors: Option<Vec<String>>,
    /// The findings, in the state `Done`.
    findings: Option<Chunk>,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    /// A key of the body, or its closing brace; whether it is the first.
    Member(bool),
    /// A value that is checked and skipped.
    Value(SkippedValue),
    /// A finding, or the closing bracket; whether it is the first.
    Finding(bool),
    /// The end of the body.
    End,
    /// The complete columns, which have to be encoded.
    Encode,
    Done,
}

/// What a skipped value belongs to.
#[derive(Clone, Copy, PartialEq)]
enum SkippedValue {
    Errors,
    Other,
    /// An element of `Findings` that follows an element that is not an object.
    Element,
    /// The body itself, which is not an object.
    Body,
}

impl Decoder {
    /// Creates a decoder for a body. The dictionary is empty, and says which columns to keep.
    pub fn new(body: Vec<u8>, dictionary: Dictionary) -> Self {
        let reader = FindingReader::new(Projection::whole(dictionary.seed.clone()));
        Self {
            dictionary,
            body,
            at: 0,
            state: State::Start,
            skip: Skipper::new(usize::MAX),
            start: 0,
            reader,
            chunk: ChunkBuilder::default(),
            findings_error: Some(SyntaxError { offset: 0, kind: DecodeErrorKind::MissingField(FINDINGS) }),
            errors: None,
            findings: None,
        }
    }

    /// The body, which may be filled before it is decoded.
    pub fn body_mut(&mut self) -> &mut [u8] {
        &mut self.body
    }

    /// Keeps only the columns whose names are at this offset, behind the body.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn keep_columns(&mut self, names: usize) -> Result<(), OutOfMemory> {
        let mut columns = Vec::new();
        extend(&mut columns, self.body.get(names..).unwrap_or_default())?;
        self.dictionary.columns = Some(Rc::new(columns));
        self.body.truncate(names);
        Ok(())
    }

    /// Decodes about `budget` bytes more, but never pauses inside a finding. Returns true once the body is decoded.
    ///
    /// # Errors
    ///
    /// The body is not valid, or memory ran out. After an error the decoder is unusable.
    #[inline(never)]
    pub fn advance(&mut self, budget: usize) -> Result<bool, DecodeError> {
        let mut left = budget.max(1);
        while left > 0 && self.state != State::Done {
            let cost = self.step(left).map_err(|error| error.in_body(&self.body, self.finding()))?;
            left = left.saturating_sub(cost);
        }
        Ok(self.state == State::Done)
    }

    /// Returns the decoded body, after [`advance`](Self::advance) has returned true.
    pub fn finish(self) -> DecodedBody {
        let error = self.findings_error.unwrap_or(OutOfMemory.into());
        // Behind an element that is not an object, no finding is read.
        let finding = (error.kind == DecodeErrorKind::NotAFinding).then_some(self.chunk.rows());
        let findings = self.findings.ok_or_else(|| error.in_body(&self.body, finding));
        DecodedBody { errors: self.errors, findings }
    }

    /// The index of the finding that is being read.
    fn finding(&self) -> Option<usize> {
        let is_reading = matches!(self.state, State::Finding(_)) && self.findings_error.is_none();
        is_reading.then_some(self.chunk.rows())
    }

    /// Makes one step and returns its cost in bytes.
    fn step(&mut self, left: usize) -> Result<usize, SyntaxError> {
        if self.state == State::Encode {
            let cost = self.chunk.rows() * size_of::<u32>();
            self.encode_column()?;
            return Ok(cost);
        }
        let body = mem::take(&mut self.body);
        let mut cursor = Cursor { body: &body, at: self.at };
        let next = self.read(&mut cursor, left);
        let cost = cursor.at - self.at + 1;
        self.at = cursor.at;
        self.state = *next.as_ref().unwrap_or(&self.state);
        // An error has a place in the body. Without one, the memory of the body is needed to encode the columns.
        if self.state != State::Encode || self.findings_error.is_some() {
            self.body = body;
        }
        next.map(|_| cost)
    }

    fn read(&mut self, cursor: &mut Cursor<'_>, left: usize) -> Result<State, SyntaxError> {
        let pause = cursor.at.saturating_add(left);
        match self.state {
            State::Start => self.read_start(cursor),
            State::Member(is_first) => self.read_member(cursor, is_first),
            State::Finding(is_first) => self.read_findings(cursor, is_first, pause),
            State::Value(value) => {
                if !self.skip.run(cursor, pause)? {
                    return Ok(self.state);
                }
                if value == SkippedValue::Errors {
                    self.errors = read_messages(cursor.between(self.start, cursor.at));
                }
                Ok(match value {
                    SkippedValue::Errors | SkippedValue::Other => State::Member(false),
                    SkippedValue::Element => State::Finding(false),
                    SkippedValue::Body => State::End,
                })
            }
            State::End => {
                cursor.check_end()?;
                Ok(State::Encode)
            }
            State::Encode | State::Done => Ok(self.state),
        }
    }

    fn read_start(&mut self, cursor: &mut Cursor<'_>) -> Result<State, SyntaxError> {
        let Some(error) = cursor.open_body()? else { return Ok(State::Member(true)) };
        self.findings_error = Some(error);
        Ok(self.skip_value(cursor, SkippedValue::Body))
    }

    fn read_member(&mut self, cursor: &mut Cursor<'_>, is_first: bool) -> Result<State, SyntaxError> {
        let mut scratch = Vec::new();
        let value = match next_key(cursor, &mut scratch, is_first)? {
            None => return Ok(State::End),
            Some(Key::Name(FINDINGS)) => {
                // The last value of a repeated key wins, as with `JSON.parse`.
                self.dictionary.clear();
                self.reader = FindingReader::new(Projection::of_columns(&self.dictionary)?);
                self.chunk = ChunkBuilder::default();
                if cursor.peek() == b'[' {
                    self.findings_error = None;
                    cursor.at += 1;
                    return Ok(State::Finding(true));
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
        mut is_first: bool,
        pause: usize,
    ) -> Result<State, SyntaxError> {
        while cursor.at < pause {
            if cursor.peek_past_whitespace() == b']' {
                cursor.at += 1;
                return Ok(State::Member(false));
            }
            if !is_first {
                cursor.expect(b",")?;
                cursor.peek_past_whitespace();
            }
            is_first = false;
            if cursor.peek() != b'{' && self.findings_error.is_none() {
                self.findings_error = Some(cursor.error(DecodeErrorKind::NotAFinding));
            }
            if self.findings_error.is_some() {
                return Ok(self.skip_value(cursor, SkippedValue::Element));
            }
            self.reader.read(cursor, &mut self.dictionary, &mut self.chunk)?;
        }
        Ok(State::Finding(is_first))
    }

    /// Starts to check and skip a value.
    fn skip_value(&mut self, cursor: &Cursor<'_>, value: SkippedValue) -> State {
        self.skip = Skipper::new(usize::MAX);
        self.start = cursor.at;
        State::Value(value)
    }

    /// Encodes one more column. After the last one, completes the chunk.
    fn encode_column(&mut self) -> Result<(), OutOfMemory> {
        if self.findings_error.is_none() {
            if !self.chunk.encode_one(&self.dictionary.seed)? {
                return Ok(());
            }
            self.reader.projection.finish(&mut self.dictionary);
            self.findings = Some(mem::take(&mut self.chunk).finish(&self.dictionary, About::default())?);
        }
        self.state = State::Done;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
