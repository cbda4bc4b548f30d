//! The transport of browsers and Node: calls the global `fetch` or the caller's, and reads responses by their shape.

use js_sys::{ArrayBuffer, Function, JsString, Promise, Reflect, TypeError, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, RequestCache, RequestCredentials, RequestInit, RequestRedirect};

use super::{Answer, Piece, SendError, Transport};
use crate::js_string::beginning;

/// Sends requests by `fetch`.
#[derive(Debug)]
pub(crate) struct Fetch {
    /// The function to call.
    pub(crate) function: Function,
    /// The base URL; ends with a slash.
    pub(crate) base: JsString,
    /// Whether requests include cookies.
    pub(crate) credentials: RequestCredentials,
    /// How requests use the browser's cache.
    pub(crate) cache: RequestCache,
}

/// A response whose body has not been read to its end.
pub(crate) struct Response {
    shape: ResponseShape,
    status: u16,
    body: Body,
    is_misshapen: bool,
    request: PendingRequest,
}

/// The source of the pieces of a body.
enum Body {
    Unread,
    Stream(Reader),
    Finished,
}

/// What a call of `fetch` has returned. Dropping it before it settles cancels the body that may come, because the caller's fetch may ignore
/// the signal.
struct Pending {
    response: JsValue,
    has_settled: bool,
}

/// A request. Dropping it before its body has been read to the end cancels it.
pub(super) struct PendingRequest {
    controller: AbortController,
    headers: web_sys::Headers,
    finished: bool,
}

// If the module stops, nothing is dropped, so JavaScript aborts the requests.
#[wasm_bindgen(raw_module = "./cleanup.js")]
extern "C" {
    #[wasm_bindgen(js_name = abortAtStop)]
    fn abort_at_stop(request: &AbortController);
    fn forget(request: &AbortController);
    #[wasm_bindgen(js_name = cancelBody)]
    fn cancel_body(response: &JsValue);
}

#[wasm_bindgen(raw_module = "./redact.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn redacted(cause: &JsValue, headers: &web_sys::Headers) -> Result<JsValue, JsValue>;
}

#[wasm_bindgen(raw_module = "./settlement.js")]
extern "C" {
    /// A promise that settles as another does, or resolves when it is released.
    type Settlement;
    #[wasm_bindgen(js_name = settlementOf)]
    fn settlement_of(value: &JsValue) -> Settlement;
    #[wasm_bindgen(method, getter)]
    fn promise(this: &Settlement) -> Promise;
    #[wasm_bindgen(method)]
    fn release(this: &Settlement);

    /// Marks a promise as handled, so that the host does not report an unhandled rejection.
    #[wasm_bindgen(js_name = ignoreRejection)]
    pub(crate) fn ignore_rejection(promise: &JsValue);
    /// Calls a function with the reason if a promise is rejected.
    #[wasm_bindgen(js_name = tellRejection)]
    pub(crate) fn tell_rejection(promise: &JsValue, rejected: &Function);
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

    // Views and buffers may be of another realm, where `instanceof` fails.
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

impl Transport for Fetch {
    type Value = JsValue;
    type Headers = web_sys::Headers;
    type Answer = Response;

    async fn send(&self, path: &str, headers: &web_sys::Headers) -> Result<Response, SendError<JsValue>> {
        let request = PendingRequest::new(headers).map_err(SendError::Connection)?;
        let response = self.call(path, &request).await;
        let response = response.map_err(|cause| SendError::Connection(request.redacted(cause)))?;
        Response::new(response, request).map_err(SendError::NoResponse)
    }
}

impl Fetch {
    /// The address of a path.
    pub(crate) fn href(&self, path: &str) -> JsString {
        self.base.concat(&path.into())
    }

    async fn call(&self, path: &str, request: &PendingRequest) -> Result<JsValue, JsValue> {
        let init = self.init(request)?;
        let response = self.function.call2(&JsValue::UNDEFINED, &self.href(path), &init)?;
        let mut pending = Pending { response, has_settled: false };
        let response = settled(&pending.response).await;
        pending.has_settled = true;
        response
    }

    fn init(&self, request: &PendingRequest) -> Result<RequestInit, JsValue> {
        let init = RequestInit::new();
        init.set_method("GET");
        // A copy, because the caller's fetch may change its argument.
        let copy = web_sys::Headers::new_with_headers(&request.headers)?;
        init.set_headers(&copy);
        init.set_credentials(self.credentials);
        init.set_cache(self.cache);
        // A followed redirect could carry credentials to another origin.
        init.set_redirect(RequestRedirect::Manual);
        init.set_signal(Some(&request.signal()));
        Ok(init)
    }
}

impl Response {
    /// A response to a request.
    ///
    /// # Errors
    ///
    /// The value does not have the shape of a response.
    pub(super) fn new(response: JsValue, request: PendingRequest) -> Result<Self, JsValue> {
        let status = Response::status_of(&response).map_err(|cause| request.redacted(cause))?;
        Ok(Response { status, shape: response.unchecked_into(), body: Body::Unread, is_misshapen: false, request })
    }

    fn status_of(response: &JsValue) -> Result<u16, JsValue> {
        let no_response = || JsValue::from(TypeError::new("fetch did not give a response: it has no status"));
        if !response.is_object() {
            return Err(no_response());
        }
        let status = response.unchecked_ref::<ResponseShape>().status()?;
        let status = status.as_f64().filter(|status| (0.0..1000.0).contains(status) && status.fract() == 0.0);
        Ok(status.ok_or_else(no_response)? as u16)
    }

    async fn read_piece(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        if let Body::Unread = self.body {
            let stream = self.shape.body()?;
            if !stream.is_object() {
                return self.read_whole_body().await;
            }
            self.need(has_function(&stream, "getReader"), "its body has no getReader()")?;
            let reader = stream.get_reader()?;
            self.need(has_function(&reader, "read"), "the reader of its body has no read()")?;
            self.body = Body::Stream(reader);
        }
        let Body::Stream(reader) = &self.body else { return Ok(None) };
        let result: ReadResult = settled(&reader.read()?).await?.unchecked_into();
        self.need(result.is_object(), "read() of its body gave no object")?;
        if result.done()?.is_truthy() {
            self.finish();
            return Ok(None);
        }
        let piece = result.value()?;
        self.need(is_view_of_bytes(&piece)?, "a piece of its body is no Uint8Array")?;
        bytes_of(&piece).map(Some)
    }

    /// Checks something that every response has.
    fn need(&mut self, holds: bool, otherwise: &str) -> Result<(), JsValue> {
        self.is_misshapen = !holds;
        if holds { Ok(()) } else { Err(TypeError::new(&format!("fetch did not give a response: {otherwise}")).into()) }
    }

    /// Reads a header; of a long value only the beginning, which is all that matters here.
    fn header(&self, name: &str) -> Option<String> {
        let value = self.shape.headers().and_then(|headers| headers.get(name)).ok()?;
        value.dyn_ref().map(beginning)
    }

    /// Reads the body of a response without a stream.
    async fn read_whole_body(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        self.need(has_function(&self.shape, "arrayBuffer"), "it has neither body nor arrayBuffer()")?;
        let buffer = settled(&self.shape.array_buffer()?).await?;
        self.finish();
        self.need(tag(&buffer)? == "[object ArrayBuffer]", "arrayBuffer() did not give an ArrayBuffer")?;
        Bytes::of_buffer(&buffer).map(|bytes| Some(bytes.into()))
    }

    fn finish(&mut self) {
        self.body = Body::Finished;
        self.request.finished = true;
    }
}

impl Answer for Response {
    type Value = JsValue;
    type Piece = Uint8Array;

    fn status(&self) -> u16 {
        self.status
    }

    fn is_redirect(&self) -> bool {
        let hidden = || self.shape.kind().is_ok_and(|kind| kind == "opaqueredirect");
        matches!(self.status, 301 | 302 | 303 | 307 | 308) || (self.status == 0 && hidden())
    }

    fn hides_headers(&self) -> bool {
        self.shape.kind().is_ok_and(|kind| kind == "cors")
    }

    fn retry_after(&self) -> Option<String> {
        self.header("retry-after")
    }

    fn is_page(&self) -> bool {
        let page = "text/html";
        let kind = self.header("content-type");
        kind.is_some_and(|kind| kind.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page)))
    }

    fn announced_length(&self) -> Option<usize> {
        self.header("content-length")?.parse().ok()
    }

    fn is_misshapen(&self) -> bool {
        self.is_misshapen
    }

    async fn next_piece(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        self.read_piece().await.map_err(|cause| self.request.redacted(cause))
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
    /// A request with these headers that is about to be sent.
    pub(super) fn new(headers: &web_sys::Headers) -> Result<Self, JsValue> {
        let controller = AbortController::new()?;
        abort_at_stop(&controller);
        Ok(PendingRequest { controller, headers: headers.clone(), finished: false })
    }

    /// The signal that cancels it.
    pub(super) fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }

    /// Replaces the cause of a failure if it quotes one of the request's headers.
    pub(super) fn redacted(&self, cause: JsValue) -> JsValue {
        redacted(&cause, &self.headers).unwrap_or_default()
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        forget(&self.controller);
        if !self.finished {
            self.controller.abort();
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.has_settled {
            cancel_body(&self.response);
        }
    }
}

