//! A parcel: the columns of partitions and the dictionary that they refer to, as bytes for another thread or for a later visit.

use std::{iter, mem};

use super::cell::{Cell, Content};
use super::chunk::Chunk;
use super::dictionary::{Dictionary, Position};
use super::memory::{OutOfMemory, extend, push, resize_bytes};
pub use super::packing::UnpackError;
use super::packing::{Packer, Unpacker, check};
use super::parcel_ids::ParcelIds;
use super::shapes::{PathId, ROOT_PATH, ROOT_SHAPE};

/// Packs a chunk and its dictionary, which has only the entries of this partition.
///
/// # Errors
///
/// Out of memory.
pub fn pack(dictionary: &mut Dictionary, chunk: &Chunk) -> Result<Vec<u8>, OutOfMemory> {
    mark_rare(dictionary, chunk)?;
    let mut packer = Packer::default();
    pack_all(&mut packer, &[], dictionary, dictionary.committed(), iter::once((0, chunk)))?;
    Ok(packer.finish())
}

/// Marks the strings of columns whose strings differ, so that the dictionary of the call adds them without a search.
fn mark_rare(dictionary: &mut Dictionary, chunk: &Chunk) -> Result<(), OutOfMemory> {
    let mut words = Vec::new();
    for path in 0..dictionary.shapes.path_count() as PathId {
        if !dictionary.strings.are_rare(path) {
            continue;
        }
        words.clear();
        chunk.read(path, 0..chunk.len(), &mut words)?;
        for word in &words {
            if let Content::Text(id) = Cell::from_word(*word).content() {
                dictionary.strings.mark_rare(id);
            }
        }
    }
    Ok(())
}

/// Packs a text about chunks, the chunks with their indexes, and their dictionary as of the commit of the last chunk.
pub(crate) fn pack_all<'chunks>(
    packer: &mut Packer<'_>,
    about: &[u8],
    dictionary: &Dictionary,
    committed: &Position,
    mut chunks: impl ExactSizeIterator<Item = (u64, &'chunks Chunk)>,
) -> Result<(), OutOfMemory> {
    packer.bytes(about)?;
    dictionary.pack(packer, committed)?;
    packer.word(chunks.len() as u32)?;
    chunks.try_for_each(|(index, chunk)| {
        packer.word(index as u32)?;
        packer.word((index >> 32) as u32)?;
        chunk.pack(packer)
    })
}

/// Adds a parcel to a dictionary that has other partitions as well.
/// Like a decoder, it works in slices, first removes the entries of an unfinished predecessor from the dictionary, and commits its own
/// entries once its partitions are complete.
pub struct Unpacking {
    parcel: Vec<u8>,
    at: usize,
    /// Whether further pieces of the parcel may follow.
    is_open: bool,
    /// Whether the next step needs another piece.
    is_starved: bool,
    state: State,
    about: Vec<u8>,
    ids: ParcelIds,
    chunk: Chunk,
    chunks: Vec<(u64, Chunk)>,
}

/// What comes next, and how many of it.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    About,
    Strings(u32),
    Numbers(u32),
    /// The numbers that only the host can parse.
    Unread(u32),
    Paths(u32),
    Shapes(u32),
    Chunks(u32),
    /// The columns of a chunk with this index, before these further chunks.
    Columns {
        left: u32,
        index: u64,
        chunks: u32,
    },
    Done,
}

impl Unpacking {
    /// Begins with a parcel, which is not trusted.
    pub fn new(parcel: Vec<u8>) -> Self {
        Unpacking {
            parcel,
            at: 0,
            is_open: false,
            is_starved: false,
            state: State::Start,
            about: Vec::new(),
            ids: ParcelIds::default(),
            chunk: Chunk::default(),
            chunks: Vec::new(),
        }
    }

    /// Begins with a parcel whose pieces [follow](Self::feed).
    pub(crate) fn in_pieces() -> Self {
        Unpacking { is_open: true, is_starved: true, ..Self::new(Vec::new()) }
    }

    /// Whether [`advance`](Self::advance) needs another piece.
    pub(crate) fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// Adds the next piece, which `read` fills and returns; the last one if it has no bytes.
    pub(crate) fn feed(&mut self, length: usize, read: &mut dyn FnMut(&mut [u8])) -> Result<&[u8], OutOfMemory> {
        self.parcel.drain(..self.at);
        self.at = 0;
        let start = self.parcel.len();
        resize_bytes(&mut self.parcel, start + length)?;
        self.is_open = length > 0;
        self.is_starved = false;
        let piece = self.parcel.get_mut(start..).unwrap_or_default();
        read(piece);
        Ok(piece)
    }

