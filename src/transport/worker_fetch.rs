//! The transport of workers: the host's own `fetch`, by gloo-net. Nobody has patched it there, so responses are real ones.

use gloo_net::Error;
use gloo_net::http::{Headers, Request};
use js_sys::TypeError;
use wasm_bindgen::prelude::*;
use web_sys::{RequestCache, RequestCredentials, RequestRedirect};

use super::fetch::{PendingRequest, Response};
use super::{SendError, Transport};

/// Sends requests by the worker's `fetch`.
#[derive(Debug)]
pub(crate) struct WorkerFetch {
    /// Whether requests include cookies.
    pub(crate) credentials: RequestCredentials,
    /// How requests use the browser's cache.
    pub(crate) cache: RequestCache,
}

impl Transport for WorkerFetch {
    type Value = JsValue;
    type Headers = web_sys::Headers;
    type Answer = Response;

    async fn send(&self, href: &str, headers: &web_sys::Headers) -> Result<Response, SendError<JsValue>> {
        // Cancels the request when it is dropped, which a future of gloo-net does not.
        let pending = PendingRequest::new(headers).map_err(SendError::Connection)?;
        let request = Request::get(href)
            .headers(Headers::from_raw(headers.clone()))
            .credentials(self.credentials)
            .cache(self.cache)
            // A followed redirect could carry credentials to another origin.
            .redirect(RequestRedirect::Manual)
            .abort_signal(Some(&pending.signal()));
        let response = request.send().await.map_err(|error| {
            let message = match error {
                Error::JsError(error) => error.message,
                error @ Error::GlooError(_) => error.to_string(),
            };
            SendError::Connection(pending.redacted(TypeError::new(&message).into()))
        })?;
        Response::new(web_sys::Response::from(response).into(), pending).map_err(SendError::NoResponse)
    }
}
