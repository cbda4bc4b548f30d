//! Chunks and tables for tests.

use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chunk::Chunk;
use crate::decode::Decoder;
use crate::hash::HashSeed;
use crate::memory::OutOfMemory;
use crate::table::{Arrived, Catalog, Table};
use crate::value::dictionary::Dictionary;

/// Decodes a body.
pub(crate) fn decoded(body: &str, dictionary: Dictionary) -> Chunk {
    let mut decoder = Decoder::new(body.as_bytes().to_vec(), dictionary);
    while !decoder.advance(usize::MAX).unwrap() {}
    decoder.finish().findings.unwrap()
}

/// Decodes a body in a worker, whose dictionary has a separate seed.
pub(crate) fn message(body: &str, seed: HashSeed) -> Vec<u8> {
    decoded(body, Dictionary::new(None, seed)).bytes().to_vec()
}

pub(crate) fn chunk(body: &str) -> Chunk {
    decoded(body, Dictionary::default())
}

/// An empty catalog. Raw JSON is equal if its texts are, except for lone surrogates.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(|json| Ok::<_, OutOfMemory>(json.replace("\\uD800", "\\ud800")), HashSeed::default(), None)
}

/// A table with a partition for each body.
pub(crate) fn table_of(bodies: &[String]) -> Table {
    Table::new(catalog(), bodies.iter().map(|body| Rc::new(chunk(body))).collect()).unwrap()
}

/// A table with a partition for each index and body.
pub(crate) fn table_of_indexes(bodies: &[(u64, String)]) -> Table {
    let catalog = Rc::new(catalog());
    let member = |body: &String| catalog.add(Rc::new(chunk(body))).unwrap();
    let arrived: Vec<_> = bodies.iter().map(|(index, body)| Arrived { index: *index, member: member(body) }).collect();
    Table::arrived(catalog, &arrived, None, true).unwrap()
}

/// All rows as JSON.
pub(crate) fn rows(table: &Table) -> Vec<String> {
    (0..table.len()).map(|row| table.json(row).unwrap()).collect()
}

pub(crate) fn body(findings: &[Value]) -> String {
    json!({ "Findings": findings }).to_string()
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

/// Everything that can be asked about a table, as text.
pub(crate) fn all_of(table: &Table) -> String {
    use crate::border::row_buffer::RowBuffer;
    use crate::table::{ColumnValues, Condition, Direction, Operand};
    let names: Vec<String> = table.columns().unwrap().map(str::to_owned).collect();
    let partitions = table.partitions().map(|all| all.map(|(index, chunk)| (index, chunk.len())).collect::<Vec<_>>());
    let mut text = format!("{:?} {names:?} {} {partitions:?}", rows(table), table.columns_truncated());
    table.write_rows(&mut RowBuffer::default(), 0..table.len()).unwrap();
    for name in &names {
        let values = match table.column(name).unwrap() {
            Some(ColumnValues::Integers(integers)) if !integers.is_empty() => format!("{integers:?}"),
            Some(ColumnValues::Cells(cells)) => {
                let value = |cell| format!("{:?}", table.contents().value(cell));
                format!("{:?}", cells.into_iter().map(value).collect::<Vec<_>>())
            }
            _ => String::from("[]"),
        };
        let sorted = rows(&table.sort_by(name, Direction::Descending).unwrap());
        let filtered = [
            Condition::Between { min: 0.0, max: f64::INFINITY },
            Condition::OneOf(vec![Operand::Null, Operand::Missing, Operand::Number(1.0)]),
            Condition::contains_by_rust("a"),
        ]
        .map(|condition| rows(&table.filter(1, &[(0, name, condition)]).unwrap()));
        let groups = table.groups(&[name], Some(&name), None).unwrap();
        let keys: Vec<_> = groups.keys.iter().map(|key| format!("{:?}", table.contents().value(*key))).collect();
        let aggregates = &groups.aggregates;
        let column = table.arrow(name).unwrap();
        let measure = column.measure(true, 0).unwrap();
        let strings = column.distinct_strings().unwrap().byte_length;
        text += &format!("{values}{sorted:?}{filtered:?}{keys:?}{aggregates:?}{measure:?}{strings}");
    }
    text
}

/// Counts work.
pub(crate) mod counting {
    use std::cell::Cell;

    use crate::work::Work;

    thread_local! {
        static COUNTS: Cell<Counts> = const { Cell::new(Counts { cells: 0, lookups: 0, probes: 0, strings: 0 }) };
    }

    /// How often each unit of work was done.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Counts {
        pub cells: usize,
        pub lookups: usize,
        pub probes: usize,
        pub strings: usize,
    }

    pub(crate) fn add(work: Work, amount: usize) {
        let mut counts = COUNTS.get();
        *match work {
            Work::Cell => &mut counts.cells,
            Work::Lookup => &mut counts.lookups,
            Work::Probe => &mut counts.probes,
            Work::String => &mut counts.strings,
        } += amount;
        COUNTS.set(counts);
    }

    /// Counts the work of a function.
    pub(crate) fn counts_of<R>(run: impl FnOnce() -> R) -> Counts {
        let before = COUNTS.get();
        run();
        let after = COUNTS.get();
        Counts {
            cells: after.cells - before.cells,
            lookups: after.lookups - before.lookups,
            probes: after.probes - before.probes,
            strings: after.strings - before.strings,
        }
    }
}
