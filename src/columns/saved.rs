//! A table as bytes that can be stored and opened again.
//!
//! A header has a signature, the version of the format, and the length and the checksum of what follows: a [parcel](crate::parcel) with a
//! text about the table, and all its partitions, or the rows of a selection as one partition. If the call has kept only some columns, their
//! names follow the text, which ends at the first byte 0xFF, which never occurs in UTF-8.

use std::rc::Rc;

use thiserror::Error;

use super::checksum::Checksum;
use super::dictionary::Dictionary;
use super::memory::{OutOfMemory, extend, push};
use super::packing::{BLOCK, Packer, UnpackError, Unpacker};
use super::parcel::Unpacking;
use super::shapes::END_OF_NAME;
use super::table::{Arrived, Table};

/// The first bytes. Like those of PNG, they change if the file is transferred as text.
const SIGNATURE: &[u8; 8] = b"\x89IFT\r\n\x1a\n";

/// The version of the format: of this file, and of everything that is packed.
const VERSION: u32 = 1;

/// The length of the header.
pub const HEADER: usize = SIGNATURE.len() + 4 + 8 + 8;

/// The bytes that are read at once, a multiple of [`BLOCK`].
const PIECE: usize = 256 * 1024;

const _: () = assert!(PIECE.is_multiple_of(BLOCK));

/// Why bytes cannot be opened.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// The bytes are something else.
    #[error("the bytes are not a table that toBytes() has written: load the findings again")]
    Foreign,
    /// Another version of the package wrote them.
    #[error(
        "the bytes have format version {0}, but this version of the package reads version {VERSION}: load the findings again"
    )]
    Version(u32),
    /// The end is missing.
    #[error("the end of the bytes is missing: the table was probably not written completely; load the findings again")]
    Truncated,
    /// Bytes have changed.
    #[error("the bytes are damaged: load the findings again")]
    Damaged,
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl From<UnpackError> for OpenError {
    fn from(error: UnpackError) -> Self {
        match error {
            UnpackError::OutOfMemory(error) => OpenError::OutOfMemory(error),
            UnpackError::Malformed | UnpackError::Truncated => OpenError::Damaged,
        }
    }
}

/// Writes a table.
pub struct Saving<'table> {
    table: &'table Table,
    /// The rows of a selection, as a separate table.
    gathered: Option<Table>,
    /// The text, and the names of the columns.
    about: Vec<u8>,
    checksum: Checksum,
}

impl<'table> Saving<'table> {
    /// Measures the bytes of a table with a text about it.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn new(table: &'table Table, text: &[u8]) -> Result<Self, OutOfMemory> {
        let mut about = Vec::new();
        extend(&mut about, text)?;
        if let Some(names) = table.dictionary().columns() {
            push(&mut about, END_OF_NAME)?;
            extend(&mut about, names)?;
        }
        let mut saving = Saving { table, gathered: table.gathered()?, about, checksum: Checksum::default() };
        let mut checksum = Checksum::default();
        saving.write_body(&mut |piece| checksum.add(piece))?;
        saving.checksum = checksum;
        Ok(saving)
    }

    /// Returns the number of bytes.
    pub fn byte_length(&self) -> u64 {
        HEADER as u64 + self.checksum.length()
    }

    /// Passes the bytes to `write`, one piece after the other.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write(&self, write: &mut dyn FnMut(&[u8])) -> Result<(), OutOfMemory> {
        write(SIGNATURE);
        write(&VERSION.to_le_bytes());
        write(&self.checksum.length().to_le_bytes());
        write(&self.checksum.sum().to_le_bytes());
        self.write_body(write)
    }

    fn write_body(&self, write: &mut dyn FnMut(&[u8])) -> Result<(), OutOfMemory> {
        let mut packer = Packer::to(write);
        self.gathered.as_ref().unwrap_or(self.table).pack(&mut packer, &self.about)?;
        packer.finish();
        Ok(())
    }
}

/// Opens a table that was [saved](Saving), in slices.
pub struct Opening {
    unpacking: Unpacking,
    /// The bytes that are not read yet.
    left: u64,
    /// The checksum in the header.
    expected: u64,
    checksum: Checksum,
}

impl Opening {
    /// Reads the header. `header` has the first [`HEADER`] bytes, or all bytes if there are fewer; `byte_length` is the number of all.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a table of this version, or their number is wrong.
    pub fn new(header: &[u8], byte_length: u64) -> Result<Self, OpenError> {
        let signature = header.get(..SIGNATURE.len()).unwrap_or(header);
        if !SIGNATURE.starts_with(signature) {
            return Err(OpenError::Foreign);
        }
        let mut fields = Unpacker::new(header.get(SIGNATURE.len()..).unwrap_or_default());
        let version = fields.word().map_err(|_| OpenError::Truncated)?;
        if version != VERSION {
            return Err(OpenError::Version(version));
        }
        let mut field = || fields.long().map_err(|_| OpenError::Truncated);
        let (length, expected, left) = (field()?, field()?, byte_length.saturating_sub(HEADER as u64));
        if left < length {
            return Err(OpenError::Truncated);
        }
        if left > length {
            return Err(OpenError::Damaged);
        }
        Ok(Opening { unpacking: Unpacking::in_pieces(), left, expected, checksum: Checksum::default() })
    }

