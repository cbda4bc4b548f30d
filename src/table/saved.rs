//! A table as bytes that can be stored and opened again.
//!
//! A header has a signature, the version of the format, and the length and the checksum (XXH64) of what follows: a text about the table;
//! whether the findings are limited to some columns, then their names; the number of its chunks; then for each its index and its
//! [bytes](chunk). Texts, names and chunks follow their lengths. The rows of a selection are saved as new chunks.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

use thiserror::Error;

use crate::checksum::Checksum;
use crate::{Arrived, Catalog, Table, TableError};
use chunk::hash::HashSeed;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, push, resize_bytes, with_capacity};
use chunk::packing::{Packer, Unpacker};
use chunk::value::column_name::END_OF_NAME;
use chunk::{Chunk, UnpackError};

/// The first bytes. Like those of PNG, they change if the file is transferred as text.
const SIGNATURE: &[u8; 8] = b"\x89IFT\r\n\x1a\n";

/// The version of the format: of this file, and of chunks.
const VERSION: u32 = 4;

/// The length of the header.
pub const HEADER: usize = SIGNATURE.len() + 4 + 8 + 8;

/// The bytes that are read at once.
const PART: usize = 256 * 1024;

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
            UnpackError::Malformed => OpenError::Damaged,
        }
    }
}

impl From<TableError> for OpenError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::OutOfMemory(error) => OpenError::OutOfMemory(error),
            // No table was that large, so its bytes have been changed.
            TableError::TooMany(_) => OpenError::Damaged,
        }
    }
}

/// Writes a table.
pub struct Saving<'table> {
    /// The table, or the rows of a selection as a separate table.
    table: Cow<'table, Table>,
    about: &'table [u8],
}

impl<'table> Saving<'table> {
    /// Prepares to write a table with a text about it.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn new(table: &'table Table, about: &'table [u8]) -> Result<Self, TableError> {
        Ok(Saving { table: table.gathered()?.map_or(Cow::Borrowed(table), Cow::Owned), about })
    }

    /// Returns the number of bytes.
    pub fn byte_length(&self) -> u64 {
        let chunks: u64 = self.table.chunks().map(|(_, chunk)| 12 + chunk.bytes().len() as u64).sum();
        let names = self.table.column_list().map_or(0, |names| 4 + names.len());
        (HEADER + 4 + self.about.len() + 4 + names + 4) as u64 + chunks
    }

    /// Passes the bytes to `write`, each with its offset.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write(&self, write: &mut dyn FnMut(u64, &[u8])) -> Result<(), OutOfMemory> {
        let (mut at, mut sum) = (HEADER as u64, Checksum::default());
        let mut add = |bytes: &[u8]| {
            sum.add(bytes);
            write(at, bytes);
            at += bytes.len() as u64;
        };
        let mut packer = Packer::default();
        packer.bytes(self.about)?;
        packer.word(self.table.column_list().is_some().into())?;
        self.table.column_list().map_or(Ok(()), |names| packer.bytes(names))?;
        packer.word(self.table.chunks().len() as u32)?;
        add(&packer.finish());
        for (index, chunk) in self.table.chunks() {
            add(&index.to_le_bytes());
            add(&u32::try_from(chunk.bytes().len()).ok().certain().to_le_bytes());
            // A part is still in the processor's cache when it is copied.
            chunk.bytes().chunks(PART).for_each(&mut add);
        }
        let mut header = Packer::default();
        header.append(SIGNATURE)?;
        header.word(VERSION)?;
        header.append(&(at - HEADER as u64).to_le_bytes())?;
        header.append(&sum.finish().to_le_bytes())?;
        write(0, &header.finish());
        Ok(())
    }
}

