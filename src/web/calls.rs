//! The calls of one client: tells their state machine what has happened, and has JavaScript perform what is to be done.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chunk::decode::DecodeError;
use chunk::memory::{OutOfMemory, check_reserve};
use js_sys::{Array, Math};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::attempt::Attempt;
use super::decoding::Slice;
use super::error::{add_failures, error_of, error_of_attempt};
use super::findings_error::no_memory;
use super::mapping::mapped_counts;
use super::numbers::ConnectionAdvice;
use super::page::Page;
use super::page_call::PageCall;
use super::performer::{EnteredCall, Performer, RunningCall, Settings};
use super::resume::{ResumeState, Unmade};
use super::runtime::hash_seed;
use super::serialize::to_js;
use super::settings::CallOptions;
#[cfg(feature = "tables")]
use super::watch::Watch;
use crate::host_functions::{is_offline, reason_of};
use crate::js_string::copied;
use call::contract::KindCounts;
use call::error::{CallEnd, Error, ErrorKind, Failures, Subject};
use call::machine::{Action, Advice, CallId, Calls, Event, Failure, NewCall, Op, Outcome, Sender, Why, Work};
#[cfg(feature = "tables")]
use chunk::Chunk;

/// The number of failures that become objects between two checks of the time slice.
const FAILURES: usize = 32;

/// The calls of one client.
pub(super) struct ClientCalls {
    machine: RefCell<Calls<Page>>,
    pub(super) performer: Performer,
    /// The calls whose failures become objects.
    failing: RefCell<Vec<Rc<PageCall>>>,
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

/// A call that is to begin.
pub(super) struct Wanted<'call> {
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: &'call JsValue,
    /// Its options.
    pub(super) settings: &'call Settings,
    /// What it fetches; a stream in any order.
    pub(super) work: Work,
    /// For a call for all findings: what it continues.
    pub(super) state: Option<&'call ResumeState>,
    /// The live table that it belongs to.
    #[cfg(feature = "tables")]
    pub(super) watch: Option<&'call Rc<Watch>>,
}

impl<'call> Wanted<'call> {
    /// A call that continues nothing.
    pub(super) fn new(inspection_key: &'call JsValue, settings: &'call Settings, work: Work) -> Self {
        Wanted {
            inspection_key,
            settings,
            work,
            state: None,
            #[cfg(feature = "tables")]
            watch: None,
        }
    }
}

impl ClientCalls {
    /// The calls of a client with these limits.
    pub(super) fn new(concurrency: usize, max_buffered_bytes: u64, performer: Performer) -> Self {
        ClientCalls {
            machine: RefCell::new(Calls::new(concurrency, max_buffered_bytes, Math::random)),
            performer,
            failing: RefCell::default(),
            #[cfg(feature = "tables")]
            empty: RefCell::default(),
            is_performing: Cell::new(false),
            wakes_at: Cell::new(f64::INFINITY),
            latest: Cell::new(0.0),
        }
    }

