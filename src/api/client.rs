//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Function, Promise, Reflect, TypeError};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::abort::{Signal, aborted};
use super::arguments;
use super::base_url;
use super::error::error_of;
use super::headers::HeadersSource;
use super::host::{Interrupt, JavaScript};
use super::object::{number, object};
use super::options::Options;
use super::resume::{Form, ResumeState};
use super::stream::{Stream, fill};
use crate::accumulator::Accumulator;
use crate::contract::KindCounts;
use crate::error::CallEnd;
use crate::retrieve::host::Host;
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

/// What the calls of one client share.
#[wasm_bindgen]
pub struct Client {
    options: Options,
    scheduler: Rc<Scheduler>,
    life: Signal,
}

#[wasm_bindgen]
impl Client {
    /// A client with these options; its calls end when the signal of its life is aborted.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, life: &JsValue) -> Result<Client, JsValue> {
        let options = Options::of_client(options)?;
        let scheduler = Rc::new(Scheduler::new(options.settings.concurrency, options.settings.max_buffered_bytes));
        Ok(Client { options, scheduler, life: Signal::from_shape(life)? })
    }

    /// The counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts)]
    pub fn get_partition_counts(
        &self,
        inspection_key: JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, ended, .. } = self.prepare(&inspection_key, options, begun)?;
        let work = Box::pin(async move {
            let (sentiment, topics) = retrieval.counts().await?;
            both_counts(sentiment, topics).map_err(CallEnd::Thrown)
        });
        Ok(Call { work, inspection_key, resume_state: None, ended }.promise())
    }

    /// The findings of one partition.
    #[wasm_bindgen(js_name = getPartition)]
    pub fn get_partition(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        partition_index: &JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Promise, JsValue> {
        let Prepared { retrieval, ended, .. } = self.prepare(&inspection_key, options, begun)?;
        let (kind, index) = (arguments::kind(kind)?, arguments::partition_index(partition_index)?);
        let work = Box::pin(async move {
            let findings = retrieval.partition(kind, index).await?;
            Form::Rows.give(findings, &|| retrieval.check_time(Some(kind))).await
        });
        Ok(Call { work, inspection_key, resume_state: None, ended }.promise())
    }

    /// Gets the findings of all partitions. A `partial` error calls `resume` to get what is missing.
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

    /// The findings of all partitions in columns.
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

    /// Goes on with what a call has got.
    pub fn resume(&self, resume_state: &ResumeState, options: &JsValue, begun: f64) -> Result<Promise, JsValue> {
        self.gather(resume_state.clone(), options, begun)
    }

    /// The partitions, one after the other.
    #[wasm_bindgen(js_name = streamPartitions)]
    pub fn stream_partitions(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        options: &JsValue,
        begun: f64,
    ) -> Result<Stream, JsValue> {
        let kind = arguments::kind(kind)?;
        let Prepared { retrieval, order, ended } = self.prepare(&inspection_key, options, begun)?;
        if retrieval.settings.failure_policy == FailurePolicy::Collect {
            let wrong =
                "failurePolicy must be \"fail-fast\" for a stream, which gives every partition before one that fails";
            return Err(TypeError::new(wrong).into());
        }
        let buffer = Rc::new(ReorderBuffer::new(order, retrieval.settings.concurrency));
        let work = Box::pin(fill(Rc::clone(&buffer), retrieval, kind, inspection_key.clone()));
        Ok(Stream::new(buffer, Call { work, inspection_key, resume_state: None, ended }))
    }
}

impl Client {
    fn begin_to_gather(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        form: Form,
        options: &JsValue,
        begun: f64,
        resume: Function,
    ) -> Result<Promise, JsValue> {
        let kind = arguments::kind(kind)?;
        let accumulator = Rc::new(Accumulator::new(JavaScript::read_number));
        self.gather(ResumeState::new(accumulator, inspection_key, kind, form, resume), options, begun)
    }

