//! Queries of tables of all kinds of findings, compared with loops over their JSON.

mod arrivals;
mod as_json;
mod growth;
mod opened;

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use self::arrivals::Call;
use self::as_json::{all_cells, cells, findings, folded, in_order, normal_within, read};
use super::*;
pub(super) use crate::testing::catalog;
use chunk::fields::DOCUMENTED;
use chunk::hash::HashSeed;
use chunk::rows::row_buffer::RowBuffer;
pub(super) use chunk::testing::chunk;
use chunk::testing::decoded;
use chunk::value::Value;
use chunk::value::cell::Cell;
use chunk::value::dictionary::Dictionary;
use chunk::value::number_interner::rust_number;

fn table(partitions: &[Vec<Json>]) -> Table {
    table_of_bodies(&bodies(partitions))
}

fn bodies(partitions: &[Vec<Json>]) -> Vec<String> {
    partitions.iter().map(|findings| json!({ "Findings": findings }).to_string()).collect()
}

pub(super) fn table_of_bodies(bodies: &[String]) -> Table {
    table_with(bodies, HashSeed::default())
}

fn table_with(bodies: &[String], seed: HashSeed) -> Table {
    let catalog = Catalog::new(seed.clone(), None);
    let dictionary = || Dictionary::new(Some(rust_number), seed.clone());
    Table::new(catalog, bodies.iter().map(|body| Rc::new(decoded(body, dictionary()))).collect()).unwrap()
}

fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        5 => (-3i64..4).prop_map(|number| json!(number)),
        1 => prop_oneof![Just(json!(0.5)), Just(json!(5_000_000_000_i64)), Just(json!(-2.25))],
        5 => prop_oneof![Just("a"), Just("B"), Just("b"), Just("É"), Just("é\u{10000}"), Just("\u{E000}"), Just("Ο ΕΝΑΣ"), Just("ένας Ασία"), Just("one long text, and stored more than once"), Just("another long text, stored more than once"), Just("ein weiterer längerer Text, mehrfach gespeichert")].prop_map(|text| json!(text)),
        1 => Just(json!(null)),
        1 => any::<bool>().prop_map(|boolean| json!(boolean)),
        1 => Just(json!([1, "x"])),
    ]
}

fn finding() -> impl Strategy<Value = Json> {
    let fields = (
        prop::option::weighted(0.8, leaf()),
        prop::option::weighted(0.8, leaf()),
        prop::option::weighted(0.8, leaf()),
        prop::option::weighted(0.5, leaf()),
    );
    fields.prop_map(|(a, b, text, odd)| {
        let mut finding = serde_json::Map::new();
        let mut put = |key: &str, value: Option<Json>| value.map(|value| finding.insert(key.to_owned(), value));
        put("a", a);
        put("t", text.map(|text| json!({ "x": text })));
        put("b.c", b);
        put("odd", odd);
        Json::Object(finding)
    })
}

fn partitions() -> impl Strategy<Value = Vec<Vec<Json>>> {
    prop_oneof![4 => prop::collection::vec(prop::collection::vec(finding(), 0..8), 0..5), 1 => prop::collection::vec(prop::collection::vec(finding(), 700..900), 1..3)]
}

const COLUMNS: [(&str, &str); 4] = [("a", "/a"), ("t.x", "/t/x"), (r"b\.c", "/b.c"), ("odd", "/odd")];

fn values(findings: &[Json], pointer: &str) -> Vec<Option<Json>> {
    findings.iter().map(|finding| finding.pointer(pointer).cloned()).collect()
}

/// The columns that a table of these findings has.
fn present(findings: &[Json]) -> Vec<(&'static str, &'static str)> {
    COLUMNS
        .into_iter()
        .filter(|(_, pointer)| findings.iter().any(|finding| finding.pointer(pointer).is_some()))
        .collect()
}

