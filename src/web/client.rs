//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::rc::Rc;

use chunk::memory::{OutOfMemory, check_reserve};
use js_sys::Promise;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::abort::{AbortListener, Signal};
use super::call::{Call, Ended};
use super::error::ErrorContext;
use super::findings_error::no_memory;
use super::headers::Refreshes;
use super::host::{Interrupt, JavaScript};
use super::resume::{ResumeState, kind_of};
use super::serialize::to_js;
use super::settings::{Limits, Settings};
use super::stream::{Stream, fill};
#[cfg(feature = "tables")]
use super::tables::partition_table;
use super::workers::{CallWorker, WorkerExperience};
use crate::fetch::Fetch;
use crate::host_functions::inspection_of;
use crate::js_bytes::shared;
use crate::js_string::copied;
use call::contract::KindCounts;
use call::error::{CallEnd, ErrorKind};
use call::retrieve::retrieval::Retrieval;
use call::scheduling::reorder_buffer::{Order, ReorderBuffer};
use call::scheduling::scheduler::Scheduler;
use chunk::form::Formed;

/// The state that the calls of one client share.
#[wasm_bindgen]
pub struct Client {
    scheduler: Rc<Scheduler>,
    refreshes: Refreshes,
    worker_experience: Rc<WorkerExperience>,
    client_signal: Signal,
}

#[wasm_bindgen]
impl Client {
    /// A client whose calls share these limits. They end when the signal `client_signal` is aborted.
    #[wasm_bindgen(constructor)]
    pub fn new(
        concurrency: usize,
        max_buffered_bytes: f64,
        #[wasm_bindgen(unchecked_param_type = "AbortSignal")] client_signal: JsValue,
    ) -> Client {
        Client {
            scheduler: Rc::new(Scheduler::new(concurrency, max_buffered_bytes as u64)),
            refreshes: Refreshes::default(),
            worker_experience: Rc::default(),
            client_signal: client_signal.unchecked_into(),
        }
    }

    /// Fetches the counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts, unchecked_return_type = "Promise<PartitionCounts>")]
    pub fn get_partition_counts(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, context, ended, .. } = self.prepare(&inspection_key, settings)?;
        let work = Box::pin(async move {
            let (sentiment, topics) = retrieval.counts().await?;
            to_js(&PartitionCounts { sentiment, topics }).map_err(CallEnd::Thrown)
        });
        Ok(Call { work, context, resume_state: None, ended }.promise())
    }

    /// Fetches the findings of one partition.
    #[wasm_bindgen(js_name = getPartition, unchecked_return_type = "Promise<Finding[] | FindingsTable<never>>")]
    pub fn get_partition(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        partition_index: f64,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, context, ended, .. } = self.prepare(&inspection_key, settings)?;
        let (kind, index) = (kind_of(kind), partition_index as u64);
        let work = Box::pin(async move {
            let read = match retrieval.partition(kind, index).await? {
                Formed::Rows(objects) => Ok(objects.into()),
                #[cfg(feature = "tables")]
                Formed::Chunk(chunk) => {
                    partition_table(index, chunk, retrieval.host.columns.as_deref(), &inspection_key, kind)
                }
            };
            read.map_err(|OutOfMemory| CallEnd::Failed(retrieval.partition_error(kind, index, ErrorKind::Memory)))
        });
        Ok(Call { work, context, resume_state: None, ended }.promise())
    }

    /// Fetches the findings of all partitions. The `resume` of a `partial` error is the state from
    /// which [`resume`](Self::resume) continues.
    #[wasm_bindgen(js_name = getFindings, unchecked_return_type = "Promise<Finding[]>")]
    pub fn get_findings(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        Ok(gather(self.prepare(&inspection_key, settings)?, ResumeState::new(inspection_key, kind_of(kind))))
    }

    /// Continues the call that this state is from.
    #[wasm_bindgen(unchecked_return_type = "Promise<Finding[] | FindingsTable<never>>")]
    pub fn resume(&self, resume_state: &ResumeState, settings: &Settings) -> Result<Promise, JsValue> {
        let prepared = self.prepare(&resume_state.inspection_key, settings)?;
        Ok(gather(prepared, resume_state.clone()))
    }

    /// Begins a stream of the partitions, as plain objects or as tables.
    #[wasm_bindgen(js_name = streamPartitions)]
    pub fn stream_partitions(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        settings: &Settings,
    ) -> Result<Stream, JsValue> {
        let kind = kind_of(kind);
        let Prepared { retrieval, context, order, ended } = self.prepare(&inspection_key, settings)?;
        let columns = retrieval.host.columns.clone();
        let buffer = Rc::new(ReorderBuffer::new(order, retrieval.settings.concurrency));
        let work = Box::pin(fill(Rc::clone(&buffer), retrieval, kind, context.clone()));
        let call = Call { work, context, resume_state: None, ended };
        Ok(Stream::new(buffer, call, inspection_key, kind, columns))
    }
}