/// Opens a table that was [saved](Saving). `read` fills a list with the bytes from an offset on. Yields often: `pause` is called after each
/// part of the work. Also returns the text about the table.
///
/// # Errors
///
/// Out of memory, or the bytes are not those of a table of this version.
pub async fn open(
    byte_length: u64,
    read: &mut dyn FnMut(u64, &mut [u8]),
    seed: HashSeed,
    pause: impl AsyncFn(),
) -> Result<(Vec<u8>, Table), OpenError> {
    let sum = check_header(byte_length, read)?;
    let mut source = Source { read, at: HEADER as u64, end: byte_length, sum: Checksum::default(), pause: &pause };
    let about = source.list().await?;
    let column_list = if source.word().await? == 0 { None } else { Some(source.list().await?) };
    let are_names = |list: &[u8]| list.split_inclusive(|byte| *byte == END_OF_NAME).all(is_name);
    if str::from_utf8(&about).is_err() || column_list.as_deref().is_some_and(|list| !are_names(list)) {
        return Err(OpenError::Damaged);
    }
    let catalog = Rc::new(Catalog::new(seed.clone(), column_list.map(Rc::new)));
    let mut arrived: Vec<Arrived> = Vec::new();
    for _ in 0..source.word().await? {
        let index = u64::from(source.word().await?) | u64::from(source.word().await?) << 32;
        if arrived.last().is_some_and(|last| last.index >= index) {
            return Err(OpenError::Damaged);
        }
        let chunk = Chunk::open(source.list().await?, &seed, &pause).await?;
        push(&mut arrived, Arrived { index, member: catalog.add(Rc::new(chunk))? })?;
    }
    if source.at != source.end || source.sum.finish() != sum {
        return Err(OpenError::Damaged);
    }
    Ok((about, Table::arrived(catalog, &arrived, None, true)?))
}

/// Reads the header, and returns the checksum.
fn check_header(byte_length: u64, read: &mut dyn FnMut(u64, &mut [u8])) -> Result<u64, OpenError> {
    let mut header = [0; HEADER];
    let header = header.get_mut(..byte_length.min(HEADER as u64) as usize).unwrap_or_default();
    read(0, header);
    let signature = header.get(..SIGNATURE.len()).unwrap_or(header);
    if !SIGNATURE.starts_with(signature) {
        return Err(OpenError::Foreign);
    }
    let mut fields = Unpacker::new(header, signature.len());
    let version = fields.word().map_err(|_| OpenError::Truncated)?;
    if version != VERSION {
        return Err(OpenError::Version(version));
    }
    let mut field = || fields.long().map_err(|_| OpenError::Truncated);
    let (length, sum, left) = (field()?, field()?, byte_length.saturating_sub(HEADER as u64));
    match left.cmp(&length) {
        Ordering::Less => Err(OpenError::Truncated),
        Ordering::Equal => Ok(sum),
        Ordering::Greater => Err(OpenError::Damaged),
    }
}

/// The bytes behind the header.
struct Source<'read, Pause> {
    read: &'read mut dyn FnMut(u64, &mut [u8]),
    at: u64,
    end: u64,
    /// The checksum of the bytes read.
    sum: Checksum,
    pause: &'read Pause,
}

impl<Pause: AsyncFn()> Source<'_, Pause> {
    async fn word(&mut self) -> Result<u32, OpenError> {
        Ok(Unpacker::new(&self.take(4).await?, 0).word()?)
    }

    /// Reads bytes and, before them, their number.
    async fn list(&mut self) -> Result<Vec<u8>, OpenError> {
        let length = self.word().await?;
        self.take(length as usize).await
    }

    /// Reads this many bytes.
    async fn take(&mut self, length: usize) -> Result<Vec<u8>, OpenError> {
        if length as u64 > self.end - self.at {
            return Err(OpenError::Damaged);
        }
        let mut bytes = with_capacity(length)?;
        while bytes.len() < length {
            let start = bytes.len();
            resize_bytes(&mut bytes, length.min(start + PART))?;
            let part = bytes.get_mut(start..).certain();
            (self.read)(self.at, part);
            self.sum.add(part);
            self.at += part.len() as u64;
            if length > 4 {
                (self.pause)().await;
            }
        }
        Ok(bytes)
    }
}