proptest! {
    #[test]
    fn returns_every_finding_and_every_value(partitions in partitions()) {
        let all = partitions.concat();
        let table = table(&partitions);
        prop_assert_eq!(table.len(), all.len());
        prop_assert_eq!(&findings(&table), &all);
        for (name, pointer) in present(&all) {
            prop_assert_eq!(cells(&table, name), values(&all, pointer));
        }
        let mut names: Vec<&str> = table.columns().unwrap().collect();
        names.sort_unstable();
        let mut expected: Vec<&str> = present(&all).into_iter().map(|(name, _)| name).collect();
        expected.sort_unstable();
        prop_assert_eq!(names, expected);
    }

    #[test]
    fn no_result_depends_on_the_seed(partitions in partitions(), seeds in prop::array::uniform2(0.0..1.0)) {
        let bodies = bodies(&partitions);
        let tables = seeds.map(|random| table_with(&bodies, HashSeed::new(random)));
        let names: Vec<&str> = present(&partitions.concat()).into_iter().map(|(name, _)| name).collect();
        let words = |table: Table| {
            let mut buffer = RowBuffer::default();
            table.write_rows(&mut buffer, 0..table.len()).unwrap();
            buffer.words().to_vec()
        };
        let [one, other] = tables.each_ref().map(|table| {
            let of_name = |name: &&str| {
                let values = Condition::OneOf(vec![Operand::Null, Operand::Number(1.0), Operand::Text(Text::Utf8("a".into()))]);
                let of_one = table.groups(&[*name], Some(name), None).unwrap();
                let sorted = table.sort_by(name, Direction::Ascending).unwrap();
                let found = sorted.filter(1, &[(0, *name, values)]).unwrap();
                (of_one, words(sorted), words(found))
            };
            let of_names: Vec<_> = names.iter().map(of_name).collect();
            (words(table.clone()), table.groups(&names, None, None).unwrap(), of_names)
        });
        prop_assert_eq!(one, other);
    }

    #[test]
    fn writes_any_range_of_rows(partitions in partitions(), from in 0usize..2000, length in 0usize..2000) {
        let all = partitions.concat();
        let from = from.min(all.len());
        let to = (from + length).min(all.len());
        let table = table(&partitions);
        let mut rows = table.clone();
        rows.scope = rows.scope.select((from as u32..to as u32).collect()).unwrap();
        prop_assert_eq!(findings(&rows), &all[from..to]);
        let (mut alike, mut one_by_one) = (RowBuffer::default(), RowBuffer::default());
        table.write_rows(&mut alike, from..to).unwrap();
        rows.write_rows(&mut one_by_one, 0..to - from).unwrap();
        prop_assert_eq!(alike.words(), one_by_one.words());
    }

    #[test]
    fn groups_as_a_loop_does(partitions in partitions(), picked in prop::collection::vec(any::<prop::sample::Index>(), 0..4), summed in any::<prop::sample::Index>()) {
        let all = partitions.concat();
        let columns = present(&all);
        prop_assume!(!columns.is_empty());
        let picked: Vec<(&str, &str)> = picked.iter().map(|at| *at.get(&columns)).collect();
        let (summed, pointer) = *summed.get(&columns);
        let table = table(&partitions);
        let names: Vec<&str> = picked.iter().map(|(name, _)| *name).collect();
        let mut expected: Vec<(Vec<Option<Json>>, usize, Vec<f64>)> = Vec::new();
        for finding in &all {
            let key: Vec<Option<Json>> = picked.iter().map(|(_, pointer)| finding.pointer(pointer).cloned()).collect();
            let at = expected.iter().position(|(known, ..)| *known == key).unwrap_or(expected.len());
            if at == expected.len() {
                expected.push((key, 0, Vec::new()));
            }
            expected[at].1 += 1;
            expected[at].2.extend(finding.pointer(pointer).and_then(Json::as_f64));
        }
        expected.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        for table in [&table, &table.filter::<&str>(1, &[]).unwrap()] {
            let groups = table.groups(&names, Some(&summed), None).unwrap();
            prop_assert_eq!(groups.aggregates.len(), expected.len());
            for (group, (key, findings, numbers)) in expected.iter().enumerate() {
                let cells = &groups.keys[group * names.len()..(group + 1) * names.len()];
                prop_assert_eq!(&cells.iter().map(|cell| read(table, *cell)).collect::<Vec<_>>(), key);
                let Aggregate { findings: ours, count, sum, min, max } = groups.aggregates[group];
                prop_assert_eq!((ours, count, sum), (*findings, numbers.len(), numbers.iter().sum::<f64>()));
                prop_assert_eq!(min, numbers.iter().copied().fold(f64::INFINITY, f64::min));
                prop_assert_eq!(max, numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            }
        }
    }

    #[test]
    fn filters_as_a_loop_does(partitions in partitions(), sought in leaf(), min in -3i64..4, needle in prop_oneof![Just("B"), Just("é"), Just("LONG"), Just("ΑΣ"), Just("")]) {
        let all = partitions.concat();
        let table = table(&partitions);
        let operand = match &sought {
            Json::Null => Operand::Null,
            Json::Bool(boolean) => Operand::Boolean(*boolean),
            Json::Number(number) => Operand::Number(number.as_f64().unwrap()),
            Json::String(text) => Operand::Text(Text::Utf8(text.clone())),
            _ => Operand::Missing,
        };
        let is_sought = |value: &Option<Json>| if operand == Operand::Missing { value.is_none() } else { value.as_ref() == Some(&sought) };
        let is_between = |value: &Option<Json>| value.as_ref().and_then(Json::as_f64).is_some_and(|number| number >= min as f64 && number <= 2.0);
        let has_needle = |value: &Option<Json>| value.as_ref().and_then(Json::as_str).is_some_and(|text| folded(text).contains(&folded(needle)));
        for (name, pointer) in present(&all) {
            let kept = |condition: Condition| findings(&table.filter(1, &[(0, name, condition)]).unwrap());
            let expected = |test: &dyn Fn(&Option<Json>) -> bool| all.iter().filter(|finding| test(&finding.pointer(pointer).cloned())).cloned().collect::<Vec<_>>();
            prop_assert_eq!(kept(Condition::OneOf(vec![operand.clone()])), expected(&is_sought));
            prop_assert_eq!(kept(Condition::OneOf(vec![])), Vec::<Json>::new());
            prop_assert_eq!(kept(Condition::Between { min: min as f64, max: 2.0 }), expected(&is_between));
            prop_assert_eq!(kept(Condition::contains_by_rust(needle)), expected(&has_needle));
        }
    }

    #[test]
    fn sorts_stably(partitions in partitions(), is_descending in any::<bool>()) {
        let all = partitions.concat();
        let table = table(&partitions);
        let direction = if is_descending { Direction::Descending } else { Direction::Ascending };
        for (name, pointer) in present(&all) {
            let mut expected = all.clone();
            expected.sort_by(|left, right| in_order(&left.pointer(pointer).cloned(), &right.pointer(pointer).cloned(), direction));
            let sorted = table.sort_by(name, direction).unwrap();
            prop_assert_eq!(&findings(&sorted), &expected);
            // A selection from a selection.
            let again = sorted.filter(1, &[(0, name, Condition::Between { min: f64::NEG_INFINITY, max: f64::INFINITY })]).unwrap();
            expected.retain(|finding| finding.pointer(pointer).is_some_and(Json::is_number));
            prop_assert_eq!(findings(&again), expected);
        }
    }
}

/// The snapshots of a call to which these partitions arrive in this order.
fn snapshots(partitions: &[Vec<Json>], order: &[usize]) -> Vec<Table> {
    let (mut call, bodies) = (Call::new(0.5), bodies(partitions));
    let arrive = |(number, at): (usize, &usize)| call.arrive(*at, &bodies[*at], false, number + 1 == order.len());
    order.iter().enumerate().map(arrive).collect()
}

#[test]
fn a_text_that_arrives_again_after_a_query_belongs_to_its_group() {
    let repeated: Vec<Json> = (0..8).map(|n| json!({ "a": format!("a comment that arrives twice, {n}") })).collect();
    let mut others: Vec<Json> =
        (0..3000).map(|n| json!({ "a": format!("a comment that arrives once, {n}") })).collect();
    others.extend_from_slice(&repeated);
    let counts = |table: &Table| {
        let groups = table.groups(&["a"], None, None).unwrap();
        let sorted = table.sort_by("a", Direction::Ascending).unwrap().groups(&["a"], None, None).unwrap();
        let kept = table.filter(1, &[(0, "a", Condition::contains_by_rust("twice"))]).unwrap();
        let of_kept = kept.groups(&["a"], None, None).unwrap();
        [groups, sorted, of_kept].map(|groups| groups.aggregates.len())
    };
    let [first, second] = [repeated, others].map(|findings| json!({ "Findings": findings }).to_string());
    let mut call = Call::new(0.5);
    assert_eq!(counts(&call.arrive(0, &first, false, false)), [8, 8, 8]);
    assert_eq!(counts(&call.arrive(1, &second, false, true)), [3008, 3008, 8]);
}

#[test]
fn sums_do_not_depend_on_the_order_of_arrival() {
    let partitions =
        [vec![json!({ "a": 0.1 })], vec![json!({ "a": 0.2 }), json!({ "a": 1e16 })], vec![json!({ "a": -1e16 })]];
    let mut sums = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let of_snapshots = snapshots(&partitions, &order);
        let sum = |table: &Table| table.groups::<&str>(&[], Some(&"a"), None).unwrap().aggregates[0].sum;
        sums.push(of_snapshots.iter().map(sum).next_back().unwrap());
    }
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
}

