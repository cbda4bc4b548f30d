//! The workers of a page: one for each source of its script, shared by all clients that use it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use columns::memory::{OutOfMemory, check_room};
use js_sys::{Error, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use super::arguments::type_error;
use super::sending::Sending;
use super::serialize::to_js;
use crate::attempt::message::{Cause, Event, Failure, Order, Report};
use crate::attempt::remote::Connection;
use crate::js_string::word;
use crate::transport::Piece;
use crate::transport::fetch::{bytes_of, settled};

#[wasm_bindgen(raw_module = "./worker-link.js")]
extern "C" {
    /// A worker and what its life depends on.
    type WorkerLink;
    /// Starts a worker. Calls `receive` with each of its reports and the bytes of it, and `lost` once when it has ended.
    #[wasm_bindgen(constructor)]
    fn new(
        source: &JsValue,
        module: &JsValue,
        receive: &Closure<dyn FnMut(JsValue, JsValue)>,
        lost: &Closure<dyn FnMut()>,
        attempts: &Closure<dyn FnMut() -> u32>,
    ) -> WorkerLink;
    /// Resolves when the worker is ready; rejects if it cannot be started.
    #[wasm_bindgen(method, getter)]
    fn ready(this: &WorkerLink) -> Promise;
    #[wasm_bindgen(method)]
    fn post(this: &WorkerLink, order: &JsValue);
    #[wasm_bindgen(method)]
    fn end(this: &WorkerLink);
}

thread_local! {
    static SOURCES: RefCell<Vec<Weak<WorkerSource>>> = const { RefCell::new(Vec::new()) };
}

/// Where requests are sent, read and decoded: the option `worker`.
#[derive(Clone)]
pub(super) enum Place {
    /// In the page.
    Page,
    /// In a worker.
    Worker(Rc<WorkerSource>),
    /// In a worker where one can be had, otherwise in the page.
    Auto(Rc<WorkerSource>),
}

/// A source of the worker's script, and the worker that was started from it. Ends the worker when the last client is freed.
pub(super) struct WorkerSource {
    /// What the caller gave: `true` for the script beside the package, an address, or a function that makes the worker.
    given: JsValue,
    running: RefCell<Option<Rc<RunningWorker>>>,
    /// Whether a worker could not be started, after which `"auto"` means the page.
    has_failed: Cell<bool>,
}

struct RunningWorker {
    connection: Rc<Connection<Sending>>,
    link: WorkerLink,
    _listeners: Listeners,
}

type Listeners = (Closure<dyn FnMut(JsValue, JsValue)>, Closure<dyn FnMut()>, Closure<dyn FnMut() -> u32>);

impl Place {
    /// Reads the option.
    ///
    /// # Errors
    ///
    /// A `TypeError` for a value that it does not have, or what a getter of the caller throws.
    pub(super) fn given(value: &JsValue) -> Result<Self, JsValue> {
        if let Some(given) = value.as_bool() {
            return Ok(if given { Place::Worker(WorkerSource::of(value)) } else { Place::Page });
        }
        if word(value).is_some_and(|word| word == "auto") {
            return Ok(Place::Auto(WorkerSource::of(&JsValue::TRUE)));
        }
        if value.is_string() || value.is_function() {
            return Ok(Place::Worker(WorkerSource::of(value)));
        }
        if value.is_object() {
            let href = Reflect::get(value, &"href".into())?;
            if href.is_string() {
                return Ok(Place::Worker(WorkerSource::of(&href)));
            }
        }
        Err(type_error("worker", "true, false, \"auto\", an address or a function", value))
    }

    /// Starts the worker, if there is to be one.
    pub(super) async fn prepare(&self) {
        if let Place::Worker(source) | Place::Auto(source) = self {
            // The first call that needs it reports an error.
            let _ = source.connection().await;
        }
    }
}

impl WorkerSource {
    /// The source with this value, which all clients share.
    fn of(given: &JsValue) -> Rc<Self> {
        SOURCES.with_borrow_mut(|sources| {
            sources.retain(|source| source.strong_count() > 0);
            let known = sources.iter().filter_map(Weak::upgrade).find(|source| Object::is(&source.given, given));
            known.unwrap_or_else(|| {
                let source = Rc::new(WorkerSource {
                    given: given.clone(),
                    running: RefCell::default(),
                    has_failed: Cell::new(false),
                });
                sources.push(Rc::downgrade(&source));
                source
            })
        })
    }

    /// Whether a worker could not be started.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    /// Connects to the running worker, or starts one.
    ///
    /// # Errors
    ///
    /// Why none can be started.
    pub(super) async fn connection(&self) -> Result<Rc<Connection<Sending>>, JsValue> {
        let running = self.running();
        match settled(&running.link.ready()).await {
            Ok(_) => Ok(Rc::clone(&running.connection)),
            Err(cause) => {
                running.connection.lose();
                self.has_failed.set(true);
                Err(cause)
            }
        }
    }

    fn running(&self) -> Rc<RunningWorker> {
        let known = self.running.borrow().as_ref().filter(|running| !running.connection.is_lost()).map(Rc::clone);
        known.unwrap_or_else(|| {
            let started = RunningWorker::start(&self.given);
            self.running.replace(Some(Rc::clone(&started)));
            started
        })
    }
}

impl Drop for WorkerSource {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.link.end();
        }
    }
}

