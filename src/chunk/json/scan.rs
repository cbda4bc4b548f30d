//! Scans JSON strings, sixteen bytes at a time.

/// The end of the unescaped bytes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The offset of the first quote, backslash or control character, or of the end of the input.
    pub(crate) at: usize,
    /// Whether a byte before `at` is not ASCII.
    pub(crate) has_non_ascii: bool,
}

/// Finds the first quote, backslash or control character from offset `from` on.
#[inline]
pub(crate) fn find_stop(bytes: &[u8], from: usize) -> Stop {
    let mut at = from;
    let mut non_ascii = 0;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let found = look(block);
        if found.stops != 0 {
            let before = found.stops.trailing_zeros();
            non_ascii |= found.non_ascii & !(u32::MAX << before);
            return Stop { at: at + before as usize, has_non_ascii: non_ascii != 0 };
        }
        non_ascii |= found.non_ascii;
        at += 16;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let before = rest.iter().position(|byte| is_stop(*byte)).unwrap_or(rest.len());
    non_ascii |= u32::from(rest.iter().take(before).any(|byte| !byte.is_ascii()));
    Stop { at: at + before, has_non_ascii: non_ascii != 0 }
}

#[inline]
fn is_stop(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The result for a block: one bit for each byte, the lowest for the first.
struct Found {
    stops: u32,
    non_ascii: u32,
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn look(block: &[u8; 16]) -> Found {
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, v128_or};
    let bytes = load(block);
    let quotes = u8x16_eq(bytes, u8x16_splat(b'"'));
    let backslashes = u8x16_eq(bytes, u8x16_splat(b'\\'));
    let controls = u8x16_lt(bytes, u8x16_splat(0x20));
    let stops = v128_or(v128_or(quotes, backslashes), controls);
    // A bitmask has the highest bit of each byte, which is set in bytes that are not ASCII.
    Found { stops: u32::from(u8x16_bitmask(stops)), non_ascii: u32::from(u8x16_bitmask(bytes)) }
}

/// Loads a block.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
pub(crate) fn load(block: &[u8; 16]) -> std::arch::wasm32::v128 {
    // SAFETY: the block has the 16 bytes that the load reads, and the load needs no alignment.
    unsafe { std::arch::wasm32::v128_load(block.as_ptr().cast()) }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
fn look(block: &[u8; 16]) -> Found {
    let bits = |is_it: fn(u8) -> bool| block.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(is_it(*byte)));
    Found { stops: bits(is_stop), non_ascii: bits(|byte| !byte.is_ascii()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn byte_by_byte(bytes: &[u8], from: usize) -> Stop {
        let at = (from..bytes.len()).find(|at| is_stop(bytes[*at])).unwrap_or(bytes.len());
        Stop { at, has_non_ascii: !bytes[from..at].is_ascii() }
    }

    #[test]
    fn classifies_every_byte_at_every_offset_of_a_block() {
        for byte in 0..=u8::MAX {
            for offset in 0..40 {
                let mut bytes = [b'a'; 50];
                bytes[offset] = byte;
                bytes[47] = b'"';
                bytes[48] = 0xC3;
                assert_eq!(find_stop(&bytes, 0), byte_by_byte(&bytes, 0), "{byte} at {offset}");
            }
        }
    }

    proptest! {
        #[test]
        fn finds_the_same_stop_as_byte_by_byte(bytes in prop::collection::vec(prop_oneof![20 => b' '..=b'~', 1 => any::<u8>()], 0..100), from in 0usize..40) {
            let from = from.min(bytes.len());
            prop_assert_eq!(find_stop(&bytes, from), byte_by_byte(&bytes, from));
        }
    }
}
