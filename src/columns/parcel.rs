//! A parcel: the columns of one partition and the dictionary that they refer to, as bytes for another thread.

use std::mem;

use super::cell::Cell;
use super::chunk::Chunk;
use super::dictionary::Dictionary;
use super::memory::{OutOfMemory, push};
pub use super::packing::UnpackError;
use super::packing::{Packer, Unpacker};
use super::parcel_ids::ParcelIds;
use super::shapes::{ROOT_PATH, ROOT_SHAPE};

/// Packs a chunk and its dictionary, which has only the entries of this partition.
///
/// # Errors
///
/// Out of memory.
pub fn pack(dictionary: &Dictionary, chunk: &Chunk) -> Result<Vec<u8>, OutOfMemory> {
    let mut packer = Packer::default();
    dictionary.pack(&mut packer)?;
    chunk.pack(&mut packer)?;
    Ok(packer.finish())
}

/// Adds a parcel to a dictionary that has other partitions as well.
/// Like a decoder, it works in slices, first removes the entries of an unfinished predecessor from the dictionary, and commits its own
/// entries once its partition is complete.
pub struct Unpacking {
    parcel: Vec<u8>,
    at: usize,
    state: State,
    ids: ParcelIds,
    chunk: Chunk,
}

/// What comes next.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Strings {
        left: u32,
    },
    Numbers {
        left: u32,
    },
    /// The numbers that only the host can parse.
    Unread {
        left: u32,
    },
    Paths {
        left: u32,
    },
    Shapes {
        left: u32,
    },
    Columns {
        left: u32,
    },
    Done,
}

impl Unpacking {
    /// Begins with a parcel, which is not trusted.
    pub fn new(parcel: Vec<u8>) -> Self {
        Unpacking { parcel, at: 0, state: State::Start, ids: ParcelIds::default(), chunk: Chunk::default() }
    }

    /// Adds about `budget` bytes more. Returns true once the partition is complete.
    ///
    /// # Errors
    ///
    /// Out of memory, or the parcel is malformed, or the dictionary has no room for its paths and shapes. The dictionary is as before.
    pub fn advance(&mut self, dictionary: &mut Dictionary, budget: usize) -> Result<bool, UnpackError> {
        let parcel = mem::take(&mut self.parcel);
        let mut unpacker = Unpacker::new(parcel.get(self.at..).unwrap_or_default());
        let end = unpacker.left().saturating_sub(budget);
        let advanced = loop {
            match self.step(&mut unpacker, dictionary) {
                Ok(()) if self.state == State::Done => break Ok(true),
                Ok(()) if unpacker.left() <= end => break Ok(false),
                Ok(()) => {}
                Err(error) => break Err(error),
            }
        };
        self.at = parcel.len() - unpacker.left();
        self.parcel = parcel;
        match advanced {
            Ok(true) => dictionary.commit(),
            Ok(false) => {}
            Err(_) => dictionary.rollback(),
        }
        advanced
    }

    /// Returns the partition, after [`advance`](Self::advance) has returned true.
    pub fn finish(self) -> Chunk {
        self.chunk
    }

    fn step(&mut self, unpacker: &mut Unpacker<'_>, dictionary: &mut Dictionary) -> Result<(), UnpackError> {
        self.state = match self.state {
            State::Start => {
                dictionary.rollback();
                State::Strings { left: unpacker.word()? }
            }
            State::Strings { left: 0 } => State::Numbers { left: unpacker.word()? },
            State::Strings { left } => {
                push(&mut self.ids.strings, dictionary.strings.unpack(unpacker)?)?;
                State::Strings { left: left - 1 }
            }
            State::Numbers { left: 0 } => State::Unread { left: unpacker.word()? },
            State::Numbers { left } => {
                let number = f64::from_bits(u64::from(unpacker.word()?) | u64::from(unpacker.word()?) << 32);
                // Stands for a number that only the host can parse.
                let cell = if number.is_nan() { Cell::MISSING } else { dictionary.numbers.intern(number)? };
                push(&mut self.ids.numbers, cell)?;
                State::Numbers { left: left - 1 }
            }
            State::Unread { left: 0 } => {
                push(&mut self.ids.paths, ROOT_PATH)?;
                push(&mut self.ids.shapes, ROOT_SHAPE)?;
                State::Paths { left: unpacker.word()? }
            }
            State::Unread { left } => {
                let id = unpacker.word()? as usize;
                let json = std::str::from_utf8(unpacker.bytes()?).map_err(|_| UnpackError::Malformed)?;
                *self.ids.numbers.get_mut(id).ok_or(UnpackError::Malformed)? = dictionary.numbers.read(json)?;
                State::Unread { left: left - 1 }
            }
            State::Paths { left: 0 } => State::Shapes { left: unpacker.word()? },
            State::Paths { left } => {
                dictionary.shapes.unpack_path(unpacker, &mut self.ids.paths)?;
                State::Paths { left: left - 1 }
            }
            State::Shapes { left: 0 } => {
                State::Columns { left: self.chunk.unpack_begin(unpacker, &self.ids, dictionary.seed())? }
            }
            State::Shapes { left } => {
                let ParcelIds { paths, shapes, .. } = &mut self.ids;
                dictionary.shapes.unpack_shape(unpacker, paths, shapes)?;
                State::Shapes { left: left - 1 }
            }
            State::Columns { left: 0 } => {
                unpacker.check_end()?;
                State::Done
            }
            State::Columns { left } => {
                self.chunk.unpack_column(unpacker, &self.ids, dictionary.seed())?;
                State::Columns { left: left - 1 }
            }
            State::Done => State::Done,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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
        pack(&own, &chunk).unwrap()
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
        let value = prop_oneof![
            4 => texts.prop_map(Value::from),
            2 => any::<i32>().prop_map(Value::from),
            1 => any::<f64>().prop_map(Value::from),
            1 => Just(json!(null)),
            1 => Just(json!([1, "two"])),
            1 => Just(json!({ "inner": true })),
        ];
        let finding = prop::collection::btree_map("[a-e]", value, 0..4);
        let finding = finding.prop_map(|fields| Value::Object(fields.into_iter().collect()));
        prop::collection::vec(finding, 0..40)
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
            prop_assert_eq!(unpacked(short, &mut dictionary, usize::MAX).err(), Some(UnpackError::Malformed));
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
