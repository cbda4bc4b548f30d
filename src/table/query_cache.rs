//! What queries on a live table leave to queries on its other snapshots: the results [of each chunk](super::per_chunk::PerChunk).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::condition::Condition;
use super::filter::Filter;
use super::group::{Grouping, Groups};
use super::query_key::{self, QueryKey};
use super::scope::Scope;
use chunk::memory::{OutOfMemory, reserve};
use chunk::value::shapes::PathId;

/// The maximum number of queries to remember.
const MAX_QUERIES: usize = 64;

/// The maximum number of bytes to remember.
const MAX_BYTES: usize = 32 << 20;

/// The results of recent queries, shared by all snapshots of one live table, whose chunks are of one catalog.
#[derive(Default)]
pub struct QueryCache {
    /// The most recently used query comes last.
    results: RefCell<Vec<Cached>>,
    /// The number of the last grouping.
    groupings: Cell<u32>,
}

impl QueryCache {
    /// Returns a number that no grouping has.
    fn next_grouping(&self) -> u32 {
        let number = self.groupings.get().wrapping_add(1);
        self.groupings.set(number);
        number
    }
}

/// A query and its results.
struct Cached {
    key: Rc<QueryKey>,
    query: Query,
    bytes: usize,
}

enum Query {
    /// Groups, and the number of the grouping.
    Groups(Box<Grouping>, u32),
    Filter(Filter),
}

/// Groups the rows of a scope.
pub(super) fn groups(
    scope: &Scope,
    cache: Option<&QueryCache>,
    paths: &[PathId],
    summarized: Option<PathId>,
    distinct: Option<PathId>,
) -> Result<Groups, OutOfMemory> {
    let key = query_key::of_groups(paths, summarized, distinct, scope.filter_key())?;
    let (mut grouping, number) = match take(cache, &key) {
        Some(Query::Groups(grouping, number)) => (grouping, number),
        _ => (
            Box::new(Grouping::new(paths, summarized, distinct, scope.catalog().seed())?),
            cache.map_or(0, QueryCache::next_grouping),
        ),
    };
    let groups = grouping.groups(scope)?;
    Ok(match put(cache, key, Query::Groups(grouping, number))? {
        true => Groups { grouping: number, ..groups },
        false => Groups { ids: Vec::new(), ..groups },
    })
}

/// Selects the rows of a scope that meet all conditions of an alternative.
pub(super) fn filter(
    scope: &Scope,
    cache: Option<&QueryCache>,
    alternatives: u32,
    conditions: &[(u32, PathId, &Condition)],
) -> Result<Scope, OutOfMemory> {
    // Snapshots share the rows of a filter of all rows only.
    let cache = cache.filter(|_| !scope.is_selection());
    let key = query_key::of_filter(alternatives, conditions)?;
    let mut filter = match take(cache, &key) {
        Some(Query::Filter(filter)) => filter,
        _ => Filter::new(alternatives),
    };
    let rows = filter.rows(scope, conditions)?;
    if scope.is_unordered() {
        return scope.select_of_store(rows);
    }
    let selected = scope.select_by_chunk(rows, cache.map(|_| Rc::clone(&key)))?;
    put(cache, key, Query::Filter(filter))?;
    Ok(selected)
}

/// Takes the results of a query out of the cache: a query that fails does not put them back.
fn take(cache: Option<&QueryCache>, key: &QueryKey) -> Option<Query> {
    let mut results = cache?.results.borrow_mut();
    let position = results.iter().position(|one| *one.key == *key)?;
    Some(results.remove(position).query)
}

/// Adds the results of a query to the cache, unless the cache has it already, or it is larger than the cache. Returns whether it was added.
fn put(cache: Option<&QueryCache>, key: Rc<QueryKey>, query: Query) -> Result<bool, OutOfMemory> {
    let Some(cache) = cache else { return Ok(false) };
    let mut results = cache.results.borrow_mut();
    let bytes = key.capacity() + query.byte_length();
    if bytes > MAX_BYTES || results.iter().any(|one| one.key == key) {
        return Ok(false);
    }
    reserve(&mut results, 1)?;
    results.push(Cached { key, query, bytes });
    let mut all: usize = results.iter().map(|one| one.bytes).sum();
    while all > MAX_BYTES || results.len() > MAX_QUERIES {
        all -= results.remove(0).bytes;
    }
    Ok(true)
}

