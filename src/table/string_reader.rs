//! The strings of all chunks of a catalog.

use std::cell::Cell;
use std::rc::Rc;

use super::member::Member;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, with_capacity};
use chunk::value::strings::{StringKind, Strings};

/// The bytes that are gathered before they are written.
const BUFFER: usize = 1 << 14;

/// The strings of all chunks by id. Most strings are of the chunk of the string before.
pub struct StringReader<'contents> {
    members: &'contents [Rc<Member>],
    /// The number of strings before the chunk whose string was read last, and the strings of that chunk.
    last: Cell<(u32, Strings<'contents>)>,
}

impl<'contents> StringReader<'contents> {
    pub(super) fn new(members: &'contents [Rc<Member>]) -> Self {
        StringReader { members, last: Cell::default() }
    }

    /// Returns a string and its kind; `None` for an unknown id.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<(StringKind, &'contents [u8])> {
        let (before, strings) = self.last.get();
        strings.get(id.wrapping_sub(before)).or_else(|| self.find(id))
    }

    /// Returns the bytes of a string.
    #[inline]
    pub(super) fn bytes(&self, id: u32) -> &'contents [u8] {
        self.get(id).certain().1
    }

    /// Returns the number of bytes of a string.
    #[inline]
    pub fn length(&self, id: u32) -> u32 {
        self.bytes(id).len() as u32
    }

    #[inline(never)]
    fn find(&self, id: u32) -> Option<(StringKind, &'contents [u8])> {
        let at = self.members.partition_point(|member| member.strings <= id).checked_sub(1)?;
        let member = self.members.get(at)?;
        let strings = member.chunk.strings();
        self.last.set((member.strings, strings));
        strings.get(id - member.strings)
    }

    /// Passes the bytes of the strings with these ids to `write`, one part after the other.
    pub(super) fn copy(&self, ids: &[u32], write: &mut dyn FnMut(&[u8])) -> Result<(), OutOfMemory> {
        let mut buffer = with_capacity(BUFFER)?;
        for id in ids {
            let string = self.bytes(*id);
            if buffer.len() + string.len() > BUFFER {
                write(&buffer);
                buffer.clear();
            }
            if string.len() > BUFFER {
                write(string);
            } else {
                buffer.extend_from_slice(string);
            }
        }
        write(&buffer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::table_of;
    use chunk::testing::body;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn copies_strings_in_their_order(
            lengths in prop::collection::vec(prop_oneof![30 => 0..40_usize, 4 => 100..700_usize, 1 => 16_000..40_000_usize], 1..200),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
        ) {
            let texts: Vec<_> = lengths.iter().enumerate().map(|(at, length)| format!("{at} {}", "x".repeat(*length))).collect();
            let table = table_of(&[body(&texts.iter().map(|text| json!({ "a": text })).collect::<Vec<_>>())]);
            let column = table.arrow("a").unwrap();
            let distinct = column.distinct_strings().unwrap().codes;
            let (mut ids, mut expected): (Vec<u32>, _) = (Vec::new(), String::new());
            for place in places {
                let place = place.index(texts.len());
                ids.push(distinct[place]);
                expected += &texts[place];
            }
            column.replace_by_ids(&mut ids).unwrap();
            let mut list = Vec::new();
            column.write_strings(&ids, &mut |bytes| list.extend_from_slice(bytes)).unwrap();
            prop_assert_eq!(list, expected.as_bytes());
        }
    }
}
