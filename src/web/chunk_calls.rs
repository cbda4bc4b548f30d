//! What calls for tables do with chunks.

use std::rc::Rc;

use chunk::decode::DecodeError;
use chunk::memory::{OutOfMemory, check_reserve};
use chunk::{Chunk, UnpackError};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::attempt::Attempt;
use super::calls::ClientCalls;
use super::decoding::hash_seed;
use super::findings_error::unmade;
use super::gathered::GatheredChunks;
use super::page_call::PageCall;
use super::resume::ResumeState;
use super::tables::partition_table;
use super::watch::Watch;
use crate::host_functions::pause;
use call::machine::{Decoded, Event, Op, Undecoded};

impl PageCall {
    /// The chunks that it gathers; `None` unless it is for a table of all findings.
    pub(super) fn chunks(&self) -> Option<&Rc<GatheredChunks>> {
        self.state.as_ref().and_then(ResumeState::chunks)
    }

    /// What its live table sees of it; `None` if it has none.
    pub(super) fn watch(&self) -> Option<&Watch> {
        self.chunks()?.watch.as_ref()
    }
}

impl ClientCalls {
    /// Takes the chunk that a body has become.
    pub(super) fn take_chunk_of(&self, now: f64, op: Op, chunk: Rc<Chunk>) {
        let Some(attempt) = self.attempt(op) else { return };
        let chunk = self.shared(chunk);
        let end = match attempt.call.chunks().map_or(Ok(()), |chunks| chunks.expect()) {
            Err(OutOfMemory) => Err(Undecoded::Wrong(DecodeError::out_of_memory())),
            Ok(()) => {
                let (findings, bytes) = (chunk.len() as u64, chunk.byte_length() as u64);
                attempt.chunk.replace(Some(chunk));
                Ok(Decoded { findings, bytes })
            }
        };
        self.handle(now, Event::Decoded(op, end));
    }

    /// Takes the chunk that a worker has packed, in time slices. Returns false if it is malformed.
    pub(super) async fn take_packed(&self, op: Op, packed: Vec<u8>) -> bool {
        let taken = match check_reserve() {
            Ok(()) => Chunk::open(packed, &hash_seed(), yield_now).await,
            Err(OutOfMemory) => Err(UnpackError::OutOfMemory(OutOfMemory)),
        };
        match taken {
            Ok(chunk) => self.take_chunk_of(self.latest.get(), op, Rc::new(chunk)),
            Err(UnpackError::OutOfMemory(_)) => {
                let end = Err(Undecoded::Wrong(DecodeError::out_of_memory()));
                self.handle(self.latest.get(), Event::Decoded(op, end));
            }
            Err(UnpackError::Malformed) => return false,
        }
        true
    }

    /// Moves a partition to its call, to the reader of its stream, or to the objects that JavaScript gathers.
    pub(super) fn deliver(&self, call: &PageCall, attempt: &Attempt, index: u64) {
        let deliver = |table: &JsValue| call.running.deliver(&attempt.running, index as f64, table);
        let Some(chunk) = attempt.chunk.take() else { return deliver(&JsValue::UNDEFINED) };
        match (call.chunks(), call.subject.kind) {
            (Some(chunks), _) => chunks.add_expected(index, chunk),
            (None, Some(kind)) if call.is_stream => {
                match partition_table(index, chunk, call.columns.clone(), &call.inspection_key, kind) {
                    Ok(table) => deliver(&table),
                    Err(error) => call.running.abort(&unmade(error)),
                }
            }
            _ => drop(call.partition.replace(Some((index, chunk)))),
        }
    }

    /// One chunk for all without findings.
    fn shared(&self, chunk: Rc<Chunk>) -> Rc<Chunk> {
        if !chunk.is_empty() {
            return chunk;
        }
        Rc::clone(self.empty.borrow_mut().get_or_insert(chunk))
    }
}

/// Yields to other tasks if the time slice is used up.
pub(super) async fn yield_now() {
    if let Some(pause) = pause() {
        // It never rejects.
        let _ = JsFuture::from(pause).await;
    }
}
