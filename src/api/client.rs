//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::rc::Rc;

use futures_util::FutureExt;
use js_sys::{Function, JsString, Promise, TypeError};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::abort::{Signal, aborted};
use super::arguments;
use super::base_url;
use super::call::{Call, Ended, ended, first};
use super::deserialize::named;
use super::error::ErrorContext;
use super::headers::HeadersSource;
use super::host::{Interrupt, JavaScript};
use super::live::LiveSource;
use super::options::Options;
use super::resume::{Form, Origin, ResumeState};
use super::serialize::to_js;
use super::stream::{Stream, fill};
use super::yield_now::ThisThread;
use crate::accumulator::Accumulator;
use crate::attempt::decode::Thread;
use crate::attempt::remote::RemoteCall;
use crate::contract::{Kind, KindCounts};
use crate::error::CallEnd;
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::settings::FailurePolicy;
use crate::scheduling::reorder_buffer::{Order, ReorderBuffer};
use crate::scheduling::scheduler::Scheduler;
use crate::transport::fetch::Fetch;

#[wasm_bindgen(typescript_custom_section)]
const COUNTS: &str = r#"
/** The counts of an inspection, for both kinds of findings. */
export interface PartitionCounts {
  /** Counts of the sentiment findings (`SentimentPartitions`, `SentimentFindings`). */
  sentiment: KindCounts;
  /** Counts of the topic findings (`TopicPartitions`, `TopicFindings`). */
  topics: KindCounts;
}

/** The counts of one kind of findings. */
export interface KindCounts {
  /** The number of partitions. Their indexes begin at 0. */
  partitions: number;
  /** The total number of findings in all partitions; null if the service announces none. */
  findings: number | null;
}
"#;

/// The state that the calls of one client share.
#[wasm_bindgen]
pub struct Client {
    options: Options,
    scheduler: Rc<Scheduler>,
    life: Signal,
}

