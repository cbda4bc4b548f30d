//! The calls of one client: tells their state machine what has happened, and has JavaScript perform what is to be done.

use std::cell::{Cell, RefCell};
#[cfg(feature = "tables")]
use std::rc::Rc;

use chunk::memory::{OutOfMemory, check_reserve, resize_bytes};
use js_sys::Array;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::begun::{Begun, Settings};
use super::decoding::PageDecoding;
use super::error::{add_failures, error_of, error_of_attempt};
use super::findings_error::{host_replaced, no_memory};
use super::in_flight::{Context, InFlight, kind_of_work};
use super::mapping::mapped_counts;
use super::resume::{ResumeState, Unmade};
use super::serialize::to_js;
use super::settings::Read;
#[cfg(feature = "tables")]
use super::{taken::Taken, watch::Watch};
use crate::host_functions::{self as host, Performer, is_offline, random, reason_of};
use crate::js_string::copied;
use call::contract::KindCounts;
use call::error::{CallEnd, Error, ErrorKind, Failures, Subject};
use call::machine::{Action, Begin, CallId, Calls, Event, Failure, Host, Op, Outcome, Received, Sender, Why, Work};

/// The number of failures that become objects between two checks of the time slice.
const FAILURES: usize = 32;

/// What lies outside is known by its number.
pub(super) struct Page;

impl Host for Page {
    type Value = JsValue;
    type Call = CallId;
    type Work = Op;
}

