//! The entries of a dictionary for those of a parcel.

use super::cell::{Cell, Content};
use super::packing::UnpackError;
use super::shapes::{PathId, ShapeId, UNSHAPED};

/// For each entry of a parcel, by its number there, that of the dictionary.
#[derive(Default)]
pub(crate) struct ParcelIds {
    pub(crate) strings: Vec<u32>,
    pub(crate) numbers: Vec<Cell>,
    pub(crate) paths: Vec<PathId>,
    pub(crate) shapes: Vec<ShapeId>,
}

impl ParcelIds {
    /// Replaces the words of cells of the parcel by those of the dictionary. Returns whether one has changed.
    pub(crate) fn map_cells(&self, words: &mut [u32]) -> Result<bool, UnpackError> {
        map(words, |word| {
            let cell = match Cell::from_word(word).content() {
                Content::Text(id) => self.strings.get(id as usize).copied().map(Cell::text),
                Content::RawJson(id) => self.strings.get(id as usize).copied().map(Cell::raw_json),
                Content::Number(id) => self.numbers.get(id as usize).copied(),
                _ => return Some(word),
            };
            cell.map(Cell::word)
        })
    }

    /// Replaces shapes of the parcel by those of the dictionary. Returns whether one has changed.
    pub(crate) fn map_shapes(&self, shapes: &mut [ShapeId]) -> Result<bool, UnpackError> {
        map(shapes, |shape| if shape == UNSHAPED { Some(shape) } else { self.shapes.get(shape as usize).copied() })
    }

    /// Returns the path in the dictionary for a path in the parcel.
    pub(crate) fn path(&self, path: PathId) -> Result<PathId, UnpackError> {
        self.paths.get(path as usize).copied().ok_or(UnpackError::Malformed)
    }
}

/// Replaces each word by the one that it stands for.
fn map(words: &mut [u32], meaning: impl Fn(u32) -> Option<u32>) -> Result<bool, UnpackError> {
    let mut has_changed = false;
    for word in words {
        let mapped = meaning(*word).ok_or(UnpackError::Malformed)?;
        has_changed |= mapped != *word;
        *word = mapped;
    }
    Ok(has_changed)
}
