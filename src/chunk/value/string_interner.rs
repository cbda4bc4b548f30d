//! The strings of a partition that is being decoded.

use super::cell::Cell;
use super::shapes::PathId;
use super::strings::StringKind;
use crate::bytes::equal;
use crate::hash::HashSeed;
use crate::hash_index::HashIndex;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, extend, push, reserve, resize};
use crate::packing::Packer;

/// Stores strings and raw JSON by id, one after the other. Each has one id, except long strings of columns whose long strings rarely repeat.
pub struct StringInterner {
    seed: HashSeed,
    /// The end of each string.
    ends: Vec<u32>,
    /// The kind of each string.
    kinds: Vec<u8>,
    bytes: Vec<u8>,
    /// The ids of the strings that can be found.
    index: HashIndex,
    /// How often the long strings of each column repeat.
    repetitions: Vec<Repetition>,
}

/// Long strings have at least this many bytes. Where long strings differ, hashing and searching would take most of the time. Raw JSON is
/// always searched for.
const LONG: usize = 8;

/// How often the long strings of a column repeat, by a sample of them.
#[derive(Clone, Copy, Default)]
struct Repetition {
    samples: u32,
    repeats: u32,
}

impl Repetition {
    /// The minimum number of samples that says anything.
    const LEAST: u32 = 32;
    /// The number of samples after which earlier samples count half.
    const MOST: u32 = 4096;
    /// Searching is worth it if at least one of this many samples repeats.
    const SHARE: u32 = 8;

    #[inline]
    fn is_worth_a_search(&self) -> bool {
        self.samples < Self::LEAST || self.repeats * Self::SHARE >= self.samples
    }

    fn note(&mut self, is_repeat: bool) {
        if self.samples == Self::MOST {
            self.samples /= 2;
            self.repeats /= 2;
        }
        self.samples += 1;
        self.repeats += u32::from(is_repeat);
    }
}

/// Whether a long string is a sample, one of eight. Equal strings are either all samples or none, so a sample that repeats is found.
#[inline]
fn is_sample(bytes: &[u8]) -> bool {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mixed = word(bytes.first_chunk()).rotate_left(23) ^ word(bytes.last_chunk()) ^ bytes.len() as u64;
    mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15).leading_zeros() >= 3
}

impl StringInterner {
    /// An empty interner.
    pub fn new(seed: HashSeed) -> Self {
        StringInterner {
            seed,
            ends: Vec::new(),
            kinds: Vec::new(),
            bytes: Vec::new(),
            index: HashIndex::default(),
            repetitions: Vec::new(),
        }
    }

    /// Makes room for about as many bytes of strings.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.bytes, bytes)
    }

    /// Returns the id of a string, a new one for a new string. Does not find a string that was added without a search.
    #[inline]
    pub fn intern(&mut self, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        self.search_or_append(kind, bytes).map(|(id, _)| id)
    }

    /// Returns an id of a string of a column. Searches for a long one only while the long strings of the column repeat.
    #[inline]
    pub fn intern_value(&mut self, column: PathId, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        if bytes.len() >= LONG && kind != StringKind::RawJson {
            return self.intern_long(column, kind, bytes);
        }
        self.intern(kind, bytes)
    }

    /// Returns the number of strings.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Writes the numbers of strings and of bytes, the end of each string, the kind of each, and their bytes one after the other.
    pub fn pack(&self, packer: &mut Packer) -> Result<(), OutOfMemory> {
        packer.reserve(8 + 5 * self.ends.len() + self.bytes.len())?;
        packer.word(self.ends.len() as u32)?;
        packer.word(self.bytes.len() as u32)?;
        packer.items(self.ends.iter().map(|end| end.to_le_bytes()))?;
        packer.append(&self.kinds)?;
        packer.append(&self.bytes)
    }

    fn intern_long(&mut self, column: PathId, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        let repetition = self.repetitions.get(column as usize).copied().unwrap_or_default();
        let is_sample = is_sample(bytes);
        if !is_sample && !repetition.is_worth_a_search() {
            return self.append(kind, bytes);
        }
        let (id, is_new) = self.search_or_append(kind, bytes)?;
        if is_sample {
            let columns = self.repetitions.len().max(column as usize + 1);
            resize(&mut self.repetitions, columns, Repetition::default())?;
            self.repetitions.get_mut(column as usize).certain().note(!is_new);
        }
        Ok(id)
    }

    /// Returns the id of a string, and whether it is new.
    #[inline]
    fn search_or_append(&mut self, kind: StringKind, bytes: &[u8]) -> Result<(u32, bool), OutOfMemory> {
        let hash = self.seed.of_bytes(bytes);
        let found = self.index.find(hash, |id| {
            let id = id as usize;
            let start = id.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |start| *start as usize);
            let found = self.ends.get(id).and_then(|end| self.bytes.get(start..*end as usize)).certain();
            self.kinds.get(id) == Some(&(kind as u8)) && equal(found, bytes)
        });
        if let Some(id) = found {
            return Ok((id, false));
        }
        let id = self.append(kind, bytes)?;
        self.index.insert(hash, id)?;
        Ok((id, true))
    }

    fn append(&mut self, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        // A body, of less than 2^31 bytes, has no more strings than a cell can refer to, and memory no room for more than 2^32 bytes of strings.
        (self.ends.len() < Cell::REFERENCES).then_some(()).certain();
        let end = u32::try_from(self.bytes.len() + bytes.len()).ok().certain();
        extend(&mut self.bytes, bytes)?;
        push(&mut self.ends, end)?;
        push(&mut self.kinds, kind as u8)?;
        Ok(self.ends.len() as u32 - 1)
    }
}

