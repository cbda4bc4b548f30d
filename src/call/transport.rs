//! HTTP as a trait: send a request, then read the body of the response.

pub mod body;
pub mod response;
pub mod retry_after;

use std::future::Future;

pub use self::response::{Head, Kept, Response};

/// Sends requests.
pub trait Transport {
    /// A value from the caller that is passed back unread, such as an error that a function threw.
    type Value: Clone + 'static;
    /// Headers that are ready to be sent.
    type Headers: Clone + 'static;
    /// A body that a worker keeps.
    type Kept: Kept<Value = Self::Value>;
    /// A response whose body is unread.
    type Response: Response<Value = Self::Value, Kept = Self::Kept>;

    /// Requests a path relative to the base URL, and resolves once the response's headers have arrived. Dropping the future, or the
    /// response, cancels the request.
    fn send(
        &self,
        path: &str,
        headers: &Self::Headers,
        sender: Sender,
    ) -> impl Future<Output = Result<Self::Response, SendError<Self::Value>>>;
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sender {
    /// The page, or a worker, which keeps the body.
    Any,
    /// The page.
    Page,
    /// The page, because a worker got no response.
    PageAfterWorker,
}

/// Why a request gets no response.
#[derive(Debug)]
pub enum SendError<Value> {
    /// The request was refused or the connection broke.
    Connection(Value),
    /// The same, for a worker that sent the request. The page may get a response.
    InWorker(Value),
    /// `fetch` resolved with something other than a response.
    NoResponse(Value),
    /// A framework ends the call with this value.
    Thrown(Value),
}
