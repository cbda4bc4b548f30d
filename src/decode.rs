//! Decodes the body of a partition into a chunk, takes the chunk of a worker, or opens a saved table, in slices between which the thread is
//! yielded; or, in a worker, turns a body into a chunk or into rows.

use std::future::Future;
use std::mem;
use std::rc::Rc;

use columns::chunk::{Chunk, UnpackError};
use columns::decode::{DecodeError, DecodeErrorKind, DecodedBody, Decoder};
use columns::dictionary::Dictionary;
use columns::hash::HashSeed;
use columns::host_json::HostJson;
use columns::memory::{OutOfMemory, extend, resize_bytes};
use columns::packed_rows::pack_rows;
use columns::table::saved::{self, OpenError};
use columns::table::{Catalog, Table};

/// Bytes of a body to read between two checks of the time slice. On a slow device they can take a few milliseconds, for example
/// if the host has to parse numbers.
const SLICE: usize = 32 * 1024;

/// What the decoder needs of the JavaScript runtime: its JSON, its randomness and its tasks.
pub(crate) trait Runtime {
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
    Service(Vec<String>, Option<Rc<Chunk>>),
}

/// Returns an empty catalog of findings that keep only `columns`.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn new_catalog<T: Runtime>(columns: Option<&[u8]>) -> Result<Catalog, OutOfMemory> {
    let mut kept = Vec::new();
    extend(&mut kept, columns.unwrap_or_default())?;
    Ok(Catalog::new(T::JSON.canonical, T::hash_seed(), columns.map(|_| kept)))
}

/// Decodes the body of a partition, and keeps only `columns`.
///
/// # Errors
///
/// The body is no partition, or reports errors.
pub(crate) async fn decode<T: Runtime>(
    runtime: &T,
    body: Vec<u8>,
    columns: Option<&[u8]>,
) -> Result<Chunk, DecodeFailure> {
    let mut dictionary = Dictionary::new(Some(T::JSON.number), T::hash_seed());
    let kept = dictionary.keep_only(columns);
    kept.map_err(|OutOfMemory| {
        let kind = DecodeErrorKind::OutOfMemory;
        DecodeFailure::Undecodable(DecodeError { offset: 0, path: String::from("$"), kind, diagnosis: String::new() })
    })?;
    let mut decoder = Decoder::new(body, dictionary);
    loop {
        let is_done = decoder.advance(SLICE).map_err(DecodeFailure::Undecodable)?;
        runtime.yield_now().await;
        if is_done {
            break;
        }
    }
    let DecodedBody { errors, findings, .. } = decoder.finish();
    match errors {
        None => findings.map_err(DecodeFailure::Undecodable),
        Some(messages) => Err(DecodeFailure::Service(messages, findings.ok().map(Rc::new))),
    }
}

/// Takes the chunk that a worker has built.
///
/// # Errors
///
/// Out of memory, or the bytes are no chunk.
pub(crate) async fn take_chunk<T: Runtime>(runtime: &T, bytes: Vec<u8>) -> Result<Chunk, UnpackError> {
    Chunk::open(bytes, &T::hash_seed(), T::JSON.number, async || runtime.yield_now().await).await
}

/// Opens a saved table. `read` fills a list with the bytes from an offset on. Also returns the text about the table.
///
/// # Errors
///
/// Out of memory, or the bytes are not a saved table.
pub(crate) async fn open<T: Runtime>(
    runtime: &T,
    byte_length: u64,
    read: &mut dyn FnMut(u64, &mut [u8]),
) -> Result<(Vec<u8>, Table), OpenError> {
    saved::open(byte_length, read, T::JSON, T::hash_seed(), async || runtime.yield_now().await).await
}

/// Packs the findings of one body for the page.
pub(crate) enum Packing {
    /// The body, which is being filled.
    Filling {
        body: Vec<u8>,
        /// The seed of the hashes of its values.
        seed: HashSeed,
        form: PackedForm,
    },
    /// The body is being decoded.
    Decoding(Box<(Decoder, HashSeed, PackedForm)>),
    /// The packed findings; `None` if the page has to decode the body and find the error.
    Done(Option<Packed>),
}

/// The form of packed findings.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum PackedForm {
    /// A chunk, for a table.
    Chunk,
    /// Rows, for objects.
    Rows,
}

/// The packed findings of a body.
pub(crate) enum Packed {
    Chunk(Box<Chunk>),
    Rows(Vec<u8>),
}

impl Packing {
    /// Begins with a body of this length.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn new(length: usize, seed: HashSeed, form: PackedForm) -> Result<Self, OutOfMemory> {
        let mut body = Vec::new();
        resize_bytes(&mut body, length)?;
        Ok(Packing::Filling { body, seed, form })
    }

    /// The bytes of the body, which are to be filled.
    pub(crate) fn body_mut(&mut self) -> &mut [u8] {
        match self {
            Packing::Filling { body, .. } => body,
            _ => &mut [],
        }
    }

    /// Begins to decode the filled body. If the findings keep only some columns, their names begin at the offset `names`, behind the body.
    pub(crate) fn begin(&mut self, names: Option<usize>) {
        let Packing::Filling { body, seed, form } = self else { return };
        let mut dictionary = Dictionary::new(None, seed.clone());
        let is_ready = dictionary.keep_only(names.and_then(|names| body.get(names..))).is_ok();
        body.truncate(names.unwrap_or(body.len()));
        let decoder = Decoder::new(mem::take(body), dictionary);
        let (seed, form) = (seed.clone(), *form);
        *self = if is_ready { Packing::Decoding(Box::new((decoder, seed, form))) } else { Packing::Done(None) };
    }

    /// Decodes some more. Returns true once the findings are packed.
    pub(crate) fn advance(&mut self, budget: usize) -> bool {
        self.begin(None);
        let Packing::Decoding(work) = self else { return true };
        match work.0.advance(budget) {
            Ok(false) => return false,
            Ok(true) => {
                let Packing::Decoding(work) = mem::replace(self, Packing::Done(None)) else { return true };
                let (decoder, seed, form) = *work;
                if let DecodedBody { errors: None, findings: Ok(chunk), .. } = decoder.finish() {
                    *self = Packing::Done(match form {
                        PackedForm::Chunk => Some(Packed::Chunk(Box::new(chunk))),
                        PackedForm::Rows => pack_rows(Rc::new(chunk), seed).ok().map(Packed::Rows),
                    });
                }
            }
            Err(_) => *self = Packing::Done(None),
        }
        true
    }

    /// Returns the bytes of the packed findings.
    pub(crate) fn packed(&self) -> Option<&[u8]> {
        match self {
            Packing::Done(Some(Packed::Chunk(chunk))) => Some(chunk.bytes()),
            Packing::Done(Some(Packed::Rows(rows))) => Some(rows),
            _ => None,
        }
    }
}
