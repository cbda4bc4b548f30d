//! Decodes the body of a partition, or a saved table, into columns, in slices between which the thread is yielded; or, in a worker, a body
//! into a parcel.

use std::future::Future;
use std::mem;

use columns::chunk::Chunk;
use columns::decode::{DecodeError, DecodedBody, Decoder};
use columns::dictionary::Dictionary;
use columns::hash_seed::HashSeed;
use columns::host_json::HostJson;
use columns::memory::{OutOfMemory, resize_bytes};
use columns::parcel::{UnpackError, Unpacking, pack};
use columns::row_parcel::pack_rows;
use columns::saved::{OpenError, Opening};
use columns::shared_dictionary::SharedDictionary;
use columns::table::Table;

/// Bytes of a body or parcel to read between two checks of the time slice. On a slow device they can take a few milliseconds, for example
/// if the host has to parse numbers.
const SLICE: usize = 32 * 1024;

/// The thread that decodes.
pub(crate) trait Thread {
    /// Reads and compares values as `JSON` does.
    const JSON: HostJson;
    /// Returns a random seed of hashes.
    fn hash_seed() -> HashSeed;
    /// Yields to other tasks if the time slice is used up.
    fn yield_now(&self) -> impl Future<Output = ()>;
}

/// Why a body cannot become columns.
pub(crate) enum DecodeFailure {
    /// It does not follow the contract of the service, or memory ran out.
    Undecodable(DecodeError),
    /// It has `errors`: these messages, and the findings besides them.
    Service(Vec<String>, Result<Option<AloneDecoded>, OutOfMemory>),
}

/// Columns with a separate dictionary.
pub(crate) type AloneDecoded = Box<(SharedDictionary, Chunk)>;

/// Returns a new dictionary that keeps only `columns`.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn new_dictionary<T: Thread>(columns: Option<&[u8]>) -> Result<SharedDictionary, OutOfMemory> {
    let mut dictionary = Dictionary::new(T::JSON.number, T::hash_seed());
    dictionary.keep_only(columns)?;
    Ok(SharedDictionary::new(dictionary, T::JSON.canonical))
}

/// Decodes the body of a partition into columns. The dictionary keeps only `columns`.
///
/// # Errors
///
/// The body is no partition, or reports errors.
pub(crate) async fn decode<T: Thread>(
    thread: &T,
    body: Vec<u8>,
    dictionary: &SharedDictionary,
    columns: Option<&[u8]>,
) -> Result<Chunk, DecodeFailure> {
    let body = decode_slices(thread, body, dictionary).await.map_err(DecodeFailure::Undecodable)?;
    match (body.errors, body.findings) {
        (None, findings) => findings.map_err(DecodeFailure::Undecodable),
        (Some(messages), Ok(_)) => {
            // The call's dictionary stays as it was: the error has the findings with a separate one.
            dictionary.write().rollback();
            Err(DecodeFailure::Service(messages, decode_alone(thread, body.bytes, columns).await.map(Some)))
        }
        (Some(messages), Err(_)) => Err(DecodeFailure::Service(messages, Ok(None))),
    }
}

/// Adds a parcel of columns to a dictionary.
///
/// # Errors
///
/// Out of memory, or the dictionary cannot take the parcel.
pub(crate) async fn unpack<T: Thread>(
    thread: &T,
    parcel: Vec<u8>,
    dictionary: &SharedDictionary,
) -> Result<Chunk, UnpackError> {
    let mut unpacking = Unpacking::new(parcel);
    in_slices(thread, dictionary, |dictionary| unpacking.advance(dictionary, SLICE)).await?;
    Ok(unpacking.finish())
}

/// Opens a saved table. `read` fills each next piece of the bytes that follow the header. Also returns the text about the table.
///
/// # Errors
///
/// Out of memory, or the bytes are not a saved table.
pub(crate) async fn open<T: Thread>(
    thread: &T,
    header: &[u8],
    byte_length: u64,
    read: &mut dyn FnMut(&mut [u8]),
) -> Result<(Vec<u8>, Table), OpenError> {
    let mut opening = Opening::new(header, byte_length)?;
    let dictionary = new_dictionary::<T>(None)?;
    in_slices(thread, &dictionary, |dictionary| opening.advance(dictionary, SLICE, read)).await?;
    let (about, partitions) = opening.finish(&mut dictionary.write())?;
    Ok((about, Table::arrived(dictionary, &partitions, None, true)?))
}

