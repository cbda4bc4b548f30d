//! Saved tables: what is opened again is the same, and any other bytes are an error or a table that can be asked about.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use chunk::hash::HashSeed;
use chunk::rows::row_buffer::RowBuffer;
use table::saved::{self, HEADER, OpenError, Saving};
use table::{Buffer, Condition, Direction, Operand, Table, Text, string_indexes};
use twox_hash::XxHash64;

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
        header[LENGTH..SUM].copy_from_slice(&(body.len() as u64).to_le_bytes());
        header[SUM..].copy_from_slice(&XxHash64::oneshot(0, body).to_le_bytes());
    }
    if let Ok((about, table)) = open(&sealed)
        && table.len() <= MOST_FINDINGS
    {
        ask(&table);
        ask(&table.filter::<&str>(1, &[]).unwrap());
        let again = save(&table, &about);
        let (about_again, opened) = open(&again).unwrap();
        assert_eq!((about_again, findings(&opened)), (about.clone(), findings(&table)));
        assert_eq!(save(&opened, &about), again);
    }
}

fn save(table: &Table, about: &[u8]) -> Vec<u8> {
    let saving = Saving::new(table, about).unwrap();
    let mut bytes = vec![0; saving.byte_length() as usize];
    saving.write(&mut |at, piece| bytes[at as usize..at as usize + piece.len()].copy_from_slice(piece)).unwrap();
    bytes
}

fn open(bytes: &[u8]) -> Result<(Vec<u8>, Table), OpenError> {
    let mut read = |at: u64, target: &mut [u8]| target.copy_from_slice(&bytes[at as usize..at as usize + target.len()]);
    complete(saved::open(bytes.len() as u64, &mut read, HashSeed::new(0.25), async || {}))
}

/// Runs a future that never waits.
pub fn complete<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for nothing"),
    }
}

fn findings(table: &Table) -> Vec<String> {
    (0..table.len()).map(|row| table.json(row).unwrap()).collect()
}

/// Asks about everything, whatever the results: `src/table/tests.rs` compares them with those of loops.
pub fn ask(table: &Table) {
    findings(table);
    table.write_rows(&mut RowBuffer::default(), 0..table.len()).unwrap();
    let names: Vec<String> = table.columns().unwrap().take(COLUMNS).map(str::to_owned).collect();
    table.groups(&names, names.first(), None).unwrap();
    for name in &names {
        ask_column(table, name);
    }
    for name in &names {
        table.select(&[name.as_bytes(), b"\xFF"].concat()).map(|table| findings(&table)).unwrap();
    }
}

fn ask_column(table: &Table, name: &str) {
    table.column(name).unwrap();
    let column = table.arrow(name).unwrap();
    column.measure(true, 0).unwrap();
    table.groups(&[name], Some(&name), None).unwrap();
    findings(&table.sort_by(name, Direction::Descending).unwrap());
    for condition in [
        Condition::contains_by_rust("e"),
        Condition::Between { min: 0.0, max: f64::INFINITY },
        Condition::OneOf(vec![Operand::Null, Operand::Number(0.0), Operand::Text(Text::Utf8("a".to_owned()))]),
        Condition::Not(Box::new(Condition::OneOf(vec![Operand::Missing, Operand::Boolean(true)]))),
    ] {
        findings(&table.filter(1, &[(0, name, condition)]).unwrap());
    }
    let distinct = column.distinct_strings().unwrap();
    let indexes = string_indexes(&distinct.codes).unwrap();
    column.write_strings_of_rows(&mut |_| {}).unwrap();
    for buffer in
        [Buffer::Validity, Buffer::Booleans, Buffer::Integers, Buffer::Numbers, Buffer::Codes, Buffer::Offsets]
    {
        column.write(buffer, &indexes, &mut |_| {}).unwrap();
    }
}
