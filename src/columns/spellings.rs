//! Values that raw JSON writes in different ways.

use super::hash_index::HashIndex;
use super::hash_seed::HashSeed;
use super::memory::{OutOfMemory, push};
use super::string_interner::{StringInterner, StringKind};

/// The values of raw JSON. Two are equal if `JSON.stringify` writes the same text for both.
/// Contains the raw JSON that queries have compared, by its id in the dictionary.
pub(crate) struct Spellings {
    /// The texts that `JSON.stringify` writes.
    texts: StringInterner,
    /// For each text, the raw JSON that was compared first.
    firsts: Vec<u32>,
    /// The text of raw JSON, by the hash of its id.
    text_of: HashIndex,
}

impl Spellings {
    /// No values yet.
    pub(crate) fn new(seed: HashSeed) -> Self {
        Spellings { texts: StringInterner::new(seed), firsts: Vec::new(), text_of: HashIndex::default() }
    }

    /// Returns the first compared raw JSON with the same value; `None` before [`add`](Self::add).
    pub(crate) fn first(&self, id: u32) -> Option<u32> {
        self.firsts.get(self.find(id)? as usize).copied()
    }

    /// Returns the text that `JSON.stringify` writes for raw JSON that has been added.
    pub(crate) fn text(&self, id: u32) -> Option<&str> {
        self.find(id).map(|text| self.texts.text(text))
    }

    /// Adds raw JSON for whose value `JSON.stringify` writes `text`. Returns what [`first`](Self::first) returns from now on.
    pub(crate) fn add(&mut self, id: u32, text: &str) -> Result<u32, OutOfMemory> {
        let text = self.texts.intern(StringKind::RawJson, text.as_bytes())?;
        if self.firsts.len() == text as usize {
            push(&mut self.firsts, id)?;
        }
        self.text_of.insert(hash(id), text)?;
        Ok(self.firsts.get(text as usize).copied().unwrap_or(id))
    }

    fn find(&self, id: u32) -> Option<u32> {
        self.text_of.find(hash(id), |_| true)
    }
}

/// A hash without collisions. It needs no seed: nobody can choose ids, which count up.
fn hash(id: u32) -> u32 {
    id.wrapping_mul(0x9E37_79B9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_values_stays_the_first() {
        let mut spellings = Spellings::new(HashSeed::default());
        assert_eq!((spellings.first(7), spellings.text(7)), (None, None));
        assert_eq!(
            [(7, "[1]"), (3, "[2]"), (5, "[1]"), (0, "[2]")].map(|(id, text)| spellings.add(id, text)),
            [7, 3, 7, 3].map(Ok)
        );
        assert_eq!([7, 5, 3, 0, 1].map(|id| spellings.first(id)), [Some(7), Some(7), Some(3), Some(3), None]);
        assert_eq!([7, 5, 0].map(|id| spellings.text(id)), [Some("[1]"), Some("[1]"), Some("[2]")]);
    }
}
