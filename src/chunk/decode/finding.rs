//! Decodes findings into cells.
//!
//! Findings resemble each other. The reader predicts from earlier findings which bytes come between two values (commas, keys, colons, white
//! space), and compares. It also compares strings with recent ones. Only what differs is parsed, looked up or hashed.

use super::number;
use super::projection::Projection;
use super::string_cache::StringCache;
use super::value::{Key, next_key, read_raw_json, read_scalar, read_string};
use crate::chunk_builder::ChunkBuilder;
use crate::json::cursor::Cursor;
use crate::json::error::{MAX_NESTING, SyntaxError};
use crate::json::skip::skip_value;
use crate::json::string;
use crate::memory::{OutOfMemory, push_hot, resize};
use crate::value::cell::Cell;
use crate::value::dictionary::Dictionary;
use crate::value::shapes::{Event, MAX_DEPTH, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, UNSHAPED};

/// Reads the findings of one body.
pub(super) struct FindingReader {
    /// The prediction for each shape.
    predictions: Vec<Prediction>,
    /// The values of the current finding.
    values: Vec<(PathId, Cell)>,
    strings: StringCache,
    scratch: Vec<u8>,
    /// The paths and shapes of findings, and what they keep of them.
    pub(super) projection: Projection,
}

/// The prediction for a shape, from what followed it last. Only shapes that end with a value, and shapes of whole findings, have
/// predictions.
#[derive(Clone, Copy)]
struct Prediction {
    /// The last event of the shape.
    event: Event,
    /// The column of the event's value; [`SKIPPED`] if findings do not keep it.
    column: PathId,
    /// Where the last string that was skipped here begins and ends. Findings repeat their comment.
    skipped: (usize, usize),
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
const SKIPPED: PathId = PathId::MAX;
const UNSEEN: Prediction = Prediction {
    event: Event::Open(ROOT_PATH),
    column: SKIPPED,
    skipped: (0, 0),
    prefix: NOWHERE,
    crosses_braces: false,
    next: [UNKNOWN; 2],
};

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
    /// Reads findings, which have had no path and no shape so far.
    pub(super) fn new(projection: Projection) -> Self {
        FindingReader {
            predictions: Vec::new(),
            values: Vec::new(),
            strings: StringCache::default(),
            scratch: Vec::new(),
            projection,
        }
    }

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
            Some(shape) => Ok(chunk.push(shape, &self.values)?),
            None => {
                *cursor = start;
                self.read_unshaped(cursor, dictionary, chunk)
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
            let Prediction { event, column, crosses_braces, .. } = *prediction;
            if crosses_braces {
                self.push_objects(shape)?;
            }
            if event == Event::Close(ROOT_PATH) {
                return Ok(self.projection.shape(shape, dictionary)?);
            }
            if column == SKIPPED {
                self.skip_value(cursor, shape)?;
                continue;
            }
            let cell = self.read_value(cursor, dictionary, column, shape)?;
            push_hot(&mut self.values, (column, cell))?;
        }
    }

    /// Pushes the objects that begin between the previous value and the last event of a shape.
    fn push_objects(&mut self, shape: ShapeId) -> Result<(), OutOfMemory> {
        let mut at = self.projection.all.previous(shape);
        loop {
            match self.projection.all.event(at) {
                // The shape of a finding with only an opening brace has this event, too.
                Some(event @ Event::Open(path)) if path != ROOT_PATH => {
                    if let Some(event) = self.projection.kept_of(event) {
                        push_hot(&mut self.values, (event.path(), Cell::OBJECT))?;
                    }
                }
                Some(Event::Close(_)) => {}
                _ => return Ok(()),
            }
            at = self.projection.all.previous(at);
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
            None => read_raw_json(cursor, dictionary, self.nesting_left(shape)),
        }
    }

    /// Checks and skips the value at the cursor.
    fn skip_value(&mut self, cursor: &mut Cursor<'_>, shape: ShapeId) -> Result<(), SyntaxError> {
        match cursor.peek() {
            b'"' => {
                let Some(Prediction { skipped, .. }) = self.predictions.get_mut(shape as usize) else { return Ok(()) };
                if !cursor.consume_repeat(skipped.0, skipped.1) {
                    skipped.0 = cursor.at;
                    string::read(cursor, &mut self.scratch)?;
                    skipped.1 = cursor.at;
                }
                Ok(())
            }
            _ if number::read_short_integer(cursor).is_some() => Ok(()),
            _ => skip_value(cursor, self.nesting_left(shape)).map(drop),
        }
    }

    /// The depth to which the last value of a shape may be nested.
    fn nesting_left(&self, shape: ShapeId) -> usize {
        MAX_NESTING - self.projection.all.depth(shape) as usize
    }

    fn read_new_string(
        &mut self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        column: PathId,
    ) -> Result<Cell, SyntaxError> {
        let start = *cursor;
        let cell = read_string(cursor, dictionary, column, &mut self.scratch)?;
        self.strings.insert(&start, cursor.at, cell)?;
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
            let Some(next) = self.projection.all.transition(last, event)? else {
                return Ok(None);
            };
            if matches!(event, Event::Value(_) | Event::Close(ROOT_PATH)) {
                let prefix = Prefix::new(cursor, start);
                let crosses_braces = last != shape;
                let column = self.projection.kept_of(event).map_or(SKIPPED, Event::path);
                let prediction = Prediction { event, column, prefix, crosses_braces, ..UNSEEN };
                self.learn(shape, next, prediction)?;
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
        let shapes = &mut self.projection.all;
        let object = shapes.current_object(shape);
        let is_first = shapes.is_empty_object(shape);
        let path = match next_key(cursor, &mut self.scratch, is_first)? {
            None => return Ok(Some(Event::Close(object))),
            Some(Key::Name(name)) => shapes.intern_path(object, name)?,
            Some(Key::LoneSurrogates) => None,
        };
        let Some(path) = path else {
            return Ok(None);
        };
        let is_open = cursor.peek() == b'{' && shapes.depth(shape) < MAX_DEPTH;
        if !self.projection.add_path(path, dictionary)? {
            return Ok(None);
        }
        if is_open {
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

    /// Reads the finding as raw JSON. If findings keep only some columns, it may have a shape without the others.
    #[cold]
    fn read_unshaped(
        &self,
        cursor: &mut Cursor<'_>,
        dictionary: &mut Dictionary,
        chunk: &mut ChunkBuilder,
    ) -> Result<(), SyntaxError> {
        if !self.projection.keeps_all() {
            let json = skip_value(cursor, MAX_NESTING + 1)?;
            let pruned = self.projection.pruned(cursor.between(json.start, json.end))?;
            let one = Projection::of_one(dictionary.seed.clone())?;
            return Self::new(one).read(&mut Cursor { body: &pruned, at: 0 }, dictionary, chunk);
        }
        let json = read_raw_json(cursor, dictionary, MAX_NESTING + 1)?;
        Ok(chunk.push(UNSHAPED, &[(ROOT_PATH, json)])?)
    }
}
