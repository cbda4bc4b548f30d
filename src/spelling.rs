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

#[cfg(test)]
mod tests {
    use super::*;

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
