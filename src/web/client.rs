//! The client behind the `FindingsClient` of the package: each call as a promise, and the events that JavaScript tells.

use std::rc::Rc;

use chunk::form::Formed;
use js_sys::Promise;
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use super::calls::ClientCalls;
use super::head::head_of;
use super::mapping::mapped_counts;
use super::numbers::{DelegationFailure, ExchangeFailure};
use super::performer::{Performer, Settings};
use super::resume::{Gathered, ResumeState, kind_of};
use crate::host_functions::{copy_bytes, is_offline};
use call::machine::{CallId, Decoded, Event, Op, Order, Task, Undecoded};

/// The calls of one client.
#[wasm_bindgen]
pub struct Client {
    pub(super) calls: Rc<ClientCalls>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.calls.performer.leave();
    }
}

#[wasm_bindgen]
impl Client {
    /// A client whose calls share these limits.
    #[wasm_bindgen(constructor)]
    pub fn new(concurrency: usize, max_buffered_bytes: f64, performer: Performer) -> Client {
        Client { calls: Rc::new(ClientCalls::new(concurrency, max_buffered_bytes as u64, performer)) }
    }

    /// Fetches the counts of both kinds.
    #[wasm_bindgen(js_name = getPartitionCounts, unchecked_return_type = "Promise<PartitionCounts>")]
    pub fn get_partition_counts(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: &JsValue,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        self.begun(inspection_key, settings, Task::Counts, None)
    }

    /// Fetches the findings of one partition.
    #[wasm_bindgen(js_name = getPartition, unchecked_return_type = "Promise<Finding[] | FindingsTable<never>>")]
    pub fn get_partition(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        partition_index: f64,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        let task = Task::Partition(kind_of(kind), partition_index as u64);
        self.begun(inspection_key, settings, task, None)
    }

    /// Fetches the findings of all partitions. The `resume` of a `partial` error is the state from
    /// which [`resume`](Self::resume) continues.
    #[wasm_bindgen(js_name = getFindings, unchecked_return_type = "Promise<Finding[]>")]
    pub fn get_findings(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        let state = Self::new_state(Gathered::lists(), inspection_key, kind);
        self.resume(&state, settings)
    }

    /// Continues the call that this state is from.
    #[wasm_bindgen(unchecked_return_type = "Promise<Finding[] | FindingsTable<never>>")]
    pub fn resume(&self, resume_state: &ResumeState, settings: &Settings) -> Result<Promise, JsValue> {
        let task = Task::Findings(resume_state.kind);
        self.begun(&resume_state.inspection_key, settings, task, Some(resume_state))
    }

    /// Begins a stream of the partitions, as plain objects or as tables.
    #[wasm_bindgen(js_name = streamPartitions, unchecked_return_type = "PartitionSource<Delivered>")]
    pub fn stream_partitions(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        settings: &Settings,
    ) -> Result<JsValue, JsValue> {
        let task = Task::Stream(kind_of(kind), Order::Index);
        Ok(self.calls.begin(inspection_key, settings, task, None)?.reader())
    }

    /// The `headers` function has returned.
    pub fn headers(&self, now: f64, op: u32, #[wasm_bindgen(unchecked_param_type = "Headers")] headers: JsValue) {
        self.calls.handle(now, Event::Headers(Op(op), headers));
    }

    /// `readCounts` has returned.
    pub fn mapped(&self, now: f64, op: u32, #[wasm_bindgen(unchecked_param_type = "unknown")] counts: &JsValue) {
        let op = Op(op);
        let event =
            mapped_counts(counts).map_or_else(|thrown| Event::Thrown(op, thrown), |counts| Event::Mapped(op, counts));
        self.calls.handle(now, event);
    }

    /// `headers` or `readCounts` has thrown.
    pub fn thrown(&self, now: f64, op: u32, #[wasm_bindgen(unchecked_param_type = "unknown")] thrown: JsValue) {
        self.calls.handle(now, Event::Thrown(Op(op), thrown));
    }

    /// The head of a response has arrived.
    pub fn head(
        &self,
        now: f64,
        op: u32,
        #[wasm_bindgen(unchecked_param_type = "Head")] head: &JsValue,
        headers: Headers,
        by_worker: bool,
    ) {
        let (head, headers) = head_of(head, headers);
        self.calls.handle(now, Event::Head(Op(op), head, by_worker, headers));
    }

    /// A piece of a body has arrived, of this length.
    pub fn piece(&self, now: f64, op: u32, length: f64) {
        self.calls.handle(now, Event::Piece(Op(op), length as u64));
    }

