//! The secret seed of hashes of untrusted data.

use std::hash::Hasher;

use foldhash::SharedSeed;
use foldhash::fast::FoldHasher;

/// A random seed of hashes. Without knowing it, nobody can choose values that collide, which would make a hash table quadratic.
/// Hashes only find values in memory: results do not depend on them.
#[derive(Clone)]
pub struct HashSeed {
    start: u64,
    shared: SharedSeed,
}

impl HashSeed {
    /// Makes a seed from a random number in `0.0..1.0`.
    pub fn new(random: f64) -> Self {
        // Numbers between 1 and 2 differ only in the 52 bits of their fraction, and all of these are random.
        let bits = (1.0 + random).to_bits();
        let shared = SharedSeed::from_u64(bits);
        let mut hasher = FoldHasher::with_seed(0, &shared);
        hasher.write_u64(bits);
        let start = hasher.finish();
        HashSeed { start, shared }
    }

    /// Hashes bytes.
    #[inline(never)]
    pub fn of_bytes(&self, bytes: &[u8]) -> u32 {
        let mut hasher = self.hasher();
        hasher.write(bytes);
        hasher.finish() as u32
    }

    /// Hashes words. Lists of different lengths may have equal hashes.
    #[inline]
    pub fn of_words(&self, words: &[u32]) -> u32 {
        let mut hasher = self.hasher();
        for four in words.chunks(4) {
            hasher.write_u128(four.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word)));
        }
        hasher.finish() as u32
    }

    /// Hashes a word: different words have different hashes. Good enough for a few hundred words, and the fastest.
    #[inline]
    pub(crate) fn of_word(&self, word: u32) -> u32 {
        let odd = (self.start >> 32) as u32 | 1;
        // The upper bits of the product depend on all bits of the word, and a table looks at the lower ones first.
        word.wrapping_mul(odd).rotate_left(16)
    }

    #[inline]
    fn hasher(&self) -> FoldHasher<'_> {
        FoldHasher::with_seed(self.start, &self.shared)
    }
}

/// A fixed seed, for tests.
#[cfg(any(test, feature = "testing"))]
impl Default for HashSeed {
    fn default() -> Self {
        Self::new(0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_changed_byte_changes_the_hash(bytes in prop::collection::vec(any::<u8>(), 1..400), at in any::<prop::sample::Index>()) {
            let seed = HashSeed::default();
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] ^= 1;
            prop_assert_eq!(seed.of_bytes(&bytes), seed.of_bytes(&bytes.clone()));
            prop_assert_ne!(seed.of_bytes(&bytes), seed.of_bytes(&changed));
        }

        #[test]
        fn one_changed_word_changes_the_hash(words in prop::collection::vec(any::<u32>(), 1..20), at in any::<prop::sample::Index>()) {
            let seed = HashSeed::default();
            let mut changed = words.clone();
            changed[at.index(words.len())] ^= 1;
            prop_assert_ne!(seed.of_words(&words), seed.of_words(&changed));
        }

        #[test]
        fn two_seeds_give_different_hashes(bits in 0..1_u64 << 51, bytes in prop::collection::vec(any::<u8>(), 0..400), words in prop::collection::vec(any::<u32>(), 1..20)) {
            let random = bits as f64 * f64::EPSILON;
            for other in [random + f64::EPSILON, random + 0.5] {
                let (seed, other) = (HashSeed::new(random), HashSeed::new(other));
                prop_assert_ne!(seed.of_bytes(&bytes), other.of_bytes(&bytes));
                prop_assert_ne!(seed.of_words(&words), other.of_words(&words));
                prop_assert_ne!(seed.of_word(1), other.of_word(1));
            }
        }
    }
}
