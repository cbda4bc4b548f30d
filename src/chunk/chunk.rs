//! A chunk: the findings of one partition, in columns, and all that the columns refer to.
//!
//! A chunk never changes, and lies in one buffer, the same in memory, in a message and in a saved table. In the buffer are, one after the
//! other: the number of findings; whether it has rows of a view, and a finding without a shape; the paths of the values, in the
//! order of first occurrence; the shape of each finding, as a column; the columns by path, each after its encoding; the strings; the numbers; the paths and shapes.
//!
//! Equal cells of a chunk are equal values. Equal values may have several cells: long strings that rarely repeat, `-0` and `0`, and raw JSON
//! that spells one value in different ways.

use crate::column::Column;
use crate::invariant::Certain;
use crate::json::raw_json;
use crate::memory::{push, with_capacity};
use crate::packing::{UnpackError, Unpacker, check, word_of};
use crate::value::Value;
use crate::value::cell::{Cell, Content};
use crate::value::shapes::PathId;
use crate::value::strings::{StringKind, Strings};
use crate::value::structure::Structure;

/// The findings of one partition.
pub struct Chunk {
    bytes: Vec<u8>,
    length: usize,
    /// Whether it has the rows of a view.
    is_view: bool,
    /// Whether a finding, of the chunk or of the table of its view, has no shape, so that its fields have no columns.
    has_unshaped: bool,
    /// Where the shape of each finding, the strings, the numbers, and the paths and shapes begin.
    shapes: usize,
    strings: usize,
    numbers: usize,
    structure: usize,
    /// Where each column begins, by path. There may be no column for a path that no finding of this partition has.
    pub(crate) columns: Vec<usize>,
}

/// Where the paths of the values begin.
const VALUE_PATHS: usize = 12;

impl Chunk {
    /// Finds the parts of a chunk.
    pub(crate) fn places(bytes: Vec<u8>) -> Result<Self, UnpackError> {
        let mut unpacker = Unpacker::new(&bytes, 0);
        let length = unpacker.word()? as usize;
        let (is_view, has_unshaped) = (unpacker.word()? != 0, unpacker.word()? != 0);
        unpacker.list::<4>()?;
        let at = |unpacker: &Unpacker<'_>| bytes.len() - unpacker.left();
        let shapes = at(&unpacker);
        Column::unpack(&mut unpacker)?;
        let count = unpacker.word()? as usize;
        // A column takes some bytes, so a wrong number allocates no more than the bytes take.
        check(count <= bytes.len())?;
        let mut columns = with_capacity(count.min(bytes.len() / size_of::<usize>() + 1))?;
        for _ in 0..count {
            push(&mut columns, at(&unpacker))?;
            Column::unpack(&mut unpacker)?;
        }
        let strings = at(&unpacker);
        Strings::unpack(&mut unpacker)?;
        let numbers = at(&unpacker);
        unpacker.list::<8>()?;
        let structure = at(&unpacker);
        Structure::unpack(&mut unpacker)?;
        unpacker.check_end()?;
        Ok(Chunk { length, is_view, has_unshaped, shapes, strings, numbers, structure, columns, bytes })
    }

    /// Returns the bytes of the chunk.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if a finding has no shape, so that its fields have no columns.
    pub fn has_unshaped(&self) -> bool {
        self.has_unshaped
    }

    /// Returns true if a number, or a number in raw JSON, is an integer that is not safe.
    pub fn has_unsafe_integer(&self) -> bool {
        let strings = self.strings();
        self.numbers().iter().any(|number| raw_json::is_unsafe_integer(f64::from_le_bytes(*number)))
            || (0..strings.len() as u32)
                .filter(|id| strings.kind(*id) == Some(StringKind::RawJson))
                .any(|id| strings.get(id).is_some_and(|(_, json)| raw_json::has_unsafe_integer(json)))
    }

    /// Returns true if the chunk has rows of a view.
    pub fn is_view(&self) -> bool {
        self.is_view
    }

    /// Returns the paths of the values, in the order of first occurrence.
    pub fn value_paths(&self) -> impl ExactSizeIterator<Item = PathId> {
        self.part(VALUE_PATHS, Unpacker::list::<4>).iter().map(word_of)
    }

    /// Returns the shape of each finding.
    pub fn shapes(&self) -> Column<'_> {
        self.part(self.shapes, Column::unpack)
    }

    /// Returns the column of a path, an empty one if the chunk has none.
    #[inline]
    pub fn column(&self, path: PathId) -> Column<'_> {
        self.columns.get(path as usize).map_or(Column::EMPTY, |at| self.part(*at, Column::unpack))
    }

    /// Returns the strings and the raw JSON.
    #[inline]
    pub fn strings(&self) -> Strings<'_> {
        self.part(self.strings, Strings::unpack)
    }

    /// Returns the numbers that do not fit into a cell.
    #[inline]
    pub fn numbers(&self) -> &[[u8; 8]] {
        self.part(self.numbers, Unpacker::list::<8>)
    }

    /// Returns a number that does not fit into a cell; `None` for an unknown id.
    #[inline]
    pub fn number(&self, id: u32) -> Option<f64> {
        self.numbers().get(id as usize).map(|number| f64::from_le_bytes(*number))
    }

    /// Returns the paths and shapes.
    pub fn structure(&self) -> Structure<'_> {
        self.part(self.structure, Structure::unpack)
    }

    /// Reads a part that begins at an offset.
    #[inline]
    fn part<'chunk, T>(
        &'chunk self,
        at: usize,
        unpack: impl FnOnce(&mut Unpacker<'chunk>) -> Result<T, UnpackError>,
    ) -> T {
        unpack(&mut Unpacker::new(&self.bytes, at)).ok().certain()
    }

    /// Returns the bytes of memory that the chunk holds.
    pub fn byte_length(&self) -> usize {
        self.bytes.capacity() + self.columns.capacity() * size_of::<usize>() + size_of::<Self>()
    }
}

/// Returns the value of a cell, whose number or text these return by id.
#[inline]
pub fn value_of<'a>(cell: Cell, number: impl FnOnce(u32) -> f64, text: impl FnOnce(u32) -> &'a str) -> Value<'a> {
    match cell.content() {
        Content::Integer(value) => Value::Number(f64::from(value)),
        Content::Number(id) => Value::Number(number(id)),
        Content::Text(id) => Value::Text(text(id)),
        Content::RawJson(id) => Value::Json(text(id)),
        Content::Null => Value::Null,
        Content::Boolean(value) => Value::Boolean(value),
        Content::Object => Value::Object,
        Content::Missing => Value::Missing,
    }
}
