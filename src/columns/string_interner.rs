//! The strings of a call.

mod batch;

use super::bytes::{equal, has_wide_characters, utf16_length};
use super::cell::Cell;
use super::hash_index::HashIndex;
use super::hash_seed::HashSeed;
use super::memory::{OutOfMemory, extend, push, resize, with_capacity};
use super::shapes::{PathId, ROOT_PATH};
use super::work::{Work, count};

/// Stores strings and raw JSON by id. Each has one id, except long strings of columns whose long strings rarely repeat.
/// Strings are stored in blocks that never move. A block holds one kind of strings.
pub struct StringInterner {
    seed: HashSeed,
    blocks: Vec<Block>,
    /// The block of each kind that strings are added to.
    open: [Option<usize>; 4],
    entries: Vec<Entry>,
    /// The ids of the strings that can be found.
    index: HashIndex,
    /// How often the long strings of each column repeat.
    repetitions: Vec<Repetition>,
}

/// The kind of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringKind {
    /// Only ASCII characters.
    Ascii,
    /// Other characters, but none above U+00FF: JavaScript engines store them in one byte each.
    Latin1,
    /// Characters above U+00FF.
    TwoByte,
    /// Raw JSON.
    RawJson,
}

/// The location of a string. A block stores its strings in the order of their ids.
#[derive(Clone, Copy)]
struct Entry {
    /// The block in the upper 16 bits, the offset in it in the lower.
    start: u32,
    /// The number of bytes, and [`RARE`].
    length: u32,
}

/// The bit of a long string of a column whose long strings rarely repeat. The interner that unpacks it adds it without a search.
const RARE: u32 = 1 << 31;

/// The maximum number of bytes of a string, which JavaScript's strings do not exceed either.
const MAX_LENGTH: usize = (1 << 29) - 1;

impl Entry {
    #[inline]
    fn length(&self) -> u32 {
        self.length & !RARE
    }

    #[inline]
    fn is_rare(&self) -> bool {
        self.length & RARE != 0
    }

    #[inline]
    fn block(&self) -> usize {
        (self.start >> 16) as usize
    }

    #[inline]
    fn offset(&self) -> usize {
        (self.start & 0xFFFF) as usize
    }
}

impl StringKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 4] = [Self::Ascii, Self::Latin1, Self::TwoByte, Self::RawJson];

    /// Returns the kind of a string in UTF-8.
    #[inline]
    pub(crate) fn of_text(bytes: &[u8]) -> Self {
        if bytes.is_ascii() { Self::Ascii } else { Self::of_non_ascii(bytes) }
    }

    /// Returns the kind of a string in UTF-8 that is not ASCII.
    #[inline]
    pub(crate) fn of_non_ascii(bytes: &[u8]) -> Self {
        if has_wide_characters(bytes) { Self::TwoByte } else { Self::Latin1 }
    }

    pub(crate) fn of_word(word: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == word)
    }
}

struct Block {
    kind: StringKind,
    bytes: Vec<u8>,
}

/// The blocks and the entries of an interner.
type Strings<'interner> = (&'interner [Block], &'interner [Entry]);

#[inline]
fn locate<'interner>((blocks, entries): Strings<'interner>, id: u32) -> Option<(StringKind, &'interner [u8])> {
    let entry = entries.get(id as usize)?;
    let block = blocks.get(entry.block())?;
    let start = entry.offset();
    Some((block.kind, block.bytes.get(start..start.checked_add(entry.length() as usize)?)?))
}

#[inline]
fn is_string(strings: Strings<'_>, id: u32, kind: StringKind, bytes: &[u8]) -> bool {
    locate(strings, id).is_some_and(|(other, found)| other == kind && equal(found, bytes))
}

/// Long strings have at least this many bytes. Where long strings differ, hashing and searching would take most of the time. Raw JSON is
/// always searched for.
const LONG: u32 = 8;

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

/// Whether a long string is a sample, one in `1 << bits`. Equal strings are either all samples or none, so a sample that repeats is found.
#[inline]
fn is_sample(bytes: &[u8], bits: u32) -> bool {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mixed = word(bytes.first_chunk()).rotate_left(23) ^ word(bytes.last_chunk()) ^ bytes.len() as u64;
    mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15).leading_zeros() >= bits
}

/// A state of the interner to roll back to.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Savepoint {
    entries: usize,
    blocks: usize,
    open: [Option<(usize, usize)>; 4],
}

const SMALLEST_BLOCK: usize = 1 << 12;
const LARGEST_BLOCK: usize = 1 << 16;

impl Savepoint {
    /// Returns the number of strings.
    pub(crate) fn len(&self) -> usize {
        self.entries
    }
}

