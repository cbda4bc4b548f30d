//! What a body is in the place of JSON in UTF-8.

use crate::json::error::DecodeErrorKind;

/// The maximum number of characters of a page's title.
const MAX_TITLE_CHARACTERS: usize = 100;

/// The number of bytes of a page that are searched for its title.
const MAX_TITLE_END: usize = 16 * 1024;

/// Describes a body that has an error of this kind at an offset; `None` if there is no more to say.
pub(crate) fn format_of(body: &[u8], offset: usize, kind: DecodeErrorKind) -> Option<String> {
    let is_utf8 = match kind {
        DecodeErrorKind::UnexpectedByte(b'<') => return page_of(body),
        DecodeErrorKind::UnexpectedByte(_) => true,
        DecodeErrorKind::InvalidUtf8 => false,
        _ => return None,
    };
    let format = match (body, body.get(offset)?) {
        ([0x1F, 0x8B, ..], _) => "gzip, whose Content-Encoding was lost",
        ([0x28, 0xB5, 0x2F, 0xFD, ..], _) => "zstd, whose Content-Encoding was lost",
        // No JSON begins with an x.
        ([b'x', 0x01 | 0x9C | 0xDA, ..], _) => "deflate, whose Content-Encoding was lost",
        ([0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'{', 0, ..] | [0, b'{', ..], _) => "UTF-16",
        _ if is_utf8 => return None,
        (_, byte @ 0xA0..) => {
            return Some(format!("perhaps ISO-8859-1, where byte 0x{byte:02X} is {}", char::from(*byte)));
        }
        _ => "perhaps windows-1252",
    };
    Some(format.to_owned())
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
    let title = str::from_utf8(text.get(..after(text, b"<")?)?).ok()?.trim_ascii();
    let (title, more) = match title.char_indices().nth(MAX_TITLE_CHARACTERS) {
        Some((end, _)) => (title.get(..end).unwrap_or_default(), "…"),
        None => (title, ""),
    };
    (!title.is_empty()).then(|| format!(" with the title \"{title}{more}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::object::ObjectFields;

    #[test]
    fn an_error_names_a_compression_utf_16_and_latin_1_in_the_place_of_json_in_utf_8() {
        let message = |body: &[u8]| ObjectFields::read(body, ["a"]).err().unwrap().to_string();
        for (body, unexpected, encoding) in [
            (b"\x1F\x8B\x08\0".as_slice(), "byte 0x1F", "gzip"),
            (b"\x28\xB5\x2F\xFD\x04", "(", "zstd"),
            (b"x\x9C\xAB\x56", "x", "deflate"),
            (b"x\x01", "x", "deflate"),
        ] {
            let lost =
                format!("unexpected {unexpected}; it is {encoding}, whose Content-Encoding was lost (at byte 0)");
            assert_eq!(message(body), format!("the body is not JSON: {lost}"));
        }
        let text = "{\"a\":1}";
        for utf_16 in [
            text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            "\u{FEFF}{".encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "\u{FEFF}{".encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ] {
            assert!(message(&utf_16).contains("; it is UTF-16 (at byte "), "{}", message(&utf_16));
        }
        for (body, format) in [
            (b"{\"a\":\"caf\xE9\"}".as_slice(), "; it is perhaps ISO-8859-1, where byte 0xE9 is \u{E9} (at byte 9)"),
            (b"{\"a\":\"don\x92t\"}", "; it is perhaps windows-1252 (at byte 9)"),
            (b"{\"a\":?}", "unexpected ? (at byte 5)"),
        ] {
            assert!(message(body).ends_with(format), "{}", message(body));
        }
    }

    #[test]
    fn names_the_title_of_a_page() {
        let page = "\u{FEFF}\r\n<!DOCTYPE html><HTML><head><TITLE lang=en>\n Request rejected\n</TITLE>";
        let expected = "an HTML page with the title \"Request rejected\", perhaps of a firewall or proxy";
        assert_eq!(page_of(page.as_bytes()).as_deref(), Some(expected));
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
}
