//! One attempt over HTTP, as the retrieval sees it: send, then read the body piece by piece within a limit.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(crate) mod fetch;

use std::future::Future;

use columns::memory::{OutOfMemory, reserve_exact, resize_bytes};

/// Memory is reserved for at most this many announced bytes before they have arrived.
const TRUSTED_LENGTH: usize = 16 * 1024 * 1024;

/// The most of an answer that is not a success that is read for its messages, in bytes.
pub(crate) const EXCERPT_LIMIT: usize = 16 * 1024;

/// Sends requests. `Value` is a value of the caller's world, such as what a function threw.
pub(crate) trait Transport {
    /// What comes from the caller's world and goes back to it unread.
    type Value: Clone + 'static;
    /// Headers that are ready to be sent.
    type Headers: Clone + 'static;
    /// An answer whose body has not been read yet.
    type Answer: Answer<Value = Self::Value>;

    /// Asks for a path relative to the base URL, up to the answer's headers. Dropping the future, or later the answer,
    /// cancels the request.
    fn send(
        &self,
        path: &str,
        headers: &Self::Headers,
    ) -> impl Future<Output = Result<Self::Answer, SendError<Self::Value>>>;
}

/// An answer: status and headers are there, the body comes in pieces.
pub(crate) trait Answer {
    /// What broke the connection.
    type Value;
    /// A piece of the body.
    type Piece: Piece<Value = Self::Value>;

    /// The HTTP status; 0 where a browser hides it behind a redirect.
    fn status(&self) -> u16;
    /// Whether the answer is a redirect that was not followed.
    fn is_redirect(&self) -> bool;
    /// Whether headers may be there that cannot be read, because the answer came from another origin.
    fn hides_headers(&self) -> bool;
    /// The `Retry-After` header, where there is one that can be read.
    fn retry_after(&self) -> Option<String>;
    /// The length that the headers announce; of use as a hint only.
    fn announced_length(&self) -> Option<usize>;
    /// The next piece of the body, or `None` at its end.
    fn next_piece(&mut self) -> impl Future<Output = Result<Option<Self::Piece>, Self::Value>>;
}

/// A piece of a body that still lies outside.
pub(crate) trait Piece {
    /// Why it could not be copied.
    type Value;

    /// Its length in bytes.
    fn length(&self) -> usize;
    /// Copies its first bytes, as many as `target` has.
    fn copy_to(&self, target: &mut [u8]) -> Result<(), Self::Value>;
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum SendError<Value> {
    /// The request was refused or the connection broke.
    Connection(Value),
    /// What came is no response at all.
    NoResponse(Value),
}

/// Why there is no body.
#[derive(Debug)]
pub(crate) enum BodyError<Value> {
    /// The connection broke.
    Connection(Value),
    /// There is no memory for it.
    Memory,
}

/// Reads a body to its end, or until `most` bytes of it are there, and no further. What has come stays if the connection breaks.
/// Tells `at_least` how long it is, as far as is known, and waits for it between the pieces, of which there may be many at once.
pub(crate) async fn read_body<A: Answer>(
    answer: &mut A,
    body: &mut Vec<u8>,
    most: usize,
    at_least: impl AsyncFn(usize),
) -> Result<(), BodyError<A::Value>> {
    let announced = answer.announced_length().unwrap_or_default().min(most).min(TRUSTED_LENGTH);
    at_least(announced).await;
    reserve_exact(body, announced).map_err(|OutOfMemory| BodyError::Memory)?;
    while body.len() < most
        && let Some(piece) = answer.next_piece().await.map_err(BodyError::Connection)?
    {
        append(body, &piece, piece.length().min(most - body.len()))?;
        at_least(body.len()).await;
    }
    Ok(())
}

fn append<P: Piece>(body: &mut Vec<u8>, piece: &P, length: usize) -> Result<(), BodyError<P::Value>> {
    let start = body.len();
    resize_bytes(body, start + length).map_err(|OutOfMemory| BodyError::Memory)?;
    let target = body.get_mut(start..).unwrap_or_default();
    piece.copy_to(target).map_err(BodyError::Connection)
}
