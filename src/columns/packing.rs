//! Lists of numbers as bytes, to send data to another thread or to store it.

use thiserror::Error;

use super::memory::{OutOfMemory, reserve, resize_bytes, with_capacity};

/// Writes numbers and lists one after the other.
#[derive(Default)]
pub(crate) struct Packer<'sink> {
    bytes: Vec<u8>,
    /// Takes the bytes in pieces; without a sink, all stay in memory.
    sink: Option<&'sink mut Sink<'sink>>,
}

/// Takes the next piece of the bytes. The length of each piece but the last is a multiple of [`BLOCK`].
pub(crate) type Sink<'sink> = dyn FnMut(&[u8]) + 'sink;

/// See [`Sink`].
pub(crate) const BLOCK: usize = 32;

/// The bytes that are collected for a piece.
const PIECE: usize = 64 * 1024;

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
    /// The bytes end too early.
    #[error("the packed columns are truncated")]
    Truncated,
}

impl<'sink> Packer<'sink> {
    /// Passes all that is written to `sink`.
    pub(crate) fn to(sink: &'sink mut Sink<'sink>) -> Self {
        Packer { bytes: Vec::new(), sink: Some(sink) }
    }

    /// Returns all that was written; with a sink, passes the last piece to it.
    pub(crate) fn finish(self) -> Vec<u8> {
        if let Some(sink) = self.sink {
            sink(&self.bytes);
        }
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
        self.pour();
        Ok(())
    }

    /// Writes bytes without their number.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        reserve(&mut self.bytes, bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        self.pour();
        Ok(())
    }

    /// Passes a piece to the sink once there are enough bytes.
    #[inline]
    fn pour(&mut self) {
        if self.bytes.len() >= PIECE {
            self.pour_piece();
        }
    }

    #[inline(never)]
    fn pour_piece(&mut self) {
        if let Some(sink) = &mut self.sink {
            let length = self.bytes.len() - self.bytes.len() % BLOCK;
            sink(self.bytes.get(..length).unwrap_or_default());
            self.bytes.drain(..length);
        }
    }
}

impl<'bytes> Unpacker<'bytes> {
    /// Reads these bytes from their beginning.
    pub(crate) fn new(bytes: &'bytes [u8]) -> Self {
        Unpacker { rest: bytes }
    }

    /// Reads a number of 32 bits.
    pub(crate) fn word(&mut self) -> Result<u32, UnpackError> {
        let (word, rest) = self.rest.split_first_chunk().ok_or(UnpackError::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*word))
    }

    /// Reads a number of 64 bits.
    pub(crate) fn long(&mut self) -> Result<u64, UnpackError> {
        Ok(u64::from(self.word()?) | u64::from(self.word()?) << 32)
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

    /// Reads this many bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'bytes [u8], UnpackError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(UnpackError::Truncated)?;
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
        assert_eq!(Unpacker::new(&bytes).bytes(), Err(UnpackError::Truncated));
        assert!(Unpacker::new(&bytes).list(u64::from_le_bytes).is_err());
        assert_eq!(Unpacker::new(&bytes).check_end(), Err(UnpackError::Malformed));
    }

    #[test]
    fn a_sink_gets_the_same_bytes_in_pieces_of_whole_blocks() {
        let write = |packer: &mut Packer<'_>| {
            for length in [7, 40_000, 1, 90_000, 65_536] {
                packer.bytes(&vec![length as u8; length]).unwrap();
            }
        };
        let (mut alone, mut pieces) = (Packer::default(), Vec::new());
        write(&mut alone);
        let mut sink = |piece: &[u8]| pieces.push(piece.to_vec());
        let mut packer = Packer::to(&mut sink);
        write(&mut packer);
        packer.finish();
        assert!(pieces.len() > 2 && pieces.iter().rev().skip(1).all(|piece| piece.len() % BLOCK == 0));
        assert_eq!(pieces.concat(), alone.finish());
    }
}