impl Query {
    fn byte_length(&self) -> usize {
        match self {
            Query::Groups(grouping, _) => grouping.byte_length(),
            Query::Filter(filter) => filter.byte_length(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{catalog, chunk};
    use crate::{Arrived, Operand, Table, Text};

    /// A table of one partition, and its cache.
    fn table() -> (Table, Rc<QueryCache>) {
        let catalog = Rc::new(catalog());
        let cache = Rc::new(QueryCache::default());
        let member = catalog.add(Rc::new(chunk(r#"{"Findings":[{"a":1},{"a":2}]}"#))).unwrap();
        let arrived = [Arrived { index: 0, member }];
        (Table::arrived(catalog, &arrived, Some(Rc::clone(&cache)), true).unwrap(), cache)
    }

    fn ask(table: &Table, number: usize) -> usize {
        let condition = Condition::OneOf(vec![Operand::Number(number as f64)]);
        table.filter(1, &[(0, "a", condition)]).unwrap().len()
    }

    #[test]
    fn keeps_the_queries_used_last_up_to_a_bound() {
        let (table, cache) = table();
        assert_eq!(ask(&table, 1), 1);
        for number in 2..2 * MAX_QUERIES {
            assert_eq!(ask(&table, 1) + ask(&table, number), if number == 2 { 2 } else { 1 });
        }
        let results = cache.results.borrow();
        assert_eq!(results.len(), MAX_QUERIES);
        assert!(results.iter().map(|one| one.bytes).sum::<usize>() <= MAX_BYTES);
        drop(results);
        let is_known = |number: usize| {
            let before = cache.results.borrow().len();
            let condition = Condition::OneOf(vec![Operand::Number(number as f64)]);
            let key = query_key::of_filter(1, &[(0, 1, &condition)]).unwrap();
            (cache.results.borrow().iter().any(|one| one.key == key), before)
        };
        assert_eq!(is_known(1), (true, MAX_QUERIES));
        assert_eq!(is_known(2), (false, MAX_QUERIES));
    }

    #[test]
    fn shares_groups_of_a_filter_only_with_the_same_filter() {
        let (table, cache) = table();
        let filtered = |number| table.filter(1, &[(0, "a", Condition::OneOf(vec![Operand::Number(number)]))]).unwrap();
        let groups = |table: &Table| table.groups(&["a"], None, None).unwrap().aggregates.len();
        assert_eq!(
            [groups(&table), groups(&filtered(1.0)), groups(&filtered(3.0)), groups(&filtered(1.0))],
            [2, 1, 0, 1]
        );
        let is_groups = |one: &&Cached| matches!(one.query, Query::Groups(..));
        // The caches of the table and of the filter, by 1. A view without rows needs none.
        assert_eq!(cache.results.borrow().iter().filter(is_groups).count(), 2);
    }

    #[test]
    fn keeps_no_query_larger_than_the_bound() {
        let (table, cache) = table();
        assert_eq!(ask(&table, 1), 1);
        let operands = vec![Operand::Text(Text::Utf8("long ".repeat(MAX_BYTES / 5 + 1)))];
        assert_eq!(table.filter(1, &[(0, "a", Condition::OneOf(operands))]).unwrap().len(), 0);
        assert_eq!(cache.results.borrow().len(), 1, "the other query has been forgotten");
    }

    #[test]
    fn keeps_each_query_once_and_tells_all_others_apart() {
        let (table, cache) = table();
        let is = |number| Condition::OneOf(vec![Operand::Number(number)]);
        let is_not = |number| Condition::Not(Box::new(is(number)));
        let contains = |lower| Condition::Contains { lower, contains: Box::new(|_| false) };
        let queries = || {
            [
                (1, vec![(0, is(1.0)), (0, is(2.0))], 0),
                (2, vec![(0, is(1.0)), (1, is(2.0))], 2),
                (2, vec![(0, is(1.0)), (0, is(2.0))], 2),
                (2, vec![(0, is(1.0)), (1, is_not(2.0))], 1),
                (1, vec![(0, is_not(2.0))], 1),
                (2, vec![(1, is(3.0))], 2),
                (1, vec![], 2),
                (0, vec![], 0),
                (1, vec![(0, is(f64::NAN))], 0),
                (1, vec![(0, Condition::Between { min: f64::NAN, max: 1.0 })], 0),
                (1, vec![(0, Condition::Between { min: 1.0, max: f64::NAN })], 0),
                (1, vec![(0, Condition::Between { min: 1.0, max: 1.0 })], 1),
                (1, vec![(0, contains(Text::Json(r#""\ud83d""#.to_owned())))], 0),
                (1, vec![(0, contains(Text::Json(r#""\ude00""#.to_owned())))], 0),
                (1, vec![(0, contains(Text::Utf8(r#""\ud83d""#.to_owned())))], 0),
            ]
        };
        for (alternatives, conditions, findings) in queries().into_iter().chain(queries()) {
            let conditions: Vec<_> = conditions.into_iter().map(|(at, condition)| (at, "a", condition)).collect();
            assert_eq!(table.filter(alternatives, &conditions).unwrap().len(), findings);
        }
        assert_eq!(cache.results.borrow().len(), queries().len());
    }
}