    /// A body has arrived.
    #[wasm_bindgen(js_name = bodyEnd)]
    pub fn body_end(&self, now: f64, op: u32) {
        self.calls.handle(now, Event::BodyEnd(Op(op)));
    }

    /// A request has failed.
    pub fn failed(
        &self,
        now: f64,
        op: u32,
        why: ExchangeFailure,
        #[wasm_bindgen(unchecked_param_type = "unknown")] cause: JsValue,
    ) {
        self.calls.fail(now, Op(op), why.why(), cause);
    }

    /// Decodes a slice of a body. Returns packed rows at the end, undefined if more is to be done, and null if it is over.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array | null | undefined")]
    pub fn decode(&self, now: f64, op: u32) -> JsValue {
        let Some(attempt) = self.calls.attempt(Op(op)) else { return JsValue::NULL };
        match attempt.decode() {
            Ok(None) => return JsValue::UNDEFINED,
            Ok(Some(Formed::Rows(rows))) => match copy_bytes(&rows) {
                Ok(rows) => return rows.into(),
                Err(cause) => self.unbuilt(now, op, cause),
            },
            #[cfg(feature = "tables")]
            Ok(Some(Formed::Chunk(chunk))) => self.calls.take_chunk_of(now, Op(op), chunk),
            Err(why) => self.calls.handle(now, Event::Decoded(Op(op), Err(why))),
        }
        JsValue::NULL
    }

    /// A body of some bytes has become a list of objects: the findings of a partition, or those of a body that has `errors`.
    pub fn built(
        &self,
        now: f64,
        op: u32,
        #[wasm_bindgen(unchecked_param_type = "unknown[]")] list: JsValue,
        length: f64,
        bytes: f64,
    ) {
        let end = match self.take_messages(op) {
            Some(messages) => Err(Undecoded::Refused(messages, Some(list))),
            // Objects are about as large as the body.
            None => Ok(Decoded { findings: length as u64, bytes: bytes as u64 }),
        };
        self.calls.handle(now, Event::Decoded(Op(op), end));
    }

    /// Objects could not be made.
    pub fn unbuilt(&self, now: f64, op: u32, #[wasm_bindgen(unchecked_param_type = "unknown")] cause: JsValue) {
        let why = match self.take_messages(op) {
            // Those of an error are not essential.
            Some(messages) => Undecoded::Refused(messages, None),
            None => Undecoded::Unbuilt(cause),
        };
        self.calls.handle(now, Event::Decoded(Op(op), Err(why)));
    }

    /// A worker has not decoded a body.
    #[wasm_bindgen(js_name = notDelegated)]
    pub fn not_delegated(
        &self,
        now: f64,
        op: u32,
        why: DelegationFailure,
        #[wasm_bindgen(unchecked_param_type = "unknown")] cause: JsValue,
    ) {
        let why = match why {
            DelegationFailure::PageDecodes => Undecoded::PageDecodes,
            DelegationFailure::Lost => Undecoded::Lost,
            DelegationFailure::NoWorker => Undecoded::NoWorker { cause, is_offline: is_offline() },
        };
        self.calls.handle(now, Event::Decoded(Op(op), Err(why)));
    }

    /// The reader of a stream waits.
    pub fn read(&self, now: f64, call: u32) {
        self.calls.handle(now, Event::Read(CallId(call)));
    }

    /// A call has been ended.
    pub fn abort(&self, now: f64, call: u32) {
        self.calls.handle(now, Event::Abort(CallId(call)));
    }

    /// The host is online again.
    pub fn online(&self, now: f64) {
        self.calls.handle(now, Event::Online);
    }

    /// The time has come.
    pub fn tick(&self, now: f64) {
        self.calls.tick(now);
    }
}

impl Client {
    /// The state of a new call for all findings.
    pub(super) fn new_state(gathered: Gathered, inspection_key: JsValue, kind: &JsValue) -> ResumeState {
        ResumeState::new(gathered, inspection_key, kind_of(kind))
    }

    /// Takes the messages of a body with `errors` whose findings have been built.
    fn take_messages(&self, op: u32) -> Option<Vec<String>> {
        self.calls.attempt(Op(op))?.take_messages()
    }

    /// Begins a call. Its promise settles when the call has ended.
    fn begun(
        &self,
        inspection_key: &JsValue,
        settings: &Settings,
        task: Task,
        state: Option<&ResumeState>,
    ) -> Result<Promise, JsValue> {
        Ok(self.calls.begin(inspection_key, settings, task, state)?.promise())
    }
}