    fn gather(&self, resume_state: ResumeState, options: &JsValue, begun: f64) -> Result<Promise, JsValue> {
        let (accumulator, kind, form) = (resume_state.accumulator(), resume_state.kind(), resume_state.form());
        let inspection_key = resume_state.inspection_key().clone();
        let Prepared { retrieval, ended, .. } = self.prepare(&inspection_key, options, begun)?;
        let work = Box::pin(async move {
            let findings = retrieval.findings(kind, accumulator).await?;
            // A call that collects loses nothing of what it has received to the time that the rows take.
            form.give(findings, &|| if retrieval.collects() { Ok(()) } else { retrieval.check_time(Some(kind)) }).await
        });
        Ok(Call { work, inspection_key, resume_state: Some(resume_state), ended }.promise())
    }

    /// Checks everything that every call is given.
    fn prepare(&self, inspection_key: &JsValue, options: &JsValue, begun: f64) -> Result<Prepared, JsValue> {
        let inspection = arguments::inspection_key(inspection_key)?;
        let options = self.options.of_call(options)?;
        let headers = options.headers.map_or_else(|| HeadersSource::new(&JsValue::UNDEFINED).map(Rc::new), Ok)?;
        let interrupt = Interrupt::new();
        let mut signals = vec![self.life.clone()];
        signals.extend(options.signal.clone());
        let host = JavaScript {
            fetch: Fetch {
                function: options.fetch.map_or_else(global_fetch, Ok)?,
                base: options.base_url.map_or_else(base_url::of_page, Ok)?,
                credentials: options.credentials,
                cache: options.cache,
            },
            headers: Rc::clone(&headers),
            read_counts: options.read_counts,
            on_progress: options.on_progress,
            on_partition: options.on_partition,
            measures: options.measure,
            signals,
            interrupt: interrupt.clone(),
        };
        let refresh = headers.refresh(base_url::origin(&host.fetch.base)?);
        let scheduler = Rc::clone(&self.scheduler);
        let retrieval = Retrieval::new(host, scheduler, refresh, inspection, options.settings, begun);
        Ok(Prepared {
            retrieval,
            order: options.order,
            ended: Box::pin(ended(options.signal, self.life.clone(), interrupt)),
        })
    }
}

/// A call whose options have been checked.
struct Prepared {
    retrieval: Retrieval<JavaScript>,
    order: Order,
    ended: LocalBoxFuture<'static, JsValue>,
}

/// A call that has been checked, and what may end it.
pub struct Call {
    /// What it comes to when nothing ends it before.
    work: LocalBoxFuture<'static, Result<JsValue, CallEnd<JsValue>>>,
    inspection_key: JsValue,
    /// What is left to do if it does not get everything.
    resume_state: Option<ResumeState>,
    /// Why it is ended, once it is.
    ended: LocalBoxFuture<'static, JsValue>,
}

impl Call {
    fn promise(self) -> Promise {
        future_to_promise(self.outcome().boxed_local())
    }

    /// Runs it until it comes to its result or its error, or is ended.
    pub async fn outcome(self) -> Result<JsValue, JsValue> {
        let Call { work, inspection_key, resume_state, ended } = self;
        let worked = async {
            match work.await {
                Ok(result) => Ok(result),
                Err(CallEnd::Thrown(value)) => Err(value),
                Err(CallEnd::Failed(failure)) => Err(error_of(failure, &inspection_key, resume_state).await),
            }
        };
        match select(ended, pin!(worked)).await {
            Either::Left((reason, _)) => Err(reason),
            Either::Right((result, _)) => result,
        }
    }
}

async fn ended(signal: Option<Signal>, life: Signal, interrupt: Interrupt) -> JsValue {
    first(first(aborted(signal), aborted(Some(life))), interrupt.value()).await
}

fn both_counts(sentiment: KindCounts, topics: KindCounts) -> Result<JsValue, JsValue> {
    object(&[("sentiment", kind_counts(sentiment)?), ("topics", kind_counts(topics)?)])
}

fn kind_counts(KindCounts { partitions, findings }: KindCounts) -> Result<JsValue, JsValue> {
    object(&[("partitions", number(partitions)), ("findings", findings.map_or(JsValue::NULL, number))])
}

fn global_fetch() -> Result<Function, JsValue> {
    let fetch = Reflect::get(&js_sys::global(), &"fetch".into())?;
    fetch.dyn_into().map_err(|_| js_sys::TypeError::new("fetch must be given: this environment has none").into())
}

async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    select(pin!(one), pin!(other)).await.factor_first().0
}
