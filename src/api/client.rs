//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;

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
use super::remainder::{Form, Remainder};
use super::stream::{Deliveries, Stream};
use crate::contract::KindCounts;
use crate::failure::Ended;
use crate::gathering::Gathering;
use crate::retrieve::{FailurePolicy, Host, Retrieval};
use crate::scheduler::Scheduler;
use crate::shelf::{Order, Shelf};
use crate::transport::fetch::Fetch;

#[wasm_bindgen(typescript_custom_section)]
const COUNTS: &str = r#"
/** How much the service holds of both kinds. */
export interface PartitionCounts {
  /** Of the sentiment analysis (`SentimentPartitions`, `SentimentFindings`). */
  sentiment: KindCounts;
  /** Of the topic analysis (`TopicPartitions`, `TopicFindings`). */
  topics: KindCounts;
}

/** How much the service holds of one kind. */
export interface KindCounts {
  /** Number of partitions; their indexes are 0 to this − 1. */
  partitions: number;
  /** Number of findings over all partitions; null where the service gave no total. */
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
    pub fn get_partition_counts(&self, inspection_key: JsValue, options: &JsValue, begun: f64) -> Promise {
        self.call(inspection_key, options, begun, |retrieval| {
            Ok(Box::pin(async move {
                let (sentiment, topics) = retrieval.counts().await?;
                both_counts(sentiment, topics).map_err(Ended::Thrown)
            }))
        })
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
    ) -> Promise {
        self.call(inspection_key, options, begun, |retrieval| {
            let (kind, index) = (arguments::kind(kind)?, arguments::partition_index(partition_index)?);
            Ok(Box::pin(async move {
                let findings = retrieval.partition(kind, index).await?;
                Form::Rows.give(findings, &|| retrieval.check_time(Some(kind))).await
            }))
        })
    }

    /// The findings of all partitions. `resume` is how a caller goes on with what a call got that did not get everything.
    #[wasm_bindgen(js_name = getFindings)]
    pub fn get_findings(
        &self,
        inspection_key: JsValue,
        kind: &JsValue,
        options: &JsValue,
        begun: f64,
        resume: Function,
    ) -> Promise {
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
    ) -> Promise {
        self.begin_to_gather(inspection_key, kind, Form::Columns, options, begun, resume)
    }

    /// Goes on with what a call has got.
    pub fn resume(&self, remainder: &Remainder, options: &JsValue, begun: f64) -> Promise {
        settle(self.gather(remainder.clone(), options, begun))
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
        let Prepared { retrieval, signal, interrupt, order } = self.prepare(&inspection_key, options, begun)?;
        if retrieval.settings.failure_policy == FailurePolicy::Collect {
            let wrong =
                "failurePolicy must be \"fail-fast\" for a stream, which gives every partition before one that fails";
            return Err(TypeError::new(wrong).into());
        }
        let shelf = Rc::new(Shelf::new(order, retrieval.settings.concurrency));
        let deliveries: Rc<Deliveries> = Rc::clone(&shelf);
        let work = Box::pin(async move { retrieval.deliver(kind, &deliveries).await });
        let life = self.life.clone();
        Ok(Stream::new(shelf, Call { work, inspection_key, remainder: None, signal, life, interrupt }))
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
    ) -> Promise {
        let gathering = Rc::new(Gathering::new(JavaScript::read_number));
        settle(arguments::kind(kind).and_then(|kind| {
            self.gather(Remainder::new(gathering, inspection_key, kind, form, resume), options, begun)
        }))
    }

    fn gather(&self, remainder: Remainder, options: &JsValue, begun: f64) -> Result<Call<JsValue>, JsValue> {
        let (gathering, kind, form) = (remainder.gathering(), remainder.kind(), remainder.form());
        let Prepared { retrieval, signal, interrupt, .. } = self.prepare(remainder.inspection_key(), options, begun)?;
        let work = Box::pin(async move {
            let findings = retrieval.findings(kind, gathering).await?;
            form.give(findings, &|| retrieval.check_time(Some(kind))).await
        });
        let inspection_key = remainder.inspection_key().clone();
        let life = self.life.clone();
        Ok(Call { work, inspection_key, remainder: Some(remainder), signal, life, interrupt })
    }