impl Drop for Response {
    /// Cancels the body too, because the caller's fetch may ignore the signal.
    fn drop(&mut self) {
        match &self.body {
            Body::Unread => cancel_body(&self.shape),
            Body::Stream(reader) => {
                if let Ok(cancelled) = reader.cancel() {
                    ignore_rejection(&cancelled);
                }
            }
            Body::Finished => {}
        }
    }
}

/// Whether a value is a promise of any realm. A value whose `then` cannot be read is not.
pub(crate) fn is_promise(value: &JsValue) -> bool {
    value.is_object() && Reflect::get(value, &"then".into()).is_ok_and(|then| then.is_function())
}

/// Whether a value has this member, and it is a function.
fn has_function(value: &JsValue, name: &str) -> bool {
    value.is_object() && Reflect::get(value, &name.into()).is_ok_and(|member| member.is_function())
}

/// Whether a value is a view of single bytes, of any realm.
fn is_view_of_bytes(piece: &JsValue) -> Result<bool, JsValue> {
    let view: &View = piece.unchecked_ref();
    Ok(ArrayBuffer::is_view(piece) && view.bytes_per_element()?.as_f64() == Some(1.0))
}

/// Returns the bytes of a view as a new view: the members of the given one may be the caller's.
///
/// # Errors
///
/// What the members throw, or a `TypeError` for a detached buffer.
pub(crate) fn bytes_of(view: &JsValue) -> Result<Uint8Array, JsValue> {
    let view: &View = view.unchecked_ref();
    Bytes::of_part(&view.buffer()?, &view.byte_offset()?, &view.byte_length()?).map(Uint8Array::from)
}

/// Waits until a promise settles. Any other value counts as a promise resolved with it.
///
/// # Errors
///
/// The value that the promise is rejected with.
pub(crate) async fn settled(promise: &JsValue) -> Result<JsValue, JsValue> {
    let settlement = Awaited(settlement_of(promise));
    JsFuture::from(settlement.0.promise()).await
}

/// A settlement that is released on drop: the future of a promise that never settles would stay in memory for ever.
struct Awaited(Settlement);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.release();
    }
}
