//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::future::{Future, pending};
use std::pin::pin;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::{RequestCache, RequestCredentials};

use super::abort::{Signal, aborted};
use super::arguments;
use super::base_url;
use super::columns::Columns;
use super::error::rejection;
use super::headers::HeadersSource;
use super::host::{Interrupt, JavaScript};
use super::options::Options;
use super::rows;
use crate::contract::KindCounts;
use crate::failure::Ended;
use crate::retrieve::Retrieval;
use crate::scheduler::Scheduler;
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

#[derive(Serialize)]
struct BothCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}

#[wasm_bindgen]
impl Client {
    /// A client with these options; its calls end when the signal of its life is aborted.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, life: &JsValue) -> Result<Client, JsValue> {
        let options = Options::read(options)?;
        let scheduler = Rc::new(Scheduler::new(options.concurrency()));
        Ok(Client { options, scheduler, life: Signal::from_shape(life)? })
    }

    /// The counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts)]
    pub fn get_partition_counts(&self, inspection_key: JsValue, options: &JsValue, begun: f64) -> Promise {
        self.call(inspection_key, options, begun, |retrieval| {
            Ok(Box::pin(async move {
                let (sentiment, topics) = retrieval.counts().await?;
                let counts = BothCounts { sentiment, topics };
                let serialized = counts.serialize(&Serializer::new().serialize_missing_as_null(true));
                serialized.map_err(|error| Ended::Thrown(error.into()))
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
                let table = retrieval.partition(kind, index).await?;
                Ok(rows::findings(table).await.map_err(Ended::Thrown)?.into())
            }))
        })
    }

    /// The findings of all partitions.
    #[wasm_bindgen(js_name = getFindings)]
    pub fn get_findings(&self, inspection_key: JsValue, kind: &JsValue, options: &JsValue, begun: f64) -> Promise {
        self.call(inspection_key, options, begun, |retrieval| {
            let kind = arguments::kind(kind)?;
            Ok(Box::pin(async move {
                let table = retrieval.findings(kind).await?;
                Ok(rows::findings(table).await.map_err(Ended::Thrown)?.into())
            }))
        })
    }

    /// The findings of all partitions in columns.
    #[wasm_bindgen(js_name = loadTable)]
    pub fn load_table(&self, inspection_key: JsValue, kind: &JsValue, options: &JsValue, begun: f64) -> Promise {
        self.call(inspection_key, options, begun, |retrieval| {
            let kind = arguments::kind(kind)?;
            Ok(Box::pin(async move { Ok(Columns::new(retrieval.findings(kind).await?).into()) }))
        })
    }
}

impl Client {
    /// Checks everything that was given, then runs the call until it ends or is ended.
    fn call(
        &self,
        inspection_key: JsValue,
        options: &JsValue,
        begun: f64,
        begin: impl FnOnce(Retrieval<JavaScript>) -> Result<Work, JsValue>,
    ) -> Promise {
        let prepared = self.prepare(&inspection_key, options, begun);
        let call = prepared.and_then(|Prepared { retrieval, signal, interrupted }| {
            Ok(Call { work: begin(retrieval)?, inspection_key, signal, life: self.life.clone(), interrupted })
        });
        match call {
            Ok(call) => future_to_promise(call.settle()),
            Err(wrong) => Promise::reject(&wrong),
        }
    }

    fn prepare(&self, inspection_key: &JsValue, options: &JsValue, begun: f64) -> Result<Prepared, JsValue> {
        let inspection = arguments::inspection_key(inspection_key)?;
        let options = self.options.with(Options::read(options)?);
        let settings = options.settings();
        let headers = options.headers.map_or_else(|| HeadersSource::new(&JsValue::UNDEFINED).map(Rc::new), Ok)?;
        let (interrupt, interrupted) = Interrupt::new();
        let host = JavaScript {
            fetch: Fetch {
                function: options.fetch.map_or_else(global_fetch, Ok)?,
                base: options.base_url.map_or_else(base_url::of_page, Ok)?,
                credentials: options.credentials.unwrap_or(RequestCredentials::SameOrigin),
                cache: options.cache.unwrap_or(RequestCache::NoStore),
            },
            headers: Rc::clone(&headers),
            read_counts: options.read_counts,
            on_progress: options.on_progress,
            signals: options.signal.iter().chain([&self.life]).cloned().collect(),
            interrupt,
        };
        let renewal = Rc::clone(&headers.renewal);
        let retrieval = Retrieval::new(host, Rc::clone(&self.scheduler), renewal, inspection, settings, begun);
        Ok(Prepared { retrieval, signal: options.signal, interrupted })
    }
}

/// A call whose options have been checked.
struct Prepared {
    retrieval: Retrieval<JavaScript>,
    signal: Option<Signal>,
    interrupted: oneshot::Receiver<JsValue>,
}

/// What a call comes to when nothing ends it before.
type Work = LocalBoxFuture<'static, Result<JsValue, Ended<JsValue>>>;

/// A call that has been checked, and what may end it.
struct Call {
    work: Work,
    inspection_key: JsValue,
    signal: Option<Signal>,
    life: Signal,
    interrupted: oneshot::Receiver<JsValue>,
}

impl Call {
    async fn settle(self) -> Result<JsValue, JsValue> {
        let interrupted = async {
            match self.interrupted.await {
                Ok(value) => value,
                Err(_) => pending().await,
            }
        };
        let ended = first(first(aborted(self.signal), aborted(Some(self.life))), interrupted);
        let inspection_key = self.inspection_key;
        let settled = async {
            match self.work.await {
                Ok(result) => Ok(result),
                Err(ended) => Err(rejection(ended, &inspection_key).await),
            }
        };
        match select(pin!(ended), pin!(settled)).await {
            Either::Left((reason, _)) => Err(reason),
            Either::Right((result, _)) => result,
        }
    }
}

fn global_fetch() -> Result<Function, JsValue> {
    let fetch = Reflect::get(&js_sys::global(), &"fetch".into())?;
    fetch.dyn_into().map_err(|_| js_sys::TypeError::new("fetch must be given: this environment has none").into())
}

async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    select(pin!(one), pin!(other)).await.factor_first().0
}
