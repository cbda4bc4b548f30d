//! The calls of one client: tells their state machine what has happened, and has JavaScript perform what is to be done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chunk::memory::OutOfMemory;
use js_sys::Math;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::attempt::Attempt;
use super::error::{error_of, error_of_attempt, error_of_partition};
use super::findings_error::no_memory;
use super::numbers::ConnectionAdvice;
use super::page::Page;
use super::page_call::PageCall;
use super::performer::{Performer, RunningCall, Settings};
use super::resume::{ResumeState, Unmade};
use super::serialize::to_js;
use super::settings::Members;
use crate::host_functions::{advice_of, is_offline, reason_of};
use crate::js_string::copied;
use crate::members::is;
use call::contract::KindCounts;
use call::error::{CallEnd, Error, ErrorKind, Subject};
use call::machine::{Action, Advice, Calls, Event, Failure, Op, Outcome, Sender, Task, Why};
#[cfg(feature = "tables")]
use chunk::Chunk;

/// The calls of one client.
pub(super) struct ClientCalls {
    machine: RefCell<Calls<Page>>,
    pub(super) performer: Performer,
    /// Stands for all chunks without findings.
    #[cfg(feature = "tables")]
    pub(super) empty: RefCell<Option<Rc<Chunk>>>,
    /// Whether an event has come while actions are performed, which goes on with its actions.
    is_performing: Cell<bool>,
    /// When JavaScript will tell that time has passed.
    wakes_at: Cell<f64>,
    /// The time of the last event.
    pub(super) latest: Cell<f64>,
}

impl ClientCalls {
    /// The calls of a client with these limits.
    pub(super) fn new(concurrency: usize, max_buffered_bytes: u64, performer: Performer) -> Self {
        ClientCalls {
            machine: RefCell::new(Calls::new(concurrency, max_buffered_bytes, Math::random)),
            performer,
            #[cfg(feature = "tables")]
            empty: RefCell::default(),
            is_performing: Cell::new(false),
            wakes_at: Cell::new(f64::INFINITY),
            latest: Cell::new(0.0),
        }
    }

