//! Tables with an added column, compared with loops over their JSON.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::tests::table_of_bodies as table_of;
use super::{Direction, QueryError};
use crate::testing::{all_of, rows};
use chunk::testing::body;
use chunk::testing::counting::counts_of;

/// The key and the added value of a row of the lookup.
type Entry = (Json, Json);

fn key() -> impl Strategy<Value = Json> {
    prop_oneof!["[ab1]{0,2}".prop_map(Json::from), (0..5).prop_map(Json::from), Just(json!(0.5)), Just(json!(1.0))]
}

fn findings() -> impl Strategy<Value = Vec<Vec<Json>>> {
    let finding = (prop::option::weighted(0.9, key()), prop::option::of("[xy]{0,40}")).prop_map(|(id, text)| {
        let fields = id.map(|id| (String::from("id"), id)).into_iter();
        Json::Object(fields.chain(text.map(|text| (String::from("text"), Json::from(text)))).collect())
    });
    prop::collection::vec(prop::collection::vec(finding, 0..12), 1..4)
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let value = prop_oneof![
        "[pq]{0,30}".prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        Just(json!(1.25)),
        Just(json!(null)),
        Just(json!(true)),
    ];
    prop::collection::vec((key(), value), 0..12)
}

fn lookup(entries: &[Entry]) -> super::Table {
    table_of(&[body(
        &entries
            .iter()
            .map(|(key, value)| json!({ super::LOOKUP_KEY: key, super::LOOKUP_VALUE: value }))
            .collect::<Vec<_>>(),
    )])
}

/// The finding with the value of the last entry with its key.
fn expected(finding: &Json, entries: &[Entry]) -> Json {
    let is_same = |key: &Json, id: &Json| match (key.as_f64(), id.as_f64()) {
        (Some(key), Some(id)) => key == id,
        _ => key == id,
    };
    let mut finding = finding.clone();
    let found = finding.get("id").and_then(|id| entries.iter().rev().find(|(key, _)| is_same(key, id)));
    if let Some((_, value)) = found {
        let value = value.clone();
        finding.as_object_mut().unwrap().insert(String::from("new"), value);
    }
    with_integers(finding)
}

fn parsed(table: &super::Table) -> Vec<Json> {
    rows(table).iter().map(|row| serde_json::from_str(row).map(with_integers).unwrap()).collect()
}

/// A finding whose integers are integers, so that `1.0` is `1`.
fn with_integers(mut finding: Json) -> Json {
    for value in finding.as_object_mut().unwrap().values_mut() {
        if let Some(number) = value.as_f64().filter(|number| number.fract() == 0.0) {
            *value = json!(number as i64);
        }
    }
    finding
}

proptest! {
    #[test]
    fn each_row_of_a_table_or_view_has_the_value_of_its_key(
        partitions in findings(),
        entries in entries(),
        view in 0..3,
    ) {
        let bodies: Vec<_> = partitions.iter().map(|findings| body(findings)).collect();
        let whole = table_of(&bodies);
        let table = match view {
            0 => whole,
            1 => whole.filter(1, &[(0, "id", super::Condition::OneOf(vec![super::Operand::Number(1.0), super::Operand::Missing]))]).unwrap_or(whole),
            _ => whole.sort_by("text", Direction::Descending).unwrap_or(whole),
        };
        prop_assume!(table.columns().unwrap().any(|name| name == "id"));
        let with_column = table.with_column(&lookup(&entries), Some("id"), "new").unwrap();
        let expected: Vec<_> = parsed(&table).iter().map(|finding| expected(finding, &entries)).collect();
        prop_assert_eq!(parsed(&with_column), expected.clone());
        // Queries, views and copies of it see the same as those of a table that has always had the column.
        let direct = table_of(&[body(&expected)]);
        if direct.columns().unwrap().any(|name| name == "new") {
            for name in ["new", "id"] {
                let groups = |table: &super::Table| table.groups(&[name], None, None).unwrap().counts().unwrap();
                prop_assert_eq!(groups(&with_column), groups(&direct));
                let sorted = |table: &super::Table| parsed(&table.sort_by(name, Direction::Ascending).unwrap());
                prop_assert_eq!(sorted(&with_column), sorted(&direct));
            }
        }
        prop_assert!(!all_of(&with_column).is_empty());
        prop_assert!(with_column.is_empty() || with_column.columns().unwrap().any(|name| name == "new"));
        prop_assert!(with_column.partitions().is_none());
    }
}

