//! From the body of a partition to columns, in slices between which the thread is yielded.

use std::future::Future;

use columns::chunk::Chunk;
use columns::decode::{Body, DecodeError, Decoder};
use columns::dictionary::Dictionary;
use columns::memory::OutOfMemory;
use columns::shared_dictionary::SharedDictionary;

/// Bytes of a body that are decoded between two checks of the time slice.
const SLICE: usize = 128 * 1024;

/// The thread that decodes.
pub(crate) trait Thread {
    /// Parses a JSON number as `JSON.parse` does.
    fn read_number(json: &str) -> f64;
    /// Yields to other tasks once the time slice of this one is used up.
    fn yield_now(&self) -> impl Future<Output = ()>;
}

/// Why a body gives no columns.
pub(crate) enum DecodeFailure {
    /// It does not follow the contract of the service, or memory ran out.
    Undecodable(DecodeError),
    /// It reports errors, with these messages and the findings that it has besides them.
    Service(Vec<String>, Result<Option<AloneDecoded>, OutOfMemory>),
    /// Memory ran out.
    Memory,
    /// The worker that was to decode it has ended.
    Lost,
}

/// Columns and their own dictionary.
pub(crate) type AloneDecoded = Box<(SharedDictionary, Chunk)>;

/// Decodes the body of a partition into columns.
///
/// # Errors
///
/// The body is no partition, or reports errors.
pub(crate) async fn decode<T: Thread>(
    thread: &T,
    body: Vec<u8>,
    dictionary: &SharedDictionary,
) -> Result<Chunk, DecodeFailure> {
    let body = decode_slices(thread, body, dictionary).await.map_err(DecodeFailure::Undecodable)?;
    match (body.errors, body.findings) {
        (None, findings) => findings.map_err(DecodeFailure::Undecodable),
        // Decoded again with a dictionary of its own: this one belongs to the call, which fails.
        (Some(messages), Ok(_)) => {
            Err(DecodeFailure::Service(messages, decode_alone(thread, body.bytes).await.map(Some)))
        }
        (Some(messages), Err(_)) => Err(DecodeFailure::Service(messages, Ok(None))),
    }
}

async fn decode_slices<T: Thread>(
    thread: &T,
    body: Vec<u8>,
    dictionary: &SharedDictionary,
) -> Result<Body, DecodeError> {
    let mut decoder = Decoder::new(body);
    while !decoder.advance(&mut dictionary.write(), SLICE)? {
        thread.yield_now().await;
    }
    thread.yield_now().await;
    Ok(decoder.finish())
}

/// Decodes a body with a dictionary of its own. The body has been decoded before, so that only an allocation can fail.
async fn decode_alone<T: Thread>(thread: &T, body: Vec<u8>) -> Result<AloneDecoded, OutOfMemory> {
    let dictionary = SharedDictionary::from(Dictionary::new(T::read_number));
    let decoded = decode_slices(thread, body, &dictionary).await.and_then(|body| body.findings);
    Ok(Box::new((dictionary, decoded.map_err(|_| OutOfMemory)?)))
}
