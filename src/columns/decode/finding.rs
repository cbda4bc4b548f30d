//! Decodes findings into cells.
//!
//! Findings resemble each other. The reader predicts from earlier findings which bytes come between two values (commas, keys, colons, white
//! space), and compares. It also compares strings with recent ones. Only what differs is parsed, looked up or hashed.

use super::cursor::Cursor;
use super::error::{MAX_NESTING, SyntaxError};
use super::number;
use super::string_cache::StringCache;
use super::unshaped::read_fields;
use super::value::{Key, next_key, read_raw_json, read_scalar, read_string};
use crate::cell::Cell;
use crate::chunk::ChunkBuilder;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, push_hot, resize};
use crate::shapes::{Event, MAX_DEPTH, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId};

/// Reads the findings of one body.
#[derive(Default)]
pub(super) struct FindingReader {
    /// The prediction for each shape.
    predictions: Vec<Prediction>,
    /// The values of the current finding.
    values: Vec<(PathId, Cell)>,
    strings: StringCache,
    scratch: Vec<u8>,
}

/// What was last read at one shape.
#[derive(Clone, Copy)]
struct Prediction {
    /// The last event of the shape.
    event: Event,
    /// The bytes before the event's value, from the end of the previous value on.
    prefix: Span,
    /// The last two different shapes that came next, the latest first.
    next: [ShapeId; 2],
}

#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

const NOWHERE: Span = Span { start: 0, end: 0 };
const UNKNOWN: ShapeId = ShapeId::MAX;
const UNSEEN: Prediction = Prediction { event: Event::Open(ROOT_PATH), prefix: NOWHERE, next: [UNKNOWN; 2] };

