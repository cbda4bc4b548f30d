//! A JSON string: where it ends, and the text that it means.

use super::cursor::Cursor;
use super::error::{DecodeErrorKind, SyntaxError};
use super::scan;
use crate::memory::{OutOfMemory, extend, push};

/// What a JSON string means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JsonString<'a> {
    /// ASCII characters only.
    Ascii(&'a [u8]),
    /// Valid UTF-8 with other characters.
    NonAscii(&'a [u8]),
    /// A text with surrogates that have no partner, which UTF-8 cannot express: its JSON string, written as `JSON.stringify` does.
    LoneSurrogates(&'a [u8]),
}

/// Reads the string whose opening quote is here. Its text is in the body itself, or in `scratch` if it has escapes.
#[inline]
pub(super) fn read<'text, 'body: 'text>(
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

/// Goes past the string whose opening quote is here.
pub(super) fn skip(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    read(cursor, &mut Vec::new()).map(drop)
}

#[cold]
#[inline(never)]
fn read_escaped<'text>(cursor: &mut Cursor<'_>, scratch: &'text mut Vec<u8>) -> Result<JsonString<'text>, SyntaxError> {
    let no_memory = cursor.out_of_memory();
    scratch.clear();
    let mut high = None;
    let mut has_lone_surrogates = false;
    loop {
        let start = cursor.at;
        let end = skip_plain(cursor)?;
        let plain = cursor.between(start, cursor.at);
        let unit = if end == b'"' { None } else { Some(escape(cursor)?) };
        // A high surrogate waits for a low one right behind it.
        if let Some(first) = high.take() {
            match unit {
                Some(second @ 0xDC00..=0xDFFF) if plain.is_empty() => {
                    let scalar = 0x1_0000 + ((u32::from(first) & 0x3FF) << 10) + (u32::from(second) & 0x3FF);
                    push_utf8(scratch, scalar).map_err(&no_memory)?;
                    continue;
                }
                _ => {
                    has_lone_surrogates = true;
                    push_utf8(scratch, u32::from(first)).map_err(&no_memory)?;
                }
            }
        }
        extend(scratch, plain).map_err(&no_memory)?;
        match unit {
            None => break,
            Some(first @ 0xD800..=0xDBFF) => high = Some(first),
            Some(unit) => {
                has_lone_surrogates |= matches!(unit, 0xDC00..=0xDFFF);
                push_utf8(scratch, u32::from(unit)).map_err(&no_memory)?;
            }
        }
    }
    cursor.at += 1;
    if has_lone_surrogates {
        *scratch = stringify(scratch).map_err(&no_memory)?;
        return Ok(JsonString::LoneSurrogates(scratch));
    }
    Ok(if scratch.is_ascii() { JsonString::Ascii(scratch) } else { JsonString::NonAscii(scratch) })
}

/// Goes to the quote or backslash that ends the plain part here.
fn skip_plain(cursor: &mut Cursor<'_>) -> Result<u8, SyntaxError> {
    let start = cursor.at;
    let stop = scan::find_stop(cursor.body, start);
    if stop.has_non_ascii {
        check_utf8(cursor.between(start, stop.at), start)?;
    }
    cursor.at = stop.at;
    match cursor.body.get(stop.at) {
        None => Err(cursor.error(DecodeErrorKind::UnexpectedEnd)),
        Some(byte @ (b'"' | b'\\')) => Ok(*byte),
        Some(byte) => Err(cursor.error(DecodeErrorKind::ControlCharacter(*byte))),
    }
}

fn check_utf8(bytes: &[u8], start: usize) -> Result<(), SyntaxError> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(SyntaxError { offset: start + error.valid_up_to(), kind: DecodeErrorKind::InvalidUtf8 }),
    }
}

/// Reads the escape whose backslash is here: one UTF-16 code unit.
fn escape(cursor: &mut Cursor<'_>) -> Result<u16, SyntaxError> {
    let start = *cursor;
    cursor.at += 1;
    let unit = match cursor.peek() {
        byte @ (b'"' | b'\\' | b'/') => u16::from(byte),
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b't' => 0x09,
        b'u' => return hexadecimal(cursor),
        _ if cursor.rest().is_empty() => return Err(cursor.error(DecodeErrorKind::UnexpectedEnd)),
        _ => return Err(start.error(DecodeErrorKind::InvalidEscape)),
    };
    cursor.at += 1;
    Ok(unit)
}

/// Reads the four digits behind the `u` that is here.
fn hexadecimal(cursor: &mut Cursor<'_>) -> Result<u16, SyntaxError> {
    let mut unit = 0;
    for _ in 0..4 {
        cursor.at += 1;
        let Some(digit) = char::from(cursor.peek()).to_digit(16) else {
            let kind =
                if cursor.rest().is_empty() { DecodeErrorKind::UnexpectedEnd } else { DecodeErrorKind::InvalidEscape };
            return Err(cursor.error(kind));
        };
        unit = unit << 4 | digit as u16;
    }
    cursor.at += 1;
    Ok(unit)
}

