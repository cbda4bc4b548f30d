//! HTML or XML in the place of JSON.

/// The maximum number of characters of a page's title.
const MAX_TITLE_CHARACTERS: usize = 100;

/// The number of bytes of a page that are searched for its title.
const MAX_TITLE_END: usize = 16 * 1024;

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
