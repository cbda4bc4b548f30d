//! Copies of many strings, one after the other.

use chunk::bytes;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, with_capacity};
use chunk::rows::string_pieces::bytes_of;
use chunk::value::strings::StringSource;

/// Strings to copy, and their target.
pub trait StringCopy {
    /// Replaces `ids` with the next ids; with none at the end.
    ///
    /// # Errors
    ///
    /// Out of memory.
    fn next(&mut self, ids: &mut Vec<u32>) -> Result<(), OutOfMemory>;

    /// Takes the next bytes.
    fn write(&mut self, bytes: &[u8]);
}

/// The bytes that a copy gathers before it writes them.
const BUFFER: usize = 1 << 14;

/// The maximum number of copies that are made at once: their buffers stay in the processor's cache.
const AT_ONCE: usize = 16;

/// The number of ids per round: their strings fit into the processor's cache.
const WINDOW: u32 = 128;

/// Copies strings. The ids of all copies are visited in nearly ascending order: strings with close ids are close to each other, so memory
/// is read front to back, once.
///
/// # Errors
///
/// Out of memory.
pub fn copy_strings(strings: &dyn StringSource, copies: &mut [&mut dyn StringCopy]) -> Result<(), OutOfMemory> {
    for some in copies.chunks_mut(AT_ONCE) {
        let mut under_way = with_capacity(some.len())?;
        for copy in some {
            under_way.push(UnderWay::new(*copy)?);
        }
        while let Some(lowest) = under_way.iter().filter_map(UnderWay::next_id).min() {
            for copy in &mut under_way {
                copy.copy_below(lowest.saturating_add(WINDOW), strings)?;
            }
        }
    }
    Ok(())
}

/// A copy that is being made.
struct UnderWay<'copy> {
    copy: &'copy mut dyn StringCopy,
    ids: Vec<u32>,
    /// The index of the next id.
    at: usize,
    buffer: Vec<u8>,
    /// The bytes of the buffer that are not written yet.
    length: usize,
}

impl<'copy> UnderWay<'copy> {
    fn new(copy: &'copy mut dyn StringCopy) -> Result<Self, OutOfMemory> {
        let mut ids = Vec::new();
        copy.next(&mut ids)?;
        Ok(Self { copy, ids, at: 0, buffer: filled(BUFFER, 0)?, length: 0 })
    }

    fn next_id(&self) -> Option<u32> {
        self.ids.get(self.at).copied()
    }

    /// Copies strings as long as their ids are below `end`.
    fn copy_below(&mut self, end: u32, strings: &dyn StringSource) -> Result<(), OutOfMemory> {
        while let Some(id) = self.next_id() {
            if id >= end {
                return Ok(());
            }
            self.append(bytes_of(strings, id));
            self.at += 1;
            if self.at == self.ids.len() {
                self.at = 0;
                self.copy.next(&mut self.ids)?;
                if self.ids.is_empty() {
                    self.flush();
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn append(&mut self, string: &[u8]) {
        if let Some(room) = self.buffer.get_mut(self.length..self.length + string.len()) {
            bytes::copy(room, string);
            self.length += string.len();
        } else {
            self.append_to_next(string);
        }
    }

    /// Writes the full buffer, and begins again with a string.
    #[cold]
    fn append_to_next(&mut self, string: &[u8]) {
        self.flush();
        match self.buffer.get_mut(..string.len()) {
            Some(room) => {
                room.copy_from_slice(string);
                self.length = string.len();
            }
            None => self.copy.write(string),
        }
    }

    fn flush(&mut self) {
        self.copy.write(self.buffer.get(..self.length).certain());
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunk::value::strings::StringKind;
    use proptest::prelude::*;

    /// Texts by their index.
    struct Texts(Vec<String>);

    impl StringSource for Texts {
        fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
            self.0.get(id as usize).map(|text| (StringKind::Ascii, text.as_bytes()))
        }
    }

    /// Copies strings into a list. Ids are given in parts.
    struct Listed {
        parts: std::vec::IntoIter<Vec<u32>>,
        list: Vec<u8>,
    }

    impl StringCopy for Listed {
        fn next(&mut self, ids: &mut Vec<u32>) -> Result<(), OutOfMemory> {
            *ids = self.parts.next().unwrap_or_default();
            Ok(())
        }

        fn write(&mut self, bytes: &[u8]) {
            self.list.extend_from_slice(bytes);
        }
    }

    proptest! {
        #[test]
        fn copies_the_strings_of_each_list_in_their_order(
            lengths in prop::collection::vec(prop_oneof![30 => 0..40_usize, 4 => 100..700_usize, 1 => 16_000..40_000_usize], 1..200),
            lists in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 1..60), 0..4), 0..40),
            factor in 1..40_usize,
        ) {
            let texts: Vec<_> = lengths.iter().enumerate().map(|(at, length)| format!("{at} {}", "x".repeat(*length))).collect();
            // Most strings are in no list, so the strings of a list are far apart.
            let strings = Texts(texts.iter().flat_map(|text| {
                std::iter::once(text.clone()).chain((1..factor).map(move |other| format!("{text}{other}")))
            }).collect());
            let id = |at: &prop::sample::Index| (at.index(texts.len()) * factor) as u32;
            let mut copies: Vec<_> = lists.iter().map(|list| {
                let parts: Vec<Vec<u32>> = list.iter().map(|part| part.iter().map(id).collect()).collect();
                Listed { parts: parts.into_iter(), list: Vec::new() }
            }).collect();
            let mut all: Vec<&mut dyn StringCopy> = copies.iter_mut().map(|copy| copy as &mut dyn StringCopy).collect();
            copy_strings(&strings, &mut all).unwrap();
            for (copy, list) in copies.iter().zip(&lists) {
                let expected: String = list.iter().flatten().map(|at| texts[at.index(texts.len())].as_str()).collect();
                prop_assert_eq!(&copy.list, expected.as_bytes());
            }
        }
    }
}