/// Whether this is the name of a column and the byte after it.
fn is_name(bytes: &[u8]) -> bool {
    bytes.strip_suffix(&[END_OF_NAME]).is_some_and(|name| str::from_utf8(name).is_ok())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use futures_util::FutureExt;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{all_of, catalog, table_of_indexes as table_of};
    use crate::{Condition, Direction};
    use chunk::invented::finding;
    use chunk::testing::{body, chunk};

    pub(crate) fn saved(table: &Table, about: &str) -> Vec<u8> {
        let saving = Saving::new(table, about.as_bytes()).unwrap();
        let mut bytes = vec![0; saving.byte_length() as usize];
        let mut written = 0;
        saving
            .write(&mut |at, part| {
                bytes[at as usize..at as usize + part.len()].copy_from_slice(part);
                written += part.len();
            })
            .unwrap();
        assert_eq!(written, bytes.len());
        bytes
    }

    pub(crate) fn opened(bytes: &[u8]) -> Result<(String, Table), OpenError> {
        opened_in_slices(bytes).map(|(about, table, _)| (about, table))
    }

    /// Also returns the number of pauses.
    fn opened_in_slices(bytes: &[u8]) -> Result<(String, Table, usize), OpenError> {
        let pauses = Cell::new(0);
        let mut read =
            |at: u64, target: &mut [u8]| target.copy_from_slice(&bytes[at as usize..at as usize + target.len()]);
        let pause = async || pauses.set(pauses.get() + 1);
        let opening = open(bytes.len() as u64, &mut read, HashSeed::new(0.25), pause);
        let (about, table) = opening.now_or_never().unwrap()?;
        Ok((String::from_utf8(about).unwrap(), table, pauses.get()))
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![4 => "[aé€]{0,4}", 2 => "a long text that repeats [ab]{1,2}", 1 => Just("long ".repeat(20_000))]
    }

    /// Partitions with their indexes. Some findings have a key twice, numbers that do not fit into a cell, or arrays.
    fn partitions(texts: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<(u64, String)>> {
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
        fn a_table_is_the_same_after_it_was_saved_and_opened(partitions in partitions(texts()), about in ".{0,20}") {
            let table = table_of(&partitions);
            let bytes = saved(&table, &about);
            let (opened_about, opened) = opened(&bytes).unwrap();
            prop_assert_eq!(opened_about, &about[..]);
            prop_assert_eq!(all_of(&opened), all_of(&table));
            prop_assert_eq!(opened.integers_rounded(), table.integers_rounded());
            prop_assert_eq!(saved(&opened, &about), bytes);
        }

        #[test]
        fn a_view_is_saved_with_its_rows_and_the_columns_of_its_table(partitions in partitions(texts()), column in any::<prop::sample::Index>()) {
            let table = table_of(&partitions);
            let names: Vec<String> = table.columns().unwrap().map(str::to_owned).collect();
            prop_assume!(!table.is_empty() && !names.is_empty());
            let name = column.get(&names).as_str();
            let sorted = table.sort_by(name, Direction::Ascending).unwrap();
            let filtered = sorted.filter(1, &[(0, name, Condition::Between { min: 0.0, max: f64::INFINITY })]).unwrap();
            for view in [sorted, filtered] {
                let (_, opened) = opened(&saved(&view, "")).unwrap();
                prop_assert_eq!(all_of(&opened), all_of(&view));
                prop_assert_eq!(saved(&opened, ""), saved(&self::opened(&saved(&opened, "")).unwrap().1, ""));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

        #[test]
        fn every_changed_byte_and_every_cut_is_noticed_and_forged_bytes_are_harmless(
            bodies in partitions(prop_oneof!["[aé€]{0,4}", "a long text that repeats [ab]{1,2}"]),
            is_selection in any::<bool>(),
            flipped in 1..=255_u8,
        ) {
            let table = table_of(&bodies);
            let bytes = saved(&if is_selection { table.filter::<&str>(1, &[]).unwrap() } else { table }, "about");
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= flipped;
                let expected = match at {
                    0..8 => OpenError::Foreign,
                    8..12 => OpenError::Version(u32::from_le_bytes(changed[8..12].try_into().unwrap())),
                    _ => OpenError::Damaged,
                };
                let error = opened(&changed).err().unwrap();
                prop_assert!(error == expected || (12..20).contains(&at) && error == OpenError::Truncated, "{} {:?}", at, error);
                prop_assert_eq!(opened(&bytes[..at]).err(), Some(OpenError::Truncated));
                if at >= HEADER {
                    ask_if_opened(&sealed(changed));
                }
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            prop_assert_eq!(opened(&longer).err(), Some(OpenError::Damaged));
        }
    }

    /// Asks a table of forged bytes, if they are those of one, whatever the results.
    fn ask_if_opened(bytes: &[u8]) {
        match opened(bytes) {
            // A few bytes can be those of a table with billions of equal findings.
            Ok((_, table)) if table.len() <= 200 => {
                let all = all_of(&table);
                for name in table.columns().unwrap() {
                    table.select(&[name.as_bytes(), &[END_OF_NAME]].concat()).unwrap();
                }
                assert_eq!(all_of(&opened(&saved(&table, "")).unwrap().1), all);
            }
            Ok(_) => {}
            Err(error) => assert_eq!(error, OpenError::Damaged),
        }
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
    fn a_snapshot_is_saved_without_the_chunks_that_arrive_later() {
        let catalog = Rc::new(catalog());
        let member = catalog.add(Rc::new(chunk(&body(&[json!({ "a": "first" })])))).unwrap();
        let table = Table::arrived(Rc::clone(&catalog), &[Arrived { index: 3, member }], None, false).unwrap();
        let before = saved(&table, "");
        catalog.add(Rc::new(chunk(&body(&[json!({ "b": "second" }), json!({ "c": 0.25 })])))).unwrap();
        assert_eq!(saved(&table, ""), before);
    }

    #[test]
    fn a_large_chunk_is_opened_in_slices() {
        let finding = |number: u32| json!({ "Comment": format!("comment {number} {}", "long ".repeat(20)) });
        let bytes = saved(&table_of(&[(0, body(&(0..20_000).map(finding).collect::<Vec<_>>()))]), "");
        let (_, table, pauses) = opened_in_slices(&bytes).unwrap();
        assert_eq!(table.len(), 20_000);
        assert!(pauses > bytes.len() / PART + 20_000 / 4096, "{pauses} pauses for {} bytes", bytes.len());
    }

    #[test]
    fn the_names_of_the_columns_are_saved_and_checked() {
        let listed = |names: Option<&[u8]>| {
            let column_list = names.map(|names| Rc::new(names.to_vec()));
            let catalog = Rc::new(Catalog::new(HashSeed::default(), column_list));
            let table = Table::arrived(catalog, &[], None, true).unwrap();
            let (about, table) = opened(&saved(&table, "about"))?;
            assert_eq!(about, "about");
            Ok::<_, OpenError>(table.column_list().map(|names| names.to_vec()))
        };
        for names in [None, Some(b"".as_slice()), Some(b"\xFF"), Some(b"a\xFF\xFFb.\xC3\xA9\xFF")] {
            assert_eq!(listed(names), Ok(names.map(<[u8]>::to_vec)));
        }
        for names in [b"a\xFFb".as_slice(), b"a\xC3\xFF", b"a\xFF\xFF\xC3"] {
            assert_eq!(listed(Some(names)), Err(OpenError::Damaged));
        }
    }

    /// Bytes with a right length and checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let (header, body) = bytes.split_at_mut(HEADER);
        header[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(&twox_hash::XxHash64::oneshot(0, body).to_le_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn forged_bytes_with_a_right_checksum_are_damaged_or_harmless(
            partitions in partitions(texts()),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = saved(&table_of(&partitions), "about");
            for (at, byte) in changes {
                let at = HEADER + at.index(bytes.len() - HEADER);
                bytes[at] = byte;
            }
            ask_if_opened(&sealed(bytes));
        }
    }
}