async fn decode_slices<T: Thread>(
    thread: &T,
    body: Vec<u8>,
    dictionary: &SharedDictionary,
) -> Result<DecodedBody, DecodeError> {
    let mut decoder = Decoder::new(body);
    in_slices(thread, dictionary, |dictionary| decoder.advance(dictionary, SLICE)).await?;
    Ok(decoder.finish())
}

/// Calls `advance` until it returns true. Borrows the dictionary for one slice at a time, and yields the thread after each.
async fn in_slices<T: Thread, E>(
    thread: &T,
    dictionary: &SharedDictionary,
    mut advance: impl FnMut(&mut Dictionary) -> Result<bool, E>,
) -> Result<(), E> {
    loop {
        let is_done = advance(&mut dictionary.write())?;
        thread.yield_now().await;
        if is_done {
            return Ok(());
        }
    }
}

/// Decodes a body with a new dictionary. The body has been decoded before, so only an allocation can fail.
async fn decode_alone<T: Thread>(
    thread: &T,
    body: Vec<u8>,
    columns: Option<&[u8]>,
) -> Result<AloneDecoded, OutOfMemory> {
    let dictionary = new_dictionary::<T>(columns)?;
    let decoded = decode_slices(thread, body, &dictionary).await.and_then(|body| body.findings);
    dictionary.write().commit();
    Ok(Box::new((dictionary, decoded.map_err(|_| OutOfMemory)?)))
}

/// Turns one body into a parcel.
pub(crate) enum Packing {
    /// The body, which is being filled.
    Filling {
        body: Vec<u8>,
        /// The seed of the hashes of its values.
        seed: HashSeed,
        content: ParcelContent,
    },
    /// The body is being decoded.
    Decoding(Box<(Decoder, Dictionary, ParcelContent)>),
    /// The parcel; `None` if the calling thread has to decode the body and find the error.
    Done(Option<Vec<u8>>),
}

/// What a parcel has.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ParcelContent {
    /// Columns for a table.
    Columns,
    /// Rows for objects.
    Rows,
}

impl Packing {
    /// Begins with a body of this length.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn new(length: usize, seed: HashSeed, content: ParcelContent) -> Result<Self, OutOfMemory> {
        let mut body = Vec::new();
        resize_bytes(&mut body, length)?;
        Ok(Packing::Filling { body, seed, content })
    }

    /// The bytes of the body, which are to be filled.
    pub(crate) fn body_mut(&mut self) -> &mut [u8] {
        match self {
            Packing::Filling { body, .. } => body,
            _ => &mut [],
        }
    }

    /// Begins to decode the filled body. If the parcel has only some columns, their names begin at the offset `names`, behind the body.
    pub(crate) fn begin(&mut self, names: Option<usize>) {
        let Packing::Filling { body, seed, content } = self else { return };
        let mut dictionary = Dictionary::deferring(seed.clone());
        let is_ready = dictionary.keep_only(names.and_then(|names| body.get(names..))).is_ok();
        body.truncate(names.unwrap_or(body.len()));
        let decoder = Decoder::new(mem::take(body));
        let content = *content;
        *self =
            if is_ready { Packing::Decoding(Box::new((decoder, dictionary, content))) } else { Packing::Done(None) };
    }

    /// Decodes some more. Returns true once the parcel is done.
    pub(crate) fn advance(&mut self, budget: usize) -> bool {
        self.begin(None);
        let Packing::Decoding(work) = self else { return true };
        match work.0.advance(&mut work.1, budget) {
            Ok(false) => return false,
            Ok(true) => {
                let Packing::Decoding(work) = mem::replace(self, Packing::Done(None)) else { return true };
                let (decoder, mut dictionary, content) = *work;
                if let DecodedBody { errors: None, findings: Ok(chunk), .. } = decoder.finish() {
                    let packed = match content {
                        ParcelContent::Columns => pack(&mut dictionary, &chunk),
                        ParcelContent::Rows => pack_rows(&dictionary, &chunk),
                    };
                    *self = Packing::Done(packed.ok());
                }
            }
            Err(_) => *self = Packing::Done(None),
        }
        true
    }

    /// Returns the parcel.
    pub(crate) fn parcel(&self) -> Option<&[u8]> {
        match self {
            Packing::Done(parcel) => parcel.as_deref(),
            _ => None,
        }
    }
}
