//! The page's side of attempts that a worker makes.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::{Rc, Weak};

use super::mailbox::Mailbox;
use super::message::{AttemptId, Beginning, CallId, Cause, Event, Failure, Order, Report};
use super::mirror::{Mirror, Parcel};
use super::remote_attempt::RemoteAttempt;
use super::remote_body::RemoteBody;
use super::{Body, Form, Head, Request, Response};
use crate::transport::{BodyError, SendError};

/// A connection to a running worker.
pub(crate) struct Connection<Sending> {
    post: Box<dyn Fn(Order<Sending>)>,
    attempts: RefCell<Vec<(AttemptId, Rc<Mailbox>)>>,
    mirrors: RefCell<Vec<(CallId, Weak<Mirror>)>>,
    last_id: Cell<u32>,
    is_lost: Cell<bool>,
}

/// What the attempts of one call share.
pub(crate) struct RemoteCall<Sending> {
    /// The worker that keeps the call's dictionary, and the mirror of that dictionary.
    shared: RefCell<Option<SharedDictionary<Sending>>>,
    id: Cell<CallId>,
    may_share: Cell<bool>,
}

struct SharedDictionary<Sending> {
    connection: Rc<Connection<Sending>>,
    mirror: Rc<Mirror>,
}

/// A response to an attempt in a worker.
pub(crate) struct RemoteResponse {
    attempt: Rc<RemoteAttempt>,
    mirror: Option<Rc<Mirror>>,
    head: Head,
    excerpt: Vec<u8>,
}

impl<Sending: 'static> Connection<Sending> {
    /// A connection to a worker that has just started. `post` posts an order to it.
    pub(crate) fn new(post: impl Fn(Order<Sending>) + 'static) -> Rc<Self> {
        Rc::new(Connection {
            post: Box::new(post),
            attempts: RefCell::default(),
            mirrors: RefCell::default(),
            last_id: Cell::new(0),
            is_lost: Cell::new(false),
        })
    }

    /// Notes a report of the worker. Ignores one about an attempt that has ended, but for what it adds to a dictionary.
    pub(crate) fn receive(&self, Report { attempt, event }: Report, buffer: Option<Vec<u8>>) {
        let mailbox =
            self.attempts.borrow().iter().find(|(id, _)| *id == attempt).map(|(_, mailbox)| Rc::clone(mailbox));
        if let Event::Decoded { parcel: Some((call, number)) } = event {
            let mirror =
                self.mirrors.borrow().iter().find(|(id, _)| *id == call).and_then(|(_, mirror)| mirror.upgrade());
            if let Some(mirror) = mirror {
                mirror.add(number, Parcel { bytes: buffer.unwrap_or_default(), mailbox: mailbox.clone() });
            }
            if let Some(mailbox) = mailbox {
                mailbox.note(Event::Decoded { parcel: Some((call, number)) }, None);
            }
        } else if let Some(mailbox) = mailbox {
            mailbox.note(event, buffer);
        }
    }

    /// Ends the connection, because the worker has ended: attempts under way fail, and no others are made by it.
    pub(crate) fn lose(&self) {
        self.is_lost.set(true);
        for (_, mailbox) in self.attempts.take() {
            mailbox.note(Event::Failed(Failure::Lost), None);
        }
    }

    /// Whether the worker has ended.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// The attempts under way.
    pub(crate) fn attempts(&self) -> usize {
        self.attempts.borrow().len()
    }

    fn next_id(&self) -> u32 {
        self.last_id.set(self.last_id.get().wrapping_add(1));
        self.last_id.get()
    }

    fn begin(self: &Rc<Self>) -> (AttemptId, Rc<RemoteAttempt>) {
        let (id, mailbox) = (self.next_id(), Rc::<Mailbox>::default());
        self.attempts.borrow_mut().push((id, Rc::clone(&mailbox)));
        let connection = Rc::clone(self);
        let end = move |is_over: bool| {
            connection.attempts.borrow_mut().retain(|(other, _)| *other != id);
            if !is_over {
                connection.order(Order::Cancel(id));
            }
        };
        (id, Rc::new(RemoteAttempt { mailbox, end: Box::new(end) }))
    }
}

impl<Sending> Connection<Sending> {
    fn order(&self, order: Order<Sending>) {
        if !self.is_lost.get() {
            (self.post)(order);
        }
    }
}

