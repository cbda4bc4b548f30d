//! Tables for tests.

use std::rc::Rc;

use chunk::hash::HashSeed;
use chunk::testing::chunk;

use crate::{Arrived, Catalog, Table};

/// An empty catalog.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(HashSeed::default(), None)
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

/// Everything that can be asked about a table, as text.
pub(crate) fn all_of(table: &Table) -> String {
    use crate::{ColumnValues, Condition, Direction, Operand};
    use chunk::rows::row_buffer::RowBuffer;
    use chunk::value::cell::Cell;
    let names: Vec<String> = table.columns().unwrap().map(str::to_owned).collect();
    let partitions = table.partitions().map(|all| all.map(|(index, chunk)| (index, chunk.len())).collect::<Vec<_>>());
    let mut text = format!("{:?} {names:?} {} {partitions:?}", rows(table), table.columns_truncated());
    table.write_rows(&mut RowBuffer::default(), 0..table.len()).unwrap();
    for name in &names {
        let values = match table.column(name).unwrap() {
            ColumnValues::Integers(integers) => format!("{integers:?}"),
            ColumnValues::Cells { distinct, positions } => {
                let value = |at| format!("{:?}", table.contents().value(Cell::from_word(distinct[at as usize])));
                format!("{:?}", positions.into_iter().map(value).collect::<Vec<_>>())
            }
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
