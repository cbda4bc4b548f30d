//! What a malformed body looks like, for the message of its error.

use crate::json::cursor::Cursor;
use crate::json::error::{DecodeErrorKind, SyntaxError};
use crate::json::skip::skip_value;
use crate::json::string;

/// How formats other than JSON in UTF-8 begin, and what their presence means.
const FORMATS: [(&[u8], &str); 10] = [
    (b"\x1F\x8B", LOST_GZIP),
    (b"\x28\xB5\x2F\xFD", "; it begins like zstd, so its Content-Encoding was lost"),
    (b"x\x01", LOST_DEFLATE),
    (b"x\x5E", LOST_DEFLATE),
    (b"x\x9C", LOST_DEFLATE),
    (b"x\xDA", LOST_DEFLATE),
    (b"\xFF\xFE", UTF_16),
    (b"\xFE\xFF", UTF_16),
    (b"{\0", UTF_16),
    (b"\0{", UTF_16),
];
const LOST_GZIP: &str = "; it begins like gzip, so its Content-Encoding was lost";
const LOST_DEFLATE: &str = "; it begins like deflate, so its Content-Encoding was lost";
const UTF_16: &str = "; it begins like UTF-16, but JSON must be UTF-8";

/// The maximum number of keys that are listed. An ellipsis replaces the others.
const MAX_KEYS: usize = 8;

/// The maximum number of characters of a key that are listed.
const MAX_KEY_CHARACTERS: usize = 40;

/// The maximum number of characters of a page's title.
const MAX_TITLE_CHARACTERS: usize = 100;

/// The number of bytes of a page that are searched for its title.
const MAX_TITLE_END: usize = 16 * 1024;

/// Returns what the body has in place of what was expected, as the continuation of the error's message; empty if there is no more to say.
pub(super) fn diagnosis(error: SyntaxError, body: &[u8]) -> String {
    match error.kind {
        DecodeErrorKind::UnexpectedByte(_) | DecodeErrorKind::InvalidUtf8 => {
            let format = FORMATS.iter().find(|(beginning, _)| body.starts_with(beginning));
            if let Some(page) = page_of(body) {
                return format!("; it is {page}");
            }
            match (format, body.get(error.offset)) {
                (Some((_, meaning)), _) => (*meaning).to_owned(),
                (None, Some(byte)) if error.kind == DecodeErrorKind::InvalidUtf8 => in_latin_1(*byte),
                (None, _) => String::new(),
            }
        }
        DecodeErrorKind::MissingField(_) => keys_of(body),
        _ => String::new(),
    }
}

/// Describes a body that is HTML or XML, with the title of the page; `None` for any other body.
pub fn page_of(body: &[u8]) -> Option<String> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
    if !body.starts_with(b"<") {
        return None;
    }
    let format = if body.starts_with(b"<?xml") { "XML" } else { "an HTML page" };
    let title = title_of(body.get(..MAX_TITLE_END).unwrap_or(body)).unwrap_or_default();
    Some(format!("{format}{title}, perhaps of a firewall or proxy"))
}

/// Quotes the title of a page.
fn title_of(page: &[u8]) -> Option<String> {
    let after = |page: &[u8], tag: &[u8]| page.windows(tag.len()).position(|part| part.eq_ignore_ascii_case(tag));
    let element = page.get(after(page, b"<title")?..)?;
    let text = element.get(after(element, b">")? + 1..)?;
    let text = str::from_utf8(text.get(..after(text, b"<")?)?).ok()?;
    let (title, more) = shortened(text.trim_ascii(), MAX_TITLE_CHARACTERS);
    (!title.is_empty()).then(|| format!(" with the title \"{title}{more}\""))
}

/// Returns the first characters of a key, and an ellipsis if there are others.
pub(super) fn shortened(key: &str, most: usize) -> (&str, &str) {
    match key.char_indices().nth(most) {
        Some((end, _)) => (key.get(..end).unwrap_or_default(), "…"),
        None => (key, ""),
    }
}

fn in_latin_1(byte: u8) -> String {
    match byte {
        0xA0.. => format!("; the byte 0x{byte:02X} is {} in ISO-8859-1", char::from(byte)),
        _ => format!("; the byte 0x{byte:02X} is punctuation in windows-1252"),
    }
}

/// Lists the keys of a body that is an object, as they are written.
fn keys_of(body: &[u8]) -> String {
    let mut cursor = Cursor { body, at: 0 };
    let Ok(None) = cursor.open_body() else { return String::new() };
    let mut keys: Vec<String> = Vec::new();
    while keys.len() <= MAX_KEYS && cursor.peek_past_whitespace() != b'}' {
        if cursor.consume(b",") {
            cursor.peek_past_whitespace();
        }
        let start = cursor.at;
        // The body has been checked, so nothing fails.
        if string::skip(&mut cursor).is_err() {
            break;
        }
        keys.push(quoted(cursor.between(start, cursor.at)));
        cursor.peek_past_whitespace();
        let is_value_next = cursor.consume(b":");
        cursor.peek_past_whitespace();
        if !is_value_next || skip_value(&mut cursor, usize::MAX).is_err() {
            break;
        }
    }
    if keys.len() > MAX_KEYS {
        keys.pop();
        keys.push("…".to_owned());
    }
    if keys.is_empty() {
        "; the body is an empty object".to_owned()
    } else {
        format!("; the body has {}", keys.join(", "))
    }
}