impl Client {
    /// Prepares a call with these settings.
    pub(super) fn prepare(&self, inspection_key: &JsValue, settings: &Settings) -> Result<Prepared, JsValue> {
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        let Limits { portable, begun, form, order } = settings.limits();
        let base_url: Rc<str> = copied(&settings.base_url()).map_err(|OutOfMemory| no_memory())?.into();
        let headers = self.refreshes.source(settings.headers(), &base_url);
        let refresh = headers.refresh();
        let (on_progress, on_partition) = (settings.on_progress(), settings.on_partition());
        // Only the result of a callback can interrupt a call.
        let interrupt = (on_progress.is_some() || on_partition.is_some()).then(Interrupt::default);
        let signals = settings.signal().into_iter().chain([self.client_signal.clone()]);
        let signals: Vec<_> = signals.map(AbortListener::new).collect();
        let ended = Ended::new(&signals, interrupt.clone());
        let columns = settings.columns();
        let kept = columns.as_ref().map(shared).transpose().map_err(|OutOfMemory| no_memory())?;
        let experience = Rc::clone(&self.worker_experience);
        let context = ErrorContext { inspection_key: inspection_key.clone(), base_url: Rc::clone(&base_url) };
        let host = JavaScript {
            columns: kept,
            form,
            worker: CallWorker::new(settings, columns, portable.max_partition_bytes, experience),
            headers,
            asked_headers: settings.asked_headers().into(),
            read_counts: settings.read_counts(),
            on_progress,
            on_partition,
            context: context.clone(),
            #[cfg(feature = "tables")]
            watch: None,
            signals,
            interrupt,
            fetch: Fetch { send: settings.send(), base: base_url },
        };
        let scheduler = Rc::clone(&self.scheduler);
        let inspection = match inspection_key.as_f64() {
            Some(key) => key as i64,
            None => inspection_of(inspection_key).ok_or_else(no_memory)?,
        };
        let retrieval = Retrieval::new(host, scheduler, refresh, inspection, portable, begun);
        Ok(Prepared { retrieval, context, order, ended })
    }
}

/// A call that can begin.
pub(super) struct Prepared {
    pub(super) retrieval: Retrieval<JavaScript>,
    context: ErrorContext,
    order: Order,
    pub(super) ended: Ended,
}

/// Fetches the findings that the state lacks, and resolves with all.
pub(super) fn gather(prepared: Prepared, resume_state: ResumeState) -> Promise {
    let Prepared { mut retrieval, context, ended, .. } = prepared;
    let state = resume_state.clone();
    let base_url = Rc::clone(&context.base_url);
    #[cfg(feature = "tables")]
    state.keep_only(retrieval.host.columns.clone());
    retrieval.host.form = state.form;
    let work = Box::pin(async move {
        retrieval.findings(state.kind, &state.accumulator).await?;
        let findings = state.findings(&base_url);
        findings.map_err(|OutOfMemory| CallEnd::Failed(retrieval.call_error(state.kind, ErrorKind::Memory)))
    });
    Call { work, context, resume_state: Some(resume_state), ended }.promise()
}

/// The counts of both kinds.
#[derive(Serialize)]
struct PartitionCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}
