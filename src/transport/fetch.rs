//! The transport for browsers and Node: calls the global `fetch` or the caller's. Reads the engine's own responses with gloo-net, all
//! others member by member.

use gloo_net::http;
use js_sys::{ArrayBuffer, Date, Function, JsString, Promise, Reflect, TypeError, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, AbortSignal, ResponseType};

use super::response::{BodyError, Piece};
use super::retry_after::RetryAfter;
use super::{Blob, Head, Response, SendError};
use crate::js_string::beginning;

/// Sends requests with `fetch`.
#[derive(Debug)]
pub(crate) struct Fetch {
    /// Calls the `fetch` of the call with a URL, headers and a signal.
    pub(crate) send: Function,
    /// The base URL; ends with a slash.
    pub(crate) base: JsString,
}

/// A response whose body has not been read to its end.
pub(crate) struct FetchResponse {
    shape: ResponseShape,
    head: Head,
    body: BodySource,
    request: PendingRequest,
}

/// The source of the pieces of a body.
enum BodySource {
    Unread,
    Stream(Reader),
    Finished,
}

/// A complete body outside the module's memory.
pub(crate) enum Held {
    /// The browser or a worker keeps it.
    Kept(Kept),
    /// It is in JavaScript's memory.
    Buffer(ArrayBuffer),
}

/// A blob, or the body that a worker keeps, which is dropped with this value.
pub(crate) struct Kept(web_sys::Blob);

/// The result of `fetch`. If it is dropped before it settles, a body that arrives later is cancelled, because the caller's `fetch` may
/// ignore the signal.
struct PendingFetch {
    response: JsValue,
    has_settled: bool,
}

/// A request. Dropping it before its body has been read to the end cancels it.
pub(crate) struct PendingRequest {
    controller: AbortController,
    finished: bool,
}

// After a trap nothing is dropped, so JavaScript aborts the requests.
#[wasm_bindgen(raw_module = "./host/cleanup.js")]
extern "C" {
    #[wasm_bindgen(js_name = abortOnModuleStop)]
    fn abort_on_module_stop(request: &AbortController);
    #[wasm_bindgen(js_name = offModuleStop)]
    fn off_module_stop(request: &AbortController);
    #[wasm_bindgen(js_name = cancelBody)]
    fn cancel_body(response: &JsValue);
}

#[wasm_bindgen(raw_module = "./engine/response.js")]
extern "C" {
    #[wasm_bindgen(js_name = isOwn)]
    fn is_own(response: &JsValue) -> bool;
    #[wasm_bindgen(js_name = offersBlob)]
    fn offers_blob(response: &ResponseShape, is_long: bool) -> bool;
    #[wasm_bindgen(js_name = blobOf)]
    fn blob_of(response: &ResponseShape) -> Promise;
    #[wasm_bindgen(js_name = dropBody)]
    fn drop_body(body: &JsValue);
    #[wasm_bindgen(js_name = arrivesByTurns)]
    fn arrives_by_turns(response: &ResponseShape) -> bool;
}

#[wasm_bindgen(raw_module = "./host/network-reason.js")]
extern "C" {
    #[wasm_bindgen(js_name = isOfFramework)]
    fn is_of_framework(reason: &JsValue) -> bool;
}

#[wasm_bindgen]
extern "C" {
    /// A promise of this module.
    type Adopted;
    #[wasm_bindgen(method)]
    fn then(this: &Adopted, resolve: &Function, reject: &Function);
}

