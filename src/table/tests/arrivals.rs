//! Tables, views and snapshots of inspections, asked between arrivals in any order, and compared with loops over plain findings.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use futures_util::FutureExt;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

use super::as_json::{cells, findings, folded, in_order, normal_within, read};
use crate::saved::tests::{opened, saved};
use crate::*;
use chunk::hash::HashSeed;
use chunk::testing::{chunk, message};
use chunk::value::column_name::END_OF_NAME;

/// A partition: what its findings are made from, and whether a worker has decoded it.
#[derive(Clone, Debug)]
struct Partition {
    findings: u32,
    salt: u32,
    /// Whether nearly all long texts differ, so that a decoder stops to search for them.
    is_varied: bool,
    is_of_worker: bool,
}

/// The columns that findings may have, and where they have them. The last one is in every third partition only.
const COLUMNS: [(&str, &str); 5] =
    [("text", "/text"), ("n", "/n"), ("t.x", "/t/x"), ("row", "/row"), ("late", "/late")];
const TEXT: usize = 0;
const NUMBER: usize = 1;

/// The body of a partition. Its long texts are unique, rare, frequent, or equal within the partition or across partitions.
fn body(index: usize, partition: &Partition) -> String {
    let findings: Vec<String> = (0..partition.findings).map(|row| finding(index, row, partition)).collect();
    format!(r#"{{"Findings":[{}]}}"#, findings.join(","))
}

fn finding(index: usize, row: u32, partition: &Partition) -> String {
    const SHORT: [&str; 8] = ["", "a", "B", "É", "ΑΣ", "ας αζ", "é\u{10000}", "\u{E000}"];
    const NUMBERS: [&str; 8] = ["0", "-0", "0.0", "0.5", "-2.25", "3", "5000000000", "null"];
    const ODD: [&str; 8] = ["[1,2]", "[1, 2]", r#"["a"]"#, "[]", r#"[{"k":1}]"#, r#"[ {"\u006b":1} ]"#, "true", "{}"];
    let mixed = (row ^ partition.salt).wrapping_mul(0x9E37_79B9).rotate_left(11).wrapping_mul(0x85EB_CA6B);
    let kind = if partition.is_varied && !mixed.is_multiple_of(9) { 0 } else { mixed % 12 };
    let choice = mixed / 12;
    let one_of = |list: &[&str; 8]| list[choice as usize % list.len()].to_owned();
    let text = match kind {
        0..5 => Some(format!("the comment with the number {index}.{row}")),
        5 | 6 => Some(format!("a comment that is rare: {}", choice % 61)),
        7 => Some(format!("a frequent comment: {}", choice % 3)),
        8 => Some(format!("a comment of partition {index}: {}", choice % 4)),
        9 => Some(format!("the comment in row {row}")),
        10 => Some(one_of(&SHORT)),
        _ => None,
    };
    let text = text.map(|text| format!(r#""text":{},"#, json!(text))).unwrap_or_default();
    let odd = if choice.is_multiple_of(5) { one_of(&ODD) } else { json!(format!("topic {}", choice % 7)).to_string() };
    let late = if index % 3 == 2 { format!(r#","late":{}"#, choice % 2) } else { String::new() };
    let row = index * 1000 + row as usize;
    format!(r#"{{{text}"n":{},"t":{{"x":{odd}}},"row":{row}{late}}}"#, one_of(&NUMBERS))
}

/// The text that equal values have in common.
fn canonical(json: &str) -> String {
    normal_within(serde_json::from_str(json).unwrap()).to_string()
}

/// A call to which partitions arrive.
pub(super) struct Call {
    catalog: Rc<Catalog>,
    cache: Rc<QueryCache>,
    arrived: Vec<Arrived>,
}

impl Call {
    pub(super) fn new(seed: f64) -> Self {
        let catalog = Rc::new(Catalog::new(HashSeed::new(seed), None));
        Call { catalog, cache: Rc::default(), arrived: Vec::new() }
    }

    /// Adds a partition, and returns the snapshot that has it.
    pub(super) fn arrive(&mut self, index: usize, body: &str, is_of_worker: bool, is_whole: bool) -> Table {
        let chunk = if is_of_worker { of_worker(body) } else { chunk(body) };
        let member = self.catalog.add(Rc::new(chunk)).unwrap();
        self.arrived.push(Arrived { index: index as u64, member });
        self.arrived.sort_by_key(|one| one.index);
        Table::arrived(Rc::clone(&self.catalog), &self.arrived, Some(Rc::clone(&self.cache)), is_whole).unwrap()
    }
}

fn of_worker(body: &str) -> Chunk {
    let sent = message(body, HashSeed::new(0.25));
    Chunk::open(sent, &HashSeed::default(), async || {}).now_or_never().unwrap().unwrap()
}

/// What a table has, as plain findings.
#[derive(Clone)]
struct Plain {
    rows: Vec<Json>,
    /// The findings of the table that it is a view of.
    all: Rc<Vec<Json>>,
    is_whole: bool,
}

impl Plain {
    fn new(mut received: Vec<(usize, String)>, is_whole: bool) -> Self {
        received.sort_by_key(|(index, _)| *index);
        let findings = received.iter().flat_map(|(_, body)| {
            let body: Json = serde_json::from_str(body).unwrap();
            body["Findings"].as_array().unwrap().clone()
        });
        let rows: Vec<Json> = findings.map(normal_within).collect();
        Plain { all: Rc::new(rows.clone()), rows, is_whole }
    }

    /// Returns true if some finding has a value in the column: an object has none.
    fn has(&self, column: usize) -> bool {
        let value = |finding: &Json| finding.pointer(COLUMNS[column].1).cloned();
        self.all.iter().filter_map(value).any(|value| !value.is_object())
    }

    /// Returns the unknown column that a query of these columns names, if the table refuses it.
    fn unknown(&self, columns: &[usize]) -> Option<QueryError<'static>> {
        let unknown = columns.iter().find(|column| !self.has(**column))?;
        (self.is_whole && !self.rows.is_empty()).then_some(QueryError::UnknownColumn(COLUMNS[*unknown].0))
    }

    fn values(&self, column: usize) -> Vec<Option<Json>> {
        self.rows.iter().map(|row| value(row, column)).collect()
    }

    /// The groups by some columns, each with its findings: the largest first, then in the order of first occurrence.
    fn groups(&self, columns: &[usize]) -> Vec<(Vec<Option<Json>>, Vec<&Json>)> {
        let (mut groups, mut known): (Vec<(Vec<_>, Vec<_>)>, _) = (Vec::new(), HashMap::new());
        for row in &self.rows {
            let key: Vec<Option<Json>> = columns.iter().map(|column| value(row, *column)).collect();
            let group = *known.entry(format!("{key:?}")).or_insert(groups.len());
            if group == groups.len() {
                groups.push((key, Vec::new()));
            }
            groups[group].1.push(row);
        }
        groups.sort_by_key(|(_, rows)| Reverse(rows.len()));
        groups
    }
}

/// The value of a finding in a column; an object whose fields have columns is an empty one.
fn value(finding: &Json, column: usize) -> Option<Json> {
    finding.pointer(COLUMNS[column].1).cloned()
}

#[derive(Clone, Debug)]
enum Test {
    Text(Index),
    Number(i8),
    Missing,
    AtLeast(i8),
    Contains(&'static str),
    Not(Box<Test>),
}

impl Test {
    /// The condition in a table of these findings, of whose texts the test picks one.
    fn condition(&self, of: &Plain) -> Condition {
        match self {
            Test::Text(picked) => Condition::OneOf(vec![Operand::Text(Text::Utf8(picked_text(picked, of)))]),
            Test::Number(number) => Condition::OneOf(vec![Operand::Null, Operand::Number(f64::from(*number) / 4.0)]),
            Test::Missing => Condition::OneOf(vec![Operand::Missing]),
            Test::AtLeast(min) => Condition::Between { min: f64::from(*min), max: f64::INFINITY },
            Test::Contains(text) => Condition::contains_by_rust(text),
            Test::Not(test) => Condition::Not(Box::new(test.condition(of))),
        }
    }

    fn holds(&self, value: Option<&Json>, of: &Plain) -> bool {
        let number = || value.and_then(Json::as_f64);
        match self {
            Test::Text(picked) => value.and_then(Json::as_str).is_some_and(|text| text == picked_text(picked, of)),
            Test::Number(sought) => {
                value == Some(&Json::Null) || number().is_some_and(|number| number == f64::from(*sought) / 4.0)
            }
            Test::Missing => value.is_none(),
            Test::AtLeast(min) => number().is_some_and(|number| number >= f64::from(*min)),
            Test::Contains(text) => {
                value.and_then(Json::as_str).is_some_and(|value| folded(value).contains(&folded(text)))
            }
            Test::Not(test) => !test.holds(value, of),
        }
    }
}

/// A text of the findings, or one that no finding has.
fn picked_text(picked: &Index, of: &Plain) -> String {
    let texts: Vec<&str> = of.all.iter().filter_map(|finding| finding["text"].as_str()).collect();
    let at = picked.index(texts.len() + 1);
    texts.get(at).map_or("a comment that nobody wrote", |text| text).to_owned()
}

/// One query of a chain.
#[derive(Clone, Debug)]
enum Step {
    /// The alternatives, each with its conditions by column.
    Filter(Vec<Vec<(usize, Test)>>),
    Sort(usize, bool),
    /// Copies the columns that have arrived. The copy has no others, whatever arrives.
    Copy,
    /// Saves the table or view as bytes, and opens them.
    Reopen,
}

impl Step {
    /// Runs the query on a table and on plain findings. `None` if both refuse it.
    fn run(&self, table: &Table, plain: &Plain) -> Option<(Table, Plain)> {
        match self {
            Step::Filter(alternatives) => {
                let numbered = (0..).zip(alternatives);
                let conditions: Vec<_> = numbered
                    .flat_map(|(number, tests)| {
                        tests.iter().map(move |(column, test)| (number, COLUMNS[*column].0, test.condition(plain)))
                    })
                    .collect();
                let kept = table.filter(alternatives.len() as u32, &conditions);
                let columns: Vec<usize> = alternatives.iter().flatten().map(|(column, _)| *column).collect();
                if let Some(error) = plain.unknown(&columns) {
                    assert_eq!(kept.err(), Some(error));
                    return None;
                }
                let meets = |row: &Json, tests: &Vec<(usize, Test)>| {
                    tests.iter().all(|(column, test)| test.holds(row.pointer(COLUMNS[*column].1), plain))
                };
                let is_kept = |row: &&Json| alternatives.iter().any(|tests| meets(row, tests));
                let rows = plain.rows.iter().filter(is_kept).cloned().collect();
                Some((kept.unwrap(), Plain { rows, ..plain.clone() }))
            }
            Step::Sort(column, is_descending) => {
                let direction = if *is_descending { Direction::Descending } else { Direction::Ascending };
                let sorted = table.sort_by(COLUMNS[*column].0, direction);
                if let Some(error) = plain.unknown(&[*column]) {
                    assert_eq!(sorted.err(), Some(error));
                    return None;
                }
                let mut rows = plain.rows.clone();
                rows.sort_by(|left, right| in_order(&value(left, *column), &value(right, *column), direction));
                Some((sorted.unwrap(), Plain { rows, ..plain.clone() }))
            }
            Step::Copy => {
                let names: Vec<_> = table.columns().unwrap().map(|name| format!("{name}\u{0}")).collect();
                let names: Vec<u8> =
                    names.concat().bytes().map(|byte| if byte == 0 { END_OF_NAME } else { byte }).collect();
                // An object without fields has no column, so the copy leaves it out.
                let is_there = |row: &Json| !row["t"]["x"].is_object();
                plain
                    .all
                    .iter()
                    .all(is_there)
                    .then(|| (table.select(&names).unwrap(), Plain { is_whole: true, ..plain.clone() }))
            }
            Step::Reopen => {
                let (_, reopened) = opened(&saved(table, "about")).unwrap();
                Some((reopened, Plain { is_whole: true, ..plain.clone() }))
            }
        }
    }
}

/// What is asked of the last table of a chain.
#[derive(Clone, Debug)]
enum Question {
    Rows,
    Names,
    Values(usize),
    Groups(Vec<usize>),
    Summaries(Vec<usize>),
    /// The groups by some columns, with the numbers of distinct values of another.
    Distinct(Vec<usize>, usize),
    Strings,
}

/// The groups seen last, by the number of their grouping and their own: the key, the aggregate and the number of distinct values.
type Seen = HashMap<(u32, u32), (Vec<Option<Json>>, Aggregate, Option<u32>)>;

impl Question {
    fn check(&self, table: &Table, plain: &Plain, seen: &mut Seen) {
        match self {
            Question::Rows => {
                assert_eq!(findings(table).into_iter().map(normal_within).collect::<Vec<_>>(), plain.rows);
                let rows = (0..table.len()).map(|row| canonical(&table.json(row).unwrap()));
                assert!(rows.eq(plain.rows.iter().map(Json::to_string)));
            }
            Question::Names => {
                let mut names: Vec<&str> = table.columns().unwrap().collect();
                names.sort_unstable();
                let mut expected: Vec<_> =
                    (0..COLUMNS.len()).filter(|at| plain.has(*at)).map(|at| COLUMNS[at].0).collect();
                expected.sort_unstable();
                assert_eq!(names, expected);
            }
            Question::Values(column) => match plain.unknown(&[*column]) {
                Some(error) => assert_eq!(table.column(COLUMNS[*column].0).err(), Some(error)),
                None => {
                    let values = cells(table, COLUMNS[*column].0).into_iter().map(|value| value.map(normal_within));
                    assert_eq!(values.collect::<Vec<_>>(), plain.values(*column));
                }
            },
            Question::Groups(columns) => check_groups(table, plain, columns, None, None, seen),
            Question::Summaries(columns) => check_groups(table, plain, columns, Some(NUMBER), None, seen),
            Question::Distinct(columns, of) => check_groups(table, plain, columns, None, Some(*of), seen),
            Question::Strings => match plain.unknown(&[TEXT]) {
                Some(error) => assert_eq!(table.arrow(COLUMNS[TEXT].0).err(), Some(error)),
                None => check_strings(table, plain),
            },
        }
    }
}

fn check_groups(
    table: &Table,
    plain: &Plain,
    columns: &[usize],
    summarized: Option<usize>,
    of: Option<usize>,
    seen: &mut Seen,
) {
    let name = |column: usize| &COLUMNS[column].0;
    let names: Vec<&str> = columns.iter().map(|column| *name(*column)).collect();
    let groups = table.groups(&names, summarized.map(name), of.map(name));
    let all: Vec<usize> = columns.iter().copied().chain(summarized).chain(of).collect();
    if let Some(error) = plain.unknown(&all) {
        return assert_eq!(groups, Err(error));
    }
    let Groups { keys, aggregates, distinct, grouping, ids } = groups.unwrap();
    let keys: Vec<_> = keys.iter().map(|cell| read(table, *cell).map(normal_within)).collect();
    let key = |at: usize| keys[at * names.len()..(at + 1) * names.len()].to_vec();
    let expected = plain.groups(columns);
    assert_eq!((keys.len(), aggregates.len()), (expected.len() * names.len(), expected.len()));
    for (at, ((expected_key, rows), aggregate)) in expected.iter().zip(&aggregates).enumerate() {
        assert_eq!((&key(at), aggregate.findings), (expected_key, rows.len()));
        if let Some(column) = summarized {
            let numbers: Vec<f64> = rows.iter().filter_map(|row| value(row, column)?.as_f64()).collect();
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let summary = Aggregate {
                findings: rows.len(),
                count: numbers.len(),
                sum: numbers.iter().sum(),
                min: least,
                max: most,
            };
            assert_eq!(*aggregate, summary);
        }
    }
    let counts = |column: usize| expected.iter().map(move |(_, rows)| distinct_values(rows, column)).collect();
    assert_eq!(distinct, of.map_or(vec![], counts));
    // By these numbers JavaScript finds the objects of groups whose counts have not changed.
    assert_eq!(grouping == 0, ids.is_empty());
    for (at, id) in ids.iter().enumerate() {
        let of_group = (key(at), aggregates[at], distinct.get(at).copied());
        let Some((known, before, values)) = seen.insert((grouping, *id), of_group) else { continue };
        assert_eq!(known, key(at), "the group {id} has had another key");
        // An earlier snapshot may be asked after a later one.
        if before.findings == aggregates[at].findings {
            assert_eq!((aggregates[at], distinct.get(at).copied()), (before, values));
        }
        if before.count == aggregates[at].count {
            assert_eq!(Aggregate { findings: before.findings, ..aggregates[at] }, before);
        }
    }
}

/// The number of distinct values of a column, of which a missing one and null are none.
fn distinct_values(rows: &[&Json], column: usize) -> u32 {
    let values = rows.iter().filter_map(|row| value(row, column)).filter(|value| !value.is_null());
    values.map(|value| value.to_string()).collect::<HashSet<_>>().len() as u32
}

fn check_strings(table: &Table, plain: &Plain) {
    let column = table.arrow(COLUMNS[TEXT].0).unwrap();
    let DistinctStrings { codes: mut ids, byte_length } = column.distinct_strings().unwrap();
    column.replace_by_ids(&mut ids).unwrap();
    let contents = table.contents();
    let text = |id: &u32| str::from_utf8(contents.strings().bytes(*id)).unwrap().to_owned();
    let strings: Vec<_> = ids.iter().map(text).collect();
    let mut expected: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for row in &plain.rows {
        expected.extend(row["text"].as_str().filter(|text| known.insert(*text)).map(str::to_owned));
    }
    assert_eq!(byte_length as usize, expected.concat().len());
    assert_eq!(strings, expected);
}

fn column() -> impl Strategy<Value = usize> {
    prop_oneof![Just(TEXT), 0..COLUMNS.len()]
}

fn test() -> impl Strategy<Value = Test> {
    let plain = prop_oneof![
        2 => any::<Index>().prop_map(Test::Text),
        1 => (-9..13_i8).prop_map(Test::Number),
        1 => Just(Test::Missing),
        1 => (-3..4_i8).prop_map(Test::AtLeast),
        2 => prop::sample::select(vec!["", "COMMENT", "rare: 1", "é", "ΑΣ", "of partition 1", "in row 7", "Topic"]).prop_map(Test::Contains),
    ];
    (plain, prop::bool::weighted(0.3))
        .prop_map(|(test, is_negated)| if is_negated { Test::Not(Box::new(test)) } else { test })
}

fn step() -> impl Strategy<Value = Step> {
    let tests = prop::collection::vec((column(), test()), 0..3);
    prop_oneof![
        4 => prop::collection::vec(tests, 1..3).prop_map(Step::Filter),
        3 => (column(), any::<bool>()).prop_map(|(column, is_descending)| Step::Sort(column, is_descending)),
        1 => Just(Step::Copy),
        1 => Just(Step::Reopen),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    prop_oneof![
        2 => Just(Question::Rows),
        1 => Just(Question::Names),
        2 => column().prop_map(Question::Values),
        6 => prop::collection::vec(column(), 0..3).prop_map(Question::Groups),
        2 => prop::collection::vec(column(), 0..2).prop_map(Question::Summaries),
        4 => (prop::collection::vec(column(), 0..3), column()).prop_map(|(columns, of)| Question::Distinct(columns, of)),
        1 => Just(Question::Strings),
    ]
}

/// A chain of queries, and what is asked of its result.
type Chain = (Vec<Step>, Question);

/// An arrival: the index of a partition, and what is asked then, each of the new snapshot, or of an older one on which a page still works.
#[derive(Clone, Debug)]
struct Arrival {
    index: usize,
    partition: Partition,
    /// Which questions of the page are asked.
    of_page: Vec<bool>,
    others: Vec<(Option<Index>, Chain)>,
}

fn chain() -> impl Strategy<Value = Chain> {
    let steps = prop_oneof![Just(Vec::new()), prop::collection::vec(step(), 1..3)];
    (steps, question())
}

/// The questions that a page asks again and again, and the arrivals.
fn arrivals() -> impl Strategy<Value = (Vec<Chain>, Vec<Arrival>)> {
    const MOST: usize = 5;
    let partition = (prop_oneof![0..12_u32, 300..900_u32], 0..4_u32, any::<[bool; 2]>())
        .prop_map(|(findings, salt, [is_varied, is_of_worker])| Partition { findings, salt, is_varied, is_of_worker });
    let others = prop::collection::vec((prop::option::of(any::<Index>()), chain()), 0..3);
    let arrival = (partition, prop::collection::vec(prop::bool::weighted(0.8), 4), others);
    let order = Just((0..MOST).collect::<Vec<_>>()).prop_shuffle();
    let arrivals = (order, prop::collection::vec(arrival, 1..MOST)).prop_map(|(order, arrivals)| {
        let arrival = |(index, (partition, of_page, others))| Arrival { index, partition, of_page, others };
        order.into_iter().zip(arrivals).map(arrival).collect()
    });
    (prop::collection::vec(chain(), 1..4), arrivals)
}

proptest! {
    #[test]
    fn every_snapshot_and_view_answers_as_loops_over_its_findings_do((page, arrivals) in arrivals(), seed in 0.0..1.0) {
        let mut call = Call::new(seed);
        let (mut received, mut snapshots, mut seen) = (Vec::new(), Vec::new(), Seen::new());
        for (number, Arrival { index, partition, of_page, others }) in arrivals.iter().enumerate() {
            let (body, is_whole) = (body(*index, partition), number + 1 == arrivals.len());
            let table = call.arrive(*index, &body, partition.is_of_worker, is_whole);
            received.push((*index, body));
            snapshots.push((table, Plain::new(received.clone(), is_whole)));
            let of_page = page.iter().zip(of_page).filter(|(_, is_asked)| **is_asked).map(|(chain, _)| (None, chain));
            for (older, (steps, question)) in of_page.chain(others.iter().map(|(older, chain)| (older.as_ref(), chain))) {
                let at = older.map_or(snapshots.len() - 1, |older| older.index(snapshots.len()));
                let mut asked = Some(snapshots[at].clone());
                for step in steps {
                    asked = asked.and_then(|(table, plain)| step.run(&table, &plain));
                }
                if let Some((table, plain)) = asked {
                    question.check(&table, &plain, &mut seen);
                }
            }
        }
    }
}
