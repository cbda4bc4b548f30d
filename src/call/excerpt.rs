//! Excerpts of long texts, for messages.

use std::fmt;

/// The maximum number of characters of an excerpt.
pub(crate) const MAX_CHARACTERS: usize = 100;

/// Displays a text; if it is long, only its beginning, with an ellipsis.
pub struct Excerpt<'text>(pub &'text str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (0..self.0.len()).filter(|at| self.0.is_char_boundary(*at)).nth(MAX_CHARACTERS) {
            Some(end) => write!(formatter, "{}…", self.0.get(..end).unwrap_or_default()),
            None => formatter.write_str(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_texts_of_more_than_a_hundred_characters() {
        let text = "é".repeat(MAX_CHARACTERS);
        assert_eq!(Excerpt(&text).to_string(), text);
        assert_eq!(Excerpt(&(text.clone() + "x")).to_string(), text + "…");
    }
}