proptest! {
    #[test]
    fn without_a_column_of_keys_each_row_of_a_table_or_view_has_the_same_value(
        partitions in findings(),
        value in prop::option::of("[pq]{0,30}"),
        is_view in any::<bool>(),
    ) {
        let bodies: Vec<_> = partitions.iter().map(|findings| body(findings)).collect();
        let whole = table_of(&bodies);
        let table = if is_view { whole.sort_by("text", Direction::Descending).unwrap_or(whole) } else { whole };
        let value = value.map_or_else(|| json!({}), |value| json!({ super::LOOKUP_VALUE: value }));
        let with_column = table.with_column(&table_of(&[body(std::slice::from_ref(&value))]), None, "new").unwrap();
        let expected: Vec<_> = parsed(&table)
            .into_iter()
            .map(|mut finding| {
                if let Some(value) = value.get(super::LOOKUP_VALUE) {
                    finding.as_object_mut().unwrap().insert(String::from("new"), value.clone());
                }
                finding
            })
            .collect();
        prop_assert_eq!(parsed(&with_column), expected);
        prop_assert!(with_column.is_empty() || with_column.columns().unwrap().any(|name| name == "new"));
        let again = with_column.with_column(&table_of(&[body(&[value])]), None, "new").err();
        prop_assert!(with_column.is_empty() || again == Some(QueryError::FieldExists("new")));
    }
}

#[test]
fn a_field_that_a_finding_has_or_has_no_room_for_is_refused_whatever_the_keys_are() {
    let wide: serde_json::Map<_, _> = (0..1023).map(|number| (format!("f{number}"), json!(number))).collect();
    let table = |finding: Json| table_of(&[body(&[json!({ "id": "a" }), finding])]);
    let cases = [
        (json!({ "new": {} }), "id", Some(QueryError::FieldExists("new"))),
        (json!({ "new": { "b": 1 } }), "id", Some(QueryError::FieldExists("new"))),
        (json!({ "a": { "new": 1 } }), "id", None),
        (json!({ "a": 1 }), "new", Some(QueryError::UnknownColumn("new"))),
        (Json::Object(wide.clone()), "id", None),
        (
            Json::Object(wide.into_iter().chain([(String::from("id"), json!(1))]).collect()),
            "id",
            Some(QueryError::NoRoomForField("new")),
        ),
    ];
    for (finding, by, expected) in cases {
        for entries in [vec![], vec![(json!("a"), json!(1))]] {
            let refused = table(finding.clone()).with_column(&lookup(&entries), Some(by), "new").err();
            assert_eq!(refused, expected, "{finding}");
        }
    }
}

#[test]
fn an_added_column_takes_work_in_proportion_to_rows_and_keys() {
    let work = |count: usize| {
        let finding = |number: usize| json!({ "id": format!("r{number}"), "text": "a" });
        let findings: Vec<_> = (0..count).map(finding).collect();
        // Many partitions: each key must not be looked at once for each of them.
        let table = table_of(&findings.chunks(count / 20).map(body).collect::<Vec<_>>());
        let entries: Vec<Entry> = (0..count).map(|number| (json!(format!("r{number}")), json!(number % 7))).collect();
        let lookup = lookup(&entries);
        let work = counts_of(|| assert_eq!(table.with_column(&lookup, Some("id"), "new").unwrap().len(), count));
        (work.cells + work.lookups + work.probes + work.strings) as f64
    };
    let (small, large) = (work(1_000), work(8_000));
    assert!(large < 10.0 * small, "{small} {large}");
}
