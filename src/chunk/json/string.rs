//! JSON strings.

use super::cursor::Cursor;
use super::error::{DecodeErrorKind, SyntaxError};
use super::scan;
use super::utf8;
use crate::memory::{OutOfMemory, extend, push_hot};

/// The value of a JSON string.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JsonString<'a> {
    /// Only ASCII characters.
    Ascii(&'a [u8]),
    /// UTF-8 with other characters.
    NonAscii(&'a [u8]),
    /// A string with lone surrogates, which UTF-8 cannot encode: its JSON.
    LoneSurrogates(&'a [u8]),
}

/// Reads the string at the cursor, which is at its opening quote. The result borrows from the body, or from `scratch` if the string has
/// escapes.
#[inline]
pub(crate) fn read<'text, 'body: 'text>(
    cursor: &mut Cursor<'body>,
    scratch: &'text mut Vec<u8>,
) -> Result<JsonString<'text>, SyntaxError> {
    cursor.expect(b"\"")?;
    let start = cursor.at;
    let stop = scan::find_stop(cursor.body, start);
    if cursor.body.get(stop.at) != Some(&b'"') {
        return read_escaped(cursor, scratch);
    }
    cursor.at = stop.at + 1;
    let bytes = cursor.between(start, stop.at);
    if !stop.has_non_ascii {
        return Ok(JsonString::Ascii(bytes));
    }
    check_utf8(bytes, start)?;
    Ok(JsonString::NonAscii(bytes))
}

/// Checks and skips the string at the cursor.
pub(crate) fn skip(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    read(cursor, &mut Vec::new()).map(drop)
}

#[cold]
#[inline(never)]
fn read_escaped<'text, 'body: 'text>(
    cursor: &mut Cursor<'body>,
    scratch: &'text mut Vec<u8>,
) -> Result<JsonString<'text>, SyntaxError> {
    scratch.clear();
    let open_quote = cursor.at - 1;
    let mut high = None;
    let mut has_lone_surrogates = false;
    loop {
        let start = cursor.at;
        let end = skip_plain(cursor)?;
        let plain = cursor.between(start, cursor.at);
        let unit = if end == b'"' { None } else { Some(escape(cursor)?) };
        // A high surrogate pairs only with a low one right after it.
        if let Some(first) = high.take() {
            match unit {
                Some(second @ 0xDC00..=0xDFFF) if plain.is_empty() => {
                    push_character(scratch, 0x1_0000_u32 + ((first & 0x3FF) << 10) + (second & 0x3FF))?;
                    continue;
                }
                _ => has_lone_surrogates = true,
            }
        }
        extend(scratch, plain)?;
        match unit {
            None => break,
            Some(first @ 0xD800..=0xDBFF) => high = Some(first),
            Some(0xDC00..=0xDFFF) => has_lone_surrogates = true,
            Some(unit) => push_character(scratch, unit)?,
        }
    }
    cursor.at += 1;
    Ok(match has_lone_surrogates {
        true => JsonString::LoneSurrogates(cursor.between(open_quote, cursor.at)),
        false if scratch.is_ascii() => JsonString::Ascii(scratch),
        false => JsonString::NonAscii(scratch),
    })
}

/// Skips to the next quote or backslash and returns it.
fn skip_plain(cursor: &mut Cursor<'_>) -> Result<u8, SyntaxError> {
    let start = cursor.at;
    let stop = scan::find_stop(cursor.body, start);
    if stop.has_non_ascii {
        check_utf8(cursor.between(start, stop.at), start)?;
    }
    cursor.at = stop.at;
    match cursor.peek() {
        byte @ (b'"' | b'\\') => Ok(byte),
        _ => Err(cursor.unexpected()),
    }
}

fn check_utf8(bytes: &[u8], start: usize) -> Result<(), SyntaxError> {
    match utf8::check(bytes) {
        Ok(()) => Ok(()),
        Err(error) => Err(SyntaxError { offset: start + error.valid_up_to(), kind: DecodeErrorKind::InvalidUtf8 }),
    }
}

/// Reads the escape at the cursor, which is at its backslash: one UTF-16 code unit.
pub(super) fn escape(cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    cursor.at += 1;
    let unit = match cursor.peek() {
        byte @ (b'"' | b'\\' | b'/') => u32::from(byte),
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b't' => 0x09,
        b'u' => return hexadecimal(cursor),
        _ => return Err(cursor.unexpected()),
    };
    cursor.at += 1;
    Ok(unit)
}