#[wasm_bindgen]
extern "C" {
    // The caller's fetch may resolve with anything: every member is read with `catch`.
    type ResponseShape;
    #[wasm_bindgen(method, getter, catch)]
    fn status(this: &ResponseShape) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = type)]
    fn kind(this: &ResponseShape) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn headers(this: &ResponseShape) -> Result<HeadersShape, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn body(this: &ResponseShape) -> Result<StreamShape, JsValue>;
    #[wasm_bindgen(method, catch, js_name = arrayBuffer)]
    fn array_buffer(this: &ResponseShape) -> Result<JsValue, JsValue>;

    type HeadersShape;
    #[wasm_bindgen(method, catch)]
    fn get(this: &HeadersShape, name: &str) -> Result<JsValue, JsValue>;

    type StreamShape;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn get_reader(this: &StreamShape) -> Result<Reader, JsValue>;

    type Reader;
    #[wasm_bindgen(method, catch)]
    fn read(this: &Reader) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn cancel(this: &Reader) -> Result<JsValue, JsValue>;

    type ReadResult;
    #[wasm_bindgen(method, getter, catch)]
    fn done(this: &ReadResult) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn value(this: &ReadResult) -> Result<JsValue, JsValue>;

    // Views and buffers may be from another realm, where `instanceof` fails.
    type View;
    #[wasm_bindgen(method, getter, catch, js_name = BYTES_PER_ELEMENT)]
    fn bytes_per_element(this: &View) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn buffer(this: &View) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = byteOffset)]
    fn byte_offset(this: &View) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = byteLength)]
    fn byte_length(this: &View) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["Object", "prototype", "toString"], js_name = call)]
    fn tag(value: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = Uint8Array, extends = Uint8Array)]
    type Bytes;
    #[wasm_bindgen(constructor, catch, js_class = "Uint8Array")]
    fn of_buffer(buffer: &JsValue) -> Result<Bytes, JsValue>;
    #[wasm_bindgen(constructor, catch, js_class = "Uint8Array")]
    fn of_part(buffer: &JsValue, offset: &JsValue, length: &JsValue) -> Result<Bytes, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["Uint8Array", "prototype", "set"], js_name = call)]
    fn set(target: &mut [u8], source: &Uint8Array) -> Result<(), JsValue>;
}

impl Fetch {
    /// Requests a path, and resolves once the response's headers have arrived. Dropping the future, or the response, cancels the request.
    pub(crate) async fn send(
        &self,
        path: &str,
        headers: &web_sys::Headers,
        request: PendingRequest,
    ) -> Result<FetchResponse, SendError<JsValue>> {
        let response = self.call(path, headers, &request).await.map_err(|reason| {
            if is_of_framework(&reason) { SendError::Thrown(reason) } else { SendError::Connection(reason) }
        })?;
        FetchResponse::new(response, request).map_err(SendError::NoResponse)
    }

    /// Waits for the response to a request that a worker sends.
    pub(crate) async fn sent_by_worker(
        response: &Promise,
        request: PendingRequest,
    ) -> Result<FetchResponse, SendError<JsValue>> {
        let response = settled(response).await.map_err(SendError::InWorker)?;
        FetchResponse::new(response, request).map_err(SendError::NoResponse)
    }

    /// The URL of a path.
    pub(crate) fn href(&self, path: &str) -> JsString {
        self.base.concat(&path.into())
    }

    async fn call(&self, path: &str, headers: &web_sys::Headers, request: &PendingRequest) -> Result<JsValue, JsValue> {
        let response = self.send.call3(&JsValue::UNDEFINED, &self.href(path), headers, &request.signal())?;
        let mut pending = PendingFetch { response, has_settled: false };
        let response = settled(&pending.response).await;
        pending.has_settled = true;
        response
    }
}

impl FetchResponse {
    /// A response to a request.
    ///
    /// # Errors
    ///
    /// The value does not have the shape of a response.
    pub(super) fn new(response: JsValue, request: PendingRequest) -> Result<Self, JsValue> {
        let head = if is_own(&response) {
            own_head(&http::Response::from(response.clone().unchecked_into::<web_sys::Response>()))
        } else {
            shaped_head(FetchResponse::status_of(&response)?, response.unchecked_ref())
        };
        Ok(FetchResponse { head, shape: response.unchecked_into(), body: BodySource::Unread, request })
    }

    fn status_of(response: &JsValue) -> Result<u16, JsValue> {
        let no_response = || JsValue::from(TypeError::new("it has no `status`"));
        if !response.is_object() {
            return Err(no_response());
        }
        let status = response.unchecked_ref::<ResponseShape>().status()?;
        let status = status.as_f64().filter(|status| (0.0..1000.0).contains(status) && status.fract() == 0.0);
        Ok(status.ok_or_else(no_response)? as u16)
    }

    async fn read_piece(&mut self) -> Result<Option<Uint8Array>, BodyError<JsValue>> {
        if let BodySource::Unread = self.body {
            let stream = self.shape.body()?;
            // The `body` of node-fetch is a stream of Node.
            if !has_function(&stream, "getReader") {
                return self.read_whole_body().await;
            }
            let reader = stream.get_reader()?;
            need(has_function(&reader, "read"), "the reader of its `body` has no read()")?;
            self.body = BodySource::Stream(reader);
        }
        let BodySource::Stream(reader) = &self.body else { return Ok(None) };
        let result: ReadResult = settled(&reader.read()?).await?.unchecked_into();
        need(result.is_object(), "read() of its `body` did not return an object")?;
        if result.done()?.is_truthy() {
            self.finish();
            return Ok(None);
        }
        let piece = result.value()?;
        need(is_view_of_bytes(&piece)?, "a piece of its `body` is not a Uint8Array")?;
        Ok(Some(bytes_of(&piece)?))
    }