impl StringInterner {
    /// An empty interner.
    pub(crate) fn new(seed: HashSeed) -> Self {
        StringInterner {
            seed,
            blocks: Vec::new(),
            open: [None; 4],
            entries: Vec::new(),
            index: HashIndex::default(),
            repetitions: Vec::new(),
        }
    }

    /// Returns the id of a string, a new one for a new string. Does not find a string that was added without a search.
    #[inline]
    pub(crate) fn intern(&mut self, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        self.search_or_append(kind, bytes).map(|(id, _)| id)
    }

    /// Returns an id of a string of a column. Searches for a [long](LONG) one only while the long strings of the column repeat.
    #[inline]
    pub(crate) fn intern_value(&mut self, column: PathId, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        if bytes.len() >= LONG as usize && kind != StringKind::RawJson {
            return self.intern_long(column, kind, bytes);
        }
        self.intern(kind, bytes)
    }

    /// Adds a string of another interner. `None` for an unknown id.
    pub(crate) fn intern_of(&mut self, other: &Self, id: u32) -> Result<Option<u32>, OutOfMemory> {
        let Some((kind, bytes)) = other.locate(id) else { return Ok(None) };
        if other.entries.get(id as usize).is_some_and(Entry::is_rare) {
            // The other interner does not say of which column it is.
            return self.intern_value(ROOT_PATH, kind, bytes).map(Some);
        }
        self.intern(kind, bytes).map(Some)
    }

    /// Returns true if a string, which is no raw JSON, is so long that an equal one may have another id, now or later.
    #[inline]
    pub(crate) fn is_long(&self, id: u32) -> bool {
        self.length(id) >= LONG
    }

    /// Returns true if two strings are of one kind and equal.
    pub(crate) fn are_equal(&self, id: u32, other: u32) -> bool {
        id == other
            || self.locate(id).is_some_and(|(kind, bytes)| {
                let strings = (&*self.blocks, &*self.entries);
                is_string(strings, other, kind, bytes)
            })
    }

    /// Returns the hash of a string.
    pub(crate) fn hash(&self, id: u32) -> u32 {
        self.seed.of_bytes(self.bytes(id))
    }

    /// Looks up the id of a string. Finds at most one id of a long string that has several.
    pub(crate) fn find(&self, kind: StringKind, bytes: &[u8]) -> Option<u32> {
        let strings = (&*self.blocks, &*self.entries);
        self.index.find(self.seed.of_bytes(bytes), |id| is_string(strings, id, kind, bytes))
    }

    /// Returns the bytes of a string, which are UTF-8; no bytes for an unknown id.
    #[inline]
    pub fn bytes(&self, id: u32) -> &[u8] {
        self.locate(id).map_or(&[], |(_, bytes)| bytes)
    }

    /// Returns the number of bytes of a string; none for an unknown id.
    #[inline]
    pub(crate) fn length(&self, id: u32) -> u32 {
        self.entries.get(id as usize).map_or(0, Entry::length)
    }

    /// Replaces each id with the end offset of its string, as if the strings followed each other from `start` on. Returns the last end.
    pub fn replace_by_ends(&self, ids: &mut [u32], start: u32) -> u32 {
        ids.iter_mut().fold(start, |start, id| {
            *id = start.wrapping_add(self.length(*id));
            *id
        })
    }

    /// Returns a string; an empty one for an unknown id.
    pub(crate) fn text(&self, id: u32) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    /// Returns the length of a string in UTF-16 code units.
    pub fn utf16_length(&self, id: u32) -> u32 {
        match self.locate(id) {
            None => 0,
            Some((StringKind::Ascii, bytes)) => bytes.len() as u32,
            Some((_, bytes)) => utf16_length(bytes),
        }
    }

    /// Returns the kind of a string.
    pub(crate) fn kind(&self, id: u32) -> Option<StringKind> {
        self.locate(id).map(|(kind, _)| kind)
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the bytes of memory that the interner holds.
    pub(crate) fn byte_length(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| block.bytes.capacity()).sum();
        let lists = self.entries.capacity() * size_of::<Entry>() + self.blocks.capacity() * size_of::<Block>();
        blocks + lists + self.index.byte_length()
    }

    /// Returns a savepoint of the current state.
    pub(crate) fn savepoint(&self) -> Savepoint {
        let length_of = |block: usize| self.blocks.get(block).map_or(0, |block| block.bytes.len());
        Savepoint {
            entries: self.entries.len(),
            blocks: self.blocks.len(),
            open: self.open.map(|open| open.map(|block| (block, length_of(block)))),
        }
    }