impl FindingReader {
    /// Reads the finding at the cursor, which is at its opening brace.
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        chunk: &mut ChunkBuilder,
    ) -> Result<(), SyntaxError> {
        let start = *cursor;
        self.values.clear();
        match self.read_flat(cursor, dictionary)? {
            Some(shape) => chunk.push(shape, &self.values).map_err(start.out_of_memory()),
            None => {
                *cursor = start;
                self.read_unshaped(cursor, dictionary, chunk)
            }
        }
    }

    /// Reads the values of the finding and returns its shape, or `None` if it has repeated keys or too many.
    #[inline]
    fn read_flat(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
    ) -> Result<Option<ShapeId>, SyntaxError> {
        cursor.at += 1;
        let mut shape = ROOT_SHAPE;
        loop {
            shape = match self.predict_next(cursor, shape) {
                Some(next) => next,
                None => match self.parse_next(cursor, dictionary, shape)? {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
            let Some(event) = self.predictions.get(shape as usize).map(|prediction| prediction.event) else {
                return Ok(None);
            };
            let cell = match event {
                Event::Value(_) => self.read_value(cursor, dictionary, shape)?,
                Event::Open(_) => Cell::OBJECT,
                Event::Close(ROOT_PATH) => return Ok(Some(shape)),
                Event::Close(_) => continue,
            };
            push_hot(&mut self.values, (event.path(), cell)).map_err(cursor.out_of_memory())?;
        }
    }

    /// Reads the value at the cursor.
    #[inline]
    fn read_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        shape: ShapeId,
    ) -> Result<Cell, SyntaxError> {
        if cursor.peek() == b'"' {
            return match self.strings.read(cursor) {
                Some(cell) => Ok(cell),
                None => self.read_new_string(cursor, dictionary),
            };
        }
        if let Some(cell) = number::read_short_integer(cursor) {
            return Ok(cell);
        }
        match read_scalar(cursor, dictionary)? {
            Some(cell) => Ok(cell),
            None => read_raw_json(cursor, dictionary, MAX_NESTING - dictionary.shapes.depth(shape) as usize),
        }
    }

    fn read_new_string(&mut self, cursor: &mut Cursor<'_>, dictionary: &mut Dictionary) -> Result<Cell, SyntaxError> {
        let start = *cursor;
        let cell = read_string(cursor, dictionary, &mut self.scratch)?;
        self.strings.insert(&start, cursor.at, cell).map_err(start.out_of_memory())?;
        Ok(cell)
    }

    /// Returns the next shape if the next bytes are as predicted, and consumes them.
    #[inline]
    fn predict_next(&mut self, cursor: &mut Cursor<'_>, shape: ShapeId) -> Option<ShapeId> {
        let [latest, other] = self.predictions.get(shape as usize)?.next;
        if self.matches(cursor, latest) {
            return Some(latest);
        }
        if self.matches(cursor, other) {
            self.predictions.get_mut(shape as usize)?.next = [other, latest];
            return Some(other);
        }
        None
    }

    #[inline]
    fn matches(&self, cursor: &mut Cursor<'_>, shape: ShapeId) -> bool {
        let Some(prediction) = self.predictions.get(shape as usize) else {
            return false;
        };
        let start = cursor.at;
        if !cursor.consume_repeat(prediction.prefix.start, prediction.prefix.end) {
            return false;
        }
        // An object in the place of another value is another event; more white space is a longer prefix.
        if matches!(prediction.event, Event::Value(_)) && matches!(cursor.peek(), b'{' | b' ' | b'\n' | b'\r' | b'\t') {
            cursor.at = start;
            return false;
        }
        true
    }

    /// Parses up to the next value, or past the next brace, and returns the shape that this leads to.
    #[cold]
    #[inline(never)]
    fn parse_next(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        shape: ShapeId,
    ) -> Result<Option<ShapeId>, SyntaxError> {
        let start = cursor.at;
        let Some(event) = self.parse_event(cursor, dictionary, shape)? else {
            return Ok(None);
        };
        let no_memory = cursor.out_of_memory();
        let Some(next) = dictionary.shapes.transition(shape, event).map_err(&no_memory)? else {
            return Ok(None);
        };
        self.learn(shape, next, event, Span { start, end: cursor.at }).map_err(&no_memory)?;
        Ok(Some(next))
    }

    /// Parses up to the next value, or past the next brace.
    fn parse_event(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        shape: ShapeId,
    ) -> Result<Option<Event>, SyntaxError> {
        let object = dictionary.shapes.current_object(shape);
        let is_first = dictionary.shapes.is_empty_object(shape);
        let path = match next_key(cursor, &mut self.scratch, is_first)? {
            None => return Ok(Some(Event::Close(object))),
            Some(Key::Name(name)) => dictionary.shapes.intern_path(object, name).map_err(cursor.out_of_memory())?,
            Some(Key::LoneSurrogates) => None,
        };
        let Some(path) = path else {
            return Ok(None);
        };
        if cursor.peek() == b'{' && dictionary.shapes.depth(shape) < MAX_DEPTH {
            cursor.at += 1;
            return Ok(Some(Event::Open(path)));
        }
        Ok(Some(Event::Value(path)))
    }

    fn learn(&mut self, shape: ShapeId, next: ShapeId, event: Event, prefix: Span) -> Result<(), OutOfMemory> {
        let length = shape.max(next) as usize + 1;
        if length > self.predictions.len() {
            resize(&mut self.predictions, length, UNSEEN)?;
        }
        if let Some(prediction) = self.predictions.get_mut(shape as usize)
            && prediction.next[0] != next
        {
            prediction.next = [next, prediction.next[0]];
        }
        if let Some(prediction) = self.predictions.get_mut(next as usize) {
            prediction.event = event;
            prediction.prefix = prefix;
        }
        Ok(())
    }

    /// Reads the finding as raw JSON, and its fields for queries.
    #[cold]
    fn read_unshaped(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        chunk: &mut ChunkBuilder,
    ) -> Result<(), SyntaxError> {
        let mut fields = *cursor;
        let json = read_raw_json(cursor, dictionary, MAX_NESTING + 1)?;
        read_fields(&mut fields, dictionary, &mut self.scratch, &mut self.values)?;
        chunk.push_unshaped(json, &self.values).map_err(cursor.out_of_memory())
    }
}