    /// Adds about `budget` bytes to an empty dictionary. Fills each next piece by `read`. Returns true once the table is complete.
    ///
    /// # Errors
    ///
    /// Out of memory, or the bytes are damaged.
    pub fn advance(
        &mut self,
        dictionary: &mut Dictionary,
        budget: usize,
        read: &mut dyn FnMut(&mut [u8]),
    ) -> Result<bool, OpenError> {
        if self.unpacking.is_starved() {
            let piece = self.unpacking.feed(self.left.min(PIECE as u64) as usize, read)?;
            self.checksum.add(piece);
            self.left -= piece.len() as u64;
        }
        let is_complete = self.unpacking.advance(dictionary, budget)?;
        if is_complete && (self.left > 0 || self.checksum.sum() != self.expected) {
            return Err(OpenError::Damaged);
        }
        Ok(is_complete)
    }

    /// Returns the text about the table, and its partitions, after [`advance`](Self::advance) has returned true. The dictionary keeps the
    /// columns that the table has kept.
    ///
    /// # Errors
    ///
    /// Out of memory, or the names of the columns are malformed.
    pub fn finish(self, dictionary: &mut Dictionary) -> Result<(Vec<u8>, Vec<Arrived>), OpenError> {
        let (mut about, chunks) = self.unpacking.finish_all();
        if let Some(end) = about.iter().position(|byte| *byte == END_OF_NAME) {
            let names = about.get(end + 1..).unwrap_or_default();
            if !names.split_inclusive(|byte| *byte == END_OF_NAME).all(is_name) {
                return Err(OpenError::Damaged);
            }
            dictionary.keep_only(Some(names))?;
            about.truncate(end);
        }
        let mut arrived = Vec::new();
        for (before, (index, chunk)) in chunks.into_iter().enumerate() {
            push(&mut arrived, Arrived { index, before, chunk: Rc::new(chunk) })?;
        }
        Ok((about, arrived))
    }
}

