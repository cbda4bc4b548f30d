//! A search that ignores case.

use memchr::memchr2_iter;

use super::condition::Text;
use crate::string_interner::{StringInterner, StringKind};

/// A lower-case string to search for.
pub(super) struct Needle<'text> {
    /// The string; empty if it has lone surrogates, which UTF-8 cannot encode.
    text: &'text str,
    is_ascii: bool,
    is_latin1: bool,
    /// The offset of the byte that is probably rarest in the strings to search.
    rarest: usize,
    /// That byte in lower and in upper case.
    either_case: (u8, u8),
}

/// The first UTF-8 byte of U+00C0 to U+00FF. The second byte tells upper from lower case.
const LATIN1_LEAD: u8 = 0xC3;

/// The space and the letters, roughly by their frequency in European languages; all other bytes count as rarer.
const FREQUENT: &[u8] = b" eaintrosldumchgpvfbkwzyjqx";

/// The characters beyond ASCII whose lower case contains ASCII letters: the Kelvin sign and the capital I with a dot.
const ASCII_IN_LOWER_CASE: [char; 2] = ['\u{212A}', '\u{130}'];

impl<'text> Needle<'text> {
    /// Searches for a string in lower case.
    pub(super) fn new(text: &'text Text) -> Self {
        let Text::Utf8(text) = text else {
            return Needle { text: "", is_ascii: false, is_latin1: false, rarest: 0, either_case: (0, 0) };
        };
        let rarity = |byte: u8| FREQUENT.iter().position(|frequent| *frequent == byte).unwrap_or(FREQUENT.len());
        let (rarest, byte) = text.bytes().enumerate().max_by_key(|(_, byte)| rarity(*byte)).unwrap_or_default();
        let before = rarest.checked_sub(1).and_then(|before| text.as_bytes().get(before).copied());
        let is_latin1 = text.chars().all(|character| character <= '\u{FF}');
        Needle { text, is_ascii: text.is_ascii(), is_latin1, rarest, either_case: (byte, upper(before, byte)) }
    }

    /// Returns whether an interned string contains the needle, or `None` if that needs the case tables of Unicode.
    pub(super) fn find_in(&self, strings: &StringInterner, id: u32) -> Option<bool> {
        let bytes = strings.bytes(id);
        match strings.kind(id)? {
            StringKind::Ascii => Some(self.is_ascii && self.is_in_bytes(bytes)),
            StringKind::Latin1 => Some(self.is_latin1 && self.is_in_bytes(bytes)),
            StringKind::TwoByte if self.is_ascii && !strings.text(id).contains(ASCII_IN_LOWER_CASE) => {
                Some(self.is_in_bytes(bytes))
            }
            StringKind::RawJson if !strings.text(id).starts_with('"') => Some(false),
            StringKind::TwoByte | StringKind::RawJson => None,
        }
    }

    /// Returns true if a string contains the needle, lower-casing only letters up to U+00FF.
    fn is_in_bytes(&self, text: &[u8]) -> bool {
        let needle = self.text.as_bytes();
        let matches_at = |at: usize| {
            let start = at.checked_sub(self.rarest);
            let part = start.and_then(|start| text.get(start..)?.get(..needle.len()));
            part.is_some_and(|part| eq_lower_case(part, needle))
        };
        needle.is_empty() || memchr2_iter(self.either_case.0, self.either_case.1, text).any(matches_at)
    }
}

/// Returns true if `part` in lower case is `lower`, which has no letters above U+00FF.
fn eq_lower_case(part: &[u8], lower: &[u8]) -> bool {
    let mut before = None;
    part.len() == lower.len()
        && part.iter().zip(lower).all(|(byte, lower)| {
            let is_same = byte == lower || *byte == upper(before, *lower);
            before = Some(*lower);
            is_same
        })
}

/// Returns the upper-case form of a byte of a lower-case string, given the byte before it.
fn upper(before: Option<u8>, lower: u8) -> u8 {
    match lower {
        b'a'..=b'z' => lower - 0x20,
        // The upper case of U+00E0 to U+00FE, except of the division sign (U+00F7), which has no case.
        0xA0..=0xBE if before == Some(LATIN1_LEAD) && lower != 0xB7 => lower - 0x20,
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    #[test]
    fn finds_what_the_lower_cased_string_contains() {
        let mut runner = TestRunner::new(Config::with_cases(80 * Config::default().cases));
        let texts = prop::string::string_regex("[aAxX éÉÿŸßẞ×÷ÀàµκΚς\u{212A}kK]{0,12}").unwrap();
        let needle = prop::string::string_regex("[aAxX éÉÿ÷×ÀàµκΚkK]{0,3}").unwrap();
        let check = |(text, needle): (String, String)| {
            let mut strings = StringInterner::default();
            let kind = StringKind::of_text(text.as_bytes());
            let id = strings.intern(kind, text.as_bytes()).unwrap();
            let lower = needle.to_lowercase();
            match Needle::new(&Text::Utf8(lower.clone())).find_in(&strings, id) {
                Some(is_in) => {
                    prop_assert_eq!(is_in, text.to_lowercase().contains(&lower), "{:?} in {:?}", lower, text)
                }
                None => prop_assert_eq!(kind, StringKind::TwoByte),
            }
            Ok(())
        };
        runner.run(&(texts, needle), check).unwrap();
    }
}