    /// Removes what was added after `savepoint`.
    pub(crate) fn rollback(&mut self, savepoint: &Savepoint) {
        // If memory ran out, a block may have grown without an entry.
        if self.savepoint() == *savepoint {
            return;
        }
        if self.entries.len() > savepoint.entries {
            self.entries.truncate(savepoint.entries);
            self.index.truncate(savepoint.entries as u32);
        }
        self.blocks.truncate(savepoint.blocks);
        for (block, length) in savepoint.open.iter().flatten() {
            if let Some(block) = self.blocks.get_mut(*block) {
                block.bytes.truncate(*length);
            }
        }
        self.open = savepoint.open.map(|open| open.map(|(block, _)| block));
    }

    /// Returns true if the long strings of a column have turned out to differ.
    pub(crate) fn are_rare(&self, column: PathId) -> bool {
        self.repetition(column).is_some_and(|repetition| !repetition.is_worth_a_search())
    }

    /// Marks a string of such a column. It may have been added before this was known.
    pub(crate) fn mark_rare(&mut self, id: u32) {
        if let Some(entry) = self.entries.get_mut(id as usize).filter(|entry| entry.length() >= LONG) {
            entry.length |= RARE;
        }
    }

    fn repetition(&self, column: PathId) -> Option<&Repetition> {
        self.repetitions.get(column as usize)
    }

    #[inline]
    fn locate(&self, id: u32) -> Option<(StringKind, &[u8])> {
        count(Work::String, 1);
        locate((&self.blocks, &self.entries), id)
    }

    fn intern_long(&mut self, column: PathId, kind: StringKind, bytes: &[u8]) -> Result<u32, OutOfMemory> {
        match self.search_for(column, bytes) {
            Some(is_sample) => self.search_long(column, kind, bytes, is_sample),
            None => self.append(kind, bytes, RARE),
        }
    }

    /// Returns whether a long string is a sample; `None` if it is not worth a search. The root path, which has no strings, stands for the
    /// columns of other interners. Their strings are already known to differ, so fewer are samples.
    #[inline]
    fn search_for(&self, column: PathId, bytes: &[u8]) -> Option<bool> {
        let repetition = self.repetition(column).copied().unwrap_or_default();
        let is_sample = is_sample(bytes, if column == ROOT_PATH { 6 } else { 3 });
        (is_sample || repetition.is_worth_a_search()).then_some(is_sample)
    }

    fn search_long(
        &mut self,
        column: PathId,
        kind: StringKind,
        bytes: &[u8],
        is_sample: bool,
    ) -> Result<u32, OutOfMemory> {
        let (id, is_new) = self.search_or_append(kind, bytes)?;
        if is_sample {
            let columns = self.repetitions.len().max(column as usize + 1);
            resize(&mut self.repetitions, columns, Repetition::default())?;
            if let Some(repetition) = self.repetitions.get_mut(column as usize) {
                repetition.note(!is_new);
            }
        }
        Ok(id)
    }

    /// Returns the id of a string, and whether it is new.
    #[inline]
    fn search_or_append(&mut self, kind: StringKind, bytes: &[u8]) -> Result<(u32, bool), OutOfMemory> {
        let (hash, strings) = (self.seed.of_bytes(bytes), (&*self.blocks, &*self.entries));
        if let Some(id) = self.index.find(hash, |id| is_string(strings, id, kind, bytes)) {
            return Ok((id, false));
        }
        let id = self.append(kind, bytes, 0)?;
        self.index.insert(hash, id)?;
        Ok((id, true))
    }

    /// `flag` is 0 or [`RARE`].
    fn append(&mut self, kind: StringKind, bytes: &[u8], flag: u32) -> Result<u32, OutOfMemory> {
        if self.entries.len() >= Cell::REFERENCES || bytes.len() > MAX_LENGTH {
            return Err(OutOfMemory);
        }
        let block = self.block_with_room(kind, bytes.len())?;
        let Some(open) = self.blocks.get_mut(block) else {
            return Err(OutOfMemory);
        };
        let id = self.entries.len() as u32;
        let start = (block as u32) << 16 | open.bytes.len() as u32;
        let entry = Entry { start, length: bytes.len() as u32 | flag };
        extend(&mut open.bytes, bytes)?;
        push(&mut self.entries, entry)?;
        Ok(id)
    }

