//! The name that a reader of a message has probably meant.

/// The maximum number of bytes of a name to compare, so that long names cost little.
const MAX_BYTES: usize = 64;

/// Returns the first of the names with the fewest typing errors; none if all have more than one in three characters.
pub fn nearest<'name>(wrong: &str, names: impl Iterator<Item = &'name str>) -> Option<&'name str> {
    let most = wrong.chars().count() / 3;
    let near = names.map(|name| (distance(wrong, name), name)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns how many characters to insert, remove or replace for the other text. ASCII letters are equal in both cases.
fn distance(one: &str, other: &str) -> usize {
    if one.len().max(other.len()) > MAX_BYTES {
        return usize::MAX;
    }
    // The distances from the beginning of `one` that has been read to each beginning of `other` but the empty one.
    let mut row: [usize; MAX_BYTES] = std::array::from_fn(|index| index + 1);
    let mut last = other.chars().count();
    for (index, character) in one.chars().enumerate() {
        let mut diagonal = index;
        last = index + 1;
        for (cell, other) in row.iter_mut().zip(other.chars()) {
            let replaced = diagonal + usize::from(!character.eq_ignore_ascii_case(&other));
            diagonal = *cell;
            last = replaced.min(last.min(diagonal) + 1);
            *cell = last;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["Comment", "Topic.Text", "TopicGroup", "Sentiment", "größe"];

    fn found(wrong: &str) -> Option<&'static str> {
        nearest(wrong, NAMES.into_iter())
    }

    #[test]
    fn finds_the_name_with_the_fewest_typing_errors() {
        for (wrong, meant) in [
            ("Coment", "Comment"),
            ("Commment", "Comment"),
            ("topicgroup", "TopicGroup"),
            ("TopicGrop", "TopicGroup"),
            ("Topic_Text", "Topic.Text"),
            ("Sentiments", "Sentiment"),
            ("grösse", "größe"),
        ] {
            assert_eq!(found(wrong), Some(meant), "{wrong}");
        }
    }

    #[test]
    fn finds_none_where_more_than_a_third_differs() {
        for wrong in ["", "a", "Language", "Topic", "Co", &"Comment".repeat(100)] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
        assert_eq!(nearest("abcdef", ["", "abcd", "abcdefgh"].into_iter()), Some("abcd"));
        assert_eq!(nearest("abcdef", [""; 3].into_iter()), None);
    }

    #[test]
    fn counts_insertions_removals_and_replacements() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("ABC", "abc", 0),
            ("É", "é", 1),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }
}
