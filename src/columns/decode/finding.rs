//! Decodes findings into cells.
//!
//! Findings resemble each other. The reader predicts from earlier findings which bytes come between two values (commas, keys, colons, white
//! space), and compares. It also compares strings with recent ones. Only what differs is parsed, looked up or hashed.

use super::cursor::Cursor;
use super::error::{MAX_NESTING, SyntaxError};
use super::number;
use super::string_cache::StringCache;
use super::value::{Key, next_key, read_raw_json, read_scalar, read_string};
use crate::cell::Cell;
use crate::chunk::ChunkBuilder;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, push_hot, resize};
use crate::shapes::{Event, MAX_DEPTH, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, UNSHAPED};

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

/// The prediction for a shape, from what followed it last. Only shapes that end with a value, and shapes of whole findings, have
/// predictions.
#[derive(Clone, Copy)]
struct Prediction {
    /// The last event of the shape.
    event: Event,
    /// The bytes before the event's value, from the end of the previous value on.
    prefix: Prefix,
    /// Whether an object begins or ends in the prefix.
    crosses_braces: bool,
    /// The last two different shapes with a prediction that followed, the latest first.
    next: [ShapeId; 2],
}

/// Bytes of the body that are expected to repeat.
#[derive(Clone, Copy)]
struct Prefix {
    start: usize,
    end: usize,
    /// The first 16 bytes, kept inline: most prefixes fit, so an earlier part of the body is not read.
    head: u128,
    /// The bits of `head` that count.
    mask: u128,
}

const NOWHERE: Prefix = Prefix { start: 0, end: 0, head: 0, mask: 0 };
const UNKNOWN: ShapeId = ShapeId::MAX;
const UNSEEN: Prediction =
    Prediction { event: Event::Open(ROOT_PATH), prefix: NOWHERE, crosses_braces: false, next: [UNKNOWN; 2] };

impl Prefix {
    /// The bytes from `start` to the cursor.
    fn new(cursor: &Cursor<'_>, start: usize) -> Self {
        let mut head = [0; 16];
        let mut mask = [0; 16];
        for ((byte, bits), expected) in head.iter_mut().zip(&mut mask).zip(cursor.between(start, cursor.at)) {
            (*byte, *bits) = (*expected, 0xFF);
        }
        Prefix { start, end: cursor.at, head: u128::from_le_bytes(head), mask: u128::from_le_bytes(mask) }
    }

    /// Consumes these bytes if they come next, and returns whether they do. Always returns false in the last 16 bytes of the body.
    #[inline]
    fn consume(&self, cursor: &mut Cursor<'_>) -> bool {
        let Some(head) = cursor.rest().first_chunk() else {
            return false;
        };
        if (u128::from_le_bytes(*head) ^ self.head) & self.mask != 0 {
            return false;
        }
        let length = self.end - self.start;
        if length > 16 {
            return cursor.consume_repeat(self.start, self.end);
        }
        cursor.at += length;
        length > 0
    }
}

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
                Self::read_unshaped(cursor, dictionary, chunk)
            }
        }
    }

    /// Reads the values of the finding and returns its shape; `None` if it has repeated keys or too many keys.
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
            let Some(prediction) = self.predictions.get(shape as usize) else {
                return Ok(None);
            };
            let (event, crosses_braces) = (prediction.event, prediction.crosses_braces);
            if crosses_braces {
                self.push_objects(dictionary, shape).map_err(cursor.out_of_memory())?;
            }
            if event == Event::Close(ROOT_PATH) {
                return Ok(Some(shape));
            }
            let cell = self.read_value(cursor, dictionary, event.path(), shape)?;
            push_hot(&mut self.values, (event.path(), cell)).map_err(cursor.out_of_memory())?;
        }
    }

    /// Pushes the objects that begin between the previous value and the last event of a shape.
    fn push_objects(&mut self, dictionary: &Dictionary, shape: ShapeId) -> Result<(), OutOfMemory> {
        let mut at = dictionary.shapes.previous(shape);
        loop {
            match dictionary.shapes.event(at) {
                // The shape of a finding with only an opening brace has this event, too.
                Some(Event::Open(path)) if path != ROOT_PATH => push_hot(&mut self.values, (path, Cell::OBJECT))?,
                Some(Event::Close(_)) => {}
                _ => return Ok(()),
            }
            at = dictionary.shapes.previous(at);
        }
    }

    /// Reads the value at the cursor.
    #[inline]
    fn read_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        column: PathId,
        shape: ShapeId,
    ) -> Result<Cell, SyntaxError> {
        if cursor.peek() == b'"' {
            return match self.strings.read(cursor) {
                Some(cell) => Ok(cell),
                None => self.read_new_string(cursor, dictionary, column),
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

    fn read_new_string(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        column: PathId,
    ) -> Result<Cell, SyntaxError> {
        let start = *cursor;
        let cell = read_string(cursor, dictionary, column, &mut self.scratch)?;
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
        if !prediction.prefix.consume(cursor) {
            return false;
        }
        // An object where another value was expected is another event; more white space is a longer prefix.
        if matches!(prediction.event, Event::Value(_)) && matches!(cursor.peek(), b'{' | b' ' | b'\n' | b'\r' | b'\t') {
            cursor.at = start;
            return false;
        }
        true
    }

    /// Parses up to the next value, or past the end of the finding, and returns the shape that this leads to.
    #[cold]
    #[inline(never)]
    fn parse_next(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        shape: ShapeId,
    ) -> Result<Option<ShapeId>, SyntaxError> {
        let start = cursor.at;
        let mut last = shape;
        loop {
            let Some(event) = self.parse_event(cursor, dictionary, last)? else {
                return Ok(None);
            };
            let no_memory = cursor.out_of_memory();
            let Some(next) = dictionary.shapes.transition(last, event).map_err(&no_memory)? else {
                return Ok(None);
            };
            if matches!(event, Event::Value(_) | Event::Close(ROOT_PATH)) {
                let prefix = Prefix::new(cursor, start);
                let crosses_braces = last != shape;
                self.learn(shape, next, Prediction { event, prefix, crosses_braces, ..UNSEEN }).map_err(&no_memory)?;
                return Ok(Some(next));
            }
            last = next;
        }
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

    /// Predicts `next` after `shape`.
    fn learn(&mut self, shape: ShapeId, next: ShapeId, prediction: Prediction) -> Result<(), OutOfMemory> {
        let length = shape.max(next) as usize + 1;
        if length > self.predictions.len() {
            resize(&mut self.predictions, length, UNSEEN)?;
        }
        if let Some(before) = self.predictions.get_mut(shape as usize)
            && before.next[0] != next
        {
            before.next = [next, before.next[0]];
        }
        if let Some(old) = self.predictions.get_mut(next as usize) {
            *old = Prediction { next: old.next, ..prediction };
        }
        Ok(())
    }

    /// Reads the finding as raw JSON.
    #[cold]
    fn read_unshaped(
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        chunk: &mut ChunkBuilder,
    ) -> Result<(), SyntaxError> {
        let json = read_raw_json(cursor, dictionary, MAX_NESTING + 1)?;
        chunk.push(UNSHAPED, &[(ROOT_PATH, json)]).map_err(cursor.out_of_memory())
    }
}
