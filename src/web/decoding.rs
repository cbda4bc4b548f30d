//! The decoding of bodies in the page, in slices that JavaScript drives.

use std::cell::RefCell;

use chunk::decode::DecodeError;
use chunk::decoding::{DecodeFailure, Decoding};
use chunk::form::{Form, Formed};
use chunk::hash::HashSeed;
use chunk::memory::{OutOfMemory, check_reserve};
use chunk::rows::packed_rows::RowPacker;
use wasm_bindgen::prelude::*;

use super::runtime::number;
use crate::host_functions::copy_bytes;
use call::machine::Undecoded;
#[cfg(feature = "tables")]
use {chunk::Chunk, std::rc::Rc};

/// Bytes of a body to decode between two checks of the time slice. On a slow device they can take a few milliseconds.
const SLICE: usize = 96 * 1024;

/// The decoding of a body, once the page has begun it.
#[derive(Default)]
pub(super) struct PageDecoding(RefCell<Option<Step>>);

enum Step {
    /// The body, of this length, is still outside of the module.
    Expected(u64),
    /// The body is being decoded.
    Body(Decoding),
    /// The findings that came with these messages in `errors` are being packed.
    Refusal(Vec<String>, Box<RowPacker>),
    /// Objects are being built of them.
    Refused(Vec<String>),
}

/// How a slice ends.
pub(super) enum Slice {
    /// The body, of this length, has to be copied into the module.
    Expected(u64),
    /// More is to be done.
    More,
    /// The packed rows, copied out of the module.
    Rows(JsValue),
    /// The chunk.
    #[cfg(feature = "tables")]
    Chunk(Rc<Chunk>),
    /// The body does not become findings.
    Undecoded(Undecoded<JsValue>),
    /// Nobody waits for this body.
    Nothing,
}

impl PageDecoding {
    /// Takes note of a body of this length.
    pub(super) fn expect(&self, length: u64) {
        self.0.replace(Some(Step::Expected(length)));
    }

    /// Starts to decode the body.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn start(
        &self,
        body: Vec<u8>,
        columns: Option<&[u8]>,
        form: Form,
        seed: HashSeed,
    ) -> Result<(), OutOfMemory> {
        check_reserve()?;
        let decoding = Decoding::start(body, columns, number, seed, form)?;
        self.0.replace(Some(Step::Body(decoding)));
        Ok(())
    }

    /// Decodes a slice.
    pub(super) fn advance(&self) -> Slice {
        match self.0.take() {
            Some(Step::Expected(length)) => Slice::Expected(length),
            Some(Step::Body(decoding)) => self.decode(decoding),
            Some(Step::Refusal(messages, packer)) => self.pack(messages, packer),
            Some(Step::Refused(_)) | None => Slice::Nothing,
        }
    }

    /// Takes the messages of a body whose findings have been built.
    pub(super) fn take_messages(&self) -> Option<Vec<String>> {
        match self.0.take()? {
            Step::Refused(messages) => Some(messages),
            _ => None,
        }
    }

    fn decode(&self, mut decoding: Decoding) -> Slice {
        match decoding.advance(SLICE) {
            None => self.go_on(Step::Body(decoding), Slice::More),
            Some(Ok(Formed::Rows(rows))) => handed_over(&rows),
            #[cfg(feature = "tables")]
            Some(Ok(Formed::Chunk(chunk))) => Slice::Chunk(chunk),
            Some(Err(DecodeFailure::Undecodable(error))) => Slice::Undecoded(Undecoded::Wrong(error)),
            Some(Err(DecodeFailure::Service(messages, None))) => refused(messages),
            Some(Err(DecodeFailure::Service(messages, Some(findings)))) => {
                self.go_on(Step::Refusal(messages, Box::new(RowPacker::new(findings))), Slice::More)
            }
        }
    }

    /// Packs some of the findings that came with messages. Without memory for them, there are only the messages.
    fn pack(&self, messages: Vec<String>, mut packer: Box<RowPacker>) -> Slice {
        match packer.advance() {
            Ok(false) => self.go_on(Step::Refusal(messages, packer), Slice::More),
            Ok(true) => match handed_over(&packer.finish()) {
                rows @ Slice::Rows(_) => self.go_on(Step::Refused(messages), rows),
                _ => refused(messages),
            },
            Err(OutOfMemory) => refused(messages),
        }
    }

    fn go_on(&self, step: Step, slice: Slice) -> Slice {
        self.0.replace(Some(step));
        slice
    }
}

/// Copies packed rows out of the module.
fn handed_over(rows: &[u8]) -> Slice {
    match copy_bytes(rows) {
        Ok(rows) => Slice::Rows(rows.into()),
        Err(_) => Slice::Undecoded(Undecoded::Wrong(DecodeError::out_of_memory())),
    }
}

/// A body with these messages in `errors`, and no findings.
fn refused(messages: Vec<String>) -> Slice {
    Slice::Undecoded(Undecoded::Refused(messages, None))
}
