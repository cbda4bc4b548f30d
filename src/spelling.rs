//! The name that is most like another one, for messages about a name that nothing has.

/// Of longer names only so many bytes are compared.
const COMPARED: usize = 64;

/// The known name that the fewest changes for its length make of `name`, upper and lower case being the same.
pub fn nearest<'known>(name: &str, known: &mut dyn Iterator<Item = &'known str>) -> Option<&'known str> {
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
    fn the_name_that_the_fewest_changes_make_is_the_nearest() {
        let known = ["retries", "maxRetryAfter", "timeout", "totalTimeout", "fetch"];
        for (name, expected) in [("retry", "retries"), ("TIMEOUTS", "timeout"), ("total_timeout", "totalTimeout")] {
            assert_eq!(nearest(name, &mut known.into_iter()), Some(expected));
        }
        assert_eq!(nearest("any", &mut std::iter::empty()), None);
    }

    #[test]
    fn names_that_are_long_are_compared_at_their_beginnings() {
        let long = "é".repeat(1_000_000);
        assert_eq!(nearest(&long, &mut ["a", &long].into_iter()), Some(&*long));
    }
}