impl RunningWorker {
    fn start(source: &JsValue) -> Rc<Self> {
        Rc::new_cyclic(|this: &Weak<RunningWorker>| {
            let poster = this.clone();
            let connection = Connection::new(move |order: Order<Sending>| {
                // It fails for numbers that an order never has.
                if let (Some(running), Ok(order)) = (poster.upgrade(), to_js(&order)) {
                    running.link.post(&order);
                }
            });
            let (receiver, loser, counter) = (Rc::clone(&connection), Rc::clone(&connection), Rc::clone(&connection));
            let receive = Closure::new(move |report, bytes| receive(&receiver, report, &bytes));
            let lost = Closure::new(move || loser.lose());
            let attempts = Closure::new(move || counter.attempts() as u32);
            let link = WorkerLink::new(source, &wasm_bindgen::module(), &receive, &lost, &attempts);
            RunningWorker { connection, link, _listeners: (receive, lost, attempts) }
        })
    }
}

/// The warning that the page makes the attempts, because no worker could be started.
pub(super) fn page_instead(cause: &JsValue) -> String {
    let message = cause.dyn_ref::<Error>().map_or_else(String::new, |error| String::from(error.message()));
    format!("inspection-findings sends, reads and decodes in the page, because no worker could be started: {message}")
}

/// Notes a report of a worker. What is no report is ignored: a worker of the caller may post anything.
fn receive(connection: &Connection<Sending>, report: JsValue, bytes: &JsValue) {
    let Ok(report) = serde_wasm_bindgen::from_value::<Report>(report) else { return };
    let Some(bytes) = bytes.dyn_ref::<Uint8Array>() else { return connection.receive(report, None) };
    match copied(bytes) {
        Ok(buffer) => connection.receive(report, Some(buffer)),
        Err(failure) => {
            let attempt = report.attempt;
            if matches!(report.event, Event::Decoded { .. }) {
                // The parcels after this one would wait for it.
                connection.receive(report, Some(Vec::new()));
            }
            connection.receive(Report { attempt, event: Event::Failed(failure) }, None);
        }
    }
}

/// Copies the buffer of a report.
fn copied(bytes: &Uint8Array) -> Result<Vec<u8>, Failure> {
    // No view can be made of a buffer that the caller has detached.
    let bytes = bytes_of(bytes).map_err(|_| Failure::Lost)?;
    check_room::<u8>(Piece::length(&bytes)).map_err(|OutOfMemory| Failure::Memory)?;
    // Unlike a copy to a list of zeros, this writes each byte once.
    Ok(bytes.to_vec())
}

impl From<Cause> for JsValue {
    fn from(Cause { name, message }: Cause) -> Self {
        let error = if name == "TypeError" { js_sys::TypeError::new(&message).into() } else { Error::new(&message) };
        if !name.is_empty() {
            error.set_name(&name);
        }
        error.into()
    }
}