impl<Sending: 'static> RemoteCall<Sending> {
    /// A call that has made no attempt in a worker.
    pub(crate) fn new() -> Self {
        RemoteCall { shared: RefCell::default(), id: Cell::new(0), may_share: Cell::new(true) }
    }

    /// Notes that a partition is decoded in the page: its dictionary then has entries that no worker knows.
    pub(crate) fn decodes_here(&self) {
        self.may_share.set(false);
    }

    /// Sends a request by a worker.
    ///
    /// # Errors
    ///
    /// There is no response, or the worker has ended.
    pub(crate) async fn send<Value: From<Cause>>(
        &self,
        connection: &Rc<Connection<Sending>>,
        request: Request<'_>,
        sending: Sending,
    ) -> Result<RemoteResponse, SendError<Value>> {
        if connection.is_lost() {
            return Err(SendError::Lost);
        }
        let mirror = if request.form == Form::Shared { self.mirror_on(connection) } else { None };
        // Only the worker that has decoded the first partition knows the dictionary; of another one, the page decodes the bodies.
        let form = if request.form == Form::Shared && mirror.is_none() { Form::Bytes } else { request.form };
        let (id, attempt) = connection.begin();
        let Request { limit, reserved, .. } = request;
        connection.order(Order::Begin(Beginning { attempt: id, call: self.id.get(), form, limit, reserved, sending }));
        let head = attempt.mailbox.head().await.map_err(|failure| match failure {
            Failure::Unreachable(cause) => SendError::Connection(cause.into()),
            Failure::NoResponse(cause) => SendError::NoResponse(cause.into()),
            _ => SendError::Lost,
        })?;
        Ok(RemoteResponse { attempt, mirror, head, excerpt: Vec::new() })
    }

    /// Returns the mirror of the call's dictionary, if the worker of this connection keeps it.
    fn mirror_on(&self, connection: &Rc<Connection<Sending>>) -> Option<Rc<Mirror>> {
        let mut shared = self.shared.borrow_mut();
        if let Some(SharedDictionary { connection: known, mirror }) = &*shared {
            return Rc::ptr_eq(known, connection).then(|| Rc::clone(mirror));
        }
        if !self.may_share.get() {
            return None;
        }
        let mirror = Rc::<Mirror>::default();
        self.id.set(connection.next_id());
        connection.mirrors.borrow_mut().push((self.id.get(), Rc::downgrade(&mirror)));
        *shared = Some(SharedDictionary { connection: Rc::clone(connection), mirror: Rc::clone(&mirror) });
        Some(mirror)
    }
}

impl<Sending> Drop for RemoteCall<Sending> {
    fn drop(&mut self) {
        if let Some(SharedDictionary { connection, .. }) = self.shared.take() {
            connection.mirrors.borrow_mut().retain(|(id, _)| *id != self.id.get());
            connection.order(Order::EndCall(self.id.get()));
        }
    }
}

impl Response for RemoteResponse {
    type Value = Cause;

    fn head(&self) -> &Head {
        &self.head
    }

    async fn read_excerpt(&mut self) {
        let RemoteResponse { attempt, excerpt, .. } = self;
        poll_fn(|context| {
            attempt.mailbox.poll(context, |told| {
                excerpt.clone_from(&told.excerpt);
                (told.is_excerpt_whole || told.failure.is_some()).then_some(())
            })
        })
        .await;
    }

    fn excerpt(&self) -> &[u8] {
        &self.excerpt
    }

    async fn read(&mut self, at_least: &dyn Fn(usize)) -> Result<Body, BodyError<Cause>> {
        let attempt = &self.attempt;
        let received = poll_fn(|context| {
            attempt.mailbox.poll(context, |told| {
                at_least(told.at_least as usize);
                let received = told.received.map(|received| Ok((received, told.body.take())));
                received.or_else(|| told.failure.take().map(Err))
            })
        });
        let received = received.await;
        if let Ok(((_, is_page), _)) = received {
            self.head.is_page = is_page;
        }
        match received {
            Ok((_, Some(body))) => Ok(Body::Bytes(body)),
            Ok(((length, _), None)) => {
                Ok(Body::Remote(RemoteBody { length, attempt: Rc::clone(attempt), mirror: self.mirror.clone() }))
            }
            Err(Failure::Broken(cause)) => Err(BodyError::Connection(cause)),
            Err(Failure::Empty) => Err(BodyError::Empty),
            Err(Failure::TooLarge) => Err(BodyError::TooLarge),
            Err(Failure::Memory) => Err(BodyError::Memory),
            Err(_) => Err(BodyError::Lost),
        }
    }
}