/// Appends a code point as UTF-8 has it; a lone surrogate in the same way, which UTF-8 forbids.
fn push_utf8(bytes: &mut Vec<u8>, point: u32) -> Result<(), OutOfMemory> {
    let rest = |shift: u32| 0x80 | (point >> shift & 0x3F) as u8;
    match point {
        0..0x80 => push(bytes, point as u8),
        0x80..0x800 => extend(bytes, &[0xC0 | (point >> 6) as u8, rest(0)]),
        0x800..0x1_0000 => extend(bytes, &[0xE0 | (point >> 12) as u8, rest(6), rest(0)]),
        _ => extend(bytes, &[0xF0 | (point >> 18) as u8, rest(12), rest(6), rest(0)]),
    }
}

/// The JSON string of a text in which lone surrogates are encoded like other code points.
fn stringify(text: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut json = Vec::new();
    push(&mut json, b'"')?;
    let mut rest = text;
    while let [byte, others @ ..] = rest {
        rest = others;
        match (*byte, others) {
            (b'"' | b'\\', _) => extend(&mut json, &[b'\\', *byte])?,
            (0x08, _) => extend(&mut json, br"\b")?,
            (0x0C, _) => extend(&mut json, br"\f")?,
            (b'\n', _) => extend(&mut json, br"\n")?,
            (b'\r', _) => extend(&mut json, br"\r")?,
            (b'\t', _) => extend(&mut json, br"\t")?,
            (0..0x20, _) => push_escape(&mut json, u16::from(*byte))?,
            (0xED, [second @ 0xA0..=0xBF, third, behind @ ..]) => {
                push_escape(&mut json, 0xD000 | (u16::from(*second) & 0x3F) << 6 | u16::from(*third) & 0x3F)?;
                rest = behind;
            }
            _ => push(&mut json, *byte)?,
        }
    }
    push(&mut json, b'"')?;
    Ok(json)
}

fn push_escape(json: &mut Vec<u8>, unit: u16) -> Result<(), OutOfMemory> {
    extend(json, br"\u")?;
    for shift in [12, 8, 4, 0] {
        let digit = char::from_digit(u32::from(unit) >> shift & 15, 16).unwrap_or('0');
        push(json, digit as u8)?;
    }
    Ok(())
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
            JsonString::NonAscii(bytes) => (String::from_utf8(bytes.to_vec()).unwrap(), "wide"),
            JsonString::LoneSurrogates(bytes) => (String::from_utf8(bytes.to_vec()).unwrap(), "unpaired"),
        });
        assert_eq!(skip(&mut skipping), result.clone().map(|_| ()), "reading and skipping agree");
        if result.is_ok() {
            assert_eq!(cursor.at, skipping.at);
        }
        result
    }

    #[test]
    fn escapes_mean_what_they_mean_in_javascript() {
        let cases: [(&str, &str, &str); 9] = [
            (r#""plain""#, "plain", "ascii"),
            (r#""""#, "", "ascii"),
            ("\"gr\u{fc}n\"", "gr\u{fc}n", "wide"),
            (r#""\"\\\/\b\f\n\r\t\u0041""#, "\"\\/\u{8}\u{c}\n\r\tA", "ascii"),
            (r#""\u00fc and \ud83d\ude00""#, "\u{fc} and \u{1F600}", "wide"),
            (r#""\uD800""#, r#""\ud800""#, "unpaired"),
            (r#""\ude00\ud83d""#, r#""\ude00\ud83d""#, "unpaired"),
            (r#""\ud83d\ud83d\ude00\n""#, "\"\\ud83d\u{1F600}\\n\"", "unpaired"),
            (r#""\ud83d \ude00 \u0001""#, r#""\ud83d \ude00 \u0001""#, "unpaired"),
        ];
        for (json, text, kind) in cases {
            assert_eq!(read_all(json.as_bytes()), Ok((text.to_owned(), kind)), "{json}");
        }
    }

    #[test]
    fn a_broken_string_is_refused_where_it_breaks() {
        let cases: [(&[u8], usize, DecodeErrorKind); 9] = [
            (b"\"abc", 4, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\", 5, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\u12", 8, DecodeErrorKind::UnexpectedEnd),
            (b"\"abc\\x\"", 4, DecodeErrorKind::InvalidEscape),
            (b"\"abc\\u12g4\"", 8, DecodeErrorKind::InvalidEscape),
            (b"\"abc\n\"", 4, DecodeErrorKind::ControlCharacter(b'\n')),
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
        fn any_text_comes_back(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(read_all(json.as_bytes()).unwrap().0, text);
        }

        #[test]
        fn any_bytes_are_accepted_just_when_serde_accepts_them(bytes in prop::collection::vec(prop_oneof![b' '..=b'~', Just(b'\\'), Just(b'u'), any::<u8>()], 0..12)) {
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