    /// Begins a call, unless it ends while it begins.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn begin(&self, wanted: Wanted<'_>) -> Result<RunningCall, JsValue> {
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        let lists = wanted.state.map_or(JsValue::UNDEFINED, ResumeState::lists);
        let id = self.machine.borrow_mut().reserve();
        let running = self.performer.call_of(id.0, wanted.settings, &lists);
        let begun = self.performer.enter(&running);
        let read = begun.read();
        match self.prepared(id, &running, &begun, &read, wanted) {
            Ok(begin) => self.handle(read.now(), Event::Begin(begin)),
            Err(OutOfMemory) => running.abort(&no_memory()),
        }
        Ok(running)
    }

    /// What the machine and the border have of a call that begins.
    ///
    /// # Errors
    ///
    /// Out of memory.
    fn prepared(
        &self,
        id: CallId,
        running: &RunningCall,
        begun: &EnteredCall,
        read: &CallOptions,
        wanted: Wanted<'_>,
    ) -> Result<NewCall<Page>, OutOfMemory> {
        let Wanted { inspection_key, mut work, state, .. } = wanted;
        if let Work::Stream(_, order) = &mut work {
            *order = read.order();
        }
        let columns = if read.has_columns() { begun.column_list()? } else { None };
        #[cfg(feature = "tables")]
        let earlier = match state.and_then(ResumeState::chunks) {
            Some(chunks) => {
                chunks.limit_to(columns.clone());
                chunks.earlier(read.appends())?
            }
            None => None,
        };
        let call = PageCall {
            id,
            running: running.clone(),
            inspection_key: inspection_key.clone(),
            base_url: copied(&begun.base_url())?.into(),
            subject: Subject::of_call(read.inspection(), work.kind()),
            form: state.map_or_else(|| read.form(), ResumeState::form),
            columns,
            state: state.cloned(),
            #[cfg(feature = "tables")]
            is_stream: matches!(work, Work::Stream(..)),
            failures: RefCell::new(Failures::new()),
            error: RefCell::default(),
            first_failure: RefCell::default(),
            #[cfg(feature = "tables")]
            partition: RefCell::default(),
            #[cfg(feature = "tables")]
            watch: wanted.watch.cloned(),
        };
        let begin = read.begin(Rc::new(call), work);
        #[cfg(feature = "tables")]
        let begin = NewCall { is_watched: wanted.watch.is_some(), earlier, ..begin };
        Ok(begin)
    }

    /// Takes note of an event, and performs what follows from it.
    pub(super) fn handle(&self, now: f64, event: Event<Page>) {
        self.latest.set(now);
        self.machine.borrow_mut().handle(now, event);
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
        let advice = self.attempt(op).map(|attempt| attempt.work.advice_of(&cause));
        let advice = advice.map_or(Advice::None, ConnectionAdvice::advice);
        self.handle(now, Event::Failed(op, Failure { why, cause, reason, advice, is_offline: is_offline() }));
    }

    /// Takes note that the time has come.
    pub(super) fn tick(&self, now: f64) {
        self.wakes_at.set(f64::INFINITY);
        self.handle(now, Event::Tick);
    }

    /// Ends a call whose caller, or a function of its caller, has ended it.
    pub(super) fn abort(&self, now: f64, id: CallId) {
        self.handle(now, Event::Abort(id));
        // The machine has forgotten a call whose failures become objects.
        self.failing.borrow_mut().retain(|call| call.id != id);
    }

    /// An attempt; `None` if nobody waits for it any more.
    pub(super) fn attempt(&self, op: Op) -> Option<Rc<Attempt>> {
        self.machine.borrow().work(op).cloned()
    }

    /// Decodes a slice of a body, which is first copied into the module.
    pub(super) fn decode(&self, op: Op) -> Slice {
        let Some(attempt) = self.attempt(op) else { return Slice::Nothing };
        let slice = attempt.decoding.advance();
        let Slice::Expected(length) = slice else { return slice };
        let (columns, form) = (attempt.call.columns.as_deref(), attempt.call.form);
        let body = attempt.copied_body(length);
        match body.and_then(|body| attempt.decoding.start(body, columns, form, hash_seed())) {
            Ok(()) => attempt.decoding.advance(),
            Err(OutOfMemory) => Slice::Undecodable(DecodeError::out_of_memory()),
        }
    }

    /// Takes the messages of a body with `errors` whose findings have been built.
    pub(super) fn take_messages(&self, op: Op) -> Option<Vec<String>> {
        self.attempt(op)?.decoding.take_messages()
    }

    /// Makes objects of some failures of a call, and adds them to a list. Returns true once the list is complete.
    pub(super) fn make_failures(&self, id: CallId, list: &Array) -> bool {
        let call = self.failing.borrow().iter().find(|call| call.id == id).cloned();
        let some = call.map(|call| (call.take_failures(FAILURES), call));
        let Some((failures, call)) = some.filter(|(failures, _)| !failures.is_empty()) else { return true };
        let first = add_failures(&call, failures, list);
        let mut noted = call.first_failure.borrow_mut();
        *noted = noted.take().or(first);
        false
    }

    /// Makes the error of a call that lacks partitions, of the list of its failures.
    pub(super) fn partial_error(&self, id: CallId, failures: Array) -> JsValue {
        let position = self.failing.borrow().iter().position(|call| call.id == id);
        let Some(position) = position else { return JsValue::UNDEFINED };
        let call = self.failing.borrow_mut().swap_remove(position);
        let error = call.error.take();
        error.map_or(JsValue::UNDEFINED, |error| error_of(&call, error, Some(failures)))
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
                let work = call.running.send(op.0, &url, &headers.into(), sender == Sender::Any);
                let attempt = Rc::new(Attempt::new(work, call));
                // The caller's `fetch` may have ended the call.
                if !self.machine.borrow_mut().keep(op, Rc::clone(&attempt)) {
                    attempt.work.end();
                }
            }
            Action::Cancel { work } => work.work.end(),
            Action::UseWorker { call } => call.running.use_worker(),
            Action::ReadBytes { op, work, length } => {
                let bytes = work.copied_body(length);
                work.work.end();
                match bytes {
                    Ok(bytes) => self.handle(now, Event::Bytes(op, bytes)),
                    Err(OutOfMemory) => self.fail(now, op, Why::Memory, JsValue::UNDEFINED),
                }
            }
            Action::Decode { work, index, length, by_worker, compares } => {
                work.expect(index, length, compares);
                if by_worker { work.work.delegate() } else { work.work.decode() }
            }
            Action::MapCounts { call, op, body } => self.map_counts(now, &call, op, &body),
            Action::Progress { call, progress, is_report } => {
                #[cfg(feature = "tables")]
                call.watched(progress);
                if is_report {
                    call.running.report_progress(&to_js(&progress));
                }
            }
            Action::Report { call, change, error } => {
                let error = error.map(|error| error_of_attempt(&call, error));
                let change = to_js(&change);
                call.running.report_partition(&change, &error.into());
            }
            Action::Deliver { call, work, index } => self.deliver(&call, &work, index),
            #[cfg(feature = "tables")]
            Action::JudgeEarlier { call, verdict } => drop(call.chunks().map(|chunks| chunks.judge_earlier(verdict))),
            #[cfg(not(feature = "tables"))]
            Action::JudgeEarlier { .. } => {}
            Action::Missing { call, index, error } => call.note_missing(index, error),
            Action::End { call, end } => self.end(call, end),
        }
    }

    fn map_counts(&self, now: f64, call: &PageCall, op: Op, body: &[u8]) {
        match mapped_counts(&call.running.read_counts(), body) {
            Ok(counts) => self.handle(now, Event::Mapped(op, counts)),
            Err(thrown) => call.running.abort(&thrown),
        }
    }

    /// Ends a call with its result or its error.
    fn end(&self, call: Rc<PageCall>, end: Result<Outcome, CallEnd<JsValue>>) {
        let error = match end {
            Ok(Outcome::Counts(sentiment, topics)) => {
                return call.running.end(&to_js(&PartitionCounts { sentiment, topics }), false);
            }
            Ok(Outcome::Delivered) => match call.result() {
                Ok(result) => return call.running.end(&result, false),
                #[cfg(feature = "tables")]
                Err(Unmade::TooMany(error)) => return call.running.end(&error, true),
                Err(Unmade::OutOfMemory) => Error::new(ErrorKind::Memory, call.subject, 0),
            },
            Err(CallEnd::Thrown(thrown)) => return call.running.end(&thrown, true),
            Err(CallEnd::Failed(error)) => error,
        };
        if let ErrorKind::Partial { .. } = error.kind {
            call.error.replace(Some(error));
            self.failing.borrow_mut().push(Rc::clone(&call));
            call.running.fail();
        } else {
            call.running.end(&error_of(&call, error, None), true);
        }
    }

    #[cfg(not(feature = "tables"))]
    fn deliver(&self, call: &PageCall, attempt: &Attempt, index: u64) {
        call.running.deliver(&attempt.work, index as f64, &JsValue::UNDEFINED);
    }
}

/// The counts of both kinds.
#[derive(Serialize)]
struct PartitionCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}
