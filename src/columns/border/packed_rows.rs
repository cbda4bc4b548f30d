//! The rows of a partition as bytes for another thread, which builds objects from them without a dictionary.

use std::rc::Rc;

use super::row_buffer::RowBuffer;
use super::string_pieces::{bytes_of, divide};
use crate::bytes::fill;
use crate::chunk::Chunk;
use crate::hash::HashSeed;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, extend, push, try_to_owned};
use crate::packing::Packer;
use crate::table::Catalog;
use crate::value::shapes::{END_OF_NAME, Event, PathId, ShapeId};

/// The number of strings that are divided into pieces together. Strings with close ids are in close rows.
const TOGETHER: u32 = 2048;

/// The maximum number of bytes of a piece of strings, unless it has one string only. The findings of a partition usually stay alive together, and
/// fewer pieces take less time.
const PIECE: u32 = 1 << 13;

/// Packs the rows of a chunk.
///
/// There are, each list after the number of its items: the words of the [rows](RowBuffer::words); for each shape the number of its events, and
/// the events; the words of the strings, as in [pieces](super::string_pieces::StringPieces), without the zeros; the numbers, then those that
/// only the host can parse; the last keys of the paths, each followed by the byte `0xFF`; the bytes of the strings.
///
/// # Errors
///
/// Out of memory.
pub fn pack_rows(chunk: Rc<Chunk>, seed: HashSeed) -> Result<Vec<u8>, OutOfMemory> {
    // In a separate catalog, the ids of a chunk stay as they are.
    let catalog = Catalog::new(try_to_owned, seed, None);
    let member = catalog.add(Rc::clone(&chunk))?;
    let contents = catalog.contents();
    let (strings, shapes) = (chunk.strings(), contents.shapes());
    let mut packer = Packer::default();
    let mut rows = RowBuffer::default();
    rows.append(shapes, &member, 0..chunk.len())?;
    packer.words(&rows.take_words())?;
    let mut words = Vec::new();
    for shape in 0..shapes.shape_count() as ShapeId {
        let events = shapes.events(shape)?;
        push(&mut words, events.len() as u32)?;
        events.into_iter().try_for_each(|event| push(&mut words, Event::word(event)))?;
    }
    packer.words(&words)?;
    words.clear();
    let (mut some, mut length) = (Vec::new(), 0);
    for start in (0..strings.len() as u32).step_by(TOGETHER as usize) {
        some.clear();
        let ids = start..(start + TOGETHER).min(strings.len() as u32);
        ids.filter_map(|id| strings.get(id).certain().map(|(kind, string)| (id, kind, string)))
            .try_for_each(|string| push(&mut some, string))?;
        divide(&some, PIECE, &mut words, &mut |string| length += string.len())?;
    }
    packer.words(&words)?;
    packer.list(chunk.numbers().iter().copied())?;
    packer.append(chunk.unparsed())?;
    let mut names = Vec::new();
    for path in 0..shapes.path_count() as PathId {
        extend(&mut names, shapes.name(path).as_bytes())?;
        push(&mut names, END_OF_NAME)?;
    }
    packer.bytes(&names)?;
    let mut room = packer.room(length)?;
    for_each_string(&words, &mut |id| fill(&mut room, bytes_of(&strings, id)));
    Ok(packer.finish())
}

