//! Validates UTF-8, sixteen bytes at a time.

use std::str::Utf8Error;

/// Checks that `bytes` is UTF-8.
///
/// # Errors
/// It is not UTF-8; the error has the position.
pub(crate) fn check(bytes: &[u8]) -> Result<(), Utf8Error> {
    if looks_valid(bytes) { Ok(()) } else { std::str::from_utf8(bytes).map(drop) }
}

/// Returns true only if `bytes` is UTF-8.
/// Three lookups per byte: its upper half, and both halves of the previous byte. The tables have a bit for each error that two bytes can
/// show. If all three lookups agree on an error, the text has it. Whether a third or fourth byte must continue a character depends on the
/// byte two or three places earlier. <https://arxiv.org/abs/2010.03090>
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn looks_valid(bytes: &[u8]) -> bool {
    use std::arch::wasm32::{
        i8x16_shuffle, u8x16_shr, u8x16_splat, u8x16_sub_sat, u8x16_swizzle, v128_and, v128_any_true, v128_or, v128_xor,
    };

    use super::scan::load;

    // The bits of the errors, from the lowest: too short, too long, three bytes for a shorter character, above U+10FFFF, a surrogate, two bytes
    // for ASCII, four bytes for a shorter character or far above U+10FFFF, two continuations.
    let by_first_high = load(&[2, 2, 2, 2, 2, 2, 2, 2, 128, 128, 128, 128, 33, 1, 21, 73]);
    let by_first_low = load(&[231, 163, 131, 131, 139, 203, 203, 203, 203, 203, 203, 203, 203, 219, 203, 203]);
    let by_second_high = load(&[1, 1, 1, 1, 1, 1, 1, 1, 230, 174, 186, 186, 1, 1, 1, 1]);
    let low_half = u8x16_splat(0x0F);
    let mut errors = u8x16_splat(0);
    let mut before = errors;
    let (blocks, rest) = bytes.as_chunks::<16>();
    // The zeros after the last byte reveal a truncated character.
    let mut last = [0; 16];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    for block in blocks.iter().chain([&last]) {
        let bytes = load(block);
        let first = i8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before, bytes);
        let second = i8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before, bytes);
        let third = i8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before, bytes);
        let of_first = v128_and(
            u8x16_swizzle(by_first_high, u8x16_shr(first, 4)),
            u8x16_swizzle(by_first_low, v128_and(first, low_half)),
        );
        let of_two = v128_and(of_first, u8x16_swizzle(by_second_high, u8x16_shr(bytes, 4)));
        // The highest bit is set where a character of three or four bytes must continue.
        let continues =
            v128_or(u8x16_sub_sat(second, u8x16_splat(0xE0 - 0x80)), u8x16_sub_sat(third, u8x16_splat(0xF0 - 0x80)));
        errors = v128_or(errors, v128_xor(of_two, v128_and(continues, u8x16_splat(0x80))));
        before = bytes;
    }
    !v128_any_true(errors)
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn looks_valid(_: &[u8]) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Text in which a few bytes are changed, inserted or left out.
    fn damaged_text() -> impl Strategy<Value = Vec<u8>> {
        let damage = (any::<prop::sample::Index>(), any::<u8>(), 0..3);
        (
            prop_oneof![any::<String>(), "[aé€😀\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}]{0,40}"],
            prop::collection::vec(damage, 0..3),
        )
            .prop_map(|(text, damages)| {
                let mut bytes = text.into_bytes();
                for (at, byte, manner) in damages {
                    let at = at.index(bytes.len() + 1);
                    match manner {
                        0 => bytes.insert(at, byte),
                        1 => drop(bytes.get_mut(at).map(|old| *old = byte)),
                        _ => bytes.truncate(at),
                    }
                }
                bytes
            })
    }

    proptest! {
        #[test]
        fn accepts_what_the_standard_library_accepts(bytes in damaged_text()) {
            prop_assert_eq!(check(&bytes), std::str::from_utf8(&bytes).map(drop));
        }
    }

    #[test]
    fn judges_every_pair_of_bytes_and_the_boundaries_of_longer_characters() {
        let boundaries = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF];
        for pair in 0..=u16::MAX {
            let [first, second] = pair.to_be_bytes();
            for third in boundaries {
                for fourth in boundaries {
                    let bytes = [first, second, third, fourth];
                    for length in [2, 3, 4] {
                        let start = &bytes[..length];
                        assert_eq!(check(start), std::str::from_utf8(start).map(drop), "{start:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_character_may_lie_across_blocks() {
        for character in ["é", "€", "😀"] {
            for before in 0..40 {
                let text = ["a".repeat(before), character.repeat(9)].concat();
                assert!(cfg!(not(target_arch = "wasm32")) || looks_valid(text.as_bytes()));
                for length in 0..text.len() {
                    let cut = &text.as_bytes()[..length];
                    assert_eq!(check(cut), std::str::from_utf8(cut).map(drop));
                }
            }
        }
    }
}
