//! A response, as the host has it.

use std::future::Future;

use super::retry_after::RetryAfter;

/// A response: its headers have arrived. Its body arrives in pieces, or a worker keeps it.
pub trait Response {
    /// The cause of a broken connection.
    type Value;
    /// A piece of the body.
    type Piece: Piece<Value = Self::Value>;
    /// The whole body, which a worker keeps.
    type Kept: Kept<Value = Self::Value>;

    /// The relevant headers.
    fn head(&self) -> &Head;
    /// Waits for the next piece of the body; `None` at its end.
    fn next_piece(&mut self) -> impl Future<Output = Result<Option<Self::Piece>, BodyError<Self::Value>>>;
    /// Whether a worker receives the body and keeps it, unless the response refuses the request.
    fn is_kept(&self) -> bool;
    /// Whether more of the body arrives only in a later turn of the event loop, so that reading it cannot keep the thread.
    fn arrives_by_turns(&self) -> bool;
    /// Waits until a worker has received the whole body.
    fn kept(&mut self) -> impl Future<Output = Result<Self::Kept, BodyError<Self::Value>>>;
}

/// Why a body cannot be read.
#[derive(Debug)]
pub enum BodyError<Value> {
    /// The connection broke.
    Connection(Value),
    /// The value does not have the shape of a response.
    NoResponse(Value),
    /// The body is empty, but its `Content-Length` is that of a longer one.
    Empty,
    /// The body exceeds its limit.
    TooLarge,
    /// Out of memory for the body.
    Memory,
    /// The worker that kept the body has ended.
    Lost,
}

impl<Value> From<Value> for BodyError<Value> {
    fn from(cause: Value) -> Self {
        BodyError::Connection(cause)
    }
}

/// The relevant status and headers of a response.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The HTTP status; 0 for a redirect whose status the browser hides.
    pub status: u16,
    /// Whether the request has succeeded, with a whole body.
    pub is_success: bool,
    /// Whether the response is a redirect that was not followed.
    pub is_redirect: bool,
    /// Where a redirect leads, without credentials: an origin, or a path of the same origin. `None` if the host hides it.
    pub destination: Option<String>,
    /// Whether CORS may hide headers of the response.
    pub hides_headers: bool,
    /// The `Retry-After` header, if it is valid and visible.
    pub retry_after: Option<RetryAfter>,
    /// Whether the body is an HTML page.
    pub is_html: bool,
    /// The `Content-Length`. Only a lower bound: for a compressed body, it is the compressed length.
    pub length: Option<usize>,
    /// Whether a `Content-Encoding` is visible.
    pub is_encoded: bool,
}

/// A whole body that a worker keeps.
pub trait Kept {
    /// The cause of a failed read.
    type Value;
    /// Its bytes.
    type Piece: Piece<Value = Self::Value>;

    /// The length in bytes.
    fn length(&self) -> u64;
    /// Reads its bytes.
    fn read(&self) -> impl Future<Output = Result<Self::Piece, Self::Value>>;
}

/// A piece of a body that is not yet in the module's memory.
pub trait Piece {
    /// The cause of a failed copy.
    type Value;

    /// The length in bytes.
    fn length(&self) -> usize;
    /// Fills `target` with the first bytes of the piece, which is at least as long.
    fn copy_to(&self, target: &mut [u8]) -> Result<(), Self::Value>;
}
