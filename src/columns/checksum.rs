//! A checksum of stored bytes. It shows damage, but gives no protection against bytes that are forged.

use super::packing::BLOCK;

/// The checksum of bytes that are added in pieces.
pub struct Checksum {
    lanes: [u64; BLOCK / 8],
    length: u64,
}

impl Default for Checksum {
    fn default() -> Self {
        Checksum { lanes: [1, 2, 3, 4], length: 0 }
    }
}

impl Checksum {
    /// Adds a piece. The length of each piece but the last is a multiple of 32.
    pub fn add(&mut self, piece: &[u8]) {
        let (blocks, rest) = piece.as_chunks();
        blocks.iter().for_each(|block| self.add_block(block));
        let mut last = [0; BLOCK];
        last.iter_mut().zip(rest).for_each(|(last, byte)| *last = *byte);
        if !rest.is_empty() {
            self.add_block(&last);
        }
        self.length += piece.len() as u64;
    }

    /// Returns the number of bytes so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the checksum of all bytes so far.
    pub fn sum(&self) -> u64 {
        self.lanes.iter().fold(self.length, |sum, lane| mixed(sum, *lane))
    }

    #[inline]
    fn add_block(&mut self, block: &[u8; BLOCK]) {
        for (lane, word) in self.lanes.iter_mut().zip(block.as_chunks().0) {
            *lane = mixed(*lane, u64::from_le_bytes(*word));
        }
    }
}

/// For each `state`, another `word` gives another result, and the other way round. So a change within one word always changes the checksum.
#[inline]
fn mixed(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(pieces: &[&[u8]]) -> u64 {
        let mut checksum = Checksum::default();
        pieces.iter().for_each(|piece| checksum.add(piece));
        checksum.sum()
    }

    proptest! {
        #[test]
        fn depends_on_each_byte_and_on_the_length_but_not_on_the_pieces(
            bytes in prop::collection::vec(any::<u8>(), 1..200),
            at in any::<prop::sample::Index>(),
            flipped in 1..=255_u8,
            cut in any::<prop::sample::Index>(),
        ) {
            let whole = sum(&[&bytes]);
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] ^= flipped;
            prop_assert_ne!(sum(&[&changed]), whole);
            let cut = cut.index(bytes.len());
            prop_assert_ne!(sum(&[&bytes[..cut]]), whole);
            let (first, second) = bytes.split_at(cut - cut % BLOCK);
            prop_assert_eq!(sum(&[first, second]), whole);
        }
    }
}
