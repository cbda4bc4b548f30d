//! Long texts in messages.

use std::fmt;

/// The most characters of a text that are quoted.
pub(crate) const LONGEST: usize = 100;

/// Displays the first 100 characters of a text, and an ellipsis if there are more.
pub(crate) struct Excerpt<'text>(pub &'text str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (0..self.0.len()).filter(|at| self.0.is_char_boundary(*at)).nth(LONGEST) {
            Some(end) => write!(formatter, "{}…", self.0.get(..end).unwrap_or_default()),
            None => formatter.write_str(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_up_to_a_hundred_characters() {
        let text = "é".repeat(LONGEST);
        assert_eq!(Excerpt(&text).to_string(), text);
        assert_eq!(Excerpt(&(text.clone() + "x")).to_string(), text + "…");
    }
}
