//! Numbers and lists as bytes. A list is read where it lies, so its bytes need no alignment.

use std::ops::Range;

use thiserror::Error;

use crate::invariant::Certain;
use crate::memory::{OutOfMemory, check_reserve, extend, resize_bytes};

/// A number of 32 bits, as it lies among bytes.
pub type Word = [u8; 4];

/// Returns a number of 32 bits.
#[inline]
pub fn word_of(word: &Word) -> u32 {
    u32::from_le_bytes(*word)
}

/// Where items end that lie one after the other.
#[derive(Clone, Copy, Default)]
pub struct Ends<'bytes>(pub(crate) &'bytes [Word]);

impl Ends<'_> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns where this many items end.
    #[inline]
    pub(crate) fn of_first(&self, count: usize) -> usize {
        count.checked_sub(1).and_then(|last| self.0.get(last)).map_or(0, word_of) as usize
    }

    /// Returns where an item lies.
    #[inline]
    pub fn range(&self, at: usize) -> Option<Range<usize>> {
        Some(self.of_first(at)..word_of(self.0.get(at)?) as usize)
    }
}

/// Writes numbers and lists one after the other.
#[derive(Default)]
pub struct Packer {
    bytes: Vec<u8>,
}

/// Reads the output of a [`Packer`], in the same order. Trusts nothing.
pub struct Unpacker<'bytes> {
    rest: &'bytes [u8],
}

/// Why bytes cannot be unpacked.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UnpackError {
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The bytes were not packed by this crate.
    #[error("the packed columns are malformed")]
    Malformed,
}

impl Packer {
    /// Returns all that was written.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.shrink_to_fit();
        self.bytes
    }

    /// Makes room for exactly as many bytes more.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve_exact(more)?;
        check_reserve()
    }

    /// Writes a number of 32 bits.
    pub fn word(&mut self, word: u32) -> Result<(), OutOfMemory> {
        self.append(&word.to_le_bytes())
    }

    /// Writes a list of bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        self.word(word_of_length(bytes.len()))?;
        self.append(bytes)
    }

    /// Writes a list of numbers of `N` bytes each.
    pub fn list<const N: usize>(&mut self, list: impl ExactSizeIterator<Item = [u8; N]>) -> Result<(), OutOfMemory> {
        self.word(word_of_length(list.len()))?;
        self.items(list)
    }

    /// Writes numbers of `N` bytes each, without their number.
    pub fn items<const N: usize>(&mut self, list: impl ExactSizeIterator<Item = [u8; N]>) -> Result<(), OutOfMemory> {
        let target = self.room(list.len() * N)?;
        // Compiles to one copy if the items are contiguous.
        for (target, item) in target.as_chunks_mut::<N>().0.iter_mut().zip(list) {
            *target = item;
        }
        Ok(())
    }

    /// Writes a list of numbers of 32 bits.
    pub fn words(&mut self, words: &[u32]) -> Result<(), OutOfMemory> {
        self.list(words.iter().map(|word| word.to_le_bytes()))
    }

    /// Writes bytes without their number.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        extend(&mut self.bytes, bytes)
    }

    /// Appends room for a number of bytes, and returns it.
    pub fn room(&mut self, length: usize) -> Result<&mut [u8], OutOfMemory> {
        let start = self.bytes.len();
        resize_bytes(&mut self.bytes, start + length)?;
        Ok(self.bytes.get_mut(start..).certain())
    }
}

impl<'bytes> Unpacker<'bytes> {
    /// Reads these bytes from an offset on.
    #[inline]
    pub fn new(bytes: &'bytes [u8], at: usize) -> Self {
        Unpacker { rest: bytes.get(at..).certain() }
    }

    /// Returns the number of bytes that have not been read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads a number of 32 bits.
    #[inline]
    pub fn word(&mut self) -> Result<u32, UnpackError> {
        self.items::<4>(1).map(|word| word_of(word.first().certain()))
    }

    /// Reads a number of 64 bits.
    pub fn long(&mut self) -> Result<u64, UnpackError> {
        Ok(u64::from(self.word()?) | u64::from(self.word()?) << 32)
    }

    /// Reads a list of numbers of `N` bytes each.
    #[inline]
    pub fn list<const N: usize>(&mut self) -> Result<&'bytes [[u8; N]], UnpackError> {
        let count = self.word()?;
        self.items(count as usize)
    }

    /// Reads a list of bytes.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'bytes [u8], UnpackError> {
        Ok(self.list::<1>()?.as_flattened())
    }

    /// Reads this many numbers of `N` bytes each.
    #[inline]
    pub fn items<const N: usize>(&mut self, count: usize) -> Result<&'bytes [[u8; N]], UnpackError> {
        let length = count.checked_mul(N).ok_or(UnpackError::Malformed)?;
        let (items, rest) = self.rest.split_at_checked(length).ok_or(UnpackError::Malformed)?;
        self.rest = rest;
        Ok(items.as_chunks().0)
    }

    /// Fails unless everything has been read.
    pub fn check_end(&self) -> Result<(), UnpackError> {
        check(self.rest.is_empty())
    }
}

/// Returns what was read of a chunk, which is not malformed: it was checked where it arrived, or has just been packed.
///
/// # Errors
///
/// Out of memory.
pub fn of_chunk<T>(read: Result<T, UnpackError>) -> Result<T, OutOfMemory> {
    match read {
        Ok(read) => Ok(read),
        Err(UnpackError::OutOfMemory(error)) => Err(error),
        Err(UnpackError::Malformed) => Ok(None.certain()),
    }
}

/// Returns a length, which has 32 bits: memory has no room for more.
fn word_of_length(length: usize) -> u32 {
    u32::try_from(length).ok().certain()
}

/// Fails if packed bytes violate a condition.
pub fn check(is_right: bool) -> Result<(), UnpackError> {
    if is_right { Ok(()) } else { Err(UnpackError::Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_written() {
        let mut packer = Packer::default();
        packer.word(7).unwrap();
        packer.bytes(b"abc").unwrap();
        packer.list([1_u16, 65_535].iter().map(|short| short.to_le_bytes())).unwrap();
        let bytes = packer.finish();
        let mut unpacker = Unpacker::new(&bytes, 0);
        assert_eq!((unpacker.word(), unpacker.bytes()), (Ok(7), Ok(b"abc".as_slice())));
        let shorts = unpacker.list::<2>().unwrap();
        assert_eq!(shorts.iter().map(|short| u16::from_le_bytes(*short)).collect::<Vec<_>>(), [1, 65_535]);
        assert_eq!(unpacker.check_end(), Ok(()));
    }

    #[test]
    fn refuses_a_length_beyond_the_end() {
        let mut packer = Packer::default();
        packer.word(u32::MAX).unwrap();
        let bytes = packer.finish();
        assert_eq!(Unpacker::new(&bytes, 0).bytes(), Err(UnpackError::Malformed));
        assert!(Unpacker::new(&bytes, 0).list::<8>().is_err());
        assert_eq!(Unpacker::new(&bytes, 0).check_end(), Err(UnpackError::Malformed));
    }
}
