//! Packed rows without the bytes of their strings: the form that JavaScript reads.

use crate::memory::OutOfMemory;
use crate::packing::Packer;

/// The lists of packed rows. Each stands after the number of its items; the bytes of the strings follow.
pub struct PackedHead<'rows> {
    /// The words of the [rows](super::row_buffer::RowBuffer).
    pub rows: &'rows [u32],
    /// For each shape the number of its events, and the events. Empty if the reader asks for each shape.
    pub shapes: &'rows [u32],
    /// The words of the strings, as those of [pieces](super::string_pieces::divide).
    pub strings: &'rows [u32],
    /// The numbers.
    pub numbers: &'rows [[u8; 8]],
    /// The last keys of the paths, each followed by the byte `0xFF`. Empty if the reader asks for each shape.
    pub names: &'rows [u8],
}

impl PackedHead<'_> {
    /// Writes the lists, and makes room for the bytes of the strings.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn pack(&self, string_bytes: usize, packer: &mut Packer) -> Result<(), OutOfMemory> {
        let words = size_of_val(self.rows) + size_of_val(self.shapes) + size_of_val(self.strings);
        let lengths = 5 * size_of::<u32>();
        packer.reserve(words + size_of_val(self.numbers) + self.names.len() + lengths + string_bytes)?;
        packer.words(self.rows)?;
        packer.words(self.shapes)?;
        packer.words(self.strings)?;
        packer.list(self.numbers.iter().copied())?;
        packer.bytes(self.names)
    }
}
