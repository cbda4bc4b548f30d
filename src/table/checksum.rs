//! The checksum of saved tables: XXH64.

use std::hash::Hasher;

use twox_hash::XxHash64;

/// The checksum of the bytes added so far.
pub(crate) struct Checksum(XxHash64);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(XxHash64::with_seed(0))
    }
}

impl Checksum {
    /// Adds bytes. Not inlined, because a copy has about a kilobyte.
    #[inline(never)]
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the checksum.
    #[inline(never)]
    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }
}