/// Calls `visit` with the id of each string that these words describe, in the order of the strings.
fn for_each_string(mut words: &[u32], visit: &mut dyn FnMut(u32)) {
    while let [_, count, rest @ ..] = words {
        let (strings, rest) = rest.split_at_checked(2 * *count as usize).certain().unwrap_or_default();
        strings.as_chunks::<2>().0.iter().for_each(|[id, _]| visit(*id));
        words = rest;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::packing::Unpacker;
    use crate::testing::{body, decoded, finding};
    use crate::value::cell::{Cell, Content};
    use crate::value::dictionary::Dictionary;

    /// What packed rows refer to.
    struct Unpacked {
        shapes: Vec<Vec<u32>>,
        strings: Vec<String>,
        numbers: Vec<f64>,
        names: Vec<String>,
    }

    fn words(unpacker: &mut Unpacker<'_>) -> Vec<u32> {
        unpacker.list::<4>().unwrap().iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    fn unpack(packed: &[u8]) -> (Vec<u32>, Unpacked) {
        let mut unpacker = Unpacker::new(packed, 0);
        let rows = words(&mut unpacker);
        let (mut shapes, mut rest) = (Vec::new(), words(&mut unpacker));
        while !rest.is_empty() {
            let events = rest.split_off(1 + rest[0] as usize);
            shapes.push(rest[1..].to_vec());
            rest = events;
        }
        let described = words(&mut unpacker);
        let mut numbers: Vec<f64> =
            unpacker.list::<8>().unwrap().iter().map(|bits| f64::from_bits(u64::from_le_bytes(*bits))).collect();
        for _ in 0..unpacker.word().unwrap() {
            let id = unpacker.word().unwrap() as usize;
            assert!(numbers[id].is_nan());
            numbers[id] = std::str::from_utf8(unpacker.bytes().unwrap()).unwrap().parse().unwrap();
        }
        let names = unpacker.bytes().unwrap().split_inclusive(|byte| *byte == END_OF_NAME);
        let names = names.map(|name| String::from_utf8(name[..name.len() - 1].to_vec()).unwrap()).collect();
        let mut strings = Vec::new();
        let mut at = described.as_slice();
        let mut bytes = &packed[packed.len() - unpacker.left()..];
        while let [length, count, rest @ ..] = at {
            let (piece, others) = bytes.split_at(*length as usize);
            bytes = others;
            let text = std::str::from_utf8(piece).unwrap();
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut start = 0;
            for string in rest[..2 * *count as usize].chunks(2) {
                let (id, end) = (string[0] as usize, start + string[1] as usize);
                strings.resize(strings.len().max(id + 1), String::new());
                strings[id] = String::from_utf16(&units[start..end]).unwrap();
                start = end;
            }
            assert_eq!(start, units.len());
            at = &rest[2 * *count as usize..];
        }
        assert!(bytes.is_empty());
        (rows, Unpacked { shapes, strings, numbers, names })
    }

    impl Unpacked {
        fn value(&self, word: u32) -> Value {
            match Cell::from_word(word).content() {
                Content::Integer(value) => f64::from(value).into(),
                Content::Number(id) => self.numbers[id as usize].into(),
                Content::Text(id) => self.strings[id as usize].clone().into(),
                Content::RawJson(id) => serde_json::from_str(&self.strings[id as usize]).unwrap(),
                Content::Null => Value::Null,
                Content::Boolean(value) => value.into(),
                Content::Object => json!({}),
                Content::Missing => panic!("a row has a field that its finding lacks"),
            }
        }

        fn row(&self, words: &mut impl Iterator<Item = u32>) -> Option<Value> {
            let shape = words.next()? as i32 >> 1;
            if shape < 0 {
                return words.next().map(|word| self.value(word));
            }
            let mut open = vec![(String::new(), Map::new())];
            for event in &self.shapes[shape as usize] {
                let name = || self.names[(*event >> 2) as usize].clone();
                match event & 3 {
                    0 => drop(open.last_mut()?.1.insert(name(), self.value(words.next()?))),
                    1 => open.push((name(), Map::new())),
                    _ if open.len() > 1 => {
                        let (name, inner) = open.pop()?;
                        open.last_mut()?.1.insert(name, inner.into());
                    }
                    _ => {}
                }
            }
            open.pop().map(|(_, finding)| finding.into())
        }
    }

    /// The finding with all numbers in double precision.
    fn in_doubles(mut finding: Value) -> Value {
        for (_, value) in finding.as_object_mut().into_iter().flatten() {
            if let Some(number) = value.as_f64() {
                *value = number.into();
            }
        }
        finding
    }

    proptest! {
        #[test]
        fn packed_rows_are_the_findings(
            findings in prop::collection::vec(finding(prop_oneof![5 => "[aé€😀]{0,4}", 1 => Just("long ".repeat(1_000))]), 0..60),
            seed in 0.0..1.0,
        ) {
            let chunk = decoded(&body(&findings), Dictionary::new(None, HashSeed::new(seed)));
            let packed = pack_rows(Rc::new(chunk), HashSeed::new(seed)).unwrap();
            let (rows, unpacked) = unpack(&packed);
            let mut words = rows.into_iter();
            let rows: Vec<Value> = std::iter::from_fn(|| unpacked.row(&mut words)).collect();
            prop_assert_eq!(rows.len(), findings.len());
            for (row, finding) in rows.into_iter().zip(findings) {
                prop_assert_eq!(row, in_doubles(finding));
            }
        }
    }
}
