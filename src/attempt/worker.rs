//! The worker's side: makes the attempts that a page asks for, and reports on each.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use columns::dictionary::{Dictionary, Position};
use columns::memory::OutOfMemory;
use columns::parcel;
use columns::shared_dictionary::SharedDictionary;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, LocalBoxFuture, abortable};
use futures_util::lock::Mutex;

use super::decode::{DecodeFailure, Thread, decode};
use super::local::{self, LocalResponse};
use super::message::{AttemptId, Beginning, CallId, Cause, Event, Failure, Order, Report};
use super::{Body, Form, Request, Response};
use crate::transport::{BodyError, SendError, Transport};

/// The environment of a worker.
pub(crate) trait WorkerHost: 'static {
    /// The thread of the worker.
    type Thread: Thread + Clone + 'static;
    /// What an order says about sending a request.
    type Sending: 'static;
    /// Sends the request of one attempt.
    type Transport: Transport;

    /// Returns the thread.
    fn thread(&self) -> Self::Thread;
    /// Returns the transport and the headers for a request.
    fn transport(&self, sending: Self::Sending) -> Result<Prepared<Self::Transport>, Cause>;
    /// Describes what a request failed with.
    fn describe(value: <Self::Transport as Transport>::Value) -> Cause;
    /// Posts a report to the page, with a buffer that may be transferred.
    fn post(&self, report: Report, buffer: Option<Vec<u8>>);
}

/// A request that is ready to be sent.
pub(crate) struct Prepared<T: Transport> {
    /// What sends it.
    pub(crate) transport: T,
    /// Its path.
    pub(crate) path: String,
    /// Its headers.
    pub(crate) headers: T::Headers,
}

/// The attempts that a worker makes.
pub(crate) struct Worker<H: WorkerHost> {
    host: H,
    running: RefCell<Vec<(AttemptId, AbortHandle)>>,
    calls: RefCell<Vec<(CallId, Rc<CallDictionary>)>>,
}

/// The dictionary of a call. Partitions are decoded one at a time, because they share it.
struct CallDictionary {
    dictionary: SharedDictionary,
    decoding: Mutex<()>,
    /// What the page knows of the dictionary.
    sent: RefCell<Position>,
    parcels: Cell<u32>,
}

/// A failure, with the buffer that its report takes along.
type Failed = (Failure, Option<Vec<u8>>);

impl<H: WorkerHost> Worker<H> {
    /// A worker without attempts.
    pub(crate) fn new(host: H) -> Rc<Self> {
        Rc::new(Worker { host, running: RefCell::default(), calls: RefCell::default() })
    }

