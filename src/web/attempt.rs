//! An attempt: what performs it, and what the module has of its body.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chunk::decoding::Decoding;
use chunk::memory::{OutOfMemory, resize_bytes};

use super::page_call::PageCall;
use super::performer::RunningAttempt;
#[cfg(feature = "tables")]
use chunk::Chunk;

/// An attempt.
pub(super) struct Attempt {
    /// What performs it.
    pub(super) running: RunningAttempt,
    /// Its call.
    pub(super) call: Rc<PageCall>,
    /// The length of its body, once that is to be decoded.
    pub(super) length: Cell<u64>,
    /// The decoding of its body in the page, once it has begun.
    pub(super) decoding: RefCell<Option<Decoding>>,
    /// The chunk that the body has become.
    #[cfg(feature = "tables")]
    pub(super) chunk: RefCell<Option<Rc<Chunk>>>,
}

impl Attempt {
    /// An attempt that has been sent.
    pub(super) fn new(running: RunningAttempt, call: Rc<PageCall>) -> Self {
        Attempt {
            running,
            call,
            length: Cell::default(),
            decoding: RefCell::default(),
            #[cfg(feature = "tables")]
            chunk: RefCell::default(),
        }
    }

    /// Copies the first bytes of the body, which JavaScript keeps.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn copied_body(&self, length: u64) -> Result<Vec<u8>, OutOfMemory> {
        let mut bytes = Vec::new();
        resize_bytes(&mut bytes, usize::try_from(length).map_err(|_| OutOfMemory)?)?;
        self.running.copy_to(&mut bytes);
        Ok(bytes)
    }
}
