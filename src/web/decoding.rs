//! The decoding of bodies in the page, in slices that JavaScript drives.

use std::cell::{OnceCell, RefCell};

use chunk::decode::DecodeError;
use chunk::decoding::{DecodeFailure, Decoding};
use chunk::form::{Form, Formed};
use chunk::hash::HashSeed;
use chunk::memory::{OutOfMemory, check_reserve};
use chunk::rows::packed_rows::RowPacker;
use wasm_bindgen::prelude::*;

use super::runtime::{JSON_OF_HOST, hash_seed};
use crate::host_functions::copy_bytes;
use call::machine::{CallId, Op};
#[cfg(feature = "tables")]
use {chunk::Chunk, std::rc::Rc};

/// Bytes of a body to decode between two checks of the time slice. On a slow device they can take a few milliseconds.
const SLICE: usize = 96 * 1024;

/// The body that is being decoded: the page decodes one after the other.
#[derive(Default)]
pub(super) struct PageDecoding {
    current: RefCell<Option<(Op, Step)>>,
    /// The seed of all hashes: drawn once, and not before the first response, because some hosts forbid that.
    seed: OnceCell<HashSeed>,
}

enum Step {
    /// The body of this call, of this length, is still outside of the module.
    Expected(CallId, u64),
    /// The body is being decoded.
    Body(Decoding),
    /// The findings that came with these messages in `errors` are being packed.
    Refusal(Vec<String>, Box<RowPacker>),
    /// Objects are being built of them.
    Refused(Vec<String>),
}

/// How a slice ends.
pub(super) enum Slice {
    /// The body of this call, of this length, has to be copied into the module.
    Expected(CallId, u64),
    /// More is to be done.
    More,
    /// The packed rows, copied out of the module.
    Rows(JsValue),
    /// The chunk.
    #[cfg(feature = "tables")]
    Chunk(Rc<Chunk>),
    /// The body is no partition.
    Undecodable(DecodeError),
    /// The body has these messages in `errors`, and no findings.
    Refused(Vec<String>),
    /// Nobody waits for this body.
    Nothing,
}

impl PageDecoding {
    /// Takes note of the next body.
    pub(super) fn expect(&self, op: Op, call: CallId, length: u64) {
        self.current.replace(Some((op, Step::Expected(call, length))));
    }

    /// Begins to decode a body.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn begin(&self, op: Op, body: Vec<u8>, columns: Option<&[u8]>, form: Form) -> Result<(), OutOfMemory> {
        check_reserve()?;
        let seed = self.seed.get_or_init(hash_seed).clone();
        let decoding = Decoding::begin(body, columns, JSON_OF_HOST, seed, form)?;
        self.current.replace(Some((op, Step::Body(decoding))));
        Ok(())
    }

    /// Drops the body.
    pub(super) fn cancel(&self, op: Op) {
        self.take(op);
    }

    /// Decodes a slice.
    pub(super) fn advance(&self, op: Op) -> Slice {
        match self.take(op) {
            Some(Step::Expected(call, length)) => Slice::Expected(call, length),
            Some(Step::Body(decoding)) => self.decode(op, decoding),
            Some(Step::Refusal(messages, packer)) => self.pack(op, messages, packer),
            Some(Step::Refused(_)) | None => Slice::Nothing,
        }
    }

    /// Takes the messages of a body whose findings have been built.
    pub(super) fn take_messages(&self, op: Op) -> Option<Vec<String>> {
        match self.take(op)? {
            Step::Refused(messages) => Some(messages),
            _ => None,
        }
    }

    fn decode(&self, op: Op, mut decoding: Decoding) -> Slice {
        match decoding.advance(SLICE) {
            None => self.go_on(op, Step::Body(decoding), Slice::More),
            Some(Ok(Formed::Rows(rows))) => handed_over(&rows),
            #[cfg(feature = "tables")]
            Some(Ok(Formed::Chunk(chunk))) => Slice::Chunk(chunk),
            Some(Err(DecodeFailure::Undecodable(error))) => Slice::Undecodable(error),
            Some(Err(DecodeFailure::Service(messages, None))) => Slice::Refused(messages),
            Some(Err(DecodeFailure::Service(messages, Some(findings)))) => {
                self.go_on(op, Step::Refusal(messages, Box::new(RowPacker::new(findings))), Slice::More)
            }
        }
    }

    /// Packs some of the findings that came with messages. Without memory for them, there are only the messages.
    fn pack(&self, op: Op, messages: Vec<String>, mut packer: Box<RowPacker>) -> Slice {
        match packer.advance() {
            Ok(false) => self.go_on(op, Step::Refusal(messages, packer), Slice::More),
            Ok(true) => match handed_over(&packer.finish()) {
                rows @ Slice::Rows(_) => self.go_on(op, Step::Refused(messages), rows),
                _ => Slice::Refused(messages),
            },
            Err(OutOfMemory) => Slice::Refused(messages),
        }
    }

    fn go_on(&self, op: Op, step: Step, slice: Slice) -> Slice {
        self.current.replace(Some((op, step)));
        slice
    }

    fn take(&self, op: Op) -> Option<Step> {
        self.current.borrow_mut().take_if(|(decoding, _)| *decoding == op).map(|(_, step)| step)
    }
}

/// Copies packed rows out of the module.
fn handed_over(rows: &[u8]) -> Slice {
    match copy_bytes(rows) {
        Some(rows) => Slice::Rows(rows.into()),
        None => Slice::Undecodable(DecodeError::out_of_memory()),
    }
}
