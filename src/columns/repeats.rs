//! Strings that a dictionary stores several times.

use super::hash_index::HashIndex;
use super::memory::{OutOfMemory, resize};
use super::string_interner::StringInterner;

/// Maps equal strings to one id: the id of the one that was looked up first.
///
/// A dictionary may store a long string several times, because it stops searching while long strings do not repeat. Queries that compare
/// values search instead, once for each string.
#[derive(Default)]
pub(crate) struct Repeats {
    /// The strings that were looked up first.
    index: HashIndex,
    /// For each id, one more than the id that it is mapped to; 0 if it has not been looked up.
    firsts: Vec<u32>,
}

impl Repeats {
    /// Returns the id that all equal strings are mapped to.
    pub(crate) fn first(&mut self, strings: &StringInterner, id: u32) -> Result<u32, OutOfMemory> {
        if let Some(known) = self.firsts.get(id as usize).and_then(|first| first.checked_sub(1)) {
            return Ok(known);
        }
        let hash = strings.hash(id);
        let first = match self.index.find(hash, |other| strings.are_equal(id, other)) {
            Some(first) => first,
            None => {
                self.index.insert(hash, id)?;
                id
            }
        };
        if self.firsts.len() <= id as usize {
            resize(&mut self.firsts, strings.len().max(id as usize + 1), 0)?;
        }
        if let Some(slot) = self.firsts.get_mut(id as usize) {
            *slot = first + 1;
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::string_interner::StringKind;

    /// A long string, of which there are few.
    fn text(number: u16) -> String {
        format!("{number:05} is the number of this text")
    }

    #[test]
    fn strings_that_differ_are_not_searched_for_and_strings_that_repeat_are_stored_once() {
        let mut strings = StringInterner::default();
        let mut add = |numbers: std::ops::Range<u16>| {
            let before = strings.len();
            for number in numbers {
                strings.intern_value(1, StringKind::Ascii, text(number).as_bytes()).unwrap();
            }
            strings.len() - before
        };
        assert_eq!(add(0..20_000), 20_000);
        // They are searched for once it is noticed that they repeat. Most are then stored a second time, and found from then on.
        let again = [add(0..20_000), add(0..20_000), add(0..20_000)];
        assert!(again.iter().sum::<usize>() <= 20_000, "{again:?}");
        assert_eq!(again[2], 0);
    }

    proptest! {
        #[test]
        fn equal_strings_have_the_same_first(numbers in prop::collection::vec(0..2_000_u16, 0..4_000), asked in prop::collection::vec(any::<prop::sample::Index>(), 0..500)) {
            let mut strings = StringInterner::default();
            // Before the others, so that nothing is searched for any longer.
            let mut ids: Vec<(u32, u16)> = Vec::new();
            for number in (2_000..4_000).chain(numbers) {
                let id = strings.intern_value(1, StringKind::Ascii, text(number).as_bytes()).unwrap();
                prop_assert_eq!(strings.text(id), text(number));
                ids.push((id, number));
            }
            let mut repeats = Repeats::default();
            let mut first_of = std::collections::HashMap::new();
            for index in asked {
                let (id, number) = ids[index.index(ids.len())];
                prop_assert!(strings.is_long(id));
                let first = repeats.first(&strings, id).unwrap();
                prop_assert_eq!(strings.text(first), text(number));
                prop_assert_eq!(*first_of.entry(number).or_insert(id), first);
            }
        }
    }
}
