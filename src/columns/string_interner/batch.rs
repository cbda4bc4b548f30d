//! Strings as bytes, in batches. The rare strings of a batch are beside each other, so that an interner adds them with few copies and
//! without a search.

use std::ops::Range;

use super::super::cell::Cell;
use super::super::decode::raw_json;
use super::super::memory::{OutOfMemory, extend, push_hot, reserve};
use super::super::packing::{Packer, UnpackError, Unpacker, check};
use super::super::shapes::ROOT_PATH;
use super::{Entry, LARGEST_BLOCK, RARE, StringInterner, StringKind};

/// The number of bytes after which a batch ends.
const BATCH: usize = 64 * 1024;

/// The maximum number of strings in a batch.
const MOST: u32 = 4096;

/// The groups of a batch: the rare strings of each kind, then all other strings.
const GROUPS: usize = StringKind::ALL.len() + 1;

/// What a batch says of a string, in 32 bits: its kind, whether it is rare, and its length.
#[derive(Clone, Copy)]
struct Packed(u32);

impl Packed {
    fn new(kind: StringKind, entry: &Entry) -> Self {
        Packed(entry.length() << 3 | u32::from(entry.is_rare()) << 2 | kind as u32)
    }

    fn kind(self) -> Result<StringKind, UnpackError> {
        StringKind::of_word(self.0 & 3).ok_or(UnpackError::Malformed)
    }

    fn is_rare(self) -> bool {
        self.0 & 4 != 0
    }

    fn length(self) -> usize {
        (self.0 >> 3) as usize
    }

    fn group(self) -> usize {
        if self.is_rare() { (self.0 & 3) as usize } else { GROUPS - 1 }
    }
}

/// The strings of a group that are not added yet. Rare ones beside each other are copied together.
#[derive(Clone, Copy, Default)]
struct Group<'batch> {
    bytes: &'batch [u8],
    /// The number of bytes to copy next: of strings that have entries.
    run: usize,
    /// The block to copy them to.
    block: usize,
    /// The offset behind them in this block.
    offset: usize,
    /// The room behind them.
    room: usize,
}

impl<'batch> Group<'batch> {
    /// Returns the string behind the run.
    fn next(&self, length: usize) -> Result<&'batch [u8], UnpackError> {
        self.bytes.get(self.run..).and_then(|rest| rest.get(..length)).ok_or(UnpackError::Malformed)
    }

    /// Removes bytes from the front.
    fn take(&mut self, length: usize) -> &'batch [u8] {
        let (taken, rest) = self.bytes.split_at_checked(length).unwrap_or_default();
        self.bytes = rest;
        taken
    }
}

impl StringInterner {
    /// Packs the first `length` strings.
    pub(crate) fn pack(&self, packer: &mut Packer<'_>, length: usize) -> Result<(), OutOfMemory> {
        let length = length as u32;
        packer.word(length)?;
        let mut start = 0;
        while start < length {
            let end = self.end_of_batch(start, length);
            self.pack_batch(packer, start..end)?;
            start = end;
        }
        Ok(())
    }

    /// Adds the next batch of strings that were [packed](Self::pack), of which `left` are left. Appends their ids to `ids`, and returns how
    /// many strings are left then.
    pub(crate) fn unpack(
        &mut self,
        unpacker: &mut Unpacker<'_>,
        left: u32,
        ids: &mut Vec<u32>,
    ) -> Result<u32, UnpackError> {
        let batch = unpacker.items()?;
        let count = batch.len() as u32;
        check(0 < count && count <= left)?;
        let batch = batch.iter().map(|word| Packed(u32::from_le_bytes(*word)));
        let mut lengths = [0_usize; GROUPS];
        for packed in batch.clone() {
            if let Some(length) = lengths.get_mut(packed.group()) {
                *length = length.checked_add(packed.length()).ok_or(UnpackError::Malformed)?;
            }
        }
        let mut groups = [Group::default(); GROUPS];
        for (group, length) in groups.iter_mut().zip(lengths) {
            group.bytes = unpacker.take(length)?;
        }
        reserve(&mut self.entries, batch.len())?;
        reserve(ids, batch.len())?;
        let [rare @ .., others] = &mut groups;
        for packed in batch {
            let (kind, length) = (packed.kind()?, packed.length());
            let run = rare.get_mut(kind as usize).ok_or(UnpackError::Malformed)?;
            let id = if packed.is_rare() {
                check(kind != StringKind::RawJson)?;
                self.add_rare(kind, run, length)?
            } else {
                self.end_run(run)?;
                let bytes = others.take(length);
                check(kind != StringKind::RawJson || raw_json::is_valid(bytes))?;
                self.intern(kind, bytes)?
            };
            push_hot(ids, id)?;
        }
        rare.iter_mut().try_for_each(|run| self.end_run(run))?;
        Ok(left - count)
    }

    /// Returns the end of the batch that begins at `start`.
    fn end_of_batch(&self, start: u32, length: u32) -> u32 {
        let mut bytes = 0;
        let mut end = start;
        while end < length.min(start + MOST) && bytes < BATCH {
            bytes += self.length(end) as usize;
            end += 1;
        }
        end
    }

    fn pack_batch(&self, packer: &mut Packer<'_>, batch: Range<u32>) -> Result<(), OutOfMemory> {
        packer.list(batch.clone().map(|id| self.packed(id).0.to_le_bytes()))?;
        for group in 0..GROUPS {
            for id in batch.clone().filter(|id| self.packed(*id).group() == group) {
                packer.append(self.bytes(id))?;
            }
        }
        Ok(())
    }

    fn packed(&self, id: u32) -> Packed {
        self.kind(id).zip(self.entries.get(id as usize)).map_or(Packed(0), |(kind, entry)| Packed::new(kind, entry))
    }