#[test]
fn an_earlier_snapshot_counts_no_distinct_values_of_later_partitions() {
    let partitions = [vec![json!({ "a": 1 })], vec![json!({ "a": 2 })], vec![json!({ "a": 3 })]];
    let snapshots = snapshots(&partitions, &[0, 2, 1]);
    let distinct = |at: usize| snapshots[at].groups::<&str>(&[], None, Some(&"a")).unwrap().distinct;
    assert_eq!([2, 0, 1, 2].map(distinct), [[3], [1], [2], [3]]);
}

/// Whether a table takes this name for that of a column. All queries agree, and an error has the name.
fn knows(table: &Table, name: &str) -> bool {
    let (names, conditions) = ([name], [(0, name, Condition::OneOf(vec![]))]);
    let refusals = [
        table.groups(&names, None, None).err(),
        table.groups(&[], Some(&name), None).err(),
        table.groups(&[], None, Some(&name)).err(),
        table.filter(1, &conditions).err(),
        table.sort_by(name, Direction::Ascending).err(),
        table.column(name).err(),
        table.arrow(name).err(),
    ];
    let expected = refusals[0].is_some().then_some(QueryError::UnknownColumn(name));
    assert!(refusals.iter().all(|refusal| *refusal == expected), "{name}: {refusals:?}");
    expected.is_none()
}

