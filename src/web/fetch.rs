//! The transport for browsers and Node: `src/js/engine/fetch-exchange.ts` calls `fetch`, and reads any response. gloo-net reads the headers.

use std::rc::Rc;

use gloo_net::http;
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Headers;

use crate::host_functions::{self, Exchange, KeptBody, ResponseHead, WorkerUse, is_member, numbers_of};
use call::transport::response::{BodyError, Piece};
use call::transport::retry_after::RetryAfter;
use call::transport::{Head, Kept, Response, SendError};

/// Sends requests with `fetch`.
#[derive(Debug)]
pub(crate) struct Fetch {
    /// Calls the `fetch` of the call with a URL, headers and a signal.
    pub(crate) send: Function,
    /// The base URL; ends with a slash.
    pub(crate) base: Rc<str>,
}

/// A response whose body has not been read to its end.
pub(crate) struct FetchResponse {
    head: Head,
    exchange: PendingExchange,
}

/// A complete body outside the module's memory: a worker or the page keeps it. A worker drops it with this value.
pub(crate) struct Held(KeptBody);

/// Bytes of a body that are not yet in the module's memory.
pub(crate) struct Bytes(Uint8Array);

/// A request. Dropping it before its body has been read to the end cancels it.
struct PendingExchange(Exchange);

/// Why an exchange has failed, as `src/js/worker/exchange.ts` numbers it.
enum Failure {
    Connection,
    NoResponse,
    Framework,
    Lost,
}

impl Fetch {
    /// Requests a path, and resolves once the response's headers have arrived. Dropping the future, or the response, cancels the request.
    pub(crate) async fn send(&self, path: &str, headers: &Headers) -> Result<FetchResponse, SendError<JsValue>> {
        let exchange = host_functions::send_request(&self.send, &self.href(path), headers);
        PendingExchange(exchange).response().await.map_err(|(failure, reason)| match failure {
            Failure::NoResponse => SendError::NoResponse(reason),
            Failure::Framework => SendError::Thrown(reason),
            Failure::Connection | Failure::Lost => SendError::Connection(reason),
        })
    }

    /// Lets a worker request a URL; `None` if the page has to.
    pub(crate) async fn send_in_worker(
        worker: &WorkerUse,
        href: &str,
        headers: &Headers,
    ) -> Option<Result<FetchResponse, SendError<JsValue>>> {
        let exchange = PendingExchange(host_functions::send_request_in_worker(worker, href, headers)?);
        Some(exchange.response().await.map_err(|(failure, reason)| match failure {
            Failure::NoResponse => SendError::NoResponse(reason),
            // A policy does not end a worker, so the next one may send.
            Failure::Lost => SendError::Connection(reason),
            Failure::Connection | Failure::Framework => SendError::InWorker(reason),
        }))
    }

    /// The URL of a path.
    pub(crate) fn href(&self, path: &str) -> String {
        [&*self.base, path].concat()
    }
}

impl PendingExchange {
    /// Waits for the response.
    async fn response(self) -> Result<FetchResponse, (Failure, JsValue)> {
        let head = self.settled(host_functions::response_head(&self.0)).await?;
        let head = head_of(&head.unchecked_into());
        Ok(FetchResponse { head, exchange: self })
    }

    /// Waits for a promise of the exchange.
    async fn settled(&self, promise: Promise) -> Result<JsValue, (Failure, JsValue)> {
        JsFuture::from(promise).await.map_err(|reason| {
            let failure = match host_functions::exchange_failure(&self.0) {
                1 => Failure::NoResponse,
                2 => Failure::Framework,
                3 => Failure::Lost,
                _ => Failure::Connection,
            };
            (failure, reason)
        })
    }

    /// Waits for a part of the body, or the whole.
    async fn body(&self, promise: Promise) -> Result<JsValue, BodyError<JsValue>> {
        self.settled(promise).await.map_err(|(failure, reason)| match failure {
            Failure::NoResponse => BodyError::NoResponse(reason),
            Failure::Lost => BodyError::Lost,
            Failure::Connection | Failure::Framework => BodyError::Connection(reason),
        })
    }
}

impl Drop for PendingExchange {
    fn drop(&mut self) {
        host_functions::end_exchange(&self.0);
    }
}

impl Response for FetchResponse {
    type Value = JsValue;
    type Piece = Bytes;
    type Kept = Held;

    fn head(&self) -> &Head {
        &self.head
    }

    fn is_kept(&self) -> bool {
        host_functions::is_kept(&self.exchange.0)
    }

    fn arrives_by_turns(&self) -> bool {
        host_functions::arrives_by_turns(&self.exchange.0)
    }

    async fn kept(&mut self) -> Result<Held, BodyError<JsValue>> {
        let body = self.exchange.body(host_functions::kept_body(&self.exchange.0)).await?;
        Ok(Held(body.unchecked_into()))
    }

    async fn next_piece(&mut self) -> Result<Option<Bytes>, BodyError<JsValue>> {
        let piece = self.exchange.body(host_functions::read_piece(&self.exchange.0)).await?;
        Ok((!piece.is_undefined()).then(|| Bytes(piece.unchecked_into())))
    }
}

impl From<KeptBody> for Held {
    fn from(body: KeptBody) -> Self {
        Held(body)
    }
}

impl Held {
    /// The body.
    pub(crate) fn body(&self) -> &KeptBody {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        host_functions::drop_body(&self.0);
    }
}

impl Kept for Held {
    type Value = JsValue;
    type Piece = Bytes;

    fn length(&self) -> u64 {
        host_functions::body_length(&self.0) as u64
    }

    async fn read(&self) -> Result<Bytes, JsValue> {
        JsFuture::from(host_functions::body_bytes(&self.0)).await.map(|bytes| Bytes(bytes.unchecked_into()))
    }
}

impl Piece for Bytes {
    type Value = JsValue;

    fn length(&self) -> usize {
        self.0.byte_length() as usize
    }

    fn copy_to(&self, target: &mut [u8]) -> Result<(), JsValue> {
        host_functions::copy_piece(&self.0, target).done()
    }
}

fn head_of(head: &ResponseHead) -> Head {
    let [status, is_success] = numbers_of(head, "status isSuccess");
    let headers = http::Headers::from_raw(head.headers());
    let header = |name| headers.get(name);
    let page = "text/html";
    let status = status as u16;
    let is_redirect =
        matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 0 && is_member(head, "type", "opaqueredirect"));
    let length: Option<u64> = header("content-length").and_then(|length| length.parse().ok());
    Head {
        status,
        is_success: is_success != 0.0,
        is_redirect,
        destination: if is_redirect { header("location") } else { None },
        hides_headers: is_member(head, "type", "cors"),
        retry_after: header("retry-after").and_then(|header| RetryAfter::parse(&header, host_functions::parse_date)),
        is_html: header("content-type")
            .is_some_and(|kind| kind.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page))),
        length: length.map(|length| usize::try_from(length).unwrap_or(usize::MAX)),
        is_encoded: header("content-encoding").is_some(),
    }
}
