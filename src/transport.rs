//! HTTP as a trait: send a request, then read the body of the response.

pub(crate) mod body;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(crate) mod fetch;
pub(crate) mod retry_after;

use std::future::Future;

use self::body::{Blob, Piece};
use self::retry_after::RetryAfter;

/// Sends requests.
pub(crate) trait Transport {
    /// A value from the caller that is passed back unread, such as an error that a function threw.
    type Value: Clone + 'static;
    /// Headers that are ready to be sent.
    type Headers: Clone + Into<Self::Value> + 'static;
    /// A body that the host keeps.
    type Blob: Blob<Value = Self::Value>;
    /// A response whose body is unread.
    type Answer: Answer<Value = Self::Value, Blob = Self::Blob>;

    /// Requests a path relative to the base URL, and resolves once the response's headers have arrived. Dropping the future, or the
    /// response, cancels the request.
    fn send(
        &self,
        path: &str,
        headers: &Self::Headers,
    ) -> impl Future<Output = Result<Self::Answer, SendError<Self::Value>>>;
}

/// A response: its headers have arrived, its body arrives in pieces or as a whole.
pub(crate) trait Answer {
    /// The cause of a broken connection.
    type Value;
    /// A piece of the body.
    type Piece: Piece<Value = Self::Value>;
    /// The whole body, which the host keeps.
    type Blob: Blob<Value = Self::Value>;

    /// The relevant headers.
    fn head(&self) -> &Head;
    /// Whether the last error of [`next_piece`](Self::next_piece) was caused by a response of the wrong shape.
    fn is_misshapen(&self) -> bool {
        false
    }
    /// Waits for the next piece of the body; `None` at its end.
    fn next_piece(&mut self) -> impl Future<Output = Result<Option<Self::Piece>, Self::Value>>;
    /// Whether the host keeps a blob of the body in another process until it is read.
    fn offers_blob(&self) -> bool;
    /// Waits for the whole body as a blob.
    fn blob(&mut self) -> impl Future<Output = Result<Self::Blob, Self::Value>>;
}

/// The relevant status and headers of a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// The HTTP status; 0 for a redirect whose status the browser hides.
    pub(crate) status: u16,
    /// Whether the response is a redirect that was not followed.
    pub(crate) is_redirect: bool,
    /// Whether CORS may hide headers of the response.
    pub(crate) hides_headers: bool,
    /// The `Retry-After` header, if it is valid and visible.
    pub(crate) retry_after: Option<RetryAfter>,
    /// Whether the body is an HTML page.
    pub(crate) is_page: bool,
    /// The `Content-Length`. Only a lower bound: for a compressed body, it is the compressed length.
    pub(crate) length: Option<usize>,
    /// Whether a `Content-Encoding` is visible.
    pub(crate) is_encoded: bool,
}

impl Head {
    /// Whether the request has succeeded.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why a request gets no response.
#[derive(Debug)]
pub(crate) enum SendError<Value> {
    /// The request was refused or the connection broke.
    Connection(Value),
    /// `fetch` resolved with something other than a response.
    NoResponse(Value),
}
