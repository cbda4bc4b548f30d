//! The dictionary that all partitions of a call share.

use super::cell::{Cell, Content};
use super::decode::raw_json;
use super::hash_seed::HashSeed;
use super::memory::{OutOfMemory, extend};
use super::number_interner::{NumberInterner, ReadNumber, rust_number};
use super::packing::Packer;
use super::shapes::Shapes;
use super::string_interner::{Savepoint, StringInterner, StringKind};

/// The distinct strings, numbers, paths and shapes of a call.
/// Partitions are decoded one after the other. A decoder first [rolls back](Self::rollback) uncommitted entries, and commits its own
/// entries once its partition is complete.
pub struct Dictionary {
    /// Strings and raw JSON.
    pub strings: StringInterner,
    /// Numbers that do not fit into a cell.
    pub numbers: NumberInterner,
    /// Paths and shapes.
    pub shapes: Shapes,
    seed: HashSeed,
    committed: Position,
    columns: Option<Vec<u8>>,
}

/// The sizes of a dictionary at some moment.
#[derive(Clone)]
pub(crate) struct Position {
    strings: Savepoint,
    numbers: usize,
    paths: usize,
    shapes: usize,
}

impl Default for Position {
    fn default() -> Self {
        Self { strings: Savepoint::default(), numbers: 0, paths: 1, shapes: 1 }
    }
}

/// The value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// The finding lacks the field.
    Missing,
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string without lone surrogates.
    Text(&'a str),
    /// The raw JSON of an array, of an object nested too deep for columns of its own, or of a string with lone surrogates.
    Json(&'a str),
    /// An object whose fields have separate columns.
    Object,
}

/// An empty dictionary that parses numbers with Rust's standard library, with a fixed hash seed. For tests.
impl Default for Dictionary {
    fn default() -> Self {
        Self::new(rust_number, HashSeed::new(0.5))
    }
}

impl Dictionary {
    /// An empty dictionary. `read` parses the numbers that need correct rounding.
    pub fn new(read: ReadNumber, seed: HashSeed) -> Self {
        Self::with_numbers(Some(read), seed)
    }

    /// An empty dictionary for a partition that will be packed. Numbers that need correct rounding are parsed when it is unpacked.
    pub fn deferring(seed: HashSeed) -> Self {
        Self::with_numbers(None, seed)
    }

    fn with_numbers(read: Option<ReadNumber>, seed: HashSeed) -> Self {
        Dictionary {
            strings: StringInterner::new(seed.clone()),
            numbers: NumberInterner::new(read, seed.clone()),
            shapes: Shapes::new(seed.clone()),
            seed,
            committed: Position::default(),
            columns: None,
        }
    }

    /// An empty dictionary with the same seed and the same way to parse numbers.
    pub(crate) fn emptied(&self) -> Self {
        Self::with_numbers(self.numbers.reader(), self.seed.clone())
    }

    /// Keeps only these columns of the findings to come, each name followed by the byte `0xFF`; all columns if `None`.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn keep_only(&mut self, columns: Option<&[u8]>) -> Result<(), OutOfMemory> {
        self.columns = None;
        if let Some(names) = columns {
            let mut copy = Vec::new();
            extend(&mut copy, names)?;
            self.columns = Some(copy);
        }
        Ok(())
    }

    /// Returns the names of the columns to keep, unless all are kept.
    pub fn columns(&self) -> Option<&[u8]> {
        self.columns.as_deref()
    }

    /// Returns the seed of all hashes of its entries, and of cells that refer to them.
    pub(crate) fn seed(&self) -> &HashSeed {
        &self.seed
    }

    /// Removes everything added since the last commit.
    pub fn rollback(&mut self) {
        self.strings.rollback(&self.committed.strings);
        self.numbers.truncate(self.committed.numbers);
        self.shapes.truncate(self.committed.paths, self.committed.shapes);
    }

    /// Keeps everything added so far.
    pub fn commit(&mut self) {
        self.committed = Position {
            strings: self.strings.savepoint(),
            numbers: self.numbers.values().len(),
            paths: self.shapes.path_count(),
            shapes: self.shapes.shape_count(),
        };
    }

    /// Returns the number of committed paths.
    pub(crate) fn committed_paths(&self) -> usize {
        self.committed.paths
    }

    /// Returns the sizes at the last commit.
    pub(crate) fn committed(&self) -> &Position {
        &self.committed
    }

    /// Packs the entries that were committed at some moment.
    pub(crate) fn pack(&self, packer: &mut Packer<'_>, committed: &Position) -> Result<(), OutOfMemory> {
        let Position { strings, numbers, paths, shapes } = committed;
        self.strings.pack(packer, strings.len())?;
        self.numbers.pack(packer, *numbers)?;
        self.shapes.pack(packer, *paths, *shapes)
    }

    /// Returns the value of a cell.
    pub fn value(&self, cell: Cell) -> Value<'_> {
        match cell.content() {
            Content::Integer(value) => Value::Number(f64::from(value)),
            Content::Number(id) => Value::Number(self.numbers.value(id)),
            Content::Text(id) => Value::Text(self.strings.text(id)),
            Content::RawJson(id) => Value::Json(self.strings.text(id)),
            Content::Null => Value::Null,
            Content::Boolean(value) => Value::Boolean(value),
            Content::Object => Value::Object,
            Content::Missing => Value::Missing,
        }
    }

    /// Returns the value of a cell if it is a number.
    pub(crate) fn number(&self, cell: Cell) -> Option<f64> {
        match cell.content() {
            Content::Integer(value) => Some(f64::from(value)),
            Content::Number(id) => Some(self.numbers.value(id)),
            _ => None,
        }
    }

    /// Returns true if one of the numbers that were committed at some moment, or a number in raw JSON, is an integer that is not safe.
    pub(crate) fn has_unsafe_integer(&self, committed: &Position) -> bool {
        let mut numbers = self.numbers.values().iter().take(committed.numbers);
        let mut strings = 0..committed.strings.len() as u32;
        numbers.any(|number| raw_json::is_unsafe_integer(*number))
            || strings.any(|id| {
                self.strings.kind(id) == Some(StringKind::RawJson)
                    && raw_json::has_unsafe_integer(self.strings.bytes(id))
            })
    }

    /// Returns the bytes of memory that the dictionary holds.
    pub(crate) fn byte_length(&self) -> usize {
        self.strings.byte_length() + self.numbers.byte_length() + self.shapes.byte_length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_removes_what_is_not_committed() {
        let mut dictionary = Dictionary::default();
        dictionary.rollback();
        let kept = dictionary.strings.intern(StringKind::Ascii, b"kept").unwrap();
        dictionary.numbers.intern(0.5).unwrap();
        dictionary.shapes.intern_path(0, "kept").unwrap();
        dictionary.commit();
        dictionary.strings.intern(StringKind::Latin1, "verwürfen".as_bytes()).unwrap();
        dictionary.numbers.intern(0.25).unwrap();
        dictionary.shapes.intern_path(0, "dropped").unwrap();
        dictionary.rollback();
        assert_eq!(dictionary.strings.find(StringKind::Ascii, b"kept"), Some(kept));
        assert_eq!(dictionary.strings.find(StringKind::Latin1, "verwürfen".as_bytes()), None);
        assert_eq!(dictionary.numbers.values(), [0.5]);
        assert_eq!(dictionary.shapes.path_count(), 2);
    }
}
