//! The body of a response: read piece by piece, or kept by a worker.

use chunk::memory::{OutOfMemory, reserve, resize_bytes};

use super::response::{BodyError, Kept, Piece, Response};

/// The maximum number of bytes to allocate in advance for a `Content-Length`.
const TRUSTED_LENGTH: usize = 16 * 1024 * 1024;

/// The maximum length, in bytes, of a compressed empty body: 20 for gzip without a file name.
const MOST_OF_NOTHING: usize = 64;

/// The maximum number of bytes to read of an unsuccessful response, for the messages in it.
const EXCERPT_LIMIT: usize = 16 * 1024;

/// A complete body.
pub enum Body<K> {
    /// Its bytes, in the module's memory.
    Bytes(Vec<u8>),
    /// A worker keeps it.
    Kept(K),
}

impl<K: Kept> Body<K> {
    /// The length in bytes.
    pub fn length(&self) -> u64 {
        match self {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Kept(kept) => kept.length(),
        }
    }

    /// Returns its bytes.
    ///
    /// # Errors
    ///
    /// The host cannot read it, or an allocation failed.
    pub(crate) async fn into_bytes(self) -> Result<Vec<u8>, BodyError<K::Value>> {
        match self {
            Body::Bytes(bytes) => Ok(bytes),
            Body::Kept(kept) => {
                let piece = kept.read().await.map_err(BodyError::Connection)?;
                let mut bytes = Vec::new();
                reserve(&mut bytes, piece.length()).map_err(|OutOfMemory| BodyError::Memory)?;
                append(&mut bytes, &piece, piece.length())?;
                Ok(bytes)
            }
        }
    }
}

/// Reads a body, of at most `limit` bytes. Calls `grow` with the length known so far, and awaits `pause` after each piece if many may be ready at once.
///
/// # Errors
///
/// The body did not arrive, or is too long.
pub(crate) async fn read_body<R: Response>(
    response: &mut R,
    limit: usize,
    grow: impl Fn(usize),
    pause: impl AsyncFn(),
) -> Result<Body<R::Kept>, BodyError<R::Value>> {
    let announced = response.head().length.unwrap_or_default();
    if announced > limit {
        return Err(BodyError::TooLarge);
    }
    grow(announced);
    let body = if response.is_kept() {
        Body::Kept(response.kept().await?)
    } else {
        let mut bytes = Vec::new();
        reserve(&mut bytes, announced.min(TRUSTED_LENGTH)).map_err(|OutOfMemory| BodyError::Memory)?;
        let is_paced = response.arrives_by_turns();
        // One byte more than the limit shows that the body exceeds it.
        while read_piece(response, &mut bytes, limit.saturating_add(1)).await? {
            grow(bytes.len());
            if !is_paced {
                pause().await;
            }
        }
        Body::Bytes(bytes)
    };
    match body.length() {
        length if length > limit as u64 => Err(BodyError::TooLarge),
        // Without TLS, if a response breaks off in its headers, browsers report it as complete, with an empty body. The `Content-Encoding` of
        // another origin is hidden.
        0 if announced > MOST_OF_NOTHING => Err(BodyError::Empty),
        _ => Ok(body),
    }
}

/// Appends the beginning of an unsuccessful response's body to `excerpt`. Awaits `pause` after each piece. However the read ends, the
/// received bytes may contain messages.
pub(crate) async fn read_excerpt<R: Response>(response: &mut R, excerpt: &mut Vec<u8>, pause: impl AsyncFn()) {
    while matches!(read_piece(response, excerpt, EXCERPT_LIMIT).await, Ok(true)) {
        pause().await;
    }
}

/// Appends the next piece of a body to `body`, which gets at most `most` bytes. Returns false once there is no more to append.
async fn read_piece<R: Response>(
    response: &mut R,
    body: &mut Vec<u8>,
    most: usize,
) -> Result<bool, BodyError<R::Value>> {
    let room = most.saturating_sub(body.len());
    if room == 0 {
        return Ok(false);
    }
    let Some(piece) = response.next_piece().await? else { return Ok(false) };
    append(body, &piece, piece.length().min(room))?;
    Ok(true)
}

fn append<P: Piece>(body: &mut Vec<u8>, piece: &P, length: usize) -> Result<(), BodyError<P::Value>> {
    let start = body.len();
    resize_bytes(body, start + length).map_err(|OutOfMemory| BodyError::Memory)?;
    let target = body.get_mut(start..).unwrap_or_default();
    piece.copy_to(target).map_err(BodyError::Connection)
}
