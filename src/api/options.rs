//! The options of a call. JavaScript has copied and checked them, merged them with those of the client, and added the defaults.

use js_sys::{Function, JsString};
use serde::Deserialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;
use web_sys::{RequestCache, RequestCredentials};

use super::abort::Signal;
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::Policy;

/// The options of a call, as `src/js/options` makes them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Options {
    /// The base URL, which ends with a slash.
    #[serde(with = "preserve")]
    pub(super) base_url: JsString,
    /// The origin of the base URL.
    #[serde(with = "preserve")]
    pub(super) origin: JsString,
    /// Whether the host is a page, or a worker of one.
    pub(super) has_page: bool,
    /// The headers of each request, or a function that resolves with those of an attempt.
    #[serde(with = "preserve")]
    pub(super) headers: JsValue,
    #[serde(with = "preserve")]
    credentials: JsValue,
    #[serde(with = "preserve")]
    cache: JsValue,
    /// The caller's `fetch`, or the global one.
    #[serde(with = "preserve")]
    pub(super) fetch: Function,
    /// Where bodies are decoded.
    #[serde(with = "preserve")]
    pub(super) worker: JsValue,
    #[serde(with = "preserve")]
    signal: JsValue,
    concurrency: u32,
    timeout: f64,
    total_timeout: Option<f64>,
    retries: u32,
    max_retry_after: f64,
    completeness: Completeness,
    max_partition_bytes: u32,
    failure_policy: FailurePolicy,
    /// The order of a stream.
    pub(super) order: Order,
    max_buffered_bytes: u32,
    #[serde(with = "preserve")]
    read_counts: JsValue,
    #[serde(with = "preserve")]
    on_progress: JsValue,
    #[serde(with = "preserve")]
    on_partition: JsValue,
    /// Whether attempts and partitions become performance measures.
    pub(super) measure: bool,
}

impl Options {
    /// Reads the options of a call.
    pub(super) fn from_js(options: JsValue) -> Result<Self, JsValue> {
        Ok(serde_wasm_bindgen::from_value(options)?)
    }

    /// Whether requests include cookies.
    pub(super) fn credentials(&self) -> RequestCredentials {
        RequestCredentials::from_js_value(&self.credentials).unwrap_or(RequestCredentials::SameOrigin)
    }

    /// How requests use the browser's cache.
    pub(super) fn cache(&self) -> RequestCache {
        RequestCache::from_js_value(&self.cache).unwrap_or(RequestCache::NoStore)
    }

    /// Ends the call when it is aborted.
    pub(super) fn signal(&self) -> Option<Signal> {
        (!self.signal.is_undefined()).then(|| self.signal.clone().unchecked_into())
    }

    /// Maps another counts response.
    pub(super) fn read_counts(&self) -> Option<Function> {
        self.read_counts.dyn_ref().cloned()
    }

    /// Receives the progress of the call.
    pub(super) fn on_progress(&self) -> Option<Function> {
        self.on_progress.dyn_ref().cloned()
    }

    /// Receives the changes of each partition.
    pub(super) fn on_partition(&self) -> Option<Function> {
        self.on_partition.dyn_ref().cloned()
    }

    /// The options that the retrieval obeys.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            concurrency: self.concurrency as usize,
            timeout: self.timeout,
            total_timeout: self.total_timeout,
            policy: Policy { retries: self.retries, max_retry_after: self.max_retry_after },
            completeness: self.completeness,
            failure_policy: self.failure_policy,
            max_partition_bytes: self.max_partition_bytes as usize,
            max_buffered_bytes: u64::from(self.max_buffered_bytes),
        }
    }
}
