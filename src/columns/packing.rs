//! Lists of numbers as bytes, to send data to another thread.

use thiserror::Error;

use super::memory::{OutOfMemory, reserve, resize_bytes, with_capacity};

/// Writes numbers and lists one after the other.
#[derive(Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
}

/// Reads the output of a [`Packer`], in the same order. Trusts nothing.
pub(crate) struct Unpacker<'bytes> {
    rest: &'bytes [u8],
}

/// Why bytes cannot be unpacked.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UnpackError {
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The bytes were not packed by this crate, or the dictionary has no room for them.
    #[error("the packed columns are malformed")]
    Malformed,
}

impl Packer {
    /// Returns all that was written.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a number of 32 bits.
    pub(crate) fn word(&mut self, word: u32) -> Result<(), OutOfMemory> {
        self.append(&word.to_le_bytes())
    }

    /// Writes a list of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        self.word(bytes.len() as u32)?;
        self.append(bytes)
    }

    /// Writes a list of numbers of `N` bytes each.
    pub(crate) fn list<const N: usize>(
        &mut self,
        list: impl ExactSizeIterator<Item = [u8; N]>,
    ) -> Result<(), OutOfMemory> {
        self.word(list.len() as u32)?;
        let start = self.bytes.len();
        resize_bytes(&mut self.bytes, start + list.len() * N)?;
        let target = self.bytes.get_mut(start..).unwrap_or_default();
        // Compiles to one copy if the items are contiguous.
        for (target, item) in target.as_chunks_mut::<N>().0.iter_mut().zip(list) {
            *target = item;
        }
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        reserve(&mut self.bytes, bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl<'bytes> Unpacker<'bytes> {
    /// Reads these bytes from their beginning.
    pub(crate) fn new(bytes: &'bytes [u8]) -> Self {
        Unpacker { rest: bytes }
    }

    /// Reads a number of 32 bits.
    pub(crate) fn word(&mut self) -> Result<u32, UnpackError> {
        let (word, rest) = self.rest.split_first_chunk().ok_or(UnpackError::Malformed)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*word))
    }

    /// Reads a list of bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'bytes [u8], UnpackError> {
        let length = self.word()? as usize;
        self.take(length)
    }

    /// Reads a list of numbers of `N` bytes each.
    pub(crate) fn list<const N: usize, T>(&mut self, read: fn([u8; N]) -> T) -> Result<Vec<T>, UnpackError> {
        let items = self.items::<N>()?;
        let mut list = with_capacity(items.len())?;
        list.extend(items.iter().map(|item| read(*item)));
        Ok(list)
    }

    /// Reads a list of numbers of `N` bytes each, without a copy.
    pub(crate) fn items<const N: usize>(&mut self) -> Result<&'bytes [[u8; N]], UnpackError> {
        let count = self.word()? as usize;
        let bytes = self.take(count.checked_mul(N).ok_or(UnpackError::Malformed)?)?;
        Ok(bytes.as_chunks().0)
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Fails unless everything has been read.
    pub(crate) fn check_end(&self) -> Result<(), UnpackError> {
        check(self.rest.is_empty())
    }

    fn take(&mut self, length: usize) -> Result<&'bytes [u8], UnpackError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(UnpackError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Fails if packed bytes violate a condition.
pub(crate) fn check(is_right: bool) -> Result<(), UnpackError> {
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
        let mut unpacker = Unpacker::new(&bytes);
        assert_eq!((unpacker.word(), unpacker.bytes()), (Ok(7), Ok(b"abc".as_slice())));
        assert_eq!(unpacker.list(u16::from_le_bytes), Ok(vec![1, 65_535]));
        assert_eq!(unpacker.check_end(), Ok(()));
    }

    #[test]
    fn refuses_a_length_beyond_the_end() {
        let mut packer = Packer::default();
        packer.word(u32::MAX).unwrap();
        let bytes = packer.finish();
        assert_eq!(Unpacker::new(&bytes).bytes(), Err(UnpackError::Malformed));
        assert_eq!(Unpacker::new(&bytes).list(u64::from_le_bytes), Err(UnpackError::Malformed));
        assert_eq!(Unpacker::new(&bytes).check_end(), Err(UnpackError::Malformed));
    }
}
