//! A body that a worker has received and decodes.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::dictionary::Dictionary;
use columns::memory::OutOfMemory;
use columns::number_interner::ReadNumber;
use columns::parcel::{UnpackError, unpack};

use super::decode::{AloneDecoded, DecodeFailure};
use super::message::Failure;
use super::mirror::Mirror;
use super::remote_attempt::RemoteAttempt;

/// A body that a worker decodes.
pub(crate) struct RemoteBody {
    pub(super) length: usize,
    pub(super) attempt: Rc<RemoteAttempt>,
    pub(super) mirror: Option<Rc<Mirror>>,
}

impl RemoteBody {
    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Waits until the columns can be taken.
    ///
    /// # Errors
    ///
    /// There will be none. `read` parses the numbers of the findings that came with an error.
    pub(crate) async fn decoded(&self, read: ReadNumber) -> Result<(), DecodeFailure> {
        let failure = poll_fn(|context| {
            self.attempt.mailbox.poll(context, |told| {
                if let Some(failure) = told.failure.take() {
                    return Some(Some((failure, told.bytes.take())));
                }
                let is_there = match (told.parcel, &self.mirror) {
                    (Some(Some(number)), Some(mirror)) => mirror.reaches(number),
                    (Some(None), _) => true,
                    _ => false,
                };
                is_there.then_some(None)
            })
        });
        let Some((failure, bytes)) = failure.await else { return Ok(()) };
        Err(match failure {
            Failure::Undecodable(error) => DecodeFailure::Undecodable(error),
            Failure::Memory => DecodeFailure::Memory,
            Failure::Service { messages, complete } => {
                let findings = bytes.map(|bytes| alone(&bytes, read)).transpose();
                DecodeFailure::Service(messages, if complete { findings } else { Err(OutOfMemory) })
            }
            _ => DecodeFailure::Lost,
        })
    }

    /// Takes the columns, whose entries are added to the dictionary.
    ///
    /// # Errors
    ///
    /// Memory ran out, or the dictionary is another one than the worker's.
    pub(crate) fn take(self, dictionary: &mut Dictionary) -> Result<Chunk, DecodeFailure> {
        if let Some(mirror) = &self.mirror {
            mirror.take_until(&self.attempt.mailbox, dictionary).map_err(untaken)?;
            return self.attempt.mailbox.told.borrow_mut().chunk.take().ok_or(DecodeFailure::Lost);
        }
        let bytes = self.attempt.mailbox.told.borrow_mut().bytes.take().unwrap_or_default();
        unpack(&bytes, dictionary).map_err(untaken)
    }
}

fn untaken(error: UnpackError) -> DecodeFailure {
    match error {
        UnpackError::OutOfMemory(OutOfMemory) => DecodeFailure::Memory,
        UnpackError::Malformed => DecodeFailure::Lost,
    }
}

fn alone(parcel: &[u8], read: ReadNumber) -> Result<AloneDecoded, OutOfMemory> {
    let mut dictionary = Dictionary::new(read);
    let chunk = unpack(parcel, &mut dictionary).map_err(|_| OutOfMemory)?;
    Ok(Box::new((dictionary.into(), chunk)))
}
