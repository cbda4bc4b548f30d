//! A call that begins, with its settings. JavaScript has copied and checked its options, merged them with those of the client, and added the
//! defaults.

use std::rc::Rc;

use chunk::form::{Form, form_of};
use chunk::memory::OutOfMemory;
use wasm_bindgen::prelude::*;

use super::begun::Begun;
use crate::host_functions::{inspection_of, numbers_of};
use crate::js_bytes::shared;
use call::machine::{Begin, CallId, Order, Work, WorkerOption};
use call::retry::Policy;
use call::settings::{Completeness, FailurePolicy, Settings as CallSettings};

/// What Rust reads of a call that begins.
pub(super) struct Read {
    /// Whether it has ended already.
    pub(super) is_over: bool,
    /// The time.
    pub(super) now: f64,
    /// Whether its base URL is that of the call before.
    pub(super) is_base_known: bool,
    /// Whether its findings keep only some columns.
    pub(super) has_columns: bool,
    /// The form of its findings.
    pub(super) form: Form,
    /// The order of a stream.
    pub(super) order: Order,
    /// Whether the service only appends to the inspection.
    pub(super) appends: bool,
    source: u32,
    reports_progress: bool,
    reports_partitions: bool,
    maps_counts: bool,
    worker: WorkerOption,
    begun: f64,
    settings: CallSettings,
}

impl Begun {
    /// Reads the numbers and words.
    pub(super) fn read(&self) -> Read {
        let names = "isOver now isBaseKnown hasColumns asTable begun source reportsProgress reportsPartitions mapsCounts workerOption concurrency \
                     timeout totalTimeout retries maxRetryAfter maxPartitionBytes maxBufferedBytes completeness=off \
                     failurePolicy=collect growth=append order=completion";
        let [
            is_over,
            now,
            is_base_known,
            has_columns,
            as_table,
            begun,
            source,
            reports_progress,
            reports_partitions,
            maps_counts,
            worker,
            concurrency,
            timeout,
            total_timeout,
            retries,
            max_retry_after,
            max_partition_bytes,
            max_buffered_bytes,
            is_off,
            collects,
            appends,
            by_completion,
        ] = numbers_of(self, names);
        let is = |flag: f64| flag == 1.0;
        let settings = CallSettings {
            concurrency: concurrency as usize,
            timeout,
            total_timeout: (!total_timeout.is_nan()).then_some(total_timeout),
            policy: Policy { retries: retries as u32, max_retry_after },
            completeness: if is(is_off) { Completeness::Off } else { Completeness::Strict },
            failure_policy: if is(collects) { FailurePolicy::Collect } else { FailurePolicy::FailFast },
            max_partition_bytes: max_partition_bytes as usize,
            max_buffered_bytes: max_buffered_bytes as u64,
        };
        Read {
            is_over: is(is_over),
            now,
            is_base_known: is(is_base_known),
            has_columns: is(has_columns),
            form: form_of(is(as_table)),
            order: if is(by_completion) { Order::Completion } else { Order::Index },
            appends: is(appends),
            source: source as u32,
            reports_progress: is(reports_progress),
            reports_partitions: is(reports_partitions),
            maps_counts: is(maps_counts),
            worker: match worker as u32 {
                0 => WorkerOption::Page,
                1 => WorkerOption::Auto,
                _ => WorkerOption::Worker,
            },
            begun,
            settings,
        }
    }

    /// The names of the columns that the findings keep, each followed by the byte `0xFF`; `None` if they keep all.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn kept_columns(&self) -> Result<Option<Rc<[u8]>>, OutOfMemory> {
        self.columns().as_ref().map(shared).transpose()
    }
}

impl Read {
    /// What the machine is told of the call.
    ///
    /// # Errors
    ///
    /// Out of memory, or the page has replaced `BigInt`.
    pub(super) fn begin(
        &self,
        call: CallId,
        inspection_key: &JsValue,
        base: String,
        work: Work,
    ) -> Result<Begin, OutOfMemory> {
        let inspection = match inspection_key.as_f64() {
            Some(key) => key as i64,
            None => inspection_of(inspection_key).ok_or(OutOfMemory)?,
        };
        Ok(Begin {
            call,
            base,
            inspection,
            work,
            settings: self.settings,
            begun: self.begun,
            source: (self.source > 0).then_some(self.source),
            reports_progress: self.reports_progress,
            reports_partitions: self.reports_partitions,
            maps_counts: self.maps_counts,
            worker: self.worker,
            is_watched: false,
            earlier: None,
        })
    }
}
