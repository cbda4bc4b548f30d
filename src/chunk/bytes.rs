//! Comparing of byte strings, several bytes at a time: the `memcmp` of WebAssembly compares byte by byte.

use crate::invariant::Certain;

/// Returns true if both are equal.
#[inline]
pub fn equal(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && starts_with(left, right)
}

/// Returns true if `bytes` starts with `prefix`.
#[inline]
pub fn starts_with(bytes: &[u8], prefix: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..prefix.len()) else {
        return false;
    };
    // After the whole blocks, a last block covers the remaining bytes. It may overlap the previous block.
    if let (Some(last), Some(last_of_prefix)) = (bytes.last_chunk::<16>(), prefix.last_chunk::<16>()) {
        let blocks = bytes.as_chunks::<16>().0.iter().zip(prefix.as_chunks::<16>().0);
        return blocks.into_iter().all(|(left, right)| same_block(left, right)) && same_block(last, last_of_prefix);
    }
    if let (Some(left), Some(right)) = (ends::<8>(bytes), ends::<8>(prefix)) {
        return left == right;
    }
    if let (Some(left), Some(right)) = (ends::<4>(bytes), ends::<4>(prefix)) {
        return left == right;
    }
    bytes.iter().eq(prefix)
}

/// Returns the first bytes in which two byte strings differ, or `None` if one is a prefix of the other.
pub fn first_difference(left: &[u8], right: &[u8]) -> Option<(u8, u8)> {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let equal = words.take_while(|(left, right)| left == right).count() * 8;
    let (left, right) = (left.get(equal..)?, right.get(equal..)?);
    left.iter().zip(right).find(|(left, right)| left != right).map(|(left, right)| (*left, *right))
}

/// Returns the length of UTF-8 in UTF-16 code units.
pub(crate) fn utf16_length(bytes: &[u8]) -> u32 {
    // Each byte that is not a continuation begins a character. A character of four bytes has a second code unit.
    let mut length = bytes.len() as u32;
    for word in words(bytes) {
        let continues = word & !(word << 1) & HIGHEST_BITS;
        let begins_four = word & (word << 1) & (word << 2) & (word << 3) & HIGHEST_BITS;
        length = length + begins_four.count_ones() - continues.count_ones();
    }
    length
}

/// Returns true if a character of UTF-8 is above U+00FF.
#[inline]
pub(crate) fn has_wide_characters(bytes: &[u8]) -> bool {
    // Only such characters have a byte above C3. Adding 3C to the lower seven bits sets the highest one if they are above 43.
    let found = words(bytes).fold(0, |found, word| found | word & ((word & !HIGHEST_BITS) + 0x3C3C_3C3C_3C3C_3C3C));
    found & HIGHEST_BITS != 0
}

/// The highest bit of each byte of a word.
const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns the bytes in words of eight. Zeros follow the last byte.
#[inline]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (words, rest) = bytes.as_chunks();
    let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    words.iter().map(|word| u64::from_le_bytes(*word)).chain([last])
}

/// Copies `bytes` to the beginning of `room`, which then is the rest. There must be room for all.
#[inline]
pub fn fill(room: &mut &mut [u8], bytes: &[u8]) {
    let (target, rest) = std::mem::take(room).split_at_mut_checked(bytes.len()).certain();
    target.copy_from_slice(bytes);
    *room = rest;
}

/// Returns the first and the last `N` bytes, which may overlap.
#[inline]
fn ends<const N: usize>(bytes: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
    Some((bytes.first_chunk()?, bytes.last_chunk()?))
}

#[inline]
fn same_block(left: &[u8; 16], right: &[u8; 16]) -> bool {
    // Compiles to one comparison of 128 bits or two of 64 bits on every target.
    u128::from_ne_bytes(*left) == u128::from_ne_bytes(*right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn compares_bytes_as_slices_do(left in prop::collection::vec(0u8..2, 0..70), right in prop::collection::vec(0u8..2, 0..70)) {
            prop_assert_eq!(equal(&left, &right), left == right);
            prop_assert_eq!(starts_with(&left, &right), left.starts_with(&right));
            prop_assert!(equal(&left, &left.clone()));
        }

        #[test]
        fn finds_the_first_difference(left in prop::collection::vec(0u8..2, 0..70), right in prop::collection::vec(0u8..2, 0..70), common in prop::collection::vec(any::<u8>(), 0..40)) {
            let expected = left.iter().zip(&right).find(|(left, right)| left != right).map(|(left, right)| (*left, *right));
            let (left, right) = ([common.as_slice(), &left].concat(), [common.as_slice(), &right].concat());
            prop_assert_eq!(first_difference(&left, &right), expected);
        }

        #[test]
        fn counts_the_code_units_of_texts_of_any_length(text in "[aéĀ😀]{0,60}", times in 1..40_usize) {
            let text = text.repeat(times);
            prop_assert_eq!(utf16_length(text.as_bytes()) as usize, text.encode_utf16().count());
        }

        #[test]
        fn one_changed_byte_changes_equality(bytes in prop::collection::vec(any::<u8>(), 1..100), at in any::<prop::sample::Index>()) {
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] ^= 1;
            prop_assert!(!equal(&bytes, &changed));
        }
    }
}
