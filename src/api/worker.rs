//! What a worker calls: it makes the attempts that the page asks for.

use std::rc::Rc;

use js_sys::{Function, JsString, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::sending::Sending;
use super::serialize::to_js;
use super::yield_now::ThisThread;
use crate::attempt::message::{Cause, Event, Failure, Report};
use crate::attempt::worker::{Prepared, Worker, WorkerHost};
use crate::js_string::{beginning, copied};
use crate::transport::worker_fetch::WorkerFetch;

/// The attempts that a worker makes.
#[wasm_bindgen]
pub struct WorkerAttempts {
    worker: Rc<Worker<Environment>>,
}

/// The environment of a worker.
struct Environment {
    /// Posts a report, with its bytes or undefined.
    post: Function,
}

#[wasm_bindgen]
impl WorkerAttempts {
    /// No attempts yet. `post` is called with each report and its bytes, if it has some.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> WorkerAttempts {
        WorkerAttempts { worker: Worker::new(Environment { post }) }
    }

    /// Obeys an order of the page.
    ///
    /// # Errors
    ///
    /// It is no order.
    pub fn obey(&self, order: JsValue) -> Result<(), JsValue> {
        if let Some(attempt) = self.worker.obey(serde_wasm_bindgen::from_value(order)?) {
            spawn_local(attempt);
        }
        Ok(())
    }
}

impl WorkerHost for Environment {
    type Thread = ThisThread;
    type Sending = Sending;
    type Transport = WorkerFetch;

    fn thread(&self) -> ThisThread {
        ThisThread
    }

    fn transport(&self, sending: Sending) -> Result<Prepared<WorkerFetch>, Cause> {
        let headers = web_sys::Headers::new_with_str_sequence_sequence(&sending.headers).map_err(Self::describe)?;
        let path = copied(&sending.href)
            .map_err(|error| Cause { name: String::from("RangeError"), message: error.to_string() })?;
        let transport = WorkerFetch { credentials: sending.credentials(), cache: sending.cache() };
        Ok(Prepared { transport, path, headers })
    }

    fn describe(value: JsValue) -> Cause {
        let text = |name: &str| {
            let member = Reflect::get(&value, &name.into()).ok()?;
            member.dyn_ref::<JsString>().map(beginning)
        };
        Cause { name: text("name").unwrap_or_default(), message: text("message").unwrap_or_default() }
    }

    fn post(&self, report: Report, buffer: Option<Vec<u8>>) {
        let bytes = buffer.map(|bytes| Uint8Array::new_from_slice(&bytes));
        let attempt = report.attempt;
        let posted = to_js(&report).and_then(|report| self.post.call2(&JsValue::UNDEFINED, &report, &bytes.into()));
        if posted.is_err() {
            // There is no memory for the copy.
            let failed = Report { attempt, event: Event::Failed(Failure::Memory) };
            let _ = to_js(&failed).and_then(|failed| self.post.call1(&JsValue::UNDEFINED, &failed));
        }
    }
}