/// Returns a key in its quotes, shortened if it is long.
fn quoted(json: &[u8]) -> String {
    let key = json.get(1..json.len().saturating_sub(1)).and_then(|key| str::from_utf8(key).ok());
    let (key, more) = shortened(key.unwrap_or_default(), MAX_KEY_CHARACTERS);
    format!("\"{key}{more}\"")
}

#[cfg(test)]
mod tests {
    use super::super::object::ObjectFields;
    use super::*;

    fn message(body: &[u8]) -> String {
        let fields = ObjectFields::read(body, ["Findings"]);
        let missing = |fields: ObjectFields<'_, 1>| {
            fields.error_at("Findings", DecodeErrorKind::MissingField("Findings")).to_string()
        };
        fields.map_or_else(|error| error.to_string(), missing)
    }

    #[test]
    fn names_a_compression_that_no_header_names() {
        for (body, format) in [
            (b"\x1F\x8B\x08\0\0\0\0\0".as_slice(), "gzip"),
            (b"\x28\xB5\x2F\xFD\x04", "zstd"),
            (b"x\x9C\xAB\x56", "deflate"),
            (b"x\x01", "deflate"),
        ] {
            let expected =
                format!("; it begins like {format}, so its Content-Encoding was lost (at byte 0, $, the whole body)");
            assert!(message(body).ends_with(&expected), "{}", message(body));
        }
    }

    #[test]
    fn names_utf_16_with_and_without_a_byte_order_mark() {
        let text = r#"{"Findings":[]}"#;
        let (little, big): (Vec<u8>, Vec<u8>) = (
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        );
        for body in [[b"\xFF\xFE", &*little].concat(), [b"\xFE\xFF", &*big].concat(), little, big] {
            assert!(
                message(&body).contains("; it begins like UTF-16, but JSON must be UTF-8 (at byte "),
                "{}",
                message(&body)
            );
        }
    }

    #[test]
    fn names_the_title_of_a_page() {
        let page = "\u{FEFF}\r\n<!DOCTYPE html><HTML><head><TITLE lang=en>\n Request rejected\n</TITLE>";
        let expected = "an HTML page with the title \"Request rejected\", perhaps of a firewall or proxy";
        assert_eq!(page_of(page.as_bytes()).as_deref(), Some(expected));
        let expected = format!("the body is not JSON: unexpected <; it is {expected} (at byte 5, $, the whole body)");
        assert_eq!(message(page.as_bytes()), expected);
        for untitled in ["<", "<html>", "<title", "<title>", "<title>a", "<title> </title>", "<title>\u{e9}"] {
            let expected = "an HTML page, perhaps of a firewall or proxy";
            assert_eq!(page_of(untitled.as_bytes()).as_deref(), Some(expected), "{untitled}");
        }
        assert_eq!(page_of(b"<title>\xE9</title>").as_deref(), Some("an HTML page, perhaps of a firewall or proxy"));
        assert_eq!(page_of(b"<?xml version='1.0'?><Error/>").as_deref(), Some("XML, perhaps of a firewall or proxy"));
        let long = format!("<title>{}</title>", "x".repeat(MAX_TITLE_CHARACTERS + 1));
        assert!(page_of(long.as_bytes()).is_some_and(|page| page.contains("x…\"")));
        for other in ["", "Not found", "{\"a\":\"<title>b</title>\"}"] {
            assert_eq!(page_of(other.as_bytes()), None);
        }
    }

    #[test]
    fn names_the_letter_of_a_byte_that_is_not_utf_8() {
        assert_eq!(
            message(b"{\"Comment\":\"caf\xE9\"}"),
            "the body is not UTF-8; the byte 0xE9 is é in ISO-8859-1 (at byte 15, $.Comment)"
        );
        assert_eq!(
            message(b"{\"Comment\":\"don\x92t\"}"),
            "the body is not UTF-8; the byte 0x92 is punctuation in windows-1252 (at byte 15, $.Comment)"
        );
    }

    #[test]
    fn lists_the_keys_that_are_there_instead() {
        assert_eq!(
            message(br#" { "findings" : [{"a":1}], "Err\u006Fr":null}"#),
            r#"Findings is missing; the body has "findings", "Err\u006Fr" (at byte 0, $, the whole body)"#
        );
        assert_eq!(message(b"{}"), "Findings is missing; the body is an empty object (at byte 0, $, the whole body)");
        let many = format!("{{{}}}", (0..9).map(|key| format!("\"k{key}\":0")).collect::<Vec<_>>().join(","));
        assert!(message(many.as_bytes()).contains(r#""k7", … (at"#), "{}", message(many.as_bytes()));
        let eight = many.replace(",\"k8\":0", "");
        assert!(message(eight.as_bytes()).contains(r#""k6", "k7" (at"#));
        let long = format!("{{\"{}\":0}}", "é".repeat(MAX_KEY_CHARACTERS + 1));
        assert!(message(long.as_bytes()).contains(&format!("has \"{}…\" (at", "é".repeat(MAX_KEY_CHARACTERS))));
        let fitting = "é".repeat(MAX_KEY_CHARACTERS);
        assert!(message(format!("{{\"{fitting}\":0}}").as_bytes()).contains(&format!("has \"{fitting}\" (at")));
    }
}
