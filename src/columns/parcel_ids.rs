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
    /// Returns the cell in the dictionary for the word of a cell in the parcel.
    pub(crate) fn cell(&self, word: u32) -> Result<u32, UnpackError> {
        let cell = match Cell::from_word(word).content() {
            Content::Text(id) => self.strings.get(id as usize).copied().map(Cell::text),
            Content::RawJson(id) => self.strings.get(id as usize).copied().map(Cell::raw_json),
            Content::Number(id) => self.numbers.get(id as usize).copied(),
            _ => return Ok(word),
        };
        cell.map(Cell::word).ok_or(UnpackError::Malformed)
    }

    /// Returns the path in the dictionary for a path in the parcel.
    pub(crate) fn path(&self, path: PathId) -> Result<PathId, UnpackError> {
        self.paths.get(path as usize).copied().ok_or(UnpackError::Malformed)
    }

    /// Returns the shape in the dictionary for a shape in the parcel.
    pub(crate) fn shape(&self, shape: ShapeId) -> Result<ShapeId, UnpackError> {
        if shape == UNSHAPED {
            return Ok(shape);
        }
        self.shapes.get(shape as usize).copied().ok_or(UnpackError::Malformed)
    }
}
