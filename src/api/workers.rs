//! Where the bodies of a call are decoded: the option `worker`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use columns::memory::{OutOfMemory, check_room};
use js_sys::{ArrayBuffer, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use super::options::Options;
use crate::contract::KindCounts;
use crate::retrieve::host::{Delegated, Packed};
use crate::transport::SendError;
use crate::transport::body::Body;
use crate::transport::fetch::{Fetch, FetchResponse, Held, Kept, PendingRequest, bytes_of, settled};
use crate::transport::response::Piece;

/// The minimum number of findings for which `"auto"` uses a worker. In Chromium, starting a worker costs as much main-thread time as it
/// saves for a table of 1 500 findings or for 3 000 objects. Decoding fewer than 5 000 findings takes the main thread about a frame.
const LEAST_FINDINGS: u64 = 5_000;

/// The minimum number of partitions for which `"auto"` uses a worker, if the service reports no total.
const LEAST_PARTITIONS: u64 = 4;

#[wasm_bindgen(raw_module = "./worker/workers.js")]
extern "C" {
    /// The use of a worker by a call.
    #[derive(Clone)]
    type WorkerUse;
    /// Starts the worker of a source if it is not running.
    #[wasm_bindgen(constructor)]
    fn new(
        source: &JsValue,
        insists: bool,
        module: &JsValue,
        as_rows: bool,
        columns: Option<Uint8Array>,
        init: &JsValue,
        limit: f64,
    ) -> WorkerUse;
    /// Lets the worker send a request; `None` if the page has to.
    #[wasm_bindgen(method)]
    fn send(
        this: &WorkerUse,
        href: &JsString,
        headers: &web_sys::Headers,
        signal: &web_sys::AbortSignal,
    ) -> Option<Promise>;
    #[wasm_bindgen(method, js_name = decodeKept)]
    fn decode_kept(this: &WorkerUse, body: &JsValue) -> Decoding;
    /// Throws if out of memory for a copy.
    #[wasm_bindgen(method, catch, js_name = decodeBytes)]
    fn decode_bytes(this: &WorkerUse, body: &[u8]) -> Result<Decoding, JsValue>;
    #[wasm_bindgen(method)]
    fn end(this: &WorkerUse);

    /// A body that waits for a worker, or that a worker is decoding.
    type Decoding;
    #[wasm_bindgen(method, getter)]
    fn result(this: &Decoding) -> Promise;
    #[wasm_bindgen(method)]
    fn cancel(this: &Decoding);

    type Decoded;
    #[wasm_bindgen(method, getter)]
    fn packed(this: &Decoded) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn body(this: &Decoded) -> JsValue;
}

/// What the calls of a client have learned about workers.
#[derive(Debug, Default)]
pub(super) struct WorkerExperience {
    access: Cell<WorkerAccess>,
    /// Whether a call was large enough for a worker: then the next one probably is, too.
    was_worth_it: Cell<bool>,
}

/// Whether workers get responses for a client, as far as is known: a policy may refuse them what the page may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum WorkerAccess {
    /// None has got a response.
    #[default]
    Unknown,
    /// One has got a response.
    Allowed,
    /// One has got no response where the page then got one.
    Refused,
}

/// Where bodies are decoded.
#[derive(Clone)]
pub(super) enum WorkerOption {
    /// On the calling thread.
    Page,
    /// In a worker of this source: `true` for the package's script, a URL, or a function that returns the worker.
    Worker(JsValue),
    /// In a worker for large inspections, if it can be started; otherwise on the calling thread.
    Auto,
}

/// What becomes of a request.
pub(super) enum Sent {
    /// A worker has sent it, and got a response.
    Response(FetchResponse),
    /// No worker sends it.
    Not(PendingRequest),
}

/// The worker of a call.
pub(super) struct CallWorker {
    option: WorkerOption,
    columns: Option<Uint8Array>,
    init: JsValue,
    /// The maximum length of a body.
    limit: f64,
    experience: Rc<WorkerExperience>,
    using: RefCell<Option<WorkerUse>>,
}

impl WorkerOption {
    /// Reads the option, which JavaScript has checked.
    pub(super) fn from_js(option: &JsValue) -> Self {
        match option {
            option if *option == false => WorkerOption::Page,
            option if *option == "auto" => WorkerOption::Auto,
            source => WorkerOption::Worker(source.clone()),
        }
    }
}

impl CallWorker {
    /// The worker of a call with these options.
    pub(super) fn new(options: &Options, experience: Rc<WorkerExperience>) -> Self {
        CallWorker {
            option: WorkerOption::from_js(&options.worker()),
            columns: options.columns(),
            init: options.in_worker(),
            limit: options.settings().max_partition_bytes as f64,
            experience,
            using: RefCell::default(),
        }
    }

