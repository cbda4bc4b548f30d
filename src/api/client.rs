//! The client behind the `FindingsClient` of the package: what its calls share, and each call as a promise.

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::{RequestCache, RequestCredentials};

use super::abort::{Signal, aborted};
use super::arguments;
use super::base_url;
use super::error::rejection;
use super::headers::HeadersSource;
use super::host::{Interrupt, JavaScript};
use super::options::Options;
use super::rows;
use crate::contract::KindCounts;
use crate::failure::Ended;
use crate::retrieve::{self, Retrieval};
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
    shared: retrieve::Client,
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
        let shared = retrieve::Client::new(options.concurrency());
        Ok(Client { options, shared, life: Signal::from_shape(life)? })
    }

    /// The counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts)]
    pub fn get_partition_counts(&self, inspection_key: JsValue, options: &JsValue) -> Promise {
        self.call(inspection_key, options, Ok(()), async |retrieval, ()| {
            let (sentiment, topics) = retrieval.counts().await?;
            let counts = BothCounts { sentiment, topics };
            let serialized = counts.serialize(&Serializer::new().serialize_missing_as_null(true));
            serialized.map_err(|error| Ended::Thrown(error.into()))
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
    ) -> Promise {
        let kind = arguments::kind(kind);
        let place = kind.and_then(|kind| Ok((kind, arguments::partition_index(partition_index)?)));
        self.call(inspection_key, options, place, async |retrieval, (kind, index)| {
            let chunk = retrieval.partition(kind, index).await?;
            Ok(rows::findings(&[chunk]).map_err(Ended::Thrown)?.into())
        })
    }

    /// The findings of all partitions.
    #[wasm_bindgen(js_name = getFindings)]
    pub fn get_findings(&self, inspection_key: JsValue, kind: &JsValue, options: &JsValue) -> Promise {
        self.call(inspection_key, options, arguments::kind(kind), async |retrieval, kind| {
            let chunks = retrieval.findings(kind).await?;
            Ok(rows::findings(&chunks).map_err(Ended::Thrown)?.into())
        })
    }

    /// Checks everything that was given, then runs the call until it ends or is ended.
    fn call<Place: 'static>(
        &self,
        inspection_key: JsValue,
        options: &JsValue,
        place: Result<Place, JsValue>,
        run: impl AsyncFnOnce(Retrieval<JavaScript>, Place) -> Result<JsValue, Ended<JsValue>> + 'static,
    ) -> Promise {
        let prepared = self.prepare(&inspection_key, options).and_then(|prepared| Ok((prepared, place?)));
        let (prepared, place) = match prepared {
            Ok(prepared) => prepared,
            Err(wrong) => return Promise::reject(&wrong),
        };
        let life = self.life.clone();
        future_to_promise(async move {
            let Prepared { retrieval, signal, interrupted } = prepared;
            let result = async {
                let result = run(retrieval, place).await;
                result.map_err(|ended| rejection(ended, &inspection_key))
            };
            let interrupted = async {
                match interrupted.await {
                    Ok(value) => value,
                    Err(_) => std::future::pending().await,
                }
            };
            let ended = first(first(aborted(signal), aborted(Some(life))), interrupted);
            match select(pin!(ended), pin!(result)).await {
                Either::Left((reason, _)) => Err(reason),
                Either::Right((result, _)) => result,
            }
        })
    }

    fn prepare(&self, inspection_key: &JsValue, options: &JsValue) -> Result<Prepared, JsValue> {
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
            interrupt,
        };
        let renewal = Rc::clone(&headers.renewal);
        let retrieval = Retrieval::new(host, self.shared.clone(), renewal, inspection, settings);
        Ok(Prepared { retrieval, signal: options.signal, interrupted })
    }
}

/// A call that has been checked.
struct Prepared {
    retrieval: Retrieval<JavaScript>,
    signal: Option<Signal>,
    interrupted: futures_channel::oneshot::Receiver<JsValue>,
}

fn global_fetch() -> Result<Function, JsValue> {
    let fetch = Reflect::get(&js_sys::global(), &"fetch".into())?;
    fetch.dyn_into().map_err(|_| js_sys::TypeError::new("fetch must be given: this environment has none").into())
}

async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    select(pin!(one), pin!(other)).await.factor_first().0
}