#[cfg(test)]
impl Default for StringInterner {
    fn default() -> Self {
        Self::new(HashSeed::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packing::Unpacker;
    use crate::value::strings::Strings;
    use proptest::prelude::*;

    fn packed(interner: &StringInterner) -> Vec<u8> {
        let mut packer = Packer::default();
        interner.pack(&mut packer).unwrap();
        packer.finish()
    }

    fn strings(bytes: &[u8]) -> Strings<'_> {
        let mut unpacker = Unpacker::new(bytes, 0);
        let strings = Strings::unpack(&mut unpacker).unwrap();
        assert_eq!(unpacker.check_end(), Ok(()));
        strings
    }

    fn kinds() -> impl Strategy<Value = StringKind> {
        prop::sample::select(&StringKind::ALL[..])
    }

    /// Short strings that often repeat, and some as long as a block or longer.
    fn lengths() -> impl Strategy<Value = String> {
        prop_oneof![20 => "[ab]{0,3}", 2 => Just("c".repeat(3000)), 1 => Just("d".repeat(70_000))]
    }

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
        fn equal_strings_have_the_same_id_and_keep_their_bytes(texts in prop::collection::vec((kinds(), lengths()), 0..60)) {
            let mut interner = StringInterner::default();
            let ids: Vec<u32> = texts.iter().map(|(kind, text)| interner.intern(*kind, text.as_bytes()).unwrap()).collect();
            let bytes = packed(&interner);
            let strings = strings(&bytes);
            prop_assert_eq!(strings.len(), interner.len());
            for (left, id) in texts.iter().zip(&ids) {
                prop_assert_eq!(strings.get(*id), Some((left.0, left.1.as_bytes())));
                for (right, other) in texts.iter().zip(&ids) {
                    prop_assert_eq!(left == right, id == other);
                }
            }
            prop_assert_eq!(strings.get(strings.len() as u32), None);
        }

        #[test]
        fn kind_and_length_are_those_of_the_characters(text in prop_oneof![any::<String>(), "[aé\u{FF}]{0,20}", "[ -~]{0,20}", "[éĀ😀]{0,9}"]) {
            let kind = match text.chars().max() {
                None | Some('\0'..='\u{7F}') => StringKind::Ascii,
                Some('\u{80}'..='\u{FF}') => StringKind::Latin1,
                Some(_) => StringKind::TwoByte,
            };
            prop_assert_eq!(StringKind::of_text(text.as_bytes()), kind);
            prop_assert_eq!(crate::value::strings::utf16_length(kind, text.as_bytes()) as usize, text.encode_utf16().count());
        }
    }
}