    /// Lets the worker send a request, until it is dropped; returns the request if the page has to send it.
    ///
    /// # Errors
    /// The request gets no response.
    pub(super) async fn send(
        &self,
        href: &JsString,
        headers: &web_sys::Headers,
        request: PendingRequest,
    ) -> Result<Sent, SendError<JsValue>> {
        let using = self.using.borrow().clone().filter(|_| self.experience.access.get() != WorkerAccess::Refused);
        let Some(response) = using.and_then(|using| using.send(href, headers, &request.signal())) else {
            return Ok(Sent::Not(request));
        };
        let response = Fetch::sent_by_worker(&response, request).await?;
        self.experience.access.set(WorkerAccess::Allowed);
        Ok(Sent::Response(response))
    }

    /// Notes that the page has got a response where the worker got none.
    pub(super) fn note_refusal(&self) {
        if self.experience.access.get() == WorkerAccess::Unknown {
            self.experience.access.set(WorkerAccess::Refused);
        }
    }

    /// Starts the worker if the call, or an earlier one, is worth one. It packs rows or chunks.
    pub(super) fn prepare(&self, counts: Option<KindCounts>, as_rows: bool) {
        let is_worth_it = counts.map_or(self.experience.was_worth_it.get(), is_worth_a_worker);
        let (source, insists) = match &self.option {
            WorkerOption::Worker(source) => (source, true),
            WorkerOption::Auto if is_worth_it => (&JsValue::TRUE, false),
            _ => return,
        };
        self.experience.was_worth_it.set(self.experience.was_worth_it.get() || is_worth_it);
        if self.using.borrow().is_none() {
            let (module, columns) = (wasm_bindgen::module(), self.columns.clone());
            let using = WorkerUse::new(source, insists, &module, as_rows, columns, &self.init, self.limit);
            self.using.replace(Some(using));
        }
    }

    /// Decodes a body in the worker, which packs rows or a chunk.
    ///
    /// # Errors
    /// Why there is no worker, if the call requires one.
    pub(super) async fn delegate(
        &self,
        body: Body<Held>,
        as_rows: bool,
    ) -> Result<Delegated<Held, Uint8Array>, JsValue> {
        let using = self.using.borrow().clone();
        let Some(using) = using else { return Ok(Delegated { packed: None, body: Some(body) }) };
        let decoding = match &body {
            Body::Blob(Held::Kept(kept)) => Ok(using.decode_kept(kept.body())),
            Body::Bytes(bytes) => using.decode_bytes(bytes),
            Body::Blob(Held::Buffer(_)) => Err(JsValue::UNDEFINED),
        };
        let Ok(decoding) = decoding.map(PendingDecoding) else {
            return Ok(Delegated { packed: None, body: Some(body) });
        };
        drop(body);
        let decoded: Decoded = settled(&decoding.0.result()).await?.unchecked_into();
        Ok(Delegated { packed: packed_of(&decoded, as_rows), body: body_of(&decoded) })
    }
}

impl Drop for CallWorker {
    fn drop(&mut self) {
        if let Some(using) = self.using.take() {
            using.end();
        }
    }
}

/// A decoding that is cancelled on drop.
struct PendingDecoding(Decoding);

impl Drop for PendingDecoding {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn is_worth_a_worker(KindCounts { partitions, findings }: KindCounts) -> bool {
    findings.map_or(partitions >= LEAST_PARTITIONS, |findings| findings >= LEAST_FINDINGS)
}

/// Returns the packed findings; `None` if there is none, or no memory for it. A chunk is copied into the module's memory.
fn packed_of(decoded: &Decoded, as_rows: bool) -> Option<Packed<Uint8Array>> {
    let packed = decoded.packed();
    // A caller's worker may post anything, and a detached buffer allows no view.
    let bytes = bytes_of(packed.dyn_ref::<Uint8Array>()?).ok()?;
    if as_rows {
        return Some(Packed::Rows(packed.unchecked_into()));
    }
    check_room::<u8>(Piece::length(&bytes)).map_err(|OutOfMemory| ()).ok()?;
    // Unlike a copy to a list of zeros, this writes each byte once.
    Some(Packed::Chunk(bytes.to_vec()))
}

fn body_of(decoded: &Decoded) -> Option<Body<Held>> {
    let body = decoded.body();
    Some(Body::Blob(match body.dyn_into::<ArrayBuffer>() {
        Ok(buffer) => Held::Buffer(buffer),
        Err(kept) if kept.is_object() => Held::Kept(Kept::from(kept)),
        Err(_) => return None,
    }))
}
