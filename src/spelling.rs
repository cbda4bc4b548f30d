//! Suggestions for misspelled names.

/// The bytes of a name that are compared.
const COMPARED: usize = 64;

/// The known name nearest to `name`: by Levenshtein distance relative to the length, ignoring ASCII case. `None` if none is known.
pub(crate) fn nearest<'known>(name: &str, known: &mut dyn Iterator<Item = &'known str>) -> Option<&'known str> {
    let beginning =
        |name: &str| name.get(..name.floor_char_boundary(COMPARED)).unwrap_or_default().to_ascii_lowercase();
    let sought = beginning(name);
    let likeness = |known: &str| strsim::normalized_levenshtein(&sought, &beginning(known));
    known.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}

/// The known path nearest to `path`: of those that begin or end with its keys if there are some, such as `Topic.Text` for `Topic` and
/// for `Text`; otherwise the [`nearest`] of all. `None` if none is known.
pub(crate) fn nearest_path<'known, Known>(path: &str, known: impl Fn() -> Known) -> Option<&'known str>
where
    Known: Iterator<Item = &'known str>,
{
    nearest(path, &mut known().filter(|known| shares_keys(path, known))).or_else(|| nearest(path, &mut known()))
}

/// Whether a longer path begins or ends with the keys of another, ignoring ASCII case.
fn shares_keys(path: &str, longer: &str) -> bool {
    let Some(rest) = longer.len().checked_sub(path.len() + 1) else { return false };
    let is_path = |part: Option<&str>| part.is_some_and(|part| part.eq_ignore_ascii_case(path));
    let begins =
        is_path(longer.get(..path.len())) && longer.get(path.len()..).is_some_and(|rest| rest.starts_with('.'));
    let ends = is_path(longer.get(rest + 1..)) && longer.get(..=rest).is_some_and(|rest| rest.ends_with('.'));
    begins || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefers_the_same_path() {
        let known = ["TopicGroup", "Topic.Text", "Topic.Start", "Extract.Text", "ExtractText", "Größe"];
        let cases = [
            ("Topic", "Topic.Text"),
            ("topic", "Topic.Text"),
            ("Extract", "Extract.Text"),
            ("Start", "Topic.Start"),
            ("TopicGrop", "TopicGroup"),
            ("Topic.Txt", "Topic.Text"),
            ("ExtractTex", "ExtractText"),
            ("Gr", "Größe"),
        ];
        for (path, expected) in cases {
            assert_eq!(nearest_path(path, || known.into_iter()), Some(expected), "{path}");
        }
        assert_eq!(nearest_path("any", std::iter::empty), None);
    }

    #[test]
    fn finds_the_nearest_name() {
        let known = ["retries", "maxRetryAfter", "timeout", "totalTimeout", "fetch"];
        for (name, expected) in [("retry", "retries"), ("TIMEOUTS", "timeout"), ("total_timeout", "totalTimeout")] {
            assert_eq!(nearest(name, &mut known.into_iter()), Some(expected));
        }
        assert_eq!(nearest("any", &mut std::iter::empty()), None);
    }

    #[test]
    fn compares_only_the_beginning_of_long_names() {
        let long = "é".repeat(1_000_000);
        assert_eq!(nearest(&long, &mut ["a", &long].into_iter()), Some(&*long));
    }
}