    /// Checks everything that was given, then runs the call until it ends or is ended.
    fn call(
        &self,
        inspection_key: JsValue,
        options: &JsValue,
        begun: f64,
        begin: impl FnOnce(Retrieval<JavaScript>) -> Result<Work<JsValue>, JsValue>,
    ) -> Promise {
        let prepared = self.prepare(&inspection_key, options, begun);
        settle(prepared.and_then(|Prepared { retrieval, signal, interrupt, .. }| {
            let life = self.life.clone();
            Ok(Call { work: begin(retrieval)?, inspection_key, remainder: None, signal, life, interrupt })
        }))
    }

    fn prepare(&self, inspection_key: &JsValue, options: &JsValue, begun: f64) -> Result<Prepared, JsValue> {
        let inspection = arguments::inspection_key(inspection_key)?;
        let options = self.options.of_call(options)?;
        let headers = options.headers.map_or_else(|| HeadersSource::new(&JsValue::UNDEFINED).map(Rc::new), Ok)?;
        let interrupt = Interrupt::new();
        let signal = options.signal;
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
            signals: signal.iter().chain([&self.life]).cloned().collect(),
            interrupt: interrupt.clone(),
        };
        let renewal = Rc::clone(&headers.renewal);
        let scheduler = Rc::clone(&self.scheduler);
        let retrieval = Retrieval::new(host, scheduler, renewal, inspection, options.settings, begun);
        Ok(Prepared { retrieval, signal, interrupt, order: options.order })
    }
}

/// A call whose options have been checked.
struct Prepared {
    retrieval: Retrieval<JavaScript>,
    signal: Option<Signal>,
    interrupt: Interrupt,
    order: Order,
}

/// What a call comes to when nothing ends it before.
type Work<T> = LocalBoxFuture<'static, Result<T, Ended<JsValue>>>;

/// A call that has been checked, and what may end it.
pub struct Call<T> {
    work: Work<T>,
    inspection_key: JsValue,
    /// What is left to do if it does not get everything.
    remainder: Option<Remainder>,
    signal: Option<Signal>,
    life: Signal,
    interrupt: Interrupt,
}

impl<T> Call<T> {
    /// Runs it until it comes to its result or its error, or is ended.
    async fn outcome(self) -> Result<T, JsValue> {
        self.followed_by(async |result| result).await.flatten()
    }

    /// Runs it with what follows its result or its error, unless the caller ends it before that is over; why is the error then.
    pub async fn followed_by<U>(self, follow: impl AsyncFnOnce(Result<T, JsValue>) -> U) -> Result<U, JsValue> {
        let ended = first(first(aborted(self.signal), aborted(Some(self.life))), self.interrupt.value());
        let (inspection_key, remainder) = (self.inspection_key, self.remainder);
        let followed = async {
            match self.work.await {
                Ok(result) => Ok(follow(Ok(result)).await),
                Err(Ended::Thrown(value)) => Err(value),
                Err(Ended::Failed(failure)) => {
                    Ok(follow(Err(error_of(*failure, &inspection_key, remainder).await)).await)
                }
            }
        };
        match select(pin!(ended), pin!(followed)).await {
            Either::Left((reason, _)) => Err(reason),
            Either::Right((result, _)) => result,
        }
    }
}

/// The promise of a call, or of what was wrong with it.
fn settle(call: Result<Call<JsValue>, JsValue>) -> Promise {
    match call {
        Ok(call) => future_to_promise(call.outcome()),
        Err(wrong) => Promise::reject(&wrong),
    }
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
