//! HTTP as the retrieval sees it: send a request, then read the body of the response piece by piece.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(crate) mod fetch;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(crate) mod worker_fetch;

use std::future::Future;

use columns::memory::{OutOfMemory, reserve_exact, resize_bytes};

/// The most bytes to allocate for a body because its `Content-Length` announces them.
const TRUSTED_LENGTH: usize = 16 * 1024 * 1024;

/// The most bytes to read of an unsuccessful response, for the messages in it.
pub(crate) const EXCERPT_LIMIT: usize = 16 * 1024;

/// Sends requests.
pub(crate) trait Transport {
    /// A value that comes from the caller and goes back unread, such as what a function threw.
    type Value: Clone + 'static;
    /// Headers that are ready to be sent.
    type Headers: Clone + 'static;
    /// A response whose body is unread.
    type Answer: Answer<Value = Self::Value>;

    /// Requests a path relative to the base URL, and resolves once the response's headers have arrived. Dropping the future, or the
    /// response, cancels the request.
    fn send(
        &self,
        path: &str,
        headers: &Self::Headers,
    ) -> impl Future<Output = Result<Self::Answer, SendError<Self::Value>>>;
}

/// A response: its headers have arrived, its body arrives in pieces.
pub(crate) trait Answer {
    /// The cause of a broken connection.
    type Value;
    /// A piece of the body.
    type Piece: Piece<Value = Self::Value>;

    /// The HTTP status; 0 for a redirect whose status the browser hides.
    fn status(&self) -> u16;
    /// Whether the response is a redirect that was not followed.
    fn is_redirect(&self) -> bool;
    /// Whether CORS may hide headers of the response.
    fn hides_headers(&self) -> bool;
    /// The `Retry-After` header, if it is present and visible.
    fn retry_after(&self) -> Option<String>;
    /// Whether the `Content-Type` is that of an HTML page.
    fn is_page(&self) -> bool;
    /// The `Content-Length`, in bytes. A hint only: of a compressed body it is the compressed length.
    fn announced_length(&self) -> Option<usize>;
    /// Whether the last error of [`next_piece`](Self::next_piece) came from a response of the wrong shape.
    fn is_misshapen(&self) -> bool {
        false
    }
    /// Waits for the next piece of the body; `None` at its end.
    fn next_piece(&mut self) -> impl Future<Output = Result<Option<Self::Piece>, Self::Value>>;
}

/// A piece of a body that is not yet in the module's memory.
pub(crate) trait Piece {
    /// The cause of a failed copy.
    type Value;

    /// The length in bytes.
    fn length(&self) -> usize;
    /// Fills `target` with the first bytes of the piece, which is at least as long.
    fn copy_to(&self, target: &mut [u8]) -> Result<(), Self::Value>;
}

/// Why a request gets no response.
#[derive(Debug)]
pub(crate) enum SendError<Value> {
    /// The request was refused or the connection broke.
    Connection(Value),
    /// `fetch` resolved with something other than a response.
    NoResponse(Value),
    /// The worker that was to send the request has ended.
    Lost,
    /// There is no worker to send the request.
    NoWorker(Value),
}

/// Why a body cannot be read.
#[derive(Debug)]
pub(crate) enum BodyError<Value> {
    /// The connection broke.
    Connection(Value),
    /// The response does not have the shape of one.
    NoResponse(Value),
    /// The body is empty, though another length was announced.
    Empty,
    /// The body exceeds its limit.
    TooLarge,
    /// There is no memory for the body.
    Memory,
    /// The worker that was to read the body has ended.
    Lost,
}

impl<Value> BodyError<Value> {
    /// Converts the cause of a broken connection.
    pub(crate) fn described<Other: From<Value>>(self) -> BodyError<Other> {
        match self {
            BodyError::Connection(cause) => BodyError::Connection(cause.into()),
            BodyError::NoResponse(cause) => BodyError::NoResponse(cause.into()),
            BodyError::Empty => BodyError::Empty,
            BodyError::TooLarge => BodyError::TooLarge,
            BodyError::Memory => BodyError::Memory,
            BodyError::Lost => BodyError::Lost,
        }
    }
}

/// Appends a body to `body`, at most `most` bytes of it. Calls `at_least` with the length known so far, and awaits it after each
/// piece, since many may be ready at once.
///
/// # Errors
///
/// The connection broke or an allocation failed. The bytes read before stay in `body`.
pub(crate) async fn read_body<A: Answer>(
    answer: &mut A,
    body: &mut Vec<u8>,
    most: usize,
    at_least: impl AsyncFn(usize),
) -> Result<(), BodyError<A::Value>> {
    let announced = answer.announced_length().unwrap_or_default().min(most).min(TRUSTED_LENGTH);
    at_least(announced).await;
    reserve_exact(body, announced).map_err(|OutOfMemory| BodyError::Memory)?;
    while read_piece(answer, body, most).await? {
        at_least(body.len()).await;
    }
    Ok(())
}

/// Appends the next piece of a body to `body`, which gets at most `most` bytes. Returns false once there is no more to append.
///
/// # Errors
///
/// The connection broke or an allocation failed.
pub(crate) async fn read_piece<A: Answer>(
    answer: &mut A,
    body: &mut Vec<u8>,
    most: usize,
) -> Result<bool, BodyError<A::Value>> {
    let room = most.saturating_sub(body.len());
    if room == 0 {
        return Ok(false);
    }
    let piece = match answer.next_piece().await {
        Ok(Some(piece)) => piece,
        Ok(None) => return Ok(false),
        Err(cause) if answer.is_misshapen() => return Err(BodyError::NoResponse(cause)),
        Err(cause) => return Err(BodyError::Connection(cause)),
    };
    append(body, &piece, piece.length().min(room))?;
    Ok(true)
}

fn append<P: Piece>(body: &mut Vec<u8>, piece: &P, length: usize) -> Result<(), BodyError<P::Value>> {
    let start = body.len();
    resize_bytes(body, start + length).map_err(|OutOfMemory| BodyError::Memory)?;
    let target = body.get_mut(start..).unwrap_or_default();
    piece.copy_to(target).map_err(BodyError::Connection)
}
