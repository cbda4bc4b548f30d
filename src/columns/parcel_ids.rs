//! The mapping from the entries of a parcel to the entries of a dictionary.

use super::cell::{Cell, Content};
use super::memory::push;
use super::packing::{UnpackError, Unpacker};
use super::shapes::{Event, PathId, ShapeId, Shapes, UNSHAPED};
use super::string_interner::{StringInterner, StringKind};

/// For each entry of a parcel, by its id in the parcel, the entry of the dictionary.
#[derive(Default)]
pub(crate) struct ParcelIds {
    pub(crate) strings: Vec<u32>,
    pub(crate) numbers: Vec<Cell>,
    pub(crate) paths: Vec<PathId>,
    pub(crate) shapes: Vec<ShapeId>,
}

impl ParcelIds {
    /// Replaces cells of the parcel with cells of the dictionary, which has these strings. Returns whether one has changed.
    pub(crate) fn map_cells(&self, words: &mut [u32], strings: &StringInterner) -> Result<bool, UnpackError> {
        let is_raw_json = |id: &u32| strings.kind(*id) == Some(StringKind::RawJson);
        map(words, |word| {
            let cell = match Cell::from_word(word).content() {
                Content::Text(id) => self.strings.get(id as usize).copied().map(Cell::text),
                Content::RawJson(id) => self.strings.get(id as usize).copied().filter(is_raw_json).map(Cell::raw_json),
                Content::Number(id) => self.numbers.get(id as usize).copied(),
                _ => return Some(word),
            };
            cell.map(Cell::word)
        })
    }

    /// Replaces shapes of the parcel with shapes of the dictionary. Returns whether one has changed.
    pub(crate) fn map_shapes(&self, shapes: &mut [ShapeId]) -> Result<bool, UnpackError> {
        map(shapes, |shape| if shape == UNSHAPED { Some(shape) } else { self.shapes.get(shape as usize).copied() })
    }

    /// Adds the next path of the parcel to the dictionary.
    pub(crate) fn unpack_path(&mut self, unpacker: &mut Unpacker<'_>, known: &mut Shapes) -> Result<(), UnpackError> {
        let parent = self.path(unpacker.word()?)?;
        let name = std::str::from_utf8(unpacker.bytes()?).map_err(|_| UnpackError::Malformed)?;
        Ok(push(&mut self.paths, known.intern_path(parent, name)?.ok_or(UnpackError::Malformed)?)?)
    }

    /// Adds the next shape of the parcel to the dictionary.
    pub(crate) fn unpack_shape(&mut self, unpacker: &mut Unpacker<'_>, known: &mut Shapes) -> Result<(), UnpackError> {
        let previous = *self.shapes.get(unpacker.word()? as usize).ok_or(UnpackError::Malformed)?;
        let event = Event::of_word(unpacker.word()?).ok_or(UnpackError::Malformed)?;
        let event = event.at(self.path(event.path())?);
        Ok(push(&mut self.shapes, known.transition(previous, event)?.ok_or(UnpackError::Malformed)?)?)
    }

    /// Returns the path in the dictionary for a path in the parcel.
    pub(crate) fn path(&self, path: PathId) -> Result<PathId, UnpackError> {
        self.paths.get(path as usize).copied().ok_or(UnpackError::Malformed)
    }
}

/// Replaces each word with its meaning. Returns whether one has changed.
fn map(words: &mut [u32], meaning: impl Fn(u32) -> Option<u32>) -> Result<bool, UnpackError> {
    let mut has_changed = false;
    for word in words {
        let mapped = meaning(*word).ok_or(UnpackError::Malformed)?;
        has_changed |= mapped != *word;
        *word = mapped;
    }
    Ok(has_changed)
}
