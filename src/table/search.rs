//! A search that ignores case.

use memchr::memchr2_iter;

use super::condition::Text;
use chunk::value::strings::StringKind;

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

/// The characters above U+00FF whose lower case contains letters up to U+00FF.
const LATIN1_IN_LOWER_CASE: [&str; 5] = ["\u{130}", "\u{178}", "\u{1E9E}", "\u{212A}", "\u{212B}"];

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

    /// Returns whether a string contains the needle, or `None` if that needs the case tables of Unicode, or a search that stays fast in
    /// repetitive texts.
    pub(super) fn find_in(&self, kind: StringKind, bytes: &[u8]) -> Option<bool> {
        match kind {
            StringKind::Ascii if !self.is_ascii => Some(false),
            StringKind::Latin1 if !self.is_latin1 => Some(false),
            StringKind::Ascii | StringKind::Latin1 => self.is_in_bytes(bytes),
            StringKind::TwoByte if self.is_latin1 && !has_latin1_in_lower_case(bytes) => self.is_in_bytes(bytes),
            StringKind::RawJson if !bytes.starts_with(b"\"") => Some(false),
            StringKind::TwoByte | StringKind::RawJson => None,
        }
    }

    /// Returns whether a string contains the needle, lower-casing only letters up to U+00FF. `None` if the string is so repetitive that the
    /// comparisons would take much longer than the search for the rarest byte.
    fn is_in_bytes(&self, text: &[u8]) -> Option<bool> {
        let needle = self.text.as_bytes();
        if needle.is_empty() {
            return Some(true);
        }
        let mut left = text.len() + LEAST_COMPARED;
        for at in memchr2_iter(self.either_case.0, self.either_case.1, text) {
            let part = at.checked_sub(self.rarest).and_then(|start| text.get(start..)).unwrap_or_default();
            let same = same_in_lower_case(part, needle);
            if same == needle.len() {
                return Some(true);
            }
            left = left.checked_sub(same + COMPARISON)?;
        }
        Some(false)
    }
}

/// Returns true if a text has one of [`LATIN1_IN_LOWER_CASE`], which begin with these bytes in UTF-8.
fn has_latin1_in_lower_case(text: &[u8]) -> bool {
    let starts_with = |rest: &[u8]| LATIN1_IN_LOWER_CASE.iter().any(|character| rest.starts_with(character.as_bytes()));
    let mut at = memchr2_iter(0xC4, 0xC5, text).chain(memchr2_iter(0xE1, 0xE2, text));
    at.any(|at| text.get(at..).is_some_and(starts_with))
}

/// The number of bytes that may be compared even in a short text.
const LEAST_COMPARED: usize = 1024;

/// The overhead of a comparison, in bytes that could be compared in the same time.
const COMPARISON: usize = 4;

/// Returns how many leading bytes of `text`, in lower case, equal the leading bytes of `lower`, which has no letters above U+00FF.
fn same_in_lower_case(text: &[u8], lower: &[u8]) -> usize {
    let mut before = None;
    let is_same = |(byte, lower): &(&u8, &u8)| {
        let is_same = byte == lower || **byte == upper(before, **lower);
        before = Some(**lower);
        is_same
    };
    text.iter().zip(lower).take_while(is_same).count()
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
        let texts = prop::string::string_regex("[aAxX éÉÿŸßẞ×÷ÀàåµκΚς\u{212A}\u{212B}kKİiĳ’]{0,12}").unwrap();
        let needle = prop::string::string_regex("[aAxX éÉÿ÷×ÀàåßµκΚkKi]{0,3}").unwrap();
        let check = |(text, needle): (String, String)| {
            let kind = StringKind::of_text(text.as_bytes());
            let lower = needle.to_lowercase();
            match Needle::new(&Text::Utf8(lower.clone())).find_in(kind, text.as_bytes()) {
                Some(is_in) => {
                    prop_assert_eq!(is_in, text.to_lowercase().contains(&lower), "{:?} in {:?}", lower, text)
                }
                None => prop_assert_eq!(kind, StringKind::TwoByte),
            }
            Ok(())
        };
        runner.run(&(texts, needle), check).unwrap();
    }

    #[test]
    fn knows_all_characters_above_latin1_whose_lower_case_has_letters_of_it() {
        let has_latin1 = |character: &char| character.to_lowercase().any(|lower| lower <= '\u{FF}');
        let known: Vec<_> = ('\u{100}'..=char::MAX).filter(has_latin1).map(String::from).collect();
        assert_eq!(known, LATIN1_IN_LOWER_CASE);
    }

    #[test]
    fn gives_up_where_a_repetitive_text_would_take_long() {
        let find = |needle: &str, text: &str| {
            Needle::new(&Text::Utf8(needle.to_owned())).find_in(StringKind::Ascii, text.as_bytes())
        };
        let comment = "The pizza was cold, and nobody cleaned the tables in the zone of the quiet rooms. ";
        assert_eq!(find("pizzas", &comment.repeat(1000)), Some(false));
        assert_eq!(find("zzz", comment), Some(false));
        assert_eq!(find("pizza", &"z".repeat(100)), Some(false));
        assert_eq!(find("pizza", &"z".repeat(100_000)), None);
        assert_eq!(find(&("z".repeat(99) + "!"), &"z!".repeat(50_000)), None);
    }
}
