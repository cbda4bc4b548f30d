//! Saved tables: what is opened again is the same, and any other bytes are an error or a table that can be asked about.

use columns::checksum::Checksum;
use columns::dictionary::Dictionary;
use columns::hash_seed::HashSeed;
use columns::memory::OutOfMemory;
use columns::number_interner::rust_number;
use columns::row_buffer::RowBuffer;
use columns::saved::{HEADER, OpenError, Opening, Saving};
use columns::shared_dictionary::SharedDictionary;
use columns::table::{Buffer, Condition, Direction, Operand, Table, Text};

use crate::json::{canonical, text};
use crate::queries;

/// Where the header has the length and the checksum of what follows.
const LENGTH: usize = HEADER - 16;
const SUM: usize = HEADER - 8;

/// The most findings of a table to ask about: a few bytes can be those of a table with billions of equal findings.
const MOST_FINDINGS: usize = 1 << 12;

/// Columns to ask about.
const COLUMNS: usize = 8;

/// Opens bytes as a saved table, with the right length and checksum in their header, and asks about the table.
pub fn check(bytes: &[u8]) {
    let mut sealed = bytes.to_vec();
    if let Some((header, body)) = sealed.split_at_mut_checked(HEADER) {
        let mut checksum = Checksum::default();
        checksum.add(body);
        header[LENGTH..SUM].copy_from_slice(&checksum.length().to_le_bytes());
        header[SUM..].copy_from_slice(&checksum.sum().to_le_bytes());
    }
    let slice = bytes.get(LENGTH).map_or(usize::MAX, |slice| usize::from(*slice) + 1);
    // A host parses each text, also one that is no JSON.
    let canonical =
        |json: &str| if text(json.as_bytes()) == Some(json) { canonical(json) } else { Ok(json.to_owned()) };
    if let Ok((about, table)) = open(&sealed, slice, canonical)
        && table.len() <= MOST_FINDINGS
    {
        ask(&table);
        ask(&table.filter::<&str>(1, &[]).unwrap());
        let again = save(&table, &about);
        let (about_again, opened) = open(&again, usize::MAX, canonical).unwrap();
        assert_eq!((about_again, findings(&opened)), (about.clone(), findings(&table)));
        assert_eq!(save(&opened, &about), again);
    }
}

/// A table and its views are the same after they have been saved and opened.
pub fn check_again(table: &Table) {
    check_opened(table);
    check_opened(&table.filter::<&str>(1, &[]).unwrap());
}

fn check_opened(table: &Table) {
    let bytes = save(table, b"about");
    let (about, opened) = open(&bytes, 16, canonical).unwrap();
    assert_eq!(about, b"about");
    assert_eq!(findings(&opened), findings(table));
    assert!(opened.columns().unwrap().eq(table.columns().unwrap()));
    assert_eq!(opened.columns_truncated(), table.columns_truncated());
    assert_eq!(opened.integers_rounded(), table.integers_rounded());
    assert_eq!(opened.dictionary().columns(), table.dictionary().columns());
    queries::check(&opened);
    assert_eq!(save(&opened, b"about"), bytes);
}

fn save(table: &Table, about: &[u8]) -> Vec<u8> {
    let saving = Saving::new(table, about).unwrap();
    let mut bytes = Vec::new();
    saving.write(&mut |piece| bytes.extend_from_slice(piece)).unwrap();
    assert_eq!(bytes.len() as u64, saving.byte_length());
    bytes
}

fn open(
    bytes: &[u8],
    slice: usize,
    canonical: fn(&str) -> Result<String, OutOfMemory>,
) -> Result<(Vec<u8>, Table), OpenError> {
    let (header, mut rest) = bytes.split_at(HEADER.min(bytes.len()));
    let mut opening = Opening::new(header, bytes.len() as u64)?;
    let mut dictionary = Dictionary::new(rust_number, HashSeed::new(0.25));
    while !opening.advance(&mut dictionary, slice, &mut |piece| {
        let (read, unread) = rest.split_at(piece.len());
        piece.copy_from_slice(read);
        rest = unread;
    })? {}
    let (about, arrived) = opening.finish(&mut dictionary)?;
    Ok((about, Table::arrived(SharedDictionary::new(dictionary, canonical), &arrived, None, true)?))
}

fn findings(table: &Table) -> Vec<String> {
    (0..table.len()).map(|row| table.json(row).unwrap()).collect()
}

/// Asks about everything, whatever the results.
fn ask(table: &Table) {
    findings(table);
    table.write_rows(&mut RowBuffer::default(), 0..table.len()).unwrap();
    let names: Vec<String> = table.columns().unwrap().take(COLUMNS).map(str::to_owned).collect();
    table.groups(&names, names.first()).unwrap();
    for name in &names {
        ask_column(table, name);
    }
    for name in &names {
        table.select(&[name.as_bytes(), b"\xFF"].concat()).map(|table| findings(&table)).unwrap();
    }
}

fn ask_column(table: &Table, name: &str) {
    table.column(name).unwrap();
    table.measure(name, true).unwrap();
    table.groups(&[name], Some(&name)).unwrap();
    findings(&table.sort_by(name, Direction::Descending).unwrap());
    for condition in [
        Condition::contains_by_rust("e"),
        Condition::Between { min: 0.0, max: f64::INFINITY },
        Condition::OneOf(vec![Operand::Null, Operand::Number(0.0), Operand::Text(Text::Utf8("a".to_owned()))]),
        Condition::Not(Box::new(Condition::OneOf(vec![Operand::Missing, Operand::Boolean(true)]))),
    ] {
        findings(&table.filter(1, &[(0, name, condition)]).unwrap());
    }
    let distinct = table.distinct_strings(name).unwrap();
    let mut codes = table.string_codes().unwrap();
    codes.set(0, &distinct.ids);
    let (mut strings, mut ids) = (table.row_strings(name).unwrap(), Vec::new());
    strings.next(&mut ids).unwrap();
    for buffer in [
        Buffer::Validity,
        Buffer::Presence,
        Buffer::Booleans,
        Buffer::Integers,
        Buffer::Numbers,
        Buffer::Codes,
        Buffer::Offsets,
    ] {
        table.write_buffer(name, buffer, &codes, &mut |_| {}).unwrap();
    }
}
