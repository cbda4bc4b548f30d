//! How calls and streams end, as their callers see it.

use table::Table;

use super::host::Caller;
use crate::accumulator::Accumulator;
use crate::contract::KindCounts;
use crate::error::{CallEnd, Error};
use crate::mock_host::{MockFindings, MockObjects};
use crate::retrieve::host::Host;
use chunk::form::{Form, Formed};
use table::tables::{ReceivedChunk, Tables, table_of};

/// The end of one run of a call.
pub(super) enum RunEnd<T> {
    /// The call ended by itself.
    Ended(Result<T, CallEnd<String>>),
    /// The caller aborted it.
    Aborted,
}

/// The findings that a caller has received.
pub(super) enum Found {
    /// As one table.
    Table(Table),
    /// As objects, with the index of each partition.
    Objects(Vec<(u64, MockObjects)>),
}

/// The result of a call.
pub(super) enum CallResult {
    /// Of a call for all findings.
    All,
    /// Of a call for a partition.
    Partition(Found),
    /// Of a call for counts: sentiment, then topics.
    Counts((KindCounts, KindCounts)),
}

impl Found {
    /// The findings of one partition.
    pub(super) fn of(caller: &Caller, index: u64, findings: MockFindings) -> Self {
        match findings {
            Formed::Chunk(chunk) => Found::Table(table_of::<Caller>(index, chunk, caller.columns()).unwrap()),
            Formed::Rows(objects) => Found::Objects(vec![(index, objects)]),
        }
    }

    /// The findings of all partitions received so far.
    pub(super) fn all(caller: &Caller, tables: &Tables, accumulator: &Accumulator<MockFindings>) -> Self {
        if caller.form() == Form::Chunk {
            return Found::Table(table_of_all(tables, accumulator));
        }
        let partitions = accumulator.partitions();
        let objects = partitions.iter().filter_map(|one| match &one.findings {
            Formed::Rows(objects) => Some((one.index, objects.clone())),
            Formed::Chunk(_) => None,
        });
        Found::Objects(objects.collect())
    }
}

/// The table of what a call has received so far.
pub(super) fn table_of_all(tables: &Tables, accumulator: &Accumulator<MockFindings>) -> Table {
    let partitions = accumulator.partitions();
    let received = partitions.iter().filter_map(|one| {
        let chunk = one.chunk()?;
        Some(ReceivedChunk { index: one.index, before: one.before, chunk })
    });
    tables.table::<Caller>(received, accumulator.is_whole()).unwrap()
}

/// Why a stream ends before its last partition.
pub(super) enum StreamEnd {
    /// A partition failed, or the total is wrong.
    Failed(Box<Error<String>>),
    /// A function of the caller threw this.
    Thrown(String),
    /// The caller aborted the stream.
    Aborted,
}