    /// Begins a call for an inspection, as the caller passed it. A call for all findings continues the `state`, and a stream has the order of indexes here.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn begin(
        &self,
        inspection_key: &JsValue,
        settings: &Settings,
        task: Task,
        state: Option<&ResumeState>,
    ) -> Result<RunningCall, JsValue> {
        let out_of_memory = |OutOfMemory| no_memory();
        self.machine.borrow_mut().make_room().map_err(out_of_memory)?;
        let beginning = self.performer.beginning(settings);
        let members = Members::of(&beginning);
        let (task, inspection) = (members.ordered(task), beginning.inspection());
        let columns = if is(members.has_columns) { beginning.column_list().map_err(out_of_memory)? } else { None };
        let base_url = copied(&beginning.base_url()).map_err(out_of_memory)?.into();
        let running = self.performer.call_of(settings, &state.map_or(JsValue::UNDEFINED, ResumeState::lists));
        #[cfg(feature = "tables")]
        if let Some(chunks) = state.and_then(ResumeState::chunks) {
            chunks.limit_to(columns.clone());
        }
        let call = PageCall {
            running: running.clone(),
            inspection_key: inspection_key.clone(),
            base_url,
            subject: Subject::of_call(inspection, task.kind()),
            form: state.map_or_else(|| members.form(), ResumeState::form),
            columns,
            state: state.cloned(),
            #[cfg(feature = "tables")]
            is_stream: matches!(task, Task::Stream(..)),
            #[cfg(feature = "tables")]
            partition: RefCell::default(),
        };
        let begin = members.begin(Rc::new(call), inspection, task);
        #[cfg(feature = "tables")]
        let begin = call::machine::NewCall { is_watched: begin.call.watch().is_some(), ..begin };
        let id = self.machine.borrow_mut().begin(members.now, begin);
        // It may end while it follows its signals: then nothing of it is performed.
        let was_performing = self.is_performing.replace(true);
        running.begun(id.0);
        self.is_performing.set(was_performing);
        self.perform_all(members.now);
        Ok(running)
    }

    /// Takes note of an event, and performs what follows from it.
    pub(super) fn handle(&self, now: f64, event: Event<Page>) {
        self.machine.borrow_mut().handle(now, event);
        self.perform_all(now);
    }

    /// Performs what is to be done, unless that is under way.
    fn perform_all(&self, now: f64) {
        self.latest.set(now);
        if self.is_performing.replace(true) {
            return;
        }
        while let Some(action) = self.next_action() {
            self.perform(now, action);
        }
        self.is_performing.set(false);
        let (next, before) = (self.machine.borrow().next_wake(), self.wakes_at.get());
        // A timer that is too early does no harm, and JavaScript clears it after the last call. One that does not run is set again with the next event.
        if next == f64::INFINITY {
            self.wakes_at.set(next);
        } else if next < before {
            self.wakes_at.set(next);
            self.performer.wake_at(next);
        }
    }

    /// Takes note that a request has failed.
    pub(super) fn fail(&self, now: f64, op: Op, why: Why, cause: JsValue) {
        let reason = if why == Why::Memory { String::new() } else { reason_of(&cause) };
        let advice = self.attempt(op).map(|attempt| advice_of(&cause, &attempt.call.base_url));
        let advice = advice.map_or(Advice::None, ConnectionAdvice::advice);
        self.handle(now, Event::Failed(op, Failure { why, cause, reason, advice, is_offline: is_offline() }));
    }

    /// Takes note that the time has come.
    pub(super) fn tick(&self, now: f64) {
        self.wakes_at.set(f64::INFINITY);
        self.handle(now, Event::Tick);
    }

    /// An attempt; `None` if nobody waits for it any more.
    pub(super) fn attempt(&self, op: Op) -> Option<Rc<Attempt>> {
        self.machine.borrow().attempt(op).cloned()
    }

    fn next_action(&self) -> Option<Action<Page>> {
        self.machine.borrow_mut().next_action()
    }

    fn perform(&self, now: f64, action: Action<Page>) {
        match action {
            Action::AskHeaders { call, op, url, attempt, status } => {
                call.running.ask_headers(op.0, &url, attempt, status);
            }
            Action::Send { call, op, url, headers, sender } => {
                let running = call.running.send(op.0, &url, &headers.into(), sender == Sender::Any);
                self.machine.borrow_mut().keep(op, Rc::new(Attempt::new(running, call)));
            }
            Action::Cancel { attempt } => attempt.running.end(),
            Action::UseWorker { call } => call.running.use_worker(),
            Action::ReadBytes { op, attempt, length } => {
                let bytes = attempt.copied_body(length);
                attempt.running.end();
                match bytes {
                    Ok(bytes) => self.handle(now, Event::Bytes(op, bytes)),
                    Err(OutOfMemory) => self.fail(now, op, Why::Memory, JsValue::UNDEFINED),
                }
            }
            Action::Decode { attempt, length, by_worker } => {
                attempt.length.set(length);
                if by_worker { attempt.running.delegate() } else { attempt.running.decode() }
            }
            Action::MapCounts { call, op, body } => {
                let text = std::str::from_utf8(&body).unwrap_or_default();
                call.running.map_counts(op.0, text.strip_prefix('\u{feff}').unwrap_or(text));
            }
            Action::Progress { call, progress, is_report } => {
                #[cfg(feature = "tables")]
                call.watch().into_iter().for_each(|watch| watch.note(progress));
                if is_report {
                    call.running.report_progress(&to_js(&progress));
                }
            }
            Action::Report { call, change, error } => {
                let error = error.map(|error| error_of_attempt(&call, error));
                let change = to_js(&change);
                call.running.report_partition(&change, &error.into());
            }
            Action::Deliver { call, attempt, index } => self.deliver(&call, &attempt, index),
            Action::Missing { call, index, error } => {
                call.running.lack(index as f64, &error_of_partition(&call, error))
            }
            Action::End { call, end } => end_call(&call, end),
        }
    }

    #[cfg(not(feature = "tables"))]
    fn deliver(&self, call: &PageCall, attempt: &Attempt, index: u64) {
        call.running.deliver(&attempt.running, index as f64, &JsValue::UNDEFINED);
    }
}

/// Ends a call with its result or its error.
fn end_call(call: &PageCall, end: Result<Outcome, CallEnd<JsValue>>) {
    let result = match end {
        Ok(Outcome::Counts(sentiment, topics)) => Ok(to_js(&PartitionCounts { sentiment, topics })),
        Ok(Outcome::Delivered) => call.result().map_err(|unmade| match unmade {
            #[cfg(feature = "tables")]
            Unmade::TooMany(error) => error,
            Unmade::OutOfMemory => error_of(call, Error::new(ErrorKind::Memory, call.subject, 0)),
        }),
        Err(CallEnd::Thrown(thrown)) => Err(thrown),
        Err(CallEnd::Failed(error)) => Err(error_of(call, error)),
    };
    match result {
        Ok(result) => call.running.end(&result, false),
        Err(error) => call.running.end(&error, true),
    }
}

/// The counts of both kinds.
#[derive(Serialize)]
struct PartitionCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}