#[test]
fn treats_an_unknown_column_as_missing_while_more_chunks_may_arrive() {
    let partitions = [vec![json!({ "a": 1 }), json!({ "a": 2 })], vec![json!({ "a": 2, "b": 3 })], vec![json!({})]];
    let snapshots = snapshots(&partitions, &[0, 1, 2]);
    let [first, second, whole] = &snapshots[..] else { panic!("three snapshots") };
    for (table, name, values) in [(first, "b", vec![None; 2]), (second, "b", vec![None, None, Some(json!(3))])] {
        let kept = |operand| table.filter(1, &[(0, name, Condition::OneOf(vec![operand]))]).unwrap().len();
        let numbers = values.iter().flatten().count();
        assert_eq!(cells(table, name), values);
        assert_eq!([kept(Operand::Missing), kept(Operand::Number(3.0))], [2, numbers]);
        assert_eq!(table.groups(&[name], None, None).unwrap().aggregates.len(), 1 + numbers);
        assert_eq!(table.groups(&[], Some(&name), None).unwrap().aggregates[0].count, numbers);
    }
    let unknown = second.groups(&["c", "d"], None, None).unwrap();
    assert_eq!((unknown.keys, unknown.aggregates[0].findings), (vec![Cell::MISSING; 2], 3));
    assert_eq!(findings(&first.sort_by("b", Direction::Descending).unwrap()), partitions[0]);
    assert_eq!(first.arrow("b").unwrap().measure(false, 0).map(|measure| measure.nulls), Ok(2));
    assert_eq!(first.columns().unwrap().count(), 1);
    for (table, is_known) in [(first, true), (second, true), (whole, false), (&whole.as_part().unwrap(), true)] {
        // A view knows as much as its table.
        let view = table.sort_by("a", Direction::Ascending).unwrap();
        assert_eq!([table, &view].map(|table| knows(table, "c")), [is_known; 2]);
    }
}

