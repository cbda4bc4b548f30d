//! How the work of a query grows with the numbers of findings, partitions and values.

use std::ops::Range;

use super::arrivals::Call;
use super::{buffer, table_of_bodies};
use crate::saved::tests::saved;
use crate::*;
use chunk::rows::row_buffer::RowBuffer;
use chunk::testing::counting::{Counts, counts_of};
use chunk::value::cell::Cell;

/// The sizes of the table.
const FEW: usize = 2000;
const MANY: usize = 30 * FEW;

const PARTITION: usize = 500;

/// The bodies of findings with two texts and two numbers, in partitions of this size.
fn bodies(findings: usize, partition_size: usize) -> Vec<String> {
    let finding = |number: usize| {
        let comment = number / 4;
        format!(
            r#"{{"Key":{number},"Comment":"Comment {comment}: quiet rooms","Topic":{{"Text":"Topic {}"}},"Sentiment":{}}}"#,
            number % 40,
            number % 5
        )
    };
    (0..findings)
        .step_by(partition_size)
        .map(|from| {
            let findings: Vec<_> = (from..from + partition_size).map(finding).collect();
            format!(r#"{{"Findings":[{}]}}"#, findings.join(","))
        })
        .collect()
}

fn table(findings: usize, partition_size: usize) -> Table {
    table_of_bodies(&bodies(findings, partition_size))
}

fn one_of(values: std::ops::Range<usize>) -> Condition {
    Condition::OneOf(values.map(|number| Operand::Text(Text::Utf8(format!("Comment {number}: quiet rooms")))).collect())
}

#[test]
fn a_filter_looks_up_each_value_once_however_many_partitions_there_are() {
    let (few, many) = (table(2000, 1000), table(2000, 10));
    let lookups = |table: &Table| {
        counts_of(|| assert_eq!(table.filter(1, &[(0, "Comment", one_of(0..450))]).unwrap().len(), 1800)).lookups
    };
    let (in_few, in_many) = (lookups(&few), lookups(&many));
    assert!(in_many < in_few + 3 * 200, "{in_many} lookups in 200 partitions, {in_few} in 2");
}

fn written(table: &Table, rows: Range<usize>) {
    let mut buffer = RowBuffer::default();
    table.write_rows(&mut buffer, rows).unwrap();
    assert!(!buffer.words().is_empty());
}

/// Copies the last strings of a table.
fn batched(table: &Table) {
    let end = table.scope.string_ids().end;
    let cells: Vec<u32> = (end - 100..end).map(|id| Cell::text(id).word()).collect();
    assert!(table.packed_cells(&cells).unwrap().is_some());
}

/// Expects at most `times` as much work.
fn expect_at_most(what: &str, actual: Counts, one: Counts, times: f64) {
    for (unit, actual, one) in [
        ("cells", actual.cells, one.cells),
        ("lookups", actual.lookups, one.lookups),
        ("strings", actual.strings, one.strings),
    ] {
        assert!(actual as f64 <= one as f64 * times * 1.02 + 10.0, "{what}: {actual} {unit}, {one} for few rows");
    }
}

type Use = (&'static str, fn(&Table));

/// Queries of a table, and of each snapshot of a live table.
const QUERIES: [Use; 7] = [
    ("few groups", |table| drop(table.groups(&["Topic.Text", "Sentiment"], None, None).unwrap())),
    ("many groups", |table| drop(table.groups(&["Comment"], Some(&"Key"), None).unwrap())),
    ("distinct values", |table| drop(table.groups(&["Topic.Text"], None, Some(&"Comment")).unwrap())),
    ("values", |table| drop(table.filter(1, &[(0, "Comment", one_of(0..400))]).unwrap())),
    ("a range", |table| {
        drop(table.filter(1, &[(0, "Key", Condition::Between { min: 5.0, max: f64::INFINITY })]).unwrap());
    }),
    ("a text", |table| drop(table.filter(1, &[(0, "Comment", Condition::contains_by_rust("QUIET"))]).unwrap())),
    ("groups of a view", |table| {
        let view = table.filter(1, &[(0, "Sentiment", Condition::Between { min: 1.0, max: 3.0 })]).unwrap();
        drop(view.groups(&["Comment"], None, None).unwrap());
    }),
];

#[test]
fn the_work_of_a_call_for_each_row_does_not_depend_on_the_size() {
    let tables = [FEW, MANY].map(|size| table(size, PARTITION));
    let sorted = [0, 1].map(|at: usize| tables[at].sort_by("Sentiment", Direction::Descending).unwrap());
    let of_rows: [Use; 5] = [
        ("a row at the begin", |table| written(table, 7..8)),
        ("a row at the end", |table| written(table, table.len() - 1..table.len())),
        ("rows in the middle", |table| written(table, table.len() / 2..table.len() / 2 + 300)),
        ("names", |table| assert_eq!(table.columns().unwrap().count(), 4)),
        ("the kind of the first values", |table| {
            let measure = table.arrow("Comment").unwrap().measure(false, kind::TEXT);
            assert_eq!(measure.map(|measure| measure.kinds), Ok(kind::TEXT));
        }),
    ];
    let others: [Use; 13] = [
        ("all rows", |table| written(table, 0..table.len())),
        ("a column", |table| drop(table.column("Comment").unwrap())),
        ("a value", |table| {
            drop(table.filter(1, &[(0, "Topic.Text", Condition::OneOf(vec![Operand::Null]))]).unwrap())
        }),
        ("no value", |table| {
            let not = Condition::Not(Box::new(Condition::OneOf(vec![Operand::Missing])));
            drop(table.filter(2, &[(0, "Comment", not), (1, "Key", Condition::OneOf(vec![Operand::Null]))]).unwrap());
        }),
        ("numbers in order", |table| drop(table.sort_by("Sentiment", Direction::Ascending).unwrap())),
        ("kinds of values", |table| {
            assert_eq!(table.arrow("Comment").unwrap().measure(true, 0).unwrap().kinds, kind::TEXT)
        }),
        ("distinct strings", |table| {
            let column = table.arrow("Comment").unwrap();
            let mut ids = column.distinct_strings().unwrap().codes;
            column.replace_by_ids(&mut ids).unwrap();
        }),
        ("strings of rows", |table| {
            table.arrow("Comment").unwrap().write_strings_of_rows(&mut |bytes| assert!(!bytes.is_empty())).unwrap();
        }),
        ("ends of strings", |table| drop(buffer(table, "Comment", Buffer::Offsets, &[]))),
        ("numbers", |table| drop(buffer(table, "Key", Buffer::Numbers, &[]))),
        ("a copy", |table| drop(table.select(b"Comment\xFFKey\xFF").unwrap())),
        ("bytes", |table| drop(saved(table, "about"))),
        ("large integers", |table| assert!(!table.integers_rounded())),
    ];
    let times = (MANY / FEW) as f64;
    let measure = |pair: &[Table; 2], (what, run): Use, times: f64| {
        let [one, actual] = [0, 1].map(|at: usize| {
            // What a table does once.
            run(&pair[at]);
            counts_of(|| run(&pair[at]))
        });
        expect_at_most(what, actual, one, times);
    };
    measure(&tables, ("strings", batched), 1.0);
    for of_rows in of_rows {
        measure(&tables, of_rows, 1.0);
        measure(&sorted, of_rows, 1.0);
    }
    for (what, run) in QUERIES.into_iter().chain(others) {
        measure(&tables, (what, run), times);
        measure(&sorted, (what, run), times);
        let [one, first] = [FEW, MANY].map(|size| {
            let table = table(size, PARTITION);
            counts_of(|| run(&table))
        });
        // Values of the first partition are compared with no others.
        expect_at_most(&format!("{what}, the first time"), first, one, 1.2 * times);
    }
    // The comparisons of a quicksort vary, so they are not compared with those of few rows.
    let sort = |table: &Table| drop(table.sort_by("Comment", Direction::Ascending).unwrap());
    let [_, many] = &tables;
    sort(many);
    let comparisons = counts_of(|| sort(many)).strings as f64 / 2.0;
    let texts = (MANY / 4) as f64;
    assert!(comparisons < 1.3 * texts * texts.log2(), "{comparisons} comparisons of {texts} texts");
}

#[test]
fn a_query_of_the_next_snapshot_reads_the_new_partition_only() {
    let last = |partitions: usize| {
        QUERIES.map(|(_, run)| {
            let (mut call, bodies) = (Call::new(0.5), bodies(partitions * PARTITION, PARTITION));
            let of_snapshots = bodies.iter().enumerate().map(|(index, body)| {
                let snapshot = call.arrive(index, body, index % 2 == 0, index + 1 == partitions);
                counts_of(|| run(&snapshot))
            });
            of_snapshots.last().unwrap()
        })
    };
    for (((what, _), few), many) in QUERIES.iter().zip(last(4)).zip(last(60)) {
        expect_at_most(what, many, few, 1.0);
    }
}