/// Whether this is the name of a column and the byte after it.
fn is_name(bytes: &[u8]) -> bool {
    bytes.strip_suffix(&[END_OF_NAME]).is_some_and(|name| !name.is_empty() && str::from_utf8(name).is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::cell::Cell;
    use crate::decode::Decoder;
    use crate::hash_seed::HashSeed;
    use crate::number_interner::rust_number;
    use crate::parcel::tests::finding;
    use crate::shared_dictionary::SharedDictionary;
    use crate::table::{ColumnValues, Condition, Direction};

    /// A table with one partition for each body and its index.
    fn table_of(bodies: &[(u64, String)]) -> Table {
        let mut dictionary = Dictionary::default();
        let mut arrived = Vec::new();
        for (before, (index, body)) in bodies.iter().enumerate() {
            let mut decoder = Decoder::new(body.clone().into_bytes());
            assert_eq!(decoder.advance(&mut dictionary, usize::MAX), Ok(true));
            arrived.push(Arrived { index: *index, before, chunk: Rc::new(decoder.finish().findings.unwrap()) });
        }
        Table::arrived(SharedDictionary::from(dictionary), &arrived, None, true).unwrap()
    }

    fn saved(table: &Table, about: &str) -> Vec<u8> {
        let saving = Saving::new(table, about.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        saving.write(&mut |piece| bytes.extend_from_slice(piece)).unwrap();
        assert_eq!(bytes.len() as u64, saving.byte_length());
        bytes
    }

    fn opened(bytes: &[u8], budget: usize) -> Result<(String, Table), OpenError> {
        let mut opening = Opening::new(&bytes[..bytes.len().min(HEADER)], bytes.len() as u64)?;
        let mut dictionary = Dictionary::new(rust_number, HashSeed::new(0.25));
        let mut rest = bytes.get(HEADER..).unwrap_or_default();
        while !opening.advance(&mut dictionary, budget, &mut |piece| {
            let (read, unread) = rest.split_at(piece.len());
            piece.copy_from_slice(read);
            rest = unread;
        })? {}
        let (about, arrived) = opening.finish(&mut dictionary)?;
        let table = Table::arrived(SharedDictionary::from(dictionary), &arrived, None, true)?;
        Ok((String::from_utf8(about).unwrap(), table))
    }

    /// Everything that can be asked about a table, as text.
    fn all_of(table: &Table) -> String {
        let names: Vec<&str> = table.columns().unwrap().collect();
        let rows = |table: &Table| (0..table.len()).map(|row| table.json(row).unwrap()).collect::<Vec<_>>();
        let partitions =
            table.partitions().map(|all| all.map(|(index, chunk)| (index, chunk.len())).collect::<Vec<_>>());
        let mut text = format!("{:?} {names:?} {} {partitions:?}", rows(table), table.columns_truncated());
        for name in &names {
            let values = match table.column(name).unwrap() {
                Some(ColumnValues::Integers(integers)) if !integers.is_empty() => format!("{integers:?}"),
                Some(ColumnValues::Cells(cells)) => {
                    let value = |cell| format!("{:?}", table.dictionary().value(cell));
                    format!("{:?}", cells.into_iter().map(value).collect::<Vec<_>>())
                }
                _ => String::from("[]"),
            };
            let sorted = rows(&table.sort_by(name, Direction::Descending).unwrap());
            let filtered =
                rows(&table.filter(1, &[(0, *name, Condition::Between { min: 0.0, max: f64::INFINITY })]).unwrap());
            let groups = table.groups(&[*name], Some(name)).unwrap();
            let key = |key: &Cell| format!("{:?}", table.dictionary().value(*key));
            let keys: Vec<_> = groups.keys.iter().map(key).collect();
            let aggregates = &groups.aggregates;
            let measure = table.measure(name, true).unwrap();
            text += &format!("{values}{sorted:?}{filtered:?}{keys:?}{aggregates:?}{measure:?}");
        }
        text
    }

    fn body(findings: &[Value]) -> String {
        json!({ "Findings": findings }).to_string()
    }

    /// Partitions with their indexes. Some findings have a key twice, numbers that do not fit into a cell, arrays, or long texts.
    fn partitions() -> impl Strategy<Value = Vec<(u64, String)>> {
        let texts = prop_oneof![4 => "[aé€]{0,4}", 2 => "a long text that repeats [ab]{1,2}", 1 => Just("long ".repeat(20_000))];
        let finding = prop_oneof![
            9 => finding(texts).prop_map(|finding| finding.to_string()),
            1 => Just(r#"{"a":1,"a":[-0,1e400,0.1234567890123456789]}"#.to_owned()),
        ];
        let body = prop::collection::vec(finding, 0..20)
            .prop_map(|findings| format!(r#"{{"Findings":[{}]}}"#, findings.join(",")));
        prop::collection::btree_map(0..1_u64 << 40, body, 0..4).prop_map(|partitions| partitions.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_table_is_the_same_after_it_was_saved_and_opened(partitions in partitions(), about in ".{0,20}", budget in 1..5_000_usize) {
            let table = table_of(&partitions);
            let bytes = saved(&table, &about);
            let (opened_about, opened) = opened(&bytes, budget).unwrap();
            prop_assert_eq!(opened_about, &about[..]);
            prop_assert_eq!(all_of(&opened), all_of(&table));
            prop_assert_eq!(opened.integers_rounded(), table.integers_rounded());
            prop_assert_eq!(saved(&opened, &about), bytes);
        }

        #[test]
        fn a_view_is_saved_with_its_rows_and_the_columns_of_its_table(partitions in partitions(), column in any::<prop::sample::Index>()) {
            let table = table_of(&partitions);
            let names: Vec<String> = table.columns().unwrap().map(str::to_owned).collect();
            prop_assume!(!table.is_empty() && !names.is_empty());
            let name = column.get(&names).as_str();
            let sorted = table.sort_by(name, Direction::Ascending).unwrap();
            let filtered = sorted.filter(1, &[(0, name, Condition::Between { min: 0.0, max: f64::INFINITY })]).unwrap();
            for view in [sorted, filtered] {
                let (_, opened) = opened(&saved(&view, ""), 1000).unwrap();
                prop_assert_eq!(all_of(&opened), all_of(&view));
                prop_assert_eq!(saved(&opened, ""), saved(&self::opened(&saved(&opened, ""), 1000).unwrap().1, ""));
            }
        }

        #[test]
        fn every_changed_byte_and_every_cut_is_noticed(partitions in partitions(), flipped in 1..=255_u8) {
            let bytes = saved(&table_of(&partitions), "about");
            for at in (0..bytes.len()).step_by(bytes.len() / 200 + 1).chain(0..HEADER) {
                let mut changed = bytes.clone();
                changed[at] ^= flipped;
                let expected = match at {
                    0..8 => OpenError::Foreign,
                    8..12 => OpenError::Version(u32::from_le_bytes(changed[8..12].try_into().unwrap())),
                    _ => OpenError::Damaged,
                };
                let error = opened(&changed, 1000).err().unwrap();
                prop_assert!(error == expected || (12..20).contains(&at) && error == OpenError::Truncated, "{} {:?}", at, error);
                prop_assert_eq!(opened(&bytes[..at], 1000).err(), Some(OpenError::Truncated));
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            prop_assert_eq!(opened(&longer, 1000).err(), Some(OpenError::Damaged));
        }
    }

    /// Bytes with the length and the checksum that they should have.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let (header, body) = bytes.split_at_mut(HEADER);
        let mut checksum = Checksum::default();
        checksum.add(body);
        header[12..20].copy_from_slice(&checksum.length().to_le_bytes());
        header[20..].copy_from_slice(&checksum.sum().to_le_bytes());
        bytes
    }

    #[test]
    fn forged_raw_json_is_damaged() {
        let table = table_of(&[(0, r#"{"Findings":[{"a":["é1"],"b":"\ud800"},{"c":1,"c":2}]}"#.to_owned())]);
        let bytes = saved(&table, "about");
        let position = |text: &str| bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        for (json, forged) in [
            (r#"["é1"]"#, r#"["é1","#),
            (r#"["é1"]"#, r#" "é1" "#),
            (r#""\ud800""#, r#""\ud80g""#),
            (r#""\ud800""#, "\0\0\0\0\0\0\0\0"),
            (r#"{"c":1,"c":2}"#, r#"{"c":1,"c":2 "#),
        ] {
            let mut changed = bytes.clone();
            changed[position(json)..][..forged.len()].copy_from_slice(forged.as_bytes());
            assert_eq!(opened(&sealed(changed), usize::MAX).err(), Some(OpenError::Damaged), "{forged}");
        }
        assert!(opened(&sealed(bytes), usize::MAX).is_ok());
    }

    #[test]
    fn a_view_is_saved_without_the_texts_of_other_findings() {
        let finding =
            |number: u32| json!({ "Comment": format!("comment {number}"), "n": number, "d": f64::from(number) + 0.5 });
        let size = |findings: u32| {
            let table = table_of(&[(0, body(&(0..findings).map(finding).collect::<Vec<_>>()))]);
            let one = table.filter(1, &[(0, "n", Condition::Between { min: 2.0, max: 2.0 })]).unwrap();
            let bytes = saved(&one, "");
            assert!(
                bytes.windows(9).any(|window| window == b"comment 2")
                    && !bytes.windows(9).any(|window| window == b"comment 1")
            );
            bytes.len()
        };
        assert_eq!(size(10), size(1000));
    }

    #[test]
    fn a_snapshot_is_saved_without_what_is_decoded_later() {
        let mut dictionary = Dictionary::default();
        let mut decoder = Decoder::new(body(&[json!({ "a": "first" })]).into_bytes());
        decoder.advance(&mut dictionary, usize::MAX).unwrap();
        let chunk = Rc::new(decoder.finish().findings.unwrap());
        let shared = SharedDictionary::from(dictionary);
        let table = Table::arrived(shared.clone(), &[Arrived { index: 3, before: 0, chunk }], None, false).unwrap();
        let before = saved(&table, "");
        let mut next = Decoder::new(body(&[json!({ "b": "second" }), json!({ "c": 0.25 })]).into_bytes());
        assert_eq!(next.advance(&mut shared.write(), 20), Ok(false));
        assert_eq!(saved(&table, ""), before);
        while !next.advance(&mut shared.write(), 20).unwrap() {}
        assert_eq!(saved(&table, ""), before);
    }

    #[test]
    fn the_names_of_the_columns_are_saved_and_checked() {
        let kept = |names: Option<&[u8]>| {
            let mut dictionary = Dictionary::default();
            dictionary.keep_only(names).unwrap();
            let table = Table::arrived(SharedDictionary::from(dictionary), &[], None, true).unwrap();
            let (about, table) = opened(&saved(&table, "about"), 1)?;
            assert_eq!(about, "about");
            let columns = table.dictionary().columns().map(<[u8]>::to_vec);
            Ok::<_, OpenError>(columns)
        };
        for names in [None, Some(b"".as_slice()), Some(b"a\xFFb.\xC3\xA9\xFF")] {
            assert_eq!(kept(names), Ok(names.map(<[u8]>::to_vec)));
        }
        for names in [b"a\xFFb".as_slice(), b"\xFF", b"a\xC3\xFF", b"a\xFF\xFF"] {
            assert_eq!(kept(Some(names)), Err(OpenError::Damaged));
        }
    }

    #[test]
    fn other_bytes_are_foreign() {
        assert_eq!(opened(b"PK\x03\x04 and more than a header has", 1000).err(), Some(OpenError::Foreign));
        assert_eq!(opened(b"{}", 1000).err(), Some(OpenError::Foreign));
        assert_eq!(opened(b"", 1000).err(), Some(OpenError::Truncated));
    }
}