    /// Adds the next string of a group of rare strings. Searches for it only if it is a sample, or if the samples have repeated.
    #[inline]
    fn add_rare(&mut self, kind: StringKind, group: &mut Group<'_>, length: usize) -> Result<u32, UnpackError> {
        let text = group.next(length)?;
        // A batch does not say of which column a string is.
        if let Some(is_sample) = self.search_for(ROOT_PATH, text) {
            self.end_run(group)?;
            return Ok(self.search_long(ROOT_PATH, kind, group.take(length), is_sample)?);
        }
        if length > group.room || group.offset >= LARGEST_BLOCK {
            self.end_run(group)?;
            group.block = self.block_with_room(kind, length)?;
            let bytes = self.blocks.get(group.block).map(|block| &block.bytes);
            group.offset = bytes.map_or(0, Vec::len);
            group.room = bytes.map_or(0, |bytes| bytes.capacity() - bytes.len());
        }
        if self.entries.len() >= Cell::REFERENCES {
            return Err(OutOfMemory.into());
        }
        let id = self.entries.len() as u32;
        let start = (group.block as u32) << 16 | group.offset as u32;
        push_hot(&mut self.entries, Entry { start, length: length as u32 | RARE })?;
        group.run += length;
        group.offset += length;
        group.room -= length;
        Ok(id)
    }

    /// Copies the strings of a group that have entries. Afterwards other strings may be added to their block.
    fn end_run(&mut self, group: &mut Group<'_>) -> Result<(), OutOfMemory> {
        let strings = group.take(group.run);
        if let Some(block) = self.blocks.get_mut(group.block).filter(|_| !strings.is_empty()) {
            extend(&mut block.bytes, strings)?;
        }
        group.run = 0;
        group.room = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash_seed::HashSeed;
    use crate::work::counts_of;

    fn packed(strings: &StringInterner) -> Vec<u8> {
        let mut packer = Packer::default();
        strings.pack(&mut packer, strings.len()).unwrap();
        packer.finish()
    }

    fn unpack_all(strings: &mut StringInterner, bytes: &[u8]) -> Vec<u32> {
        let mut unpacker = Unpacker::new(bytes);
        let mut ids = Vec::new();
        let mut left = unpacker.word().unwrap();
        while left > 0 {
            left = strings.unpack(&mut unpacker, left, &mut ids).unwrap();
        }
        assert_eq!(unpacker.check_end(), Ok(()));
        ids
    }

    /// Strings that all differ, as a worker packs them.
    fn rare(numbers: Range<u32>) -> Vec<u8> {
        let mut strings = StringInterner::default();
        for number in numbers {
            let id = strings.intern(StringKind::Ascii, format!("{number} is the number of a text").as_bytes()).unwrap();
            strings.mark_rare(id);
        }
        packed(&strings)
    }

    #[test]
    fn few_strings_that_differ_are_searched_for() {
        for count in [10_000, 40_000] {
            let mut strings = StringInterner::default();
            unpack_all(&mut strings, &rare(0..5_000));
            let bytes = rare(5_000..5_000 + count);
            let work = counts_of(|| unpack_all(&mut strings, &bytes));
            assert!(work.lookups < count as usize / 20, "{} lookups for {count} strings", work.lookups);
            assert_eq!(strings.len(), 5_000 + count as usize);
        }
    }

    #[test]
    fn strings_that_repeat_in_later_batches_are_stored_twice_at_most() {
        let mut strings = StringInterner::default();
        for _ in 0..20 {
            unpack_all(&mut strings, &rare(0..5_000));
        }
        assert!(strings.len() <= 10_000, "{} strings", strings.len());
    }

    proptest! {
        #[test]
        fn every_string_keeps_its_bytes_and_its_kind(
            before in prop::collection::vec("[a-c]{8,9}", 0..9),
            texts in prop::collection::vec((0..4_u32, prop_oneof![9 => "[a-z]{0,12}", 1 => Just("long ".repeat(20_000))], any::<bool>()), 0..200),
            seed in 0.0..1.0,
        ) {
            let mut other = StringInterner::default();
            let mut expected = Vec::new();
            // Raw JSON is checked, and never rare.
            let texts: Vec<_> = texts
                .into_iter()
                .map(|(kind, text, is_rare)| match StringKind::of_word(kind).unwrap() {
                    StringKind::RawJson => (StringKind::RawJson, format!("[\"{text}\"]"), false),
                    kind => (kind, text, is_rare),
                })
                .collect();
            for (kind, text, is_rare) in &texts {
                let kind = *kind;
                let id = other.intern(kind, text.as_bytes()).unwrap();
                if id as usize == expected.len() {
                    expected.push((kind, text));
                }
                if *is_rare {
                    other.mark_rare(id);
                }
            }
            let mut strings = StringInterner::new(HashSeed::new(seed));
            // After these, the interner searches for samples only.
            unpack_all(&mut strings, &rare(0..4_000));
            for text in &before {
                strings.intern(StringKind::Ascii, text.as_bytes()).unwrap();
            }
            let (savepoint, length) = (strings.savepoint(), strings.len());
            for _ in 0..2 {
                let ids = unpack_all(&mut strings, &packed(&other));
                prop_assert_eq!(ids.len(), expected.len());
                for (id, (kind, text)) in ids.into_iter().zip(&expected) {
                    prop_assert_eq!(strings.kind(id), Some(*kind));
                    prop_assert_eq!(strings.bytes(id), text.as_bytes());
                }
                strings.rollback(&savepoint);
                prop_assert_eq!(strings.len(), length);
            }
        }
    }
}
