//! A parcel: a chunk and the entries that it added to its dictionary, as bytes for another thread.

use super::chunk::Chunk;
use super::dictionary::{Dictionary, Position};
use super::memory::OutOfMemory;
pub use super::packing::UnpackError;
use super::packing::{Packer, Unpacker};

/// Packs a chunk, and what the dictionary has had added since `from`.
///
/// # Errors
///
/// Memory ran out.
pub fn pack(dictionary: &Dictionary, from: &Position, chunk: &Chunk) -> Result<Vec<u8>, OutOfMemory> {
    let mut packer = Packer::default();
    dictionary.pack(from, &mut packer)?;
    chunk.pack(&mut packer)?;
    Ok(packer.finish())
}

/// Adds the entries of a parcel to a copy of its dictionary, and returns its chunk. The parcels of a dictionary are unpacked in the
/// order in which they were packed.
///
/// # Errors
///
/// Memory ran out, or the parcel does not follow those unpacked before. The dictionary is unchanged.
pub fn unpack(parcel: &[u8], dictionary: &mut Dictionary) -> Result<Chunk, UnpackError> {
    dictionary.rollback();
    let mut unpacker = Unpacker::new(parcel);
    let unpacked = dictionary.unpack(&mut unpacker).and_then(|()| {
        let chunk = Chunk::unpack(&mut unpacker)?;
        unpacker.check_end()?;
        Ok(chunk)
    });
    match unpacked {
        Ok(_) => dictionary.commit(),
        Err(_) => dictionary.rollback(),
    }
    unpacked
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::decode::Decoder;
    use crate::table::Table;

    fn decoded(findings: &[Value], dictionary: &mut Dictionary) -> Chunk {
        let mut decoder = Decoder::new(json!({ "Findings": findings }).to_string().into_bytes());
        assert_eq!(decoder.advance(dictionary, usize::MAX), Ok(true));
        decoder.finish().findings.unwrap()
    }

    fn rows(dictionary: Dictionary, chunks: Vec<Chunk>) -> Vec<String> {
        let table = Table::new(dictionary, chunks.into_iter().map(Rc::new).collect()).unwrap();
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
        fn a_copy_of_the_dictionary_gives_the_same_findings(partitions in prop::collection::vec(findings(), 1..5)) {
            let (mut dictionary, mut copy) = (Dictionary::default(), Dictionary::default());
            let mut position = Position::default();
            let (mut chunks, mut unpacked) = (Vec::new(), Vec::new());
            for findings in &partitions {
                let chunk = decoded(findings, &mut dictionary);
                let parcel = pack(&dictionary, &position, &chunk).unwrap();
                position = dictionary.position().clone();
                unpacked.push(unpack(&parcel, &mut copy).unwrap());
                chunks.push(chunk);
            }
            prop_assert_eq!(rows(copy, unpacked), rows(dictionary, chunks));
        }

        #[test]
        fn a_decoder_continues_with_an_unpacked_dictionary(first in findings(), second in findings()) {
            let (mut dictionary, mut copy) = (Dictionary::default(), Dictionary::default());
            let chunk = decoded(&first, &mut dictionary);
            let parcel = pack(&dictionary, &Position::default(), &chunk).unwrap();
            let unpacked = [unpack(&parcel, &mut copy).unwrap(), decoded(&second, &mut copy)];
            let strings = (decoded(&second, &mut dictionary), dictionary.strings.len()).1;
            prop_assert_eq!(copy.strings.len(), strings);
            let expected = [first, second].concat();
            prop_assert_eq!(rows(copy, unpacked.into()).len(), expected.len());
        }

        #[test]
        fn a_changed_parcel_is_refused_or_harmless(
            findings in findings(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut dictionary = Dictionary::default();
            let chunk = decoded(&findings, &mut dictionary);
            let mut parcel = pack(&dictionary, &Position::default(), &chunk).unwrap();
            let mut copy = Dictionary::default();
            let short = &parcel[..cut.index(parcel.len())];
            prop_assert!(unpack(short, &mut copy).is_err());
            let (at, whole) = (at.index(parcel.len()), parcel.clone());
            parcel[at] = byte;
            match unpack(&parcel, &mut copy) {
                Ok(chunk) if chunk.len() <= 100 => drop(rows(copy, vec![chunk])),
                Ok(_) => {}
                // What was refused has left nothing behind.
                Err(_) => {
                    let unpacked = unpack(&whole, &mut copy).unwrap();
                    prop_assert_eq!(rows(copy, vec![unpacked]), rows(dictionary, vec![chunk]));
                }
            }
        }
    }

    #[test]
    fn refuses_a_parcel_twice_and_one_that_does_not_follow() {
        let (mut dictionary, mut copy) = (Dictionary::default(), Dictionary::default());
        let first = decoded(&[json!({ "a": "first" })], &mut dictionary);
        let first = pack(&dictionary, &Position::default(), &first).unwrap();
        let position = dictionary.position().clone();
        let second = decoded(&[json!({ "b": "second" })], &mut dictionary);
        let second = pack(&dictionary, &position, &second).unwrap();
        assert_eq!(unpack(&second, &mut copy).err(), Some(UnpackError::Malformed));
        assert!(unpack(&first, &mut copy).is_ok());
        assert_eq!(unpack(&first, &mut copy).err(), Some(UnpackError::Malformed));
        assert!(unpack(&second, &mut copy).is_ok());
    }
}
