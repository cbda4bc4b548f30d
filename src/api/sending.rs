//! What a worker needs to send a request, as JavaScript values: the address and the headers may be long.

use js_sys::{Array, JsString};
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;
use web_sys::{RequestCache, RequestCredentials};

/// The parameters of a request.
#[derive(Serialize, Deserialize)]
pub(super) struct Sending {
    /// The absolute address.
    #[serde(with = "preserve")]
    pub(super) href: JsString,
    /// The name and the value of each header.
    #[serde(with = "preserve")]
    pub(super) headers: Array,
    #[serde(with = "preserve")]
    credentials: JsValue,
    #[serde(with = "preserve")]
    cache: JsValue,
}

impl Sending {
    /// A request to an address with these headers.
    pub(super) fn new(
        href: JsString,
        headers: &web_sys::Headers,
        credentials: RequestCredentials,
        cache: RequestCache,
    ) -> Self {
        Sending { href, headers: Array::from(headers), credentials: credentials.into(), cache: cache.into() }
    }

    /// Whether the request includes cookies.
    pub(super) fn credentials(&self) -> RequestCredentials {
        RequestCredentials::from_js_value(&self.credentials).unwrap_or(RequestCredentials::SameOrigin)
    }

    /// How the request uses the browser's cache.
    pub(super) fn cache(&self) -> RequestCache {
        RequestCache::from_js_value(&self.cache).unwrap_or(RequestCache::NoStore)
    }
}
