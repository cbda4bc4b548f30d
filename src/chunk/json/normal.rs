//! The text that equal values have.

use super::cursor::Cursor;
use super::string::escape;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, with_capacity};

/// Writes JSON, which has been checked, without white space, and its strings as `JSON.stringify` does: equal strings may be escaped in other ways.
/// Numbers stay as they are written.
///
/// # Errors
///
/// Out of memory.
pub fn normal_json(json: &str) -> Result<String, OutOfMemory> {
    // No escape is longer than the one that it stands for.
    let mut normal = with_capacity(json.len())?;
    let mut cursor = Cursor { body: json.as_bytes(), at: 0 };
    let mut is_string = false;
    while let Some(byte) = cursor.rest().first().copied() {
        match byte {
            b'\\' => {
                write_escaped(&mut cursor, &mut normal);
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' if !is_string => {}
            _ => {
                is_string ^= byte == b'"';
                normal.push(byte);
            }
        }
        cursor.at += 1;
    }
    Ok(String::from_utf8(normal).ok().certain())
}

/// Writes the character of the escape at the cursor.
fn write_escaped(cursor: &mut Cursor<'_>, normal: &mut Vec<u8>) {
    let mut unit = || escape(cursor).ok().certain();
    let first = unit();
    let name = match first {
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        0x22 => b'"',
        0x5C => b'\\',
        _ => 0,
    };
    if name != 0 {
        return normal.extend([b'\\', name]);
    }
    let mut character = char::from_u32(first).filter(|character| *character >= ' ');
    let after_first = *cursor;
    if matches!(first, 0xD800..=0xDBFF) && cursor.rest().starts_with(b"\\u") {
        match escape(cursor) {
            Ok(second @ 0xDC00..=0xDFFF) => {
                character = char::from_u32(0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF));
            }
            _ => *cursor = after_first,
        }
    }
    match character {
        Some(character) => normal.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        None => normal.extend(format!("\\u{first:04x}").bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn writes_no_white_space_and_each_string_in_one_way() {
        for (json, normal) in [
            ("[ 1 ,\t2.0\n, -0 ]", "[1,2.0,-0]"),
            (r#"{"a b" : [ "c d" , {} ]}"#, r#"{"a b":["c d",{}]}"#),
            (r#"["\u0061\/\u00E9\u0027\u2028"]"#, "[\"a/é'\u{2028}\"]"),
            (r#""\u0022\u005c\u0008\u0009\u000A\u000c\u000d\u001F\u007f""#, "\"\\\"\\\\\\b\\t\\n\\f\\r\\u001f\u{7f}\""),
            (r#""\uD83D\uDE00\uD83D\ud83d\uDE00\uDE00\uD83Dx\uD83D\n""#, "\"😀\\ud83d😀\\ude00\\ud83dx\\ud83d\\n\""),
        ] {
            assert_eq!(normal_json(json).unwrap(), normal, "{json}");
        }
    }

    proptest! {
        #[test]
        fn leaves_what_serde_json_writes(text in any::<String>()) {
            let json = serde_json::json!([text, { text.clone(): [null, true] }]).to_string();
            prop_assert_eq!(normal_json(&json).unwrap(), json);
        }
    }
}