    /// Adds about `budget` bytes more. Returns true once all partitions are complete.
    ///
    /// # Errors
    ///
    /// Out of memory, or the parcel is malformed, or the dictionary has no room for its paths and shapes. The dictionary is as before.
    pub fn advance(&mut self, dictionary: &mut Dictionary, budget: usize) -> Result<bool, UnpackError> {
        let parcel = mem::take(&mut self.parcel);
        let mut unpacker = Unpacker::new(parcel.get(self.at..).unwrap_or_default());
        let end = unpacker.left().saturating_sub(budget);
        let mut left = unpacker.left();
        let advanced = loop {
            match self.step(&mut unpacker, dictionary) {
                Ok(()) => left = unpacker.left(),
                // Such a step has changed nothing, so it can be repeated with the next piece.
                Err(UnpackError::Truncated) if self.is_open => {
                    self.is_starved = true;
                    break Ok(false);
                }
                Err(error) => break Err(error),
            }
            if self.state == State::Done || left <= end {
                break Ok(self.state == State::Done);
            }
        };
        self.at = parcel.len() - left;
        self.parcel = parcel;
        match advanced {
            Ok(true) => dictionary.commit(),
            Ok(false) => {}
            Err(_) => dictionary.rollback(),
        }
        advanced
    }

    /// Returns the text about the partitions, and the partitions in the order of their indexes, after [`advance`](Self::advance) has
    /// returned true.
    pub(crate) fn finish_all(self) -> (Vec<u8>, Vec<(u64, Chunk)>) {
        (self.about, self.chunks)
    }

    /// Returns the only partition, after [`advance`](Self::advance) has returned true.
    pub fn finish(mut self) -> Chunk {
        self.chunks.pop().map(|(_, chunk)| chunk).unwrap_or_default()
    }