    /// Reads the body of a response without a web stream.
    async fn read_whole_body(&mut self) -> Result<Option<Uint8Array>, BodyError<JsValue>> {
        let otherwise = "it has neither a `body` with getReader() nor arrayBuffer()";
        need(has_function(&self.shape, "arrayBuffer"), otherwise)?;
        let buffer = settled(&self.shape.array_buffer()?).await?;
        self.finish();
        // A mock may return a `Buffer`.
        if is_view_of_bytes(&buffer)? {
            return Ok(Some(bytes_of(&buffer)?));
        }
        need(tag(&buffer)? == "[object ArrayBuffer]", "arrayBuffer() returned neither an ArrayBuffer nor bytes")?;
        Ok(Some(Bytes::of_buffer(&buffer)?.into()))
    }

    fn finish(&mut self) {
        self.body = BodySource::Finished;
        self.request.finished = true;
    }
}

impl Response for FetchResponse {
    type Value = JsValue;
    type Piece = Uint8Array;
    type Blob = Held;

    fn head(&self) -> &Head {
        &self.head
    }

    fn offers_blob(&self, is_long: bool) -> bool {
        offers_blob(&self.shape, is_long)
    }

    fn arrives_by_turns(&self) -> bool {
        arrives_by_turns(&self.shape)
    }

    async fn blob(&mut self) -> Result<Held, BodyError<JsValue>> {
        let blob = JsFuture::from(blob_of(&self.shape)).await;
        // From here on, neither success nor failure leaves a body to cancel.
        self.finish();
        match blob {
            Ok(blob) => Ok(Held::Kept(Kept::from(blob))),
            Err(reason) if reason.is_undefined() => Err(BodyError::Lost),
            Err(reason) => Err(BodyError::Connection(reason)),
        }
    }

    async fn next_piece(&mut self) -> Result<Option<Uint8Array>, BodyError<JsValue>> {
        self.read_piece().await
    }
}

impl Blob for Held {
    type Value = JsValue;
    type Piece = Uint8Array;

    fn length(&self) -> u64 {
        match self {
            Held::Kept(Kept(body)) => body.size() as u64,
            Held::Buffer(buffer) => u64::from(buffer.byte_length()),
        }
    }

    async fn read(&self) -> Result<Uint8Array, JsValue> {
        let bytes = match self {
            Held::Kept(Kept(body)) => Bytes::of_buffer(&JsFuture::from(body.array_buffer()).await?),
            Held::Buffer(buffer) => Bytes::of_buffer(buffer),
        };
        bytes.map(Uint8Array::from)
    }
}

impl Piece for Uint8Array {
    type Value = JsValue;

    fn length(&self) -> usize {
        self.byte_length() as usize
    }

    fn copy_to(&self, target: &mut [u8]) -> Result<(), JsValue> {
        let whole = target.len() == Piece::length(self);
        let source = if whole { self.clone() } else { self.subarray(0, target.len() as u32) };
        set(target, &source)
    }
}

impl PendingRequest {
    /// A request that is about to be sent.
    pub(crate) fn new() -> Result<Self, JsValue> {
        let controller = AbortController::new()?;
        abort_on_module_stop(&controller);
        Ok(PendingRequest { controller, finished: false })
    }

    /// The signal that cancels it.
    pub(crate) fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }
}

impl From<JsValue> for Kept {
    fn from(body: JsValue) -> Self {
        Kept(body.unchecked_into())
    }
}

impl Kept {
    /// The blob or the body of the worker.
    pub(crate) fn body(&self) -> &JsValue {
        &self.0
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        drop_body(&self.0);
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        off_module_stop(&self.controller);
        if !self.finished {
            self.controller.abort();
        }
    }
}

impl Drop for PendingFetch {
    fn drop(&mut self) {
        if !self.has_settled {
            cancel_body(&self.response);
        }
    }
}

