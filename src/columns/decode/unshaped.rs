//! The fields of a finding that has no shape and is kept as raw JSON.

use super::cursor::Cursor;
use super::error::{MAX_NESTING, SyntaxError};
use super::skip::skip_value;
use super::value::{Key, next_key, read_raw_json, read_scalar, read_string};
use crate::cell::Cell;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, push, resize};
use crate::shapes::{MAX_DEPTH, PathId, ROOT_PATH};

/// Reads the fields into `values`, as far as there can be columns for them. The last value of a repeated key wins.
///
/// The finding has been skipped before, so that its JSON is valid.
pub(super) fn read_fields(
    cursor: &mut Cursor<'_>,
    dictionary: &mut Dictionary,
    scratch: &mut Vec<u8>,
    values: &mut Vec<(PathId, Cell)>,
) -> Result<(), SyntaxError> {
    values.clear();
    let mut fields = Fields { dictionary, scratch, values, spans: Vec::new() };
    fields.read_object(cursor, ROOT_PATH, 0)?;
    values.retain(|(_, cell)| *cell != Cell::MISSING);
    Ok(())
}

struct Fields<'a> {
    dictionary: &'a mut Dictionary,
    scratch: &'a mut Vec<u8>,
    values: &'a mut Vec<(PathId, Cell)>,
    /// The range in `values` of each path: its value, and for an object the values inside.
    spans: Vec<(usize, usize)>,
}

impl Fields<'_> {
    fn read_object(&mut self, cursor: &mut Cursor<'_>, object: PathId, depth: u32) -> Result<(), SyntaxError> {
        cursor.expect(b"{")?;
        let mut is_first = true;
        while let Some(key) = next_key(cursor, self.scratch, is_first)? {
            is_first = false;
            let path = match key {
                Key::Name(name) => self.dictionary.shapes.intern_path(object, name).map_err(cursor.out_of_memory())?,
                Key::LoneSurrogates => None,
            };
            let Some(path) = path else {
                skip_value(cursor, MAX_NESTING)?;
                continue;
            };
            self.read_field(cursor, path, depth)?;
        }
        Ok(())
    }

    fn read_field(&mut self, cursor: &mut Cursor<'_>, path: PathId, depth: u32) -> Result<(), SyntaxError> {
        let no_memory = cursor.out_of_memory();
        self.forget(path);
        let start = self.values.len();
        push(self.values, (path, Cell::OBJECT)).map_err(&no_memory)?;
        if cursor.peek() == b'{' && depth < MAX_DEPTH {
            self.read_object(cursor, path, depth + 1)?;
        } else {
            let cell = self.read_value(cursor)?;
            if let Some(value) = self.values.get_mut(start) {
                value.1 = cell;
            }
        }
        self.note(path, start).map_err(no_memory)
    }

    fn read_value(&mut self, cursor: &mut Cursor<'_>) -> Result<Cell, SyntaxError> {
        if cursor.peek() == b'"' {
            return read_string(cursor, self.dictionary, self.scratch);
        }
        match read_scalar(cursor, self.dictionary)? {
            Some(cell) => Ok(cell),
            None => read_raw_json(cursor, self.dictionary, MAX_NESTING),
        }
    }

    /// Marks the values of an earlier key of the same name as missing.
    fn forget(&mut self, path: PathId) {
        let (start, end) = self.spans.get(path as usize).copied().unwrap_or_default();
        for (_, cell) in self.values.get_mut(start..end).unwrap_or_default() {
            *cell = Cell::MISSING;
        }
    }

    fn note(&mut self, path: PathId, start: usize) -> Result<(), OutOfMemory> {
        if path as usize >= self.spans.len() {
            resize(&mut self.spans, path as usize + 1, (0, 0))?;
        }
        if let Some(span) = self.spans.get_mut(path as usize) {
            *span = (start, self.values.len());
        }
        Ok(())
    }
}