/// The calls of one client.
pub(super) struct ClientCalls {
    machine: RefCell<Calls<Page>>,
    pub(super) performer: Performer,
    in_flight: RefCell<Vec<InFlight>>,
    /// The body that the page decodes.
    pub(super) decoding: PageDecoding,
    /// The chunks of partitions that have not been delivered.
    #[cfg(feature = "tables")]
    pub(super) taken: Taken,
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
            machine: RefCell::new(Calls::new(concurrency, max_buffered_bytes, random)),
            performer,
            in_flight: RefCell::default(),
            decoding: PageDecoding::default(),
            #[cfg(feature = "tables")]
            taken: Taken::default(),
            is_performing: Cell::new(false),
            wakes_at: Cell::new(f64::INFINITY),
            latest: Cell::new(0.0),
        }
    }

    /// Begins a call.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn begin(&self, wanted: Wanted<'_>) -> Result<(CallId, Begun), JsValue> {
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        let to = &self.performer;
        let lists = wanted.state.map_or(JsValue::UNDEFINED, ResumeState::lists);
        let id = self.machine.borrow_mut().reserve().map_err(|OutOfMemory| no_memory())?;
        let Some(begun) = host::enter_call(to, id.0, wanted.settings, &lists) else {
            self.handle(self.latest.get(), Event::Abort(id));
            host::forget_call(to, id.0);
            return Err(host_replaced());
        };
        let read = match begun.read(wanted.inspection_key) {
            Some(read) => read,
            None => {
                self.handle(self.latest.get(), Event::Abort(id));
                host::end_call(to, id.0, &host_replaced(), true);
                return Ok((id, begun));
            }
        };
        if read.is_over {
            // A signal has been aborted already.
            self.handle(read.now, Event::Abort(id));
            host::forget_call(to, id.0);
            return Ok((id, begun));
        }
        match self.prepared(id, &begun, &read, wanted) {
            Ok((begin, call)) => {
                self.in_flight.borrow_mut().push(call);
                self.handle(read.now, Event::Begin(begin));
            }
            Err(OutOfMemory) => {
                self.handle(read.now, Event::Abort(id));
                host::end_call(to, id.0, &no_memory(), true);
            }
        }
        Ok((id, begun))
    }

    /// What the machine and the border know of a call that begins.
    ///
    /// # Errors
    ///
    /// Out of memory.
    fn prepared(
        &self,
        id: CallId,
        begun: &Begun,
        read: &Read,
        wanted: Wanted<'_>,
    ) -> Result<(Begin<Page>, InFlight), OutOfMemory> {
        let Wanted { inspection_key, mut work, state, .. } = wanted;
        if let Work::Stream(_, order) = &mut work {
            *order = read.order;
        }
        let begin = read.begin(id, copied(&begun.base_url())?, work, state.map(ResumeState::accumulator));
        let columns = if read.has_columns { begun.column_list()? } else { None };
        #[cfg(feature = "tables")]
        let begin = {
            let mut begin = Begin { is_watched: wanted.watch.is_some(), ..begin };
            if let Some(chunks) = state.and_then(ResumeState::chunks) {
                chunks.limit_to(columns.clone());
                begin.earlier = chunks.earlier(read.appends)?;
            }
            begin
        };
        let call = InFlight {
            id,
            context: Context { inspection_key: inspection_key.clone(), base_url: begin.base.as_str().into() },
            subject: Subject::of_call(begin.inspection, kind_of_work(&work)),
            form: state.map_or(read.form, ResumeState::form),
            columns,
            state: state.cloned(),
            #[cfg(feature = "tables")]
            is_stream: matches!(work, Work::Stream(..)),
            failures: Failures::new(),
            error: None,
            first_failure: None,
            #[cfg(feature = "tables")]
            partition: None,
            #[cfg(feature = "tables")]
            watch: wanted.watch.cloned(),
        };
        Ok((begin, call))
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
            self.wakes_at.set(if host::wake_at(&self.performer, next) { next } else { f64::INFINITY });
        }
    }

    /// Takes note that a request has failed.
    pub(super) fn fail(&self, now: f64, op: Op, why: Why, cause: JsValue) {
        let reason = if why == Why::Memory { String::new() } else { reason_of(&cause) };
        let advice = host::advice_of(&self.performer, op.0, &cause);
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
        if self.with(id, |call| call.error.is_some()) == Some(true) {
            drop(self.take(id));
        }
    }

    /// Does something with a call in flight. It must not call JavaScript.
    pub(super) fn with<T>(&self, id: CallId, look: impl FnOnce(&mut InFlight) -> T) -> Option<T> {
        self.in_flight.borrow_mut().iter_mut().find(|call| call.id == id).map(look)
    }

    /// Copies the first bytes of the body that JavaScript keeps.
    pub(super) fn copied_body(&self, op: Op, length: u64) -> Result<Vec<u8>, OutOfMemory> {
        let mut bytes = Vec::new();
        resize_bytes(&mut bytes, usize::try_from(length).map_err(|_| OutOfMemory)?)?;
        if host::copy_body(&self.performer, op.0, &mut bytes) { Ok(bytes) } else { Err(OutOfMemory) }
    }

    /// Makes objects of some failures of a call, and adds them to a list. Returns true once the list is complete.
    pub(super) fn make_failures(&self, id: CallId, list: &Array) -> bool {
        let some = self.with(id, |call| (call.context.clone(), call.take_failures(FAILURES)));
        let Some((context, failures)) = some.filter(|(_, failures)| !failures.is_empty()) else { return true };
        let first = add_failures(&self.performer, id, &context, failures, list);
        self.with(id, |call| call.first_failure = call.first_failure.take().or(first));
        false
    }

    /// Makes the error of a call that lacks partitions, of the list of its failures.
    pub(super) fn partial_error(&self, id: CallId, failures: Array) -> JsValue {
        let Some(mut call) = self.take(id) else { return JsValue::UNDEFINED };
        let Some(error) = call.error.take() else { return JsValue::UNDEFINED };
        self.error_of(&call, error, Some(failures))
    }

    /// What a call has received, as far as the machine knows.
    fn received_by(&self, call: &InFlight) -> Option<Received> {
        call.state.as_ref()?.received()
    }

    fn error_of(&self, call: &InFlight, error: Box<Error<JsValue>>, failures: Option<Array>) -> JsValue {
        error_of(&self.performer, call, self.received_by(call), error, failures)
    }

    fn next_action(&self) -> Option<Action<Page>> {
        self.machine.borrow_mut().next_action()
    }

    fn call_of(&self, op: Op) -> Option<CallId> {
        self.machine.borrow().call_of(op)
    }

    /// Removes a call of which nothing comes any more.
    fn take(&self, id: CallId) -> Option<InFlight> {
        let mut calls = self.in_flight.borrow_mut();
        let position = calls.iter().position(|call| call.id == id)?;
        Some(calls.swap_remove(position))
    }

    fn perform(&self, now: f64, action: Action<Page>) {
        let to = &self.performer;
        match action {
            Action::AskHeaders { call, op, url, attempt, status } => {
                host::ask_headers(to, call.0, op.0, &url, attempt, status);
            }
            Action::Send { call, op, url, headers, sender } => {
                host::send_request(to, call.0, op.0, &url, &headers.into(), sender == Sender::Any);
                if !self.machine.borrow_mut().keep(op, op) {
                    host::cancel(to, op.0);
                }
            }
            Action::Cancel { work: op } => {
                self.decoding.cancel(op);
                #[cfg(feature = "tables")]
                self.taken.cancel(op);
                host::cancel(to, op.0);
            }
            Action::UseWorker { call } => host::use_worker(to, call.0),
            Action::ReadBytes { op, most, .. } => {
                let length = most.min(host::body_length(to, op.0) as u64);
                let bytes = self.copied_body(op, length);
                host::cancel(to, op.0);
                match bytes {
                    Ok(bytes) => self.handle(now, Event::Bytes(op, bytes)),
                    Err(OutOfMemory) => self.fail(now, op, Why::Memory, JsValue::UNDEFINED),
                }
            }
            Action::Delegate { work: op, index, compares, .. } => {
                let Some(call) = self.call_of(op) else { return };
                self.expect_chunk(call, op, compares.then_some(index));
                host::delegate(to, call.0, op.0);
            }
            Action::Decode { work: op, index, length, compares } => {
                let Some(call) = self.call_of(op) else { return };
                self.expect_chunk(call, op, compares.then_some(index));
                self.decoding.expect(op, call, length);
                host::decode(to, op.0);
            }
            Action::MapCounts { call, op, body } => self.map_counts(now, call, op, &body),
            Action::Progress { call, progress, is_report } => {
                #[cfg(feature = "tables")]
                self.watched(call, progress);
                if is_report {
                    host::report_progress(to, call.0, &value_or_thrown(to_js(&progress)));
                }
            }
            Action::Report { call, change, error } => {
                let context = self.with(call, |call| call.context.clone());
                let error = error.zip(context);
                let error = error.map(|(error, context)| error_of_attempt(to, call, &context, error));
                host::report_partition(to, call.0, &value_or_thrown(to_js(&change)), &error.into());
            }
            Action::Deliver { call, work: op, index } => self.deliver(call, op, index),
            #[cfg(feature = "tables")]
            Action::KeepEarlier { call, below } => self.keep_earlier(call, below),
            #[cfg(feature = "tables")]
            Action::DropEarlier { call } => self.drop_earlier(call),
            #[cfg(not(feature = "tables"))]
            Action::KeepEarlier { .. } | Action::DropEarlier { .. } => {}
            Action::Missing { call, index, error } => {
                self.with(call, |call| call.note_missing(index, error));
            }
            Action::End { call, end } => self.end(call, end),
            Action::Forget { call } => {
                drop(self.take(call));
                host::forget_call(to, call.0);
            }
        }
    }

    fn map_counts(&self, now: f64, call: CallId, op: Op, body: &[u8]) {
        // Without the function, the call has ended.
        let Some(function) = host::read_counts(&self.performer, call.0) else { return };
        match mapped_counts(&function, body) {
            Ok(counts) => self.handle(now, Event::Mapped(op, counts)),
            Err(thrown) => host::abort_call(&self.performer, call.0, &thrown),
        }
    }

    /// Ends a call with its result or its error.
    fn end(&self, id: CallId, end: Result<Outcome, CallEnd<JsValue>>) {
        let to = &self.performer;
        let error = match end {
            Ok(Outcome::Counts(sentiment, topics)) => {
                drop(self.take(id));
                let counts = value_or_thrown(to_js(&PartitionCounts { sentiment, topics }));
                return host::end_call(to, id.0, &counts, false);
            }
            Ok(Outcome::Delivered) => {
                let Some(mut call) = self.take(id) else { return };
                match call.result(self.received_by(&call)) {
                    Ok(result) => return host::end_call(to, id.0, &result, false),
                    #[cfg(feature = "tables")]
                    Err(Unmade::TooMany(error)) => return host::end_call(to, id.0, &error, true),
                    Err(Unmade::OutOfMemory) => {
                        let error = Error::new(ErrorKind::Memory, call.subject, 0);
                        return host::end_call(to, id.0, &self.error_of(&call, error, None), true);
                    }
                }
            }
            Err(CallEnd::Thrown(thrown)) => {
                drop(self.take(id));
                return host::end_call(to, id.0, &thrown, true);
            }
            Err(CallEnd::Failed(error)) => error,
        };
        if matches!(error.kind, ErrorKind::Partial { .. }) {
            self.with(id, |call| call.error = Some(error));
            return host::fail_call(to, id.0);
        }
        let Some(call) = self.take(id) else { return };
        host::end_call(to, id.0, &self.error_of(&call, error, None), true);
    }

    /// Without tables, findings are no chunks.
    #[cfg(not(feature = "tables"))]
    fn expect_chunk(&self, _: CallId, _: Op, _: Option<u64>) {}

    #[cfg(not(feature = "tables"))]
    fn deliver(&self, call: CallId, op: Op, index: u64) {
        host::deliver(&self.performer, call.0, op.0, index as f64, &JsValue::UNDEFINED);
    }
}

/// The value, or what was thrown instead.
fn value_or_thrown(value: Result<JsValue, JsValue>) -> JsValue {
    value.unwrap_or_else(|thrown| thrown)
}

/// The counts of both kinds.
#[derive(Serialize)]
struct PartitionCounts {
    sentiment: KindCounts,
    topics: KindCounts,
}
