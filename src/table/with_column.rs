//! Tables with one more column, whose values are looked up.

use super::codes::MISSING;
use super::gathered::{Added, Copied, NO_VALUE};
use super::{QueryError, Table};
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, check_reserve, filled, with_capacity};
use chunk::value::cell::Cell;
use chunk::value::column_name::{is_within, name_of_key};
use chunk::value::shapes::{ABSENT_PATH, Event, MAX_NAME, PathId, ROOT_PATH, ShapeId};

/// The column of a lookup with the keys.
const LOOKUP_KEY: &str = "key";
/// The column of a lookup with the value of each key.
const LOOKUP_VALUE: &str = "value";

impl Table {
    /// Copies the table, with one more column: a field with the key `key`, at the end of each finding. Its value is that of the column
    /// `value` in the last finding of the table `lookup` whose `key` is the value of the column `by`. It is missing if there
    /// is no such finding, if the value of `by` is missing, or if the row is kept as raw JSON. Without `by`, each row has the value of the
    /// first finding of `lookup`. Takes time and memory in proportion to the rows of both tables.
    ///
    /// # Errors
    ///
    /// The table has no column `by`, its findings cannot have one more field with this key, or memory ran out.
    pub fn with_column<'name>(
        &self,
        lookup: &Self,
        by: Option<&'name str>,
        key: &'name str,
    ) -> Result<Self, QueryError<'name>> {
        check_reserve()?;
        let path = by.map(|by| self.path(by)).transpose()?;
        let name = name_of_key(key)?;
        self.check_new_field(by, key, &name)?;
        let member = lookup.scope.members().next().certain();
        let path_of = |name| Ok::<_, OutOfMemory>(lookup.scope.path(name)?.unwrap_or(ABSENT_PATH));
        let (keys, values) = (path_of(LOOKUP_KEY)?, path_of(LOOKUP_VALUE)?);
        let rows = match path {
            Some(path) => self.rows_of_keys(path, lookup, keys)?,
            None => filled(self.len(), 0)?,
        };
        let added = Added { key, name: &name, lookup: &member.chunk, values: member.column(values), rows: &rows };
        Ok(self.copied(Copied::With(added))?)
    }

    /// Returns the row of a lookup for each row: the last one whose key is the value at a path; [`NO_VALUE`] if there is none.
    fn rows_of_keys(&self, path: PathId, lookup: &Self, keys: PathId) -> Result<Vec<u32>, OutOfMemory> {
        let codes_of_rows = self.scope.codes(path)?;
        let rows_by_code = self.rows_by_code(path, lookup, keys)?;
        let (mut rows, mut codes) = (with_capacity(self.len())?, Vec::new());
        for batch in self.scope.batches() {
            codes_of_rows.codes(batch, &mut codes)?;
            rows.extend(codes.iter().map(|code| rows_by_code.get(*code as usize).copied().unwrap_or(NO_VALUE)));
        }
        Ok(rows)
    }

    /// Returns the last row of a lookup by the code of its key in a column of this table, whose codes are known.
    fn rows_by_code(&self, path: PathId, lookup: &Self, keys: PathId) -> Result<Vec<u32>, OutOfMemory> {
        let Some(codes) = self.scope.catalog().column_codes(path) else { return Ok(Vec::new()) };
        let (contents, of_lookup) = (self.contents(), lookup.contents());
        let (strings, column) = (contents.strings(), lookup.scope.column(keys)?);
        let mut rows_by_code = filled(codes.len(), NO_VALUE)?;
        let mut words = Vec::new();
        for batch in lookup.scope.batches() {
            column.cells(batch.clone(), &mut words)?;
            for (row, word) in batch.zip(&words) {
                let code = codes.find_value(&contents, &strings, of_lookup.value(Cell::from_word(*word)));
                // A missing value is no key.
                if let Some(code) = code.filter(|code| *code != MISSING) {
                    *rows_by_code.get_mut(code as usize).certain() = row as u32;
                }
            }
        }
        Ok(rows_by_code)
    }

    /// Checks that each finding can have one more field with this key and dotted name.
    fn check_new_field<'name>(&self, by: Option<&str>, key: &'name str, name: &str) -> Result<(), QueryError<'name>> {
        let (names, contents) = (self.scope.names()?, self.contents());
        let shapes = contents.shapes();
        let is_whole = |shape: &ShapeId| shapes.event(*shape) == Some(Event::Close(ROOT_PATH));
        let of_findings = || self.scope.members().flat_map(|member| member.shapes()).filter(is_whole);
        let is_column = by.is_some_and(|by| is_within(by, name)) || names.has(name);
        if is_column || of_findings().any(|shape| shapes.has_field(shape, key)) {
            return Err(QueryError::FieldExists(key));
        }
        if name.len() > MAX_NAME || of_findings().any(|shape| shapes.is_full(shape)) {
            return Err(QueryError::NoRoomForField(key));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use crate::testing::{all_of, rows};
    use crate::tests::table_of_bodies as table_of;
    use crate::{Condition, Direction, Operand, QueryError};
    use chunk::testing::body;
    use chunk::testing::counting::counts_of;

    /// The key, if it has one, and the added value of a row of the lookup.
    type Entry = (Option<Json>, Json);

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
        prop::collection::vec((prop::option::weighted(0.9, key()), value), 0..12)
    }

    fn lookup(entries: &[Entry]) -> super::Table {
        let row = |(key, value): &Entry| match key {
            Some(key) => json!({ super::LOOKUP_KEY: key, super::LOOKUP_VALUE: value }),
            None => json!({ super::LOOKUP_VALUE: value }),
        };
        table_of(&[body(&entries.iter().map(row).collect::<Vec<_>>())])
    }

    /// The finding with the value of the last entry, of those with its key if it has one.
    fn expected(finding: &Json, by: Option<&str>, entries: &[Entry]) -> Json {
        let is_same = |key: &Json, id: &Json| match (key.as_f64(), id.as_f64()) {
            (Some(key), Some(id)) => key == id,
            _ => key == id,
        };
        let mut finding = finding.clone();
        let has_key = |key: &Option<Json>| {
            by.is_none_or(|by| key.as_ref().zip(finding.get(by)).is_some_and(|(key, id)| is_same(key, id)))
        };
        let found = entries.iter().rev().find(|(key, _)| has_key(key));
        if let Some((_, value)) = found {
            finding.as_object_mut().unwrap().insert(String::from("new"), value.clone());
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
        fn each_row_of_a_table_or_view_has_the_value_of_its_key_or_without_a_column_of_keys_the_one_value(
            partitions in findings(),
            entries in entries(),
            view in 0..3,
            is_by_key in any::<bool>(),
        ) {
            let bodies: Vec<_> = partitions.iter().map(|findings| body(findings)).collect();
            let whole = table_of(&bodies);
            let table = match view {
                0 => whole,
                1 => whole.filter(1, &[(0, "id", Condition::OneOf(vec![Operand::Number(1.0), Operand::Missing]))]).unwrap_or(whole),
                _ => whole.sort_by("text", Direction::Descending).unwrap_or(whole),
            };
            prop_assume!(!is_by_key || table.columns().unwrap().any(|name| name == "id"));
            let by = is_by_key.then_some("id");
            let one: Vec<_> = entries.iter().take(1).map(|(_, value)| json!({ super::LOOKUP_VALUE: value })).collect();
            let lookup = if is_by_key { lookup(&entries) } else { table_of(&[body(&one)]) };
            let with_column = table.with_column(&lookup, by, "new").unwrap();
            let entries = if is_by_key { &entries[..] } else { &entries[..one.len()] };
            let expected: Vec<_> = parsed(&table).iter().map(|finding| expected(finding, by, entries)).collect();
            prop_assert_eq!(parsed(&with_column), expected.clone());
            // Queries, views and copies of it see the same as those of a table that has always had the column.
            let direct = table_of(&[body(&expected)]);
            for name in ["new", "id"].into_iter().filter(|name| direct.columns().unwrap().any(|known| known == *name)) {
                let groups = |table: &super::Table| table.groups(&[name], None, None).unwrap().counts().unwrap();
                prop_assert_eq!(groups(&with_column), groups(&direct));
                let sorted = |table: &super::Table| parsed(&table.sort_by(name, Direction::Ascending).unwrap());
                prop_assert_eq!(sorted(&with_column), sorted(&direct));
            }
            prop_assert!(!all_of(&with_column).is_empty());
            prop_assert!(with_column.is_empty() || with_column.columns().unwrap().any(|name| name == "new"));
            prop_assert!(with_column.partitions().is_none());
            let again = with_column.with_column(&lookup, by, "new").err();
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
            for entries in [vec![], vec![(Some(json!("a")), json!(1))]] {
                let refused = table(finding.clone()).with_column(&lookup(&entries), Some(by), "new").err();
                assert_eq!(refused, expected, "{finding}");
            }
        }
        // Findings that still arrive may have it.
        let growing = table(json!({ "a": 1 })).as_part().unwrap();
        assert_eq!(growing.with_column(&lookup(&[]), Some("new"), "new").err(), Some(QueryError::FieldExists("new")));
    }

    #[test]
    fn an_added_column_takes_work_in_proportion_to_rows_and_keys() {
        let work = |count: usize| {
            let finding = |number: usize| json!({ "id": format!("r{number}"), "text": "a" });
            let findings: Vec<_> = (0..count).map(finding).collect();
            // Many partitions: each key must not be looked at once for each of them.
            let table = table_of(&findings.chunks(count / 20).map(body).collect::<Vec<_>>());
            let entries: Vec<Entry> =
                (0..count).map(|number| (Some(json!(format!("r{number}"))), json!(number % 7))).collect();
            let lookup = lookup(&entries);
            let work = counts_of(|| assert_eq!(table.with_column(&lookup, Some("id"), "new").unwrap().len(), count));
            (work.cells + work.lookups + work.probes + work.strings) as f64
        };
        let (small, large) = (work(1_000), work(8_000));
        assert!(large < 10.0 * small, "{small} {large}");
    }
}