#[wasm_bindgen]
impl Client {
    /// A client with these options. Its calls end when the signal `life` is aborted.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, life: &JsValue) -> Result<Client, JsValue> {
        let options = Options::of_client(options)?;
        let scheduler = Rc::new(Scheduler::new(options.settings.concurrency, options.settings.max_buffered_bytes));
        Ok(Client { options, scheduler, life: Signal::from_shape(life)? })
    }

    /// The names of the options, which the build writes into the JavaScript that reads them before the module is loaded.
    #[wasm_bindgen(js_name = optionNames)]
    pub fn option_names() -> Vec<JsString> {
        Options::names().iter().copied().map(JsString::from).collect()
    }

    /// Starts the worker that the calls use, if they use one.
    #[wasm_bindgen(js_name = startWorker)]
    pub fn start_worker(&self) -> Promise {
        let place = self.options.place.clone();
        let start = async move {
            place.prepare().await;
            Ok(JsValue::UNDEFINED)
        };
        future_to_promise(start.boxed_local())
    }

    /// Gets the counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts)]
    pub fn get_partition_counts(
        &self,
        inspection_key: JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, context, ended, .. } = self.prepare(&inspection_key, options, begun)?;
        let work = Box::pin(async move {
            let (sentiment, topics) = retrieval.counts().await?;
            to_js(&PartitionCounts { sentiment, topics }).map_err(CallEnd::Thrown)
        });
        Ok(Call { work, context, resume_state: None, ended }.promise())
    }

    /// Gets the findings of one partition.
    #[wasm_bindgen(js_name = getPartition)]
    pub fn get_partition(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        partition_index: &JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        self.begin_partition(&inspection_key, kind, partition_index, Form::Rows, options, begun)
    }

    /// Gets the findings of one partition as a table.
    #[wasm_bindgen(js_name = loadPartition)]
    pub fn load_partition(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        partition_index: &JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        self.begin_partition(&inspection_key, kind, partition_index, Form::Columns, options, begun)
    }

    /// Gets the findings of all partitions. A `partial` error calls `resume` to get the missing ones.
    #[wasm_bindgen(js_name = getFindings)]
    pub fn get_findings(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        options: &JsValue,
        begun: f64,
        resume: Function,
    ) -> Result<Promise, JsValue> {
        self.begin_to_gather(inspection_key, kind, Form::Rows, options, begun, resume)
    }

    /// Gets the findings of all partitions as a table.
    #[wasm_bindgen(js_name = loadTable)]
    pub fn load_table(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        options: &JsValue,
        begun: f64,
        resume: Function,
    ) -> Result<Promise, JsValue> {
        self.begin_to_gather(inspection_key, kind, Form::Columns, options, begun, resume)
    }

    /// Continues the call that left this state.
    pub fn resume(&self, resume_state: &ResumeState, options: &JsValue, begun: f64) -> Result<Promise, JsValue> {
        let prepared = self.prepare(resume_state.inspection_key(), options, begun)?;
        Ok(gather(prepared, resume_state.clone()))
    }

    /// Makes the source of a live table. `on_change` is called after each change, and a `partial` error calls `resume`.
    #[wasm_bindgen(js_name = liveSource)]
    pub fn live_source(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        on_change: Function,
        resume: Function,
    ) -> Result<LiveSource, JsValue> {
        let kind = named::<Kind>("kind", kind)?;
        let accumulator = Rc::new(Accumulator::live(ThisThread::read_number));
        Ok(LiveSource::new(ResumeState::new(accumulator, inspection_key, kind, Form::Columns, resume), on_change))
    }

    /// Gets what a live table lacks, until the signal `life` is aborted.
    pub fn load(&self, source: &LiveSource, life: &JsValue, options: &JsValue, begun: f64) -> Result<Promise, JsValue> {
        let resume_state = source.resume_state().clone();
        let life = Signal::from_shape(life)?;
        let Prepared { mut retrieval, context, order, ended } =
            self.prepare(resume_state.inspection_key(), options, begun)?;
        retrieval.host.watch = Some(source.watch());
        retrieval.host.signals.push(life.clone());
        let ended = first(ended, aborted(Some(life))).boxed_local();
        Ok(gather(Prepared { retrieval, context, order, ended }, resume_state))
    }

    /// Begins a stream of the partitions, as plain objects or as tables.
    #[wasm_bindgen(js_name = streamPartitions)]
    pub fn stream_partitions(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        options: &JsValue,
        begun: f64,
        as_tables: bool,
    ) -> Result<Stream, JsValue> {
        let form = if as_tables { Form::Columns } else { Form::Rows };
        let kind = named::<Kind>("kind", kind)?;
        let Prepared { retrieval, context, order, ended } = self.prepare(&inspection_key, options, begun)?;
        if retrieval.settings.failure_policy == FailurePolicy::Collect {
            let wrong =
                "failurePolicy must be \"fail-fast\" for a stream, which gives every partition before one that fails";
            return Err(TypeError::new(wrong).into());
        }
        let buffer = Rc::new(ReorderBuffer::new(order, retrieval.settings.concurrency));
        let work = Box::pin(fill(Rc::clone(&buffer), retrieval, kind, context.clone()));
        let call = Call { work, context, resume_state: None, ended };
        Ok(Stream::new(buffer, call, inspection_key, kind, form))
    }
}