    /// Obeys an order. Returns the attempt that it begins, which the host runs.
    pub(crate) fn obey(self: &Rc<Self>, order: Order<H::Sending>) -> Option<LocalBoxFuture<'static, ()>> {
        match order {
            Order::Begin(beginning) => {
                let (worker, attempt) = (Rc::clone(self), beginning.attempt);
                let (attempted, handle) = abortable(async move { worker.attempt(beginning).await });
                self.running.borrow_mut().push((attempt, handle));
                let worker = Rc::clone(self);
                Some(attempted.map(move |_| worker.remove(attempt)).boxed_local())
            }
            Order::Cancel(attempt) => {
                self.running
                    .borrow()
                    .iter()
                    .filter(|(other, _)| *other == attempt)
                    .for_each(|(_, handle)| handle.abort());
                None
            }
            Order::EndCall(call) => {
                self.calls.borrow_mut().retain(|(other, _)| *other != call);
                None
            }
        }
    }

    /// The attempts under way.
    #[cfg(test)]
    pub(crate) fn running(&self) -> usize {
        self.running.borrow().len()
    }

    /// The dictionaries that it keeps.
    #[cfg(test)]
    pub(crate) fn dictionaries(&self) -> usize {
        self.calls.borrow().len()
    }

    fn remove(&self, attempt: AttemptId) {
        self.running.borrow_mut().retain(|(other, _)| *other != attempt);
    }

    async fn attempt(&self, beginning: Beginning<H::Sending>) {
        let attempt = beginning.attempt;
        if let Err((failure, buffer)) = self.try_attempt(beginning).await {
            self.host.post(Report { attempt, event: Event::Failed(failure) }, buffer);
        }
    }

    async fn try_attempt(&self, beginning: Beginning<H::Sending>) -> Result<(), Failed> {
        let Beginning { attempt, call, form, limit, reserved, sending } = beginning;
        let post = |event, buffer| self.host.post(Report { attempt, event }, buffer);
        let Prepared { transport, path, headers } =
            self.host.transport(sending).map_err(|cause| failed(Failure::Unreachable(cause)))?;
        let request = Request { path: &path, limit, reserved, form };
        let sent = local::send(&transport, self.host.thread(), request, &headers).await;
        let mut response = sent.map_err(|error| match error {
            SendError::Connection(value) => failed(Failure::Unreachable(H::describe(value))),
            SendError::NoResponse(value) => failed(Failure::NoResponse(H::describe(value))),
            SendError::Lost | SendError::NoWorker(_) => failed(Failure::Lost),
        })?;
        if !response.head().is_success() {
            self.refuse(attempt, &mut response).await;
            return Ok(());
        }
        let known = Cell::new(reserved);
        let at_least = |bytes: usize| {
            let bytes = bytes as u64;
            if bytes > known.get() {
                // With some more, so that a long body is not reported at each of its pieces.
                known.set(bytes + bytes / 4);
                post(Event::Growing(known.get()), None);
            }
        };
        let read = response.read(&at_least).await.map_err(|error| failed(unread::<H>(error)))?;
        let (length, is_page) = (read.len(), response.head().is_page);
        drop(response);
        match read {
            Body::Bytes(body) if form == Form::Bytes => post(Event::Received { length, is_page }, Some(body)),
            Body::Bytes(body) => {
                post(Event::Received { length, is_page }, None);
                let (parcel, bytes) = self.decode(form, call, body).await?;
                post(Event::Decoded { parcel }, Some(bytes));
            }
            Body::Remote(_) => return Err(failed(Failure::Lost)),
        }
        Ok(())
    }

    /// Reports a response without success, and the beginning of its body.
    async fn refuse(
        &self,
        attempt: AttemptId,
        response: &mut LocalResponse<<H::Transport as Transport>::Answer, H::Thread>,
    ) {
        let post = |event, buffer| self.host.post(Report { attempt, event }, buffer);
        post(Event::Refused(response.head().clone()), None);
        while response.read_excerpt_piece().await {
            post(Event::Excerpt { is_whole: false }, Some(response.excerpt().to_vec()));
        }
        post(Event::Excerpt { is_whole: true }, Some(response.excerpt().to_vec()));
    }

    async fn decode(
        &self,
        form: Form,
        call: CallId,
        body: Vec<u8>,
    ) -> Result<(Option<(CallId, u32)>, Vec<u8>), Failed> {
        let known = if form == Form::Shared { self.dictionary_of(call) } else { Self::new_dictionary() };
        let _decoding = known.decoding.lock().await;
        let chunk = decode(&self.host.thread(), body, &known.dictionary).await.map_err(undecoded)?;
        let dictionary = known.dictionary.read();
        let parcel = parcel::pack(&dictionary, &known.sent.borrow(), &chunk);
        let parcel = parcel.map_err(|OutOfMemory| failed(Failure::Memory))?;
        known.sent.replace(dictionary.position().clone());
        let number = known.parcels.replace(known.parcels.get() + 1);
        Ok(((form == Form::Shared).then_some((call, number)), parcel))
    }

    fn dictionary_of(&self, call: CallId) -> Rc<CallDictionary> {
        let mut calls = self.calls.borrow_mut();
        if let Some((_, known)) = calls.iter().find(|(other, _)| *other == call) {
            return Rc::clone(known);
        }
        let new = Self::new_dictionary();
        calls.push((call, Rc::clone(&new)));
        new
    }

    fn new_dictionary() -> Rc<CallDictionary> {
        Rc::new(CallDictionary {
            dictionary: Dictionary::new(H::Thread::read_number).into(),
            decoding: Mutex::new(()),
            sent: RefCell::default(),
            parcels: Cell::new(0),
        })
    }
}

fn failed(failure: Failure) -> Failed {
    (failure, None)
}

fn unread<H: WorkerHost>(error: BodyError<<H::Transport as Transport>::Value>) -> Failure {
    match error {
        BodyError::Connection(value) => Failure::Broken(H::describe(value)),
        BodyError::NoResponse(value) => Failure::NoResponse(H::describe(value)),
        BodyError::Empty => Failure::Empty,
        BodyError::TooLarge => Failure::TooLarge,
        BodyError::Memory => Failure::Memory,
        BodyError::Lost => Failure::Lost,
    }
}

fn undecoded(failure: DecodeFailure) -> Failed {
    match failure {
        DecodeFailure::Undecodable(error) => failed(Failure::Undecodable(error)),
        DecodeFailure::Service(messages, findings) => {
            let packed = findings.and_then(|alone| {
                alone.map(|alone| parcel::pack(&alone.0.read(), &Position::default(), &alone.1)).transpose()
            });
            (Failure::Service { messages, complete: packed.is_ok() }, packed.ok().flatten())
        }
        DecodeFailure::Memory => failed(Failure::Memory),
        DecodeFailure::Lost => failed(Failure::Lost),
    }
}
