//! What queries on one snapshot of a live table have computed, for those on the next.

use std::cell::RefCell;
use std::rc::Rc;

use super::filter::{Condition, Filter};
use super::group::{Grouping, Groups};
use super::names::ColumnNames;
use super::view::View;
use crate::memory::{OutOfMemory, reserve};
use crate::shapes::PathId;

/// The most queries to remember.
const MAX_QUERIES: usize = 64;

/// The most bytes to remember.
const MAX_BYTES: usize = 32 << 20;

/// The intermediate results of recent queries, shared by all tables of one live table.
#[derive(Default)]
pub struct QueryCache {
    /// The query used last is the last one.
    results: RefCell<Vec<Intermediate>>,
    /// The names of the columns of the table queried last.
    names: RefCell<Option<Rc<ColumnNames>>>,
}

impl QueryCache {
    /// Returns the names of the columns of the table queried last.
    pub(super) fn names(&self) -> Option<Rc<ColumnNames>> {
        self.names.borrow().clone()
    }

    /// Sets the names of the columns of the table queried last.
    pub(super) fn set_names(&self, names: &Rc<ColumnNames>) {
        self.names.replace(Some(Rc::clone(names)));
    }
}

/// The intermediate result of a query over the first chunks to arrive.
struct Intermediate {
    chunks: usize,
    query: Query,
    bytes: usize,
}

enum Query {
    Groups(Grouping),
    Filter(Filter),
}

/// Groups the rows of a view. Continues from the chunks of an earlier table if the cache has them.
pub(super) fn groups(view: &View, paths: &[PathId], summarized: Option<PathId>) -> Result<Groups, OutOfMemory> {
    let is_sought = |query: &Query| matches!(query, Query::Groups(grouping) if grouping.is_of(paths, summarized));
    let (chunks, query) = known(view, &is_sought);
    let mut grouping = match query {
        Some(Query::Groups(grouping)) => grouping,
        _ => Grouping::new(paths, summarized)?,
    };
    view.for_each_chunk(chunks, &mut |index, chunk| grouping.add(index, chunk))?;
    let groups = grouping.groups()?;
    remember(view, Query::Groups(grouping), &is_sought)?;
    Ok(groups)
}

/// Returns the rows of a view that meet all conditions. Continues from the chunks of an earlier table if the cache has them.
pub(super) fn filter(view: &View, conditions: &[(PathId, &Condition)]) -> Result<Vec<u32>, OutOfMemory> {
    let is_sought = |query: &Query| matches!(query, Query::Filter(filter) if filter.is_by(conditions));
    let (chunks, query) = known(view, &is_sought);
    let mut filter = match query {
        Some(Query::Filter(filter)) => filter,
        _ => Filter::new(conditions)?,
    };
    view.for_each_chunk(chunks, &mut |index, chunk| filter.add(index, chunk, conditions))?;
    let rows = filter.rows(if view.selection().is_some() { &[0] } else { view.starts() })?;
    remember(view, Query::Filter(filter), &is_sought)?;
    Ok(rows)
}

/// Removes the intermediate result of a query from the cache of a view, and returns it with its number of chunks; nothing if it has more
/// chunks than the view. Nobody else can change it while it is being continued, which may call functions of the host.
fn known(view: &View, is_sought: &dyn Fn(&Query) -> bool) -> (usize, Option<Query>) {
    let found = view.cache().and_then(|cache| {
        let mut results = cache.results.borrow_mut();
        let position = results.iter().position(|one| one.chunks <= view.chunk_count() && is_sought(&one.query))?;
        Some(results.remove(position))
    });
    found.map_or((0, None), |Intermediate { chunks, query, .. }| (chunks, Some(query)))
}

/// Adds the intermediate result for all chunks of a view to its cache, unless the cache has one for more chunks.
fn remember(view: &View, query: Query, is_sought: &dyn Fn(&Query) -> bool) -> Result<(), OutOfMemory> {
    let Some(cache) = view.cache() else { return Ok(()) };
    let mut results = cache.results.borrow_mut();
    if results.iter().any(|one| is_sought(&one.query)) {
        return Ok(());
    }
    reserve(&mut results, 1)?;
    let bytes = query.byte_length();
    results.push(Intermediate { chunks: view.chunk_count(), query, bytes });
    let mut all: usize = results.iter().map(|one| one.bytes).sum();
    while all > MAX_BYTES || results.len() > MAX_QUERIES {
        all -= results.remove(0).bytes;
    }
    Ok(())
}

impl Query {
    fn byte_length(&self) -> usize {
        match self {
            Query::Groups(grouping) => grouping.byte_length(),
            Query::Filter(filter) => filter.byte_length(),
        }
    }
}