impl Drop for FetchResponse {
    /// Cancels the body too, because the caller's fetch may ignore the signal.
    fn drop(&mut self) {
        match &self.body {
            BodySource::Unread => cancel_body(&self.shape),
            BodySource::Stream(reader) => {
                if let Ok(cancelled) = reader.cancel() {
                    ignore_rejection(cancelled);
                }
            }
            BodySource::Finished => {}
        }
    }
}

/// Reads the headers of an engine's own response.
fn own_head(response: &http::Response) -> Head {
    let (kind, headers) = (response.type_(), response.headers());
    let is_hidden = kind == ResponseType::Opaqueredirect;
    head(response.status(), is_hidden, kind == ResponseType::Cors, |name| headers.get(name))
}

/// Reads the headers of any other response.
fn shaped_head(status: u16, shape: &ResponseShape) -> Head {
    let kind = shape.kind();
    let is = |name: &str| kind.as_ref().is_ok_and(|kind| kind == name);
    head(status, is("opaqueredirect"), is("cors"), |name| {
        let value = shape.headers().and_then(|headers| headers.get(name)).ok()?;
        // Only the beginning of a long value: it is enough here.
        value.dyn_ref().map(beginning)
    })
}

fn head(status: u16, is_hidden: bool, hides_headers: bool, header: impl Fn(&str) -> Option<String>) -> Head {
    let page = "text/html";
    let length: Option<u64> = header("content-length").and_then(|length| length.parse().ok());
    Head {
        status,
        is_redirect: matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 0 && is_hidden),
        hides_headers,
        retry_after: header("retry-after").and_then(|header| RetryAfter::parse(&header, Date::parse)),
        is_html: header("content-type")
            .is_some_and(|kind| kind.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page))),
        length: length.map(|length| usize::try_from(length).unwrap_or(usize::MAX)),
        is_encoded: header("content-encoding").is_some(),
    }
}

/// Whether a value is a promise, from any realm. Without a readable `then`, it is not.
pub(crate) fn is_promise(value: &JsValue) -> bool {
    value.is_object() && Reflect::get(value, &"then".into()).is_ok_and(|then| then.is_function())
}

/// Checks a member that every response has.
fn need(holds: bool, otherwise: &str) -> Result<(), BodyError<JsValue>> {
    if holds { Ok(()) } else { Err(BodyError::NoResponse(TypeError::new(otherwise).into())) }
}

/// Whether a value has this member, and it is a function.
fn has_function(value: &JsValue, name: &str) -> bool {
    value.is_object() && Reflect::get(value, &name.into()).is_ok_and(|member| member.is_function())
}

/// Whether a value is a view of single bytes, from any realm.
fn is_view_of_bytes(piece: &JsValue) -> Result<bool, JsValue> {
    let view: &View = piece.unchecked_ref();
    Ok(ArrayBuffer::is_view(piece) && view.bytes_per_element()?.as_f64() == Some(1.0))
}

/// Returns the bytes of a view as a new view, because the caller may have overridden members of the view.
///
/// # Errors
/// An error that a member throws, or a `TypeError` for a detached buffer.
pub(crate) fn bytes_of(view: &JsValue) -> Result<Uint8Array, JsValue> {
    let view: &View = view.unchecked_ref();
    Bytes::of_part(&view.buffer()?, &view.byte_offset()?, &view.byte_length()?).map(Uint8Array::from)
}

/// Waits until a promise settles. Any other value counts as a resolved promise.
///
/// # Errors
///
/// The value that the promise is rejected with.
pub(crate) async fn settled(promise: &JsValue) -> Result<JsValue, JsValue> {
    let mut release = None;
    let own = Promise::new(&mut |resolve, reject| {
        // `Promise::resolve` would return the caller's promise, whose `then` may throw.
        let adopted = Promise::new(&mut |resolve, _| drop(resolve.call1(&JsValue::UNDEFINED, promise)));
        adopted.unchecked_ref::<Adopted>().then(&resolve, &reject);
        release = Some(resolve);
    });
    let _release = Release(release);
    JsFuture::from(own).await
}

/// Resolves a promise on drop: whoever waits for a promise that never settles would leak.
struct Release(Option<Function>);

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(resolve) = &self.0 {
            drop(resolve.call0(&JsValue::UNDEFINED));
        }
    }
}

/// Handles the rejection of a promise, so that the host does not report it as unhandled.
pub(crate) fn ignore_rejection(promise: JsValue) {
    spawn_local(async move { drop(settled(&promise).await) });
}
