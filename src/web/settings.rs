//! A call that begins, with its settings. JavaScript has copied and checked its options, merged them with those of the client, and added the
//! defaults.

use std::rc::Rc;

use chunk::form::{Form, form_of};
use chunk::memory::OutOfMemory;
use chunk::value::column_name::ColumnList;

use super::page::Page;
use super::page_call::PageCall;
use super::performer::Beginning;
use super::resume::ResumeState;
use crate::js_bytes::copied;
use crate::members::{is, members};
use call::machine::{NewCall, Order, Task, WorkerOption};
use call::retry::Policy;
use call::settings::{Completeness, FailurePolicy, Settings as CallSettings};

members! {
    /// The members of a call that begins, which `Beginning` of `src/js/core/engine/performer.ts` has.
    struct Members {
        now: "now",
        has_columns: "hasColumns",
        as_table: "asTable",
        begun: "begun",
        asks_headers: "asksHeaders",
        reports_progress: "reportsProgress",
        reports_partitions: "reportsPartitions",
        maps_counts: "mapsCounts",
        may_use_worker: "mayUseWorker",
        is_auto: "worker=auto",
        concurrency: "concurrency",
        timeout: "timeout",
        total_timeout: "totalTimeout",
        retries: "retries",
        max_retry_after: "maxRetryAfter",
        max_partition_bytes: "maxPartitionBytes",
        max_buffered_bytes: "maxBufferedBytes",
        is_off: "completeness=off",
        collects: "failurePolicy=collect",
        by_completion: "order=completion",
    }
}

impl Beginning {
    /// The columns that the findings are limited to.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn column_list(&self) -> Result<ColumnList, OutOfMemory> {
        self.columns().as_ref().map(|names| copied(names).map(Rc::new)).transpose()
    }
}

impl Members {
    /// The form of its findings.
    pub(super) fn form(&self) -> Form {
        form_of(is(self.as_table))
    }

    /// The task with the order of a stream.
    pub(super) fn ordered(&self, task: Task) -> Task {
        match task {
            Task::Stream(kind, _) if is(self.by_completion) => Task::Stream(kind, Order::Completion),
            task => task,
        }
    }

    /// What the machine is told of the call.
    pub(super) fn begin(&self, call: Rc<PageCall>, inspection: i64, task: Task) -> NewCall<Page> {
        NewCall {
            base: Rc::clone(&call.base_url),
            accumulator: call.state.as_ref().map(ResumeState::accumulator),
            call,
            inspection,
            task,
            settings: CallSettings {
                concurrency: self.concurrency as usize,
                timeout: self.timeout,
                total_timeout: self.total_timeout,
                policy: Policy { retries: self.retries as u32, max_retry_after: self.max_retry_after },
                completeness: if is(self.is_off) { Completeness::Off } else { Completeness::Strict },
                failure_policy: if is(self.collects) { FailurePolicy::Collect } else { FailurePolicy::FailFast },
                max_partition_bytes: self.max_partition_bytes as usize,
                max_buffered_bytes: self.max_buffered_bytes as u64,
            },
            begun: self.begun,
            asks_headers: is(self.asks_headers),
            reports_progress: is(self.reports_progress),
            reports_partitions: is(self.reports_partitions),
            maps_counts: is(self.maps_counts),
            worker: match (is(self.may_use_worker), is(self.is_auto)) {
                (false, _) => WorkerOption::Page,
                (true, true) => WorkerOption::Auto,
                (true, false) => WorkerOption::Worker,
            },
            is_watched: false,
        }
    }
}
