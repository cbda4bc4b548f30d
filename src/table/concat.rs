//! Tables joined to one: the findings of all, one table after the other.

use std::rc::Rc;

use super::{Arrived, Table, TableError};
use chunk::memory::{check_reserve, push};

impl Table {
    /// Returns a table with the findings of all tables, in this order. It shares the chunks of whole tables, and has copies of the rows of
    /// selections. Takes time in proportion to the number of chunks and of selected rows.
    ///
    /// # Errors
    ///
    /// Out of memory, or there are too many findings, strings or numbers.
    pub fn concat(tables: [&Self; 2]) -> Result<Self, TableError> {
        check_reserve()?;
        let [first, second] = tables;
        let column_list = first.column_list().filter(|names| second.column_list() == Some(names));
        let catalog = Rc::new(first.scope.catalog().emptied(column_list.cloned()));
        let mut arrived = Vec::new();
        for table in tables {
            let gathered = table.gathered()?;
            for (_, chunk) in gathered.as_ref().unwrap_or(table).chunks() {
                let index = arrived.len() as u64;
                push(&mut arrived, Arrived { index, member: catalog.add(Rc::clone(chunk))? })?;
            }
        }
        Ok(Self::arrived(catalog, &arrived, None, first.is_whole() && second.is_whole())?)
    }
}

#[cfg(test)]
mod tests {
    use chunk::testing::body;
    use chunk::testing::counting::counts_of;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use crate::testing::{all_of, rows, table_of};
    use crate::{Condition, Direction, Limit, Operand, Table, TableError};
    use chunk::invented::finding;

    fn findings() -> impl Strategy<Value = Vec<Json>> {
        prop::collection::vec(finding("[aé€]{0,4}"), 0..8)
    }

    /// The first column of a table, in this way or that.
    fn view(table: &Table, way: u8) -> Table {
        let Some(name) = table.columns().unwrap().next().map(str::to_owned) else { return table.clone() };
        match way {
            0 => table.clone(),
            1 => table.sort_by(&name, Direction::Descending).unwrap(),
            _ => table.filter(1, &[(0, &name, Condition::OneOf(vec![Operand::Missing]))]).unwrap(),
        }
    }

    proptest! {
        #[test]
        fn joined_tables_answer_as_one_table_of_their_findings(
            tables in prop::collection::vec((prop::collection::vec(findings(), 0..3), 0..3_u8), 1..4),
        ) {
            let views: Vec<_> = tables
                .iter()
                .map(|(partitions, way)| view(&table_of(&partitions.iter().map(|one| body(one)).collect::<Vec<_>>()), *way))
                .collect();
            let joined = views[1..].iter().fold(views[0].clone(), |joined, next| Table::concat([&joined, next]).unwrap());
            let findings: Vec<String> = views.iter().flat_map(rows).collect();
            prop_assert_eq!(rows(&joined), findings.clone());
            let direct = table_of(&[body(&findings)]);
            let names = |table: &Table| table.columns().unwrap().map(str::to_owned).collect::<Vec<_>>();
            for name in names(&direct) {
                // A finding of a view may have columns that none of its rows has.
                prop_assert!(names(&joined).contains(&name));
                let counts = |table: &Table| table.groups(&[&name], None, None).unwrap().counts().unwrap();
                prop_assert_eq!(counts(&joined), counts(&direct));
                let sorted = |table: &Table| rows(&table.sort_by(&name, Direction::Ascending).unwrap());
                prop_assert_eq!(sorted(&joined), sorted(&direct));
            }
            prop_assert!(!all_of(&joined).is_empty());
        }
    }

    #[test]
    fn joined_tables_are_whole_if_each_is() {
        let whole = table_of(&[body(&[json!({ "a": 1 })])]);
        let growing = whole.as_part().unwrap();
        for (tables, is_whole) in [
            ([&whole, &whole], true),
            ([&whole, &growing], false),
            ([&growing, &whole], false),
            ([&growing, &growing], false),
        ] {
            assert_eq!(Table::concat(tables).unwrap().is_whole(), is_whole);
        }
    }

    #[test]
    fn joined_tables_have_as_many_findings_as_rows_can_be_numbered_and_no_more() {
        let of = |count: usize| table_of(&[body(&vec![json!({ "a": 1 }); count])]);
        let join = |one: &Table, other: &Table| Table::concat([one, other]);
        let (mut most, mut power) = (of((1 << 16) - 1), of(1 << 16));
        for _ in 16..32 {
            most = join(&most, &power).unwrap();
            power = join(&power, &power).unwrap_or(power);
        }
        assert_eq!(most.len() as u64, Limit::Findings.most());
        assert_eq!(join(&most, &of(1)).err(), Some(TableError::TooMany(Limit::Findings)));
    }

    #[test]
    fn joining_takes_work_in_proportion_to_the_partitions() {
        let work = |partitions: usize| {
            let bodies: Vec<_> = (0..partitions).map(|number| body(&[json!({ "id": number })])).collect();
            let table = table_of(&bodies);
            let work = counts_of(|| assert_eq!(Table::concat([&table, &table]).unwrap().len(), 2 * partitions));
            (work.cells + work.lookups + work.probes + work.strings + 1) as f64
        };
        assert!(work(800) < 10.0 * work(100), "{} {}", work(100), work(800));
    }
}