    /// Returns a block of `kind` with room for `length` more bytes, a new one if necessary.
    fn block_with_room(&mut self, kind: StringKind, length: usize) -> Result<usize, OutOfMemory> {
        let open = self.open.get(kind as usize).copied().flatten();
        let last = open.and_then(|block| self.blocks.get(block));
        if let (Some(block), Some(last)) = (open, last) {
            // An offset has 16 bits.
            if last.bytes.len() < LARGEST_BLOCK && last.bytes.capacity() - last.bytes.len() >= length {
                return Ok(block);
            }
        }
        if self.blocks.len() > usize::from(u16::MAX) {
            return Err(OutOfMemory);
        }
        let capacity = last.map_or(SMALLEST_BLOCK, |last| (last.bytes.capacity() * 2).min(LARGEST_BLOCK));
        push(&mut self.blocks, Block { kind, bytes: with_capacity(capacity.max(length))? })?;
        let block = self.blocks.len() - 1;
        if let Some(open) = self.open.get_mut(kind as usize) {
            *open = Some(block);
        }
        Ok(block)
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
    use proptest::prelude::*;

    fn kinds() -> impl Strategy<Value = StringKind> {
        prop_oneof![
            Just(StringKind::Ascii),
            Just(StringKind::Latin1),
            Just(StringKind::TwoByte),
            Just(StringKind::RawJson)
        ]
    }

    /// Short strings that often repeat, and some as long as a block or longer.
    fn lengths() -> impl Strategy<Value = String> {
        prop_oneof![20 => "[ab]{0,3}", 2 => Just("c".repeat(3000)), 1 => Just("d".repeat(70_000))]
    }

    #[test]
    fn a_rollback_removes_bytes_that_belong_to_no_string() {
        let mut table = StringInterner::default();
        table.intern(StringKind::Ascii, b"kept").unwrap();
        let savepoint = table.savepoint();
        // As after an allocation for the string's entry has failed.
        table.blocks[0].bytes.extend(b"rest");
        table.rollback(&savepoint);
        let next = table.intern(StringKind::Ascii, b"next").unwrap();
        assert_eq!(table.blocks[0].bytes, b"keptnext");
        assert_eq!(table.text(next), "next");
    }

    proptest! {
        #[test]
        fn equal_strings_have_the_same_id_and_keep_their_bytes(strings in prop::collection::vec((kinds(), lengths()), 0..60)) {
            let mut table = StringInterner::default();
            let ids: Vec<u32> = strings.iter().map(|(kind, text)| table.intern(*kind, text.as_bytes()).unwrap()).collect();
            for (left, id) in strings.iter().zip(&ids) {
                prop_assert_eq!(table.bytes(*id), left.1.as_bytes());
                prop_assert_eq!(table.kind(*id), Some(left.0));
                for (right, other) in strings.iter().zip(&ids) {
                    prop_assert_eq!(left == right, id == other);
                }
            }
        }

        #[test]
        fn kind_and_length_are_those_of_the_characters(text in prop_oneof![any::<String>(), "[aé\u{FF}]{0,20}", "[ -~]{0,20}", "[éĀ😀]{0,9}"]) {
            let kind = match text.chars().max() {
                None | Some('\0'..='\u{7F}') => StringKind::Ascii,
                Some('\u{80}'..='\u{FF}') => StringKind::Latin1,
                Some(_) => StringKind::TwoByte,
            };
            prop_assert_eq!(StringKind::of_text(text.as_bytes()), kind);
            let mut table = StringInterner::default();
            let id = table.intern(kind, text.as_bytes()).unwrap();
            prop_assert_eq!(table.utf16_length(id) as usize, text.encode_utf16().count());
        }

        #[test]
        fn ends_are_those_of_the_strings_one_after_the_other(texts in prop::collection::vec("[a-d]{0,9}", 0..30), start in 0..9_u32) {
            let mut table = StringInterner::default();
            let mut ids: Vec<_> = texts.iter().map(|text| table.intern(StringKind::Ascii, text.as_bytes()).unwrap()).collect();
            let expected: Vec<_> = (1..=texts.len()).map(|count| start + texts[..count].concat().len() as u32).collect();
            let end = table.replace_by_ends(&mut ids, start);
            prop_assert_eq!(end, expected.last().copied().unwrap_or(start));
            prop_assert_eq!(ids, expected);
        }

        #[test]
        fn a_rollback_removes_exactly_what_was_added_after_the_savepoint(
            before in prop::collection::vec((kinds(), "[a-d]{0,3}|e{4000}"), 0..50),
            after in prop::collection::vec((kinds(), "[a-d]{0,3}|f{4000}"), 0..50),
        ) {
            let mut table = StringInterner::default();
            for (kind, text) in &before {
                table.intern(*kind, text.as_bytes()).unwrap();
            }
            let (savepoint, count) = (table.savepoint(), table.len());
            for (kind, text) in &after {
                table.intern(*kind, text.as_bytes()).unwrap();
            }
            table.rollback(&savepoint);
            prop_assert_eq!(table.len(), count);
            for (kind, text) in &after {
                prop_assert_eq!(table.find(*kind, text.as_bytes()).is_some(), before.contains(&(*kind, text.clone())));
            }
            for (kind, text) in before.iter().chain(&after) {
                let id = table.intern(*kind, text.as_bytes()).unwrap();
                prop_assert_eq!(table.bytes(id), text.as_bytes());
            }
        }
    }
}