#[test]
fn every_query_refuses_a_name_that_no_finding_can_have() {
    let full = table(&[vec![json!({ "Topic": { "Text": "a", "Offset": 1 }, "Number": 1 })]]);
    let none_left = full.filter(1, &[(0, "Number", Condition::OneOf(vec![Operand::Number(2.0)]))]).unwrap();
    let columns = Some(Rc::new(b"a\xFFb.c\xFF".to_vec()));
    let mut dictionary = Dictionary::default();
    dictionary.columns.clone_from(&columns);
    let chunk = Rc::new(decoded(r#"{"Findings":[{"a":1,"d":2}]}"#, dictionary));
    let catalog = Catalog::new(HashSeed::default(), columns);
    let listed = super::Table::new(catalog, vec![chunk]).unwrap().as_part().unwrap();
    for (table, known, unknown) in [
        (&full, &["Number", "Topic.Text", "Sentiment"][..], &["topic.txt", "Topic", "number", ""][..]),
        // Without findings, a misspelt name cannot be told from one without values.
        (&table(&[]), &["Any"], &[]),
        (&table(&[vec![], vec![]]), &["Any"], &[]),
        (&none_left, &["Any"], &[]),
        (&listed, &["a", "a.b", "b.c", "b.c.d"], &["d", "b", "b.d", "a\\.b", "ab", "", "Sentiment"]),
    ] {
        known.iter().for_each(|name| assert!(knows(table, name), "{name}"));
        unknown.iter().for_each(|name| assert!(!knows(table, name), "{name}"));
    }
    assert!(listed.select(b"a\xFFb\xFF").is_ok());
    for name in ["d", "Sentiment"] {
        assert!(listed.select(&[name.as_bytes(), b"\xFF"].concat()).is_err(), "{name}");
    }
    let empty = table(&[]);
    assert!(all_cells(&empty, "Any").is_empty() && empty.sort_by("Any", Direction::Ascending).unwrap().is_empty());
    assert_eq!(empty.groups(&["Any"], Some(&"Other"), None).unwrap(), Groups::default());
    assert_eq!(empty.arrow("Any").unwrap().measure(false, 0), Ok(Measure::default()));
}

#[test]
fn treats_a_documented_field_that_no_finding_has_as_missing() {
    let partitions = [vec![json!({ "Topic": { "Text": "a" } }), json!({ "Topic": { "Text": "b" } })], vec![json!({})]];
    let snapshots = snapshots(&partitions, &[0, 1]);
    for table in &snapshots {
        for name in ["Sentiment", "TopicGroup", "NoTopic", "Extract", "Expression.Text"] {
            let groups = table.groups(&["Topic.Text", name], Some(&name), None).unwrap();
            assert_eq!(groups.aggregates.iter().map(|one| one.count).sum::<usize>(), 0, "{name}");
            let is_missing = Condition::OneOf(vec![Operand::Missing]);
            assert_eq!(table.filter(1, &[(0, name, is_missing)]).unwrap().len(), table.len(), "{name}");
            assert_eq!(findings(&table.sort_by(name, Direction::Descending).unwrap()), findings(table), "{name}");
            assert!(table.column(name).is_ok() && table.select(&[name.as_bytes(), b"\xFF"].concat()).is_ok(), "{name}");
        }
    }
    // An object has no values, so its name is probably a mistake, unless another chunk may have a value there.
    let keys = |table: &Table| table.groups(&["Topic"], None, None).map(|groups| groups.keys);
    assert_eq!(keys(&snapshots[0]), Ok(vec![Cell::OBJECT]));
    assert_eq!(keys(&snapshots[1]), Err(QueryError::UnknownColumn("Topic")));
}

#[test]
fn a_field_that_findings_of_this_kind_cannot_have_is_no_column() {
    let own = json!({ "Comment": "a", "RespondentId": "b" });
    let all = DOCUMENTED.iter().filter(|name| !name.starts_with("No") && !name.contains('.') && **name != "Sentiment");
    let full = Json::Object(all.map(|name| ((*name).to_owned(), json!(1))).collect());
    let known = ["Sentiment", "TopicGroup", "NoTopic"];
    for (fields, of_own, of_full) in [
        (Fields::All, [true; 3], [true; 3]),
        (Fields::Topics, [false, true, true], [false, true, true]),
        (Fields::Own, [false; 3], [false, true, true]),
    ] {
        for (finding, expected) in [(&own, of_own), (&full, of_full)] {
            let table = Table { fields, ..table(&[vec![finding.clone()]]) };
            assert_eq!(known.map(|name| knows(&table, name)), expected, "{fields:?}");
            // Each copy and each view knows as much, and a list may name what it leaves out.
            for one in [table.select(b"Comment\xFFSentiment\xFF"), table.sort_by("Comment", Direction::Ascending)] {
                assert_eq!(knows(&one.unwrap(), "Sentiment"), expected[0], "{fields:?}");
            }
            // While chunks arrive, one of them may have any other column.
            let growing = Table { fields, ..table.as_part().unwrap() };
            assert_eq!(knows(&growing, "Sentiment"), fields != Fields::Topics);
            assert!(knows(&table.as_part().unwrap(), "Sentiment"));
        }
    }
}

#[test]
fn finds_the_kinds_of_a_column_until_one_is_among_the_sought() {
    let mut findings: Vec<_> = (0..10_000).map(|row| json!({ "a": row, "b": null })).collect();
    findings.push(json!({ "a": "text", "b": true, "c": [1] }));
    let table = table(&[findings]);
    let kinds = |name, sought| table.arrow(name).unwrap().measure(false, sought).unwrap().kinds;
    assert_eq!(kinds("a", kind::INTEGER), kind::INTEGER);
    assert_eq!(kinds("a", kind::TEXT), kind::INTEGER | kind::TEXT);
    assert_eq!(kinds("b", 0), kind::NOTHING | kind::BOOLEAN);
    assert_eq!(kinds("c", kind::TEXT), kind::NOTHING | kind::JSON);
    assert_eq!(kinds("Sentiment", kind::INTEGER), kind::NOTHING);
}

#[test]
fn selects_no_object_whose_name_ends_within_a_key() {
    let table = table(&[vec![json!({ "a.b": 1, "c\\": { "d": 1 } })]]);
    for name in ["a\\.b", "c\\\\", "c\\\\.d"] {
        assert!(table.select(&[name.as_bytes(), b"\xFF"].concat()).is_ok(), "{name}");
    }
    assert_eq!(table.select(b"a\\\xFF").err(), Some(QueryError::UnknownColumn("a\\")));
}

#[test]
fn columns_have_the_order_of_the_findings_not_of_arrival() {
    let bodies = [r#"{"Findings":[{"c":1,"a":{"b":2}}]}"#, r#"{"Findings":[{"a":{"b":null},"d":1},{"e":1,"e":2}]}"#];
    let catalog = Rc::new(catalog());
    let mut arrived: Vec<_> =
        bodies.iter().map(|body| Arrived { index: 0, member: catalog.add(Rc::new(chunk(body))).unwrap() }).collect();
    arrived.reverse();
    let table = Table::arrived(catalog, &arrived, None, true).unwrap();
    assert_eq!(table.columns().unwrap().collect::<Vec<_>>(), ["a.b", "d", "c"]);
    assert!(table.columns_truncated());
}

#[test]
fn zero_and_minus_zero_are_one_group_and_equal_operands() {
    let table = table_of_bodies(&[r#"{"Findings":[{"a":0},{"a":-0},{"a":0.0},{"a":1}]}"#.to_owned()]);
    let groups = table.groups(&["a"], None, None).unwrap();
    assert_eq!(groups.aggregates.iter().map(|aggregate| aggregate.findings).collect::<Vec<_>>(), [3, 1]);
    for zero in [0.0, -0.0] {
        assert_eq!(table.filter(1, &[(0, "a", Condition::OneOf(vec![Operand::Number(zero)]))]).unwrap().len(), 3);
    }
}

#[test]
fn finds_and_sorts_lone_surrogates() {
    let table = crate::testing::table_of(&[
        r#"{"Findings":[{"a":"\udfff"},{"a":"\uD800x"},{"a":"\ud7ff"},{"a":"\ue000"},{"a":"\ud800X"}]}"#.to_owned(),
    ]);
    let sought = Operand::Text(Text::Json(r#""\ud800x""#.to_owned()));
    assert_eq!(table.filter(1, &[(0, "a", Condition::OneOf(vec![sought]))]).unwrap().len(), 1);
    assert_eq!(table.filter(1, &[(0, "a", Condition::contains_by_rust("x"))]).unwrap().len(), 2);
    let sorted = table.sort_by("a", Direction::Ascending).unwrap();
    assert_eq!(*sorted.scope.selected_rows().unwrap().unwrap(), [2, 4, 1, 0, 3]);
}

#[test]
fn an_empty_table_has_empty_results_and_its_views_have_no_partitions() {
    for partitions in [vec![], vec![vec![]]] {
        let table = table(&partitions);
        assert_eq!((table.len(), table.columns().unwrap().count()), (0, 0));
        assert_eq!(table.partitions().map(|partitions| partitions.len()), Some(partitions.len()));
        assert_eq!(table.groups::<&str>(&[], None, None).unwrap(), Groups::default());
        for view in [table.filter::<&str>(1, &[]).unwrap(), table.sort_by("a", Direction::Ascending).unwrap()] {
            assert!(view.is_empty() && view.partitions().is_none());
        }
    }
}

#[test]
fn tells_whether_an_integer_was_rounded() {
    for (findings, is_rounded) in [
        (r#"{"a":9007199254740993}"#, true),
        (r#"{"a":{"b":-9007199254740992}}"#, true),
        (r#"{"a":[1,9007199254740993]}"#, true),
        (r#"{"a":1,"a":9007199254740993}"#, true),
        ("", false),
        (r#"{"a":9007199254740991}"#, false),
        (r#"{"a":"9007199254740993"}"#, false),
        (r#"{"a":0.1,"b":[1e-300]}"#, false),
        (r#"{"a":1e400}"#, false),
    ] {
        let table = table_of_bodies(&[format!(r#"{{"Findings":[{findings}]}}"#)]);
        let view = table.filter::<&str>(1, &[]).unwrap();
        assert_eq!([&table, &view].map(|table| table.integers_rounded()), [is_rounded; 2], "{findings}");
    }
}

#[test]
fn findings_beyond_65_536_beginnings_of_orders_of_fields_have_no_columns_and_are_counted() {
    let (mut beginnings, mut random, mut expected) = (HashSet::from([Vec::new()]), 1_u32, 0);
    let findings: Vec<String> = (0..3_000)
        .map(|row| {
            let mut order: Vec<u32> = (0..30).collect();
            order.sort_by_cached_key(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random >> 8
            });
            // The end of the finding is the last beginning of each order.
            let has_room = (1..=31).all(|length| {
                let beginning = order.iter().copied().chain([u32::MAX]).take(length).collect();
                beginnings.contains(&beginning) || beginnings.len() < 1 << 16 && beginnings.insert(beginning)
            });
            expected += usize::from(!has_room);
            let fields: Vec<_> = order.iter().map(|key| format!(r#""f{key}":{row}"#)).collect();
            format!("{{{}}}", fields.join(","))
        })
        .collect();
    let table = table_of_bodies(&[chunk::testing::body(&findings)]);
    let every = Condition::Between { min: 0.0, max: f64::INFINITY };
    let found = table.filter(1, &[(0, "f7", every)]).unwrap();
    assert_eq!((table.findings_without_columns(), found.len()), (expected, 3_000 - expected));
    assert_eq!((found.findings_without_columns(), found.columns_truncated(), expected > 500), (0, true, true));
}

#[test]
fn names_that_repeat_long_keys_are_no_columns_beyond_their_limit() {
    let long = "k".repeat(60_000);
    let inner: serde_json::Map<_, _> = (0..100).map(|number| (format!("f{number}"), json!(number))).collect();
    let findings = vec![json!({ "a": 1 }), json!({ "a": 2, &long: inner }), json!({ "a": 3, "b.c": { "d\\": 4 } })];
    let table = table(std::slice::from_ref(&findings));
    assert!(table.columns_truncated());
    let names: Vec<&str> = table.columns().unwrap().collect();
    assert_eq!(names, ["a", r"b\.c.d\\"]);
    assert_eq!(self::findings(&table), findings);
    assert_eq!(cells(&table, "a"), [Some(json!(1)), None, Some(json!(3))]);
    assert_eq!(cells(&table, r"b\.c.d\\"), [None, None, Some(json!(4))]);
    for unknown in [r"b\.c", r"b\.c.d\", "b.c.d", r"\a", "a.", "", &long, &format!("{long}.f7")] {
        assert!(!knows(&table, unknown), "{unknown}");
    }
}

fn bit(bits: &[u32], row: usize) -> bool {
    bits[row / 32] >> (row % 32) & 1 == 1
}

/// Whether a number is an integer of 32 bits.
fn is_int32(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX) && (number != 0.0 || number.is_sign_positive())
        || number == f64::from(i32::MIN)
}

fn string_of(value: Value<'_>) -> Option<&str> {
    match value {
        Value::Text(text) | Value::Json(text) => Some(text),
        _ => None,
    }
}

/// The words of a buffer of a column.
pub(super) fn buffer(table: &Table, name: &str, buffer: Buffer, indexes: &[u32]) -> Vec<u32> {
    let mut all = Vec::new();
    table.arrow(name).unwrap().write(buffer, indexes, &mut |words| all.extend_from_slice(words)).unwrap();
    all
}

fn expect_arrow(table: &Table, name: &str) {
    let contents = table.contents();
    let cells = all_cells(table, name);
    let values: Vec<_> = cells.iter().map(|cell| contents.value(*cell)).collect();
    expect_bits(table, name, Buffer::Validity, &|row| !matches!(values[row], Value::Null | Value::Missing));
    expect_bits(table, name, Buffer::Booleans, &|row| values[row] == Value::Boolean(true));
    expect_numbers(table, name, &values);
    expect_strings(table, name, &values);
    let kinds = values.iter().fold(0, |kinds, value| kinds | kind_of_value(*value));
    let nulls = values.iter().filter(|value| matches!(value, Value::Null | Value::Missing)).count();
    let byte_length = values.iter().map(|value| string_of(*value).map_or(0, str::len) as u64).sum();
    let (measure, column) = (Measure { kinds, nulls: nulls as u32, byte_length }, table.arrow(name).unwrap());
    assert_eq!(column.measure(true, 0), Ok(measure), "{name}");
    assert_eq!(column.measure(false, 0).map(|measure| measure.kinds), Ok(kinds), "{name}");
}

fn expect_bits(table: &Table, name: &str, content: Buffer, is_set: &dyn Fn(usize) -> bool) {
    let words = buffer(table, name, content, &[]);
    assert_eq!(words.len(), table.len().div_ceil(32));
    let expected: Vec<_> = (0..table.len()).map(is_set).collect();
    assert_eq!((0..table.len()).map(|row| bit(&words, row)).collect::<Vec<_>>(), expected, "{name} {content:?}");
}

fn expect_numbers(table: &Table, name: &str, values: &[Value<'_>]) {
    let no_codes = [];
    let integers = buffer(table, name, Buffer::Integers, &no_codes);
    let numbers = buffer(table, name, Buffer::Numbers, &no_codes);
    assert_eq!((integers.len(), numbers.len()), (values.len(), 2 * values.len()));
    for (row, value) in values.iter().enumerate() {
        let number = if let Value::Number(number) = value { *number } else { 0.0 };
        let written = u64::from(numbers[2 * row]) | u64::from(numbers[2 * row + 1]) << 32;
        assert_eq!(written, number.to_bits(), "{name} {row}");
        if is_int32(number) {
            assert_eq!(f64::from(integers[row] as i32), number, "{name} {row}");
        }
    }
}

fn expect_strings(table: &Table, name: &str, values: &[Value<'_>]) {
    let contents = table.contents();
    let text = |id: u32| std::str::from_utf8(contents.strings().bytes(id)).unwrap();
    let column = table.arrow(name).unwrap();
    let DistinctStrings { codes, byte_length } = column.distinct_strings().unwrap();
    let mut ids = codes.clone();
    column.replace_by_ids(&mut ids).unwrap();
    let mut known = HashSet::new();
    let distinct: Vec<_> = values
        .iter()
        .filter_map(|value| Some((matches!(value, Value::Text(_)), string_of(*value)?)))
        .filter(|string| known.insert(*string))
        .map(|(_, string)| string)
        .collect();
    assert_eq!(ids.iter().map(|id| text(*id)).collect::<Vec<_>>(), distinct, "{name}");
    assert_eq!(byte_length as usize, distinct.concat().len());

    let indexes = string_indexes(&codes).unwrap();
    for (index, value) in buffer(table, name, Buffer::Codes, &indexes).into_iter().zip(values) {
        assert_eq!(string_of(*value).map_or(0, |_| index), index, "{name}");
        assert_eq!(string_of(*value), string_of(*value).map(|_| text(ids[index as usize])), "{name}");
    }

    let of_rows: Vec<_> = values.iter().map(|value| string_of(*value).unwrap_or_default()).collect();
    let ends = of_rows.iter().scan(0, |end, text| {
        *end += text.len() as u32;
        Some(*end)
    });
    let offsets: Vec<_> = std::iter::once(0).chain(ends).collect();
    assert_eq!(buffer(table, name, Buffer::Offsets, &indexes), offsets, "{name}");
    let mut all = Vec::new();
    column.write_strings_of_rows(&mut |bytes| all.extend_from_slice(bytes)).unwrap();
    assert_eq!(all, of_rows.concat().as_bytes(), "{name}");
}

fn kind_of_value(value: Value<'_>) -> u32 {
    match value {
        Value::Number(number) if is_int32(number) => kind::INTEGER,
        Value::Number(_) => kind::NUMBER,
        Value::Boolean(_) => kind::BOOLEAN,
        Value::Text(_) => kind::TEXT,
        Value::Json(json) if json.starts_with('"') => kind::SURROGATE,
        Value::Json(_) => kind::JSON,
        Value::Object => kind::OBJECT,
        Value::Null | Value::Missing => kind::NOTHING,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn lays_out_every_column_of_a_table_and_of_its_views(partitions in partitions(), needle in "[a-c]") {
        let table = table(&partitions);
        let names: Vec<String> = table.columns().unwrap().map(str::to_owned).collect();
        for name in &names {
            expect_arrow(&table, name);
        }
        if let Some(name) = names.first() {
            let sorted = table.sort_by(name, Direction::Descending).unwrap();
            let selected = table.filter(1, &[(0, name, Condition::contains_by_rust(&needle))]).unwrap();
            for name in &names {
                expect_arrow(&sorted, name);
                if !selected.is_empty() {
                    expect_arrow(&selected, name);
                }
            }
        }
    }

    #[test]
    fn lays_out_numbers_bit_for_bit(numbers in prop::collection::vec(prop_oneof![
        any::<f64>().prop_filter("finite", |number| number.is_finite()),
        any::<i32>().prop_map(f64::from),
        prop::sample::select(vec![-0.0, 0.0, 2_147_483_647.0, 2_147_483_648.0, -2_147_483_648.0, -2_147_483_649.0, 1e300]),
    ], 1..100)) {
        let findings: Vec<_> = numbers.iter().map(|number| format!(r#"{{"a":{number:?}}}"#)).collect();
        expect_arrow(&table_of_bodies(&[format!(r#"{{"Findings":[{}]}}"#, findings.join(","))]), "a");
    }
}

#[test]
fn lays_out_more_rows_than_a_batch_in_whole_words() {
    let findings: Vec<_> =
        (0..10_007).map(|row| if row % 3 == 0 { json!({}) } else { json!({ "a": row % 5 == 0 }) }).collect();
    let table = table(&[findings[..5000].to_vec(), findings[5000..].to_vec()]);
    expect_arrow(&table, "a");
    expect_arrow(&table_of_plain_values(10_007), "integer");
    expect_arrow(&table_of_plain_values(10_007), "text");
    expect_arrow(&table_of_plain_values(8192), "integer");
}

/// A table in which each finding has a small integer and a text.
fn table_of_plain_values(count: i64) -> Table {
    table(&[(0..count).map(|row| json!({ "integer": row - 50, "text": format!("{}", row % 700) })).collect()])
}

#[test]
fn raw_json_of_equal_values_is_one_group_and_sorts_as_one() {
    let spellings = [
        "[1,2]",
        "[1, 2]",
        r#"["é"]"#,
        "[2]",
        r#"[{"a":1,"b":2}]"#,
        r#"[{"\u0061": 1, "b" :2}]"#,
        "[ 2 ]",
        r#"["\u00E9"]"#,
    ];
    let values: Vec<&str> = (0..1000).map(|row| spellings[row * row % spellings.len()]).collect();
    for size in [7, 300, 1000] {
        let chunks: Vec<_> = values
            .chunks(size)
            .map(|values| {
                let findings: Vec<_> = values.iter().map(|value| format!(r#"{{"a":{value},"n":1}}"#)).collect();
                Rc::new(chunk(&format!(r#"{{"Findings":[{}]}}"#, findings.join(","))))
            })
            .collect();
        let table = Table::new(Catalog::new(HashSeed::default(), None), chunks).unwrap();
        let sorted = table.sort_by("a", Direction::Descending).unwrap();
        for table in [&table, &sorted] {
            let texts: Vec<String> =
                cells(table, "a").into_iter().map(|value| normal_within(value.unwrap()).to_string()).collect();
            let mut expected: HashMap<&String, usize> = HashMap::new();
            texts.iter().for_each(|text| *expected.entry(text).or_default() += 1);
            let groups = table.groups(&["a"], Some(&"n"), None).unwrap();
            let keys: Vec<String> =
                groups.keys.iter().map(|cell| normal_within(read(table, *cell).unwrap()).to_string()).collect();
            assert_eq!((keys.len(), keys.iter().collect::<HashSet<_>>().len()), (expected.len(), expected.len()));
            for (key, aggregate) in keys.iter().zip(&groups.aggregates) {
                assert_eq!((aggregate.findings, aggregate.sum), (expected[key], expected[key] as f64));
            }
        }
        let texts: Vec<String> =
            cells(&sorted, "a").into_iter().map(|value| normal_within(value.unwrap()).to_string()).collect();
        assert!(texts.is_sorted_by(|left, right| left >= right), "{texts:?}");
    }
}