    fn step(&mut self, unpacker: &mut Unpacker<'_>, dictionary: &mut Dictionary) -> Result<(), UnpackError> {
        self.state = match self.state {
            State::Start => {
                dictionary.rollback();
                self.about.clear();
                extend(&mut self.about, unpacker.bytes()?)?;
                State::About
            }
            State::About => State::Strings(unpacker.word()?),
            State::Strings(0) => State::Numbers(unpacker.word()?),
            State::Strings(left) => {
                let left = dictionary.strings.unpack(unpacker, left, &mut self.ids.strings)?;
                State::Strings(left)
            }
            State::Numbers(0) => State::Unread(unpacker.word()?),
            State::Numbers(left) => {
                let number = f64::from_bits(unpacker.long()?);
                // Stands for a number that only the host can parse.
                let cell = if number.is_nan() { Cell::MISSING } else { dictionary.numbers.intern(number)? };
                push(&mut self.ids.numbers, cell)?;
                State::Numbers(left - 1)
            }
            State::Unread(0) => {
                let left = unpacker.word()?;
                push(&mut self.ids.paths, ROOT_PATH)?;
                push(&mut self.ids.shapes, ROOT_SHAPE)?;
                State::Paths(left)
            }
            State::Unread(left) => {
                let id = unpacker.word()? as usize;
                let json = std::str::from_utf8(unpacker.bytes()?).map_err(|_| UnpackError::Malformed)?;
                *self.ids.numbers.get_mut(id).ok_or(UnpackError::Malformed)? = dictionary.numbers.read(json)?;
                State::Unread(left - 1)
            }
            State::Paths(0) => State::Shapes(unpacker.word()?),
            State::Paths(left) => {
                self.ids.unpack_path(unpacker, &mut dictionary.shapes)?;
                State::Paths(left - 1)
            }
            State::Shapes(0) => State::Chunks(unpacker.word()?),
            State::Shapes(left) => {
                self.ids.unpack_shape(unpacker, &mut dictionary.shapes)?;
                State::Shapes(left - 1)
            }
            State::Chunks(0) => {
                unpacker.check_end()?;
                State::Done
            }
            State::Chunks(left) => {
                let index = unpacker.long()?;
                check(self.chunks.last().is_none_or(|(last, _)| *last < index))?;
                let (chunk, columns) = Chunk::unpack_begin(unpacker, &self.ids, dictionary.seed())?;
                self.chunk = chunk;
                State::Columns { left: columns, index, chunks: left - 1 }
            }
            State::Columns { left: 0, index, chunks } => {
                push(&mut self.chunks, (index, mem::take(&mut self.chunk)))?;
                State::Chunks(chunks)
            }
            State::Columns { left, index, chunks } => {
                self.chunk.unpack_column(unpacker, &self.ids, dictionary)?;
                State::Columns { left: left - 1, index, chunks }
            }
            State::Done => State::Done,
        };
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::rc::Rc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::decode::Decoder;
    use crate::hash_seed::HashSeed;
    use crate::number_interner::rust_number;
    use crate::table::Table;

    fn decoded_with(body: String, dictionary: &mut Dictionary) -> Chunk {
        let mut decoder = Decoder::new(body.into_bytes());
        assert_eq!(decoder.advance(dictionary, usize::MAX), Ok(true));
        decoder.finish().findings.unwrap()
    }

    fn body(findings: &[Value]) -> String {
        json!({ "Findings": findings }).to_string()
    }

    /// Packs a body, as a worker does.
    fn packed(body: String) -> Vec<u8> {
        packed_with(body, HashSeed::default())
    }

    fn packed_with(body: String, seed: HashSeed) -> Vec<u8> {
        let mut own = Dictionary::deferring(seed);
        let chunk = decoded_with(body, &mut own);
        pack(&mut own, &chunk).unwrap()
    }

    fn unpacked(parcel: Vec<u8>, dictionary: &mut Dictionary, budget: usize) -> Result<Chunk, UnpackError> {
        let mut unpacking = Unpacking::new(parcel);
        while !unpacking.advance(dictionary, budget)? {}
        Ok(unpacking.finish())
    }

    fn table(dictionary: Dictionary, chunks: Vec<Chunk>) -> Table {
        Table::new(dictionary, chunks.into_iter().map(Rc::new).collect()).unwrap()
    }

    fn rows(dictionary: Dictionary, chunks: Vec<Chunk>) -> Vec<String> {
        let table = table(dictionary, chunks);
        (0..table.len()).map(|row| table.json(row).unwrap()).collect()
    }

    fn findings() -> impl Strategy<Value = Vec<Value>> {
        let texts = prop_oneof![5 => "[aé€]{0,4}", 1 => Just("long ".repeat(20_000))];
        prop::collection::vec(finding(texts), 0..40)
    }

    /// A finding with values of every kind, half of them texts.
    pub(crate) fn finding(texts: impl Strategy<Value = String>) -> impl Strategy<Value = Value> {
        let value = prop_oneof![
            5 => texts.prop_map(Value::from),
            2 => any::<i32>().prop_map(Value::from),
            1 => any::<f64>().prop_map(Value::from),
            1 => Just(json!(null)),
            1 => Just(json!([1, "two"])),
            1 => Just(json!({ "inner": true })),
        ];
        let finding = prop::collection::btree_map("[a-e]", value, 0..4);
        finding.prop_map(|fields| Value::Object(fields.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn parcels_and_bodies_in_any_order_give_the_findings_of_the_bodies(
            partitions in prop::collection::vec((findings(), any::<bool>()), 1..5),
            budget in 1..2_000usize,
        ) {
            let (mut dictionary, mut mixed) = (Dictionary::default(), Dictionary::default());
            let (mut chunks, mut others) = (Vec::new(), Vec::new());
            for (findings, is_packed) in &partitions {
                chunks.push(decoded_with(body(findings), &mut dictionary));
                others.push(if *is_packed {
                    unpacked(packed(body(findings)), &mut mixed, budget).unwrap()
                } else {
                    decoded_with(body(findings), &mut mixed)
                });
            }
            prop_assert_eq!(mixed.strings.len(), dictionary.strings.len());
            prop_assert_eq!(mixed.numbers.values().len(), dictionary.numbers.values().len());
            prop_assert_eq!(rows(mixed, others), rows(dictionary, chunks));
        }

        #[test]
        fn a_parcel_does_not_depend_on_the_seed_of_its_worker(partition in findings(), others in findings(), seeds in prop::array::uniform3(0.0..1.0)) {
            let [first, second, of_page] = seeds.map(HashSeed::new);
            let parcel = packed_with(body(&partition), first);
            prop_assert_eq!(&parcel, &packed_with(body(&partition), second.clone()));
            let mut merged = Dictionary::new(rust_number, of_page);
            let chunks = [parcel, packed_with(body(&others), second)]
                .map(|parcel| unpacked(parcel, &mut merged, usize::MAX).unwrap());
            let mut direct = Dictionary::default();
            let expected = [partition, others].map(|findings| decoded_with(body(&findings), &mut direct));
            prop_assert_eq!(merged.strings.len(), direct.strings.len());
            prop_assert_eq!(merged.numbers.values().len(), direct.numbers.values().len());
            prop_assert_eq!(rows(merged, chunks.into()), rows(direct, expected.into()));
        }

        #[test]
        fn a_changed_parcel_is_refused_or_harmless(
            findings in findings(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let whole = packed(body(&findings));
            let mut dictionary = Dictionary::default();
            let short = whole[..cut.index(whole.len())].to_vec();
            prop_assert_eq!(unpacked(short, &mut dictionary, usize::MAX).err(), Some(UnpackError::Truncated));
            let mut changed = whole.clone();
            changed[at.index(whole.len())] = byte;
            match unpacked(changed, &mut dictionary, usize::MAX) {
                Ok(chunk) if chunk.len() <= 100 => drop(rows(dictionary, vec![chunk])),
                Ok(_) => {}
                // What was refused has left nothing behind.
                Err(_) => {
                    prop_assert!(dictionary.strings.is_empty());
                    let chunk = unpacked(whole, &mut dictionary, usize::MAX).unwrap();
                    let mut own = Dictionary::default();
                    let expected = decoded_with(body(&findings), &mut own);
                    prop_assert_eq!(rows(dictionary, vec![chunk]), rows(own, vec![expected]));
                }
            }
        }
    }

    #[test]
    fn a_parcel_has_no_byte_of_what_its_findings_do_not_keep() {
        let length = |count: usize, columns: Option<&[u8]>| {
            let mut own = Dictionary::deferring(HashSeed::default());
            own.keep_only(columns).unwrap();
            let finding = |number: usize| json!({ "Comment": format!("{number} ").repeat(20), "Topic": { "Text": "price" }, "More": number });
            let chunk = decoded_with(body(&(0..count).map(finding).collect::<Vec<_>>()), &mut own);
            pack(&mut own, &chunk).unwrap().len()
        };
        for columns in [b"".as_slice(), b"Topic.Text\xFF"] {
            assert!(length(1, Some(columns)) < 200, "{}", length(1, Some(columns)));
            assert_eq!(length(100, Some(columns)), length(3_000, Some(columns)));
        }
        assert!(length(3_000, None) > 3_000 * 40);
    }

    #[test]
    fn numbers_that_only_the_host_can_read_are_read_when_they_are_unpacked() {
        let numbers = "[0.1234567890123456789,1e400,-1.7976931348623157e308,4.35,0.5]";
        let fields = numbers[1..numbers.len() - 1].split(',').enumerate();
        let fields: Vec<_> = fields.map(|(index, number)| format!(r#""n{index}":{number}"#)).collect();
        let body = format!(r#"{{"Findings":[{{{}}}]}}"#, fields.join(","));
        let (mut direct, mut packed_first) = (Dictionary::default(), Dictionary::default());
        let expected = decoded_with(body.clone(), &mut direct);
        let chunk = unpacked(packed(body), &mut packed_first, usize::MAX).unwrap();
        assert_eq!(packed_first.numbers.values().len(), direct.numbers.values().len());
        assert_eq!(rows(packed_first, vec![chunk]), rows(direct, vec![expected]));
    }

    #[test]
    fn an_unpacking_that_is_given_up_leaves_nothing_behind() {
        let parcel = || packed(body(&[json!({ "a": "first", "b": 0.1 }), json!({ "a": "second", "c": 0.2 })]));
        let mut slices = 0;
        loop {
            let mut dictionary = Dictionary::default();
            let mut unpacking = Unpacking::new(parcel());
            if (0..=slices).any(|_| unpacking.advance(&mut dictionary, 1) == Ok(true)) {
                break;
            }
            dictionary.rollback();
            assert!(dictionary.strings.is_empty() && dictionary.numbers.values().is_empty());
            assert_eq!((dictionary.shapes.path_count(), dictionary.shapes.shape_count()), (1, 1));
            slices += 1;
        }
        assert!(slices > 8, "{slices} slices");
    }

    #[test]
    fn many_shapes_are_unpacked_in_slices() {
        let keys = |number: usize| (0..12).filter(move |bit| number >> bit & 1 == 1);
        let finding = |number| Value::Object(keys(number).map(|key| (format!("k{key}"), json!(true))).collect());
        let parcel = packed(body(&(0..4096).map(finding).collect::<Vec<_>>()));
        let budget = 1000;
        let mut unpacking = Unpacking::new(parcel);
        let mut dictionary = Dictionary::default();
        let mut slices = 1;
        while !unpacking.advance(&mut dictionary, budget).unwrap() {
            slices += 1;
        }
        let of_shapes = (dictionary.shapes.shape_count() - 1) * 8;
        assert!(of_shapes > 60 * budget, "{of_shapes} bytes");
        assert!(slices >= of_shapes / (budget + 8), "{slices} slices for {of_shapes} bytes");
    }

    #[test]
    fn refuses_more_paths_than_a_dictionary_has() {
        let wide = |first: usize| {
            let findings: Vec<_> = (0..30)
                .map(|finding| {
                    let fields = (0..100).map(|field| (format!("f{}", first + finding * 100 + field), json!(true)));
                    Value::Object(fields.collect())
                })
                .collect();
            packed(body(&findings))
        };
        let mut dictionary = Dictionary::default();
        assert!(unpacked(wide(0), &mut dictionary, usize::MAX).is_ok());
        assert_eq!(unpacked(wide(3_000), &mut dictionary, usize::MAX).err(), Some(UnpackError::Malformed));
        assert!(unpacked(wide(0), &mut dictionary, usize::MAX).is_ok());
    }
}
