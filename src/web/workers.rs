//! Where the bodies of a call are decoded: the option `worker`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::settings::Settings;
use crate::fetch::{Fetch, FetchResponse, Held};
use crate::host_functions::{
    Decoding, WorkerUse, cancel_decoding, decode_bytes, decode_kept, decoded_body, decoded_findings, decoding_result,
    end_worker_use, now, use_worker,
};
use call::contract::KindCounts;
use call::retrieve::host::Delegated;
use call::transport::SendError;
use call::transport::body::Body;
use chunk::form::Form;

/// The minimum number of findings for which `"auto"` uses a worker. In Chromium, starting a worker costs as much main-thread time as it
/// saves for a table of 1 500 findings or for 3 000 objects. Decoding fewer than 5 000 findings takes the main thread about a frame.
const LEAST_FINDINGS: u64 = 5_000;

/// The minimum number of partitions for which `"auto"` uses a worker, if the service reports no total.
const LEAST_PARTITIONS: u64 = 4;

/// How long the page sends all requests after a worker's first requests got no response, in milliseconds. What broke once, such as a
/// connection, is not what a policy refuses, so a worker then sends one request, and the next time is twice as long.
const REST: f64 = 60_000.0;

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
    /// One has got no response where the page then got one: the page sends all requests for this long from this moment on.
    Refused { since: f64, rest: f64 },
}

impl WorkerExperience {
    /// Whether a worker may send a request at this time. After each rest it may send one.
    fn may_send(&self, now: f64) -> bool {
        match self.access.get() {
            WorkerAccess::Unknown | WorkerAccess::Allowed => true,
            WorkerAccess::Refused { since, rest } if now - since < rest => false,
            WorkerAccess::Refused { rest, .. } => {
                self.access.set(WorkerAccess::Refused { since: now, rest: rest * 2.0 });
                true
            }
        }
    }
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
    /// The worker of a call with these settings, whose findings keep `columns`.
    pub(super) fn new(
        settings: &Settings,
        columns: Option<Uint8Array>,
        max_partition_bytes: usize,
        experience: Rc<WorkerExperience>,
    ) -> Self {
        CallWorker {
            option: WorkerOption::from_js(&settings.worker()),
            columns,
            init: settings.in_worker(),
            limit: max_partition_bytes as f64,
            experience,
            using: RefCell::default(),
        }
    }

    /// Lets the worker send a request; `None` if the page has to send it.
    ///
    /// # Errors
    /// The request gets no response.
    pub(super) async fn send(
        &self,
        href: &str,
        headers: &web_sys::Headers,
    ) -> Result<Option<FetchResponse>, SendError<JsValue>> {
        let using = self.using.borrow().clone();
        let Some(using) = using.filter(|_| self.experience.may_send(now())) else { return Ok(None) };
        let response = Fetch::send_in_worker(&using, href, headers).await.transpose()?;
        if response.is_some() {
            self.experience.access.set(WorkerAccess::Allowed);
        }
        Ok(response)
    }

    /// Notes that the page has got a response where the worker got none.
    pub(super) fn note_refusal(&self) {
        if self.experience.access.get() == WorkerAccess::Unknown {
            self.experience.access.set(WorkerAccess::Refused { since: now(), rest: REST });
        }
    }

    /// Starts the worker if the call, or an earlier one, is worth one. It packs rows or chunks.
    pub(super) fn prepare(&self, counts: Option<KindCounts>, form: Form) {
        let is_worth_it = counts.map_or(self.experience.was_worth_it.get(), is_worth_a_worker);
        let (source, insists) = match &self.option {
            WorkerOption::Worker(source) => (source, true),
            WorkerOption::Auto if is_worth_it => (&JsValue::TRUE, false),
            _ => return,
        };
        self.experience.was_worth_it.set(is_worth_it);
        if self.using.borrow().is_none() {
            let (module, columns) = (wasm_bindgen::module(), self.columns.clone());
            let as_rows = form == Form::Rows;
            let using = use_worker(source, insists, &module, as_rows, columns, &self.init, self.limit);
            self.using.replace(Some(using));
        }
    }

    /// Whether the call uses a worker.
    pub(super) fn is_used(&self) -> bool {
        self.using.borrow().is_some()
    }

    /// Decodes a body in the worker.
    ///
    /// # Errors
    /// Why there is no worker, if the call requires one.
    pub(super) async fn delegate(&self, body: Body<Held>) -> Result<Delegated<Held, Uint8Array>, JsValue> {
        let using = self.using.borrow().clone();
        let Some(using) = using else { return Ok(Delegated { packed: None, body: Some(body) }) };
        let decoding = match &body {
            Body::Kept(held) => decode_kept(&using, held.body()),
            Body::Bytes(bytes) => decode_bytes(&using, bytes),
        };
        let Some(decoding) = decoding.map(PendingDecoding) else {
            return Ok(Delegated { packed: None, body: Some(body) });
        };
        drop(body);
        let decoded = JsFuture::from(decoding_result(&decoding.0)).await?;
        let body = decoded_body(&decoded).map(|body| Body::Kept(Held::from(body)));
        Ok(Delegated { packed: decoded_findings(&decoded), body })
    }
}

impl Drop for CallWorker {
    fn drop(&mut self) {
        if let Some(using) = self.using.take() {
            end_worker_use(&using);
        }
    }
}

/// A decoding that is cancelled on drop.
struct PendingDecoding(Decoding);

impl Drop for PendingDecoding {
    fn drop(&mut self) {
        cancel_decoding(&self.0);
    }
}

fn is_worth_a_worker(KindCounts { partitions, findings }: KindCounts) -> bool {
    findings.map_or(partitions >= LEAST_PARTITIONS, |findings| findings >= LEAST_FINDINGS)
}
