//! One attempt: a request is sent, its response read, and the body of a partition decoded. A trait, because an attempt is made in the
//! page or in a worker.

pub(crate) mod any_response;
pub(crate) mod decode;
mod form;
mod head;
pub(crate) mod local;
mod mailbox;
pub(crate) mod message;
mod mirror;
pub(crate) mod remote;
mod remote_attempt;
mod remote_body;
pub(crate) mod worker;

use std::future::Future;

pub(crate) use self::form::Form;
pub(crate) use self::head::Head;
use self::remote_body::RemoteBody;
use crate::transport::{BodyError, SendError};

/// Makes attempts.
pub(crate) trait Attempts {
    /// A value that comes from the caller and goes back unread, such as what a function threw.
    type Value: Clone + 'static;
    /// Headers that are ready to be sent.
    type Headers: Clone + 'static;
    /// A response whose body is unread.
    type Response: Response<Value = Self::Value>;

    /// Sends a request, and resolves once the response's headers have arrived. Dropping the future, or the response, cancels the
    /// attempt.
    fn send(
        &self,
        request: Request<'_>,
        headers: &Self::Headers,
    ) -> impl Future<Output = Result<Self::Response, SendError<Self::Value>>>;
}

/// What an attempt requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'request> {
    /// The path, relative to the base URL.
    pub(crate) path: &'request str,
    /// The longest body that is accepted, in bytes.
    pub(crate) limit: usize,
    /// The bytes that are reserved for the body.
    pub(crate) reserved: u64,
    /// The form in which the body is needed.
    pub(crate) form: Form,
}

/// A response: its headers have arrived.
pub(crate) trait Response {
    /// The cause of a broken connection.
    type Value;

    /// What the headers say.
    fn head(&self) -> &Head;
    /// Reads the beginning of the body of a response without success, for the messages in it.
    fn read_excerpt(&mut self) -> impl Future<Output = ()>;
    /// The bytes that [`read_excerpt`](Self::read_excerpt) has read, however it ended.
    fn excerpt(&self) -> &[u8];
    /// Reads the whole body. Calls `at_least` with the length known so far.
    ///
    /// # Errors
    ///
    /// The body did not arrive, or is too long.
    fn read(&mut self, at_least: &dyn Fn(usize)) -> impl Future<Output = Result<Body, BodyError<Self::Value>>>;
}

/// A body that has arrived whole.
pub(crate) enum Body {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// A worker has it, and decodes it.
    Remote(RemoteBody),
}

impl Body {
    /// Returns the bytes of a body that was requested in that form.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Body::Bytes(bytes) => bytes,
            Body::Remote(_) => Vec::new(),
        }
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Body::Bytes(bytes) => bytes.len(),
            Body::Remote(remote) => remote.len(),
        }
    }
}