impl Client {
    fn begin_partition(
        &self,
        inspection_key: &JsValue,
        kind: &JsValue,
        partition_index: &JsValue,
        form: Form,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, context, ended, .. } = self.prepare(inspection_key, options, begun)?;
        let (kind, index) = (named::<Kind>("kind", kind)?, arguments::partition_index(partition_index)?);
        let inspection_key = inspection_key.clone();
        let work = Box::pin(async move {
            let findings = retrieval.partition(kind, index).await?;
            let origin = Origin { inspection_key: &inspection_key, kind, is_complete: false };
            form.give(findings, origin, &|| retrieval.check_time(Some(kind))).await
        });
        Ok(Call { work, context, resume_state: None, ended }.promise())
    }

    fn begin_to_gather(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        form: Form,
        options: &JsValue,
        begun: f64,
        resume: Function,
    ) -> Result<Promise, JsValue> {
        let kind = named::<Kind>("kind", kind)?;
        let accumulator = Rc::new(Accumulator::new(ThisThread::read_number));
        let prepared = self.prepare(&inspection_key, options, begun)?;
        Ok(gather(prepared, ResumeState::new(accumulator, inspection_key, kind, form, resume)))
    }

    /// Checks the inspection key and the options, which every call has.
    fn prepare(&self, inspection_key: &JsValue, options: &JsValue, begun: f64) -> Result<Prepared, JsValue> {
        let inspection = arguments::inspection_key(inspection_key)?;
        let options = self.options.of_call(options)?;
        let headers = options.headers.map_or_else(|| HeadersSource::new(&JsValue::UNDEFINED).map(Rc::new), Ok)?;
        // Only what a callback returns can interrupt a call.
        let has_callback = options.on_progress.is_some() || options.on_partition.is_some();
        let interrupt = has_callback.then(Interrupt::new);
        let mut signals = vec![self.life.clone()];
        signals.extend(options.signal.clone());
        let host = JavaScript {
            fetch: Fetch {
                function: options.fetch.map_or_else(global_fetch, Ok)?,
                base: options.base_url.map_or_else(base_url::of_page, Ok)?,
                credentials: options.credentials,
                cache: options.cache,
            },
            place: options.place,
            remote: RemoteCall::new(),
            headers: Rc::clone(&headers),
            read_counts: options.read_counts,
            on_progress: options.on_progress,
            on_partition: options.on_partition,
            watch: None,
            measures: options.measure,
            signals,
            interrupt: interrupt.clone(),
        };
        let refresh = headers.refresh(&host.fetch.base)?;
        let context = ErrorContext { inspection_key: inspection_key.clone(), base_url: host.fetch.base.clone() };
        let scheduler = Rc::clone(&self.scheduler);
        let retrieval = Retrieval::new(host, scheduler, refresh, inspection, options.settings, begun);
        let ended = ended(options.signal, self.life.clone(), interrupt);
        Ok(Prepared { retrieval, context, order: options.order, ended })
    }
}

/// A call whose options have been checked.
struct Prepared {
    retrieval: Retrieval<JavaScript>,
    context: ErrorContext,
    order: Order,
    ended: Ended,
}

/// Gets the findings that the state lacks, and resolves with all.
fn gather(prepared: Prepared, resume_state: ResumeState) -> Promise {
    let Prepared { retrieval, context, ended, .. } = prepared;
    let state = resume_state.clone();
    let work = Box::pin(async move {
        let (accumulator, kind) = (state.accumulator(), state.kind());
        let findings = retrieval.findings(kind, Rc::clone(&accumulator)).await?;
        let origin = state.origin(accumulator.is_complete());
        // A call that collects keeps what it has received, even if building the rows exceeds its time.
        let check_time = || if retrieval.collects() { Ok(()) } else { retrieval.check_time(Some(kind)) };
        state.form().give(findings, origin, &check_time).await
    });
    Call { work, context, resume_state: Some(resume_state), ended }.promise()
}

/// The counts of both kinds.
#[derive(Serialize)]
struct PartitionCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}

#[wasm_bindgen(raw_module = "./early-request.js")]
extern "C" {
    #[wasm_bindgen(js_name = hostFetch, catch)]
    fn host_fetch() -> Result<JsValue, JsValue>;
}

fn global_fetch() -> Result<Function, JsValue> {
    host_fetch()?
        .dyn_into()
        .map_err(|_| js_sys::TypeError::new("fetch must be given: this environment has none").into())
}