/// Reads the four digits after the `u` at the cursor.
fn hexadecimal(cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let mut unit = 0;
    for _ in 0..4 {
        cursor.at += 1;
        let digit = char::from(cursor.peek()).to_digit(16).ok_or_else(|| cursor.unexpected())?;
        unit = unit << 4 | digit;
    }
    cursor.at += 1;
    Ok(unit)
}

/// Appends a character, which is no surrogate.
fn push_character(bytes: &mut Vec<u8>, character: u32) -> Result<(), OutOfMemory> {
    if character < 0x80 {
        return push_hot(bytes, character as u8);
    }
    let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
    extend(bytes, character.encode_utf8(&mut [0; 4]).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_all(json: &[u8]) -> Result<(String, &'static str), SyntaxError> {
        let mut cursor = Cursor { body: json, at: 0 };
        let mut skipping = cursor;
        let mut scratch = Vec::new();
        let result = read(&mut cursor, &mut scratch).map(|text| match text {
            JsonString::Ascii(bytes) => (String::from_utf8(bytes.to_vec()).unwrap(), "ascii"),
            JsonString::NonAscii(bytes) => (String::from_utf8(bytes.to_vec()).unwrap(), "non-ascii"),
            JsonString::LoneSurrogates(bytes) => (String::from_utf8(bytes.to_vec()).unwrap(), "lone"),
        });
        assert_eq!(skip(&mut skipping), result.clone().map(|_| ()), "reading and skipping agree");
        if result.is_ok() {
            assert_eq!(cursor.at, skipping.at);
        }
        result
    }

    #[test]
    fn reads_escapes_as_javascript_does() {
        let cases: [(&str, &str, &str); 9] = [
            (r#""plain""#, "plain", "ascii"),
            (r#""""#, "", "ascii"),
            ("\"gr\u{fc}n\"", "gr\u{fc}n", "non-ascii"),
            (r#""\"\\\/\b\f\n\r\t\u0041""#, "\"\\/\u{8}\u{c}\n\r\tA", "ascii"),
            (r#""\u00fc and \ud83d\ude00""#, "\u{fc} and \u{1F600}", "non-ascii"),
            (r#""\uD800""#, r#""\uD800""#, "lone"),
            (r#""\ude00\ud83d""#, r#""\ude00\ud83d""#, "lone"),
            (r#""\ud83d\ud83d\ude00\n""#, r#""\ud83d\ud83d\ude00\n""#, "lone"),
            (r#""\ud83d \ude00 \u0001""#, r#""\ud83d \ude00 \u0001""#, "lone"),
        ];
        for (json, text, kind) in cases {
            assert_eq!(read_all(json.as_bytes()), Ok((text.to_owned(), kind)), "{json}");
        }
    }

    #[test]
    fn refuses_invalid_strings_at_the_invalid_byte() {
        let cases: [(&[u8], usize, DecodeErrorKind); 9] = [
            (b"\"abc", 4, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\", 5, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\u12", 8, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\x\"", 5, DecodeErrorKind::UnexpectedByte(b'x')),
            (b"\"abc\\u12g4\"", 8, DecodeErrorKind::UnexpectedByte(b'g')),
            (b"\"abc\n\"", 4, DecodeErrorKind::UnexpectedByte(b'\n')),
            (b"\"abc\xFF\"", 4, DecodeErrorKind::InvalidUtf8),
            (b"\"\\n\xED\xA0\x80\"", 3, DecodeErrorKind::InvalidUtf8),
            (b"\"abcdefghijklmnopqrstuvwxyz\xC3\"", 27, DecodeErrorKind::InvalidUtf8),
        ];
        for (json, offset, kind) in cases {
            assert_eq!(read_all(json), Err(SyntaxError { offset, kind }), "{json:?}");
        }
    }

    proptest! {
        #[test]
        fn reads_every_string(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(read_all(json.as_bytes()).unwrap().0, text);
        }

        #[test]
        fn accepts_what_serde_accepts(bytes in prop::collection::vec(prop_oneof![b' '..=b'~', Just(b'\\'), Just(b'u'), any::<u8>()], 0..12)) {
            let json = [b"\"", bytes.as_slice(), b"\""].concat();
            let theirs = serde_json::from_slice::<String>(&json).ok();
            let mut cursor = Cursor { body: &json, at: 0 };
            let mut scratch = Vec::new();
            match read(&mut cursor, &mut scratch) {
                Ok(JsonString::Ascii(text) | JsonString::NonAscii(text)) if cursor.at == json.len() => prop_assert_eq!(Some(text), theirs.as_ref().map(String::as_bytes)),
                Ok(JsonString::LoneSurrogates(_)) => prop_assert!(theirs.is_none()),
                _ => prop_assert!(theirs.is_none()),
            }
        }
    }
}
