//! What calls for tables do with chunks.

use std::rc::Rc;

use chunk::decode::DecodeError;
use chunk::form::Form;
use chunk::memory::{OutOfMemory, check_reserve};
use chunk::{Chunk, UnpackError};
use wasm_bindgen::prelude::*;

use super::calls::ClientCalls;
use super::findings_error::unmade;
use super::resume::ResumeState;
use super::runtime::ThisRuntime;
use super::tables::partition_table;
use crate::host_functions as host;
use call::machine::{CallId, Decoded, Event, Op};
use call::progress::Progress;
use chunk::decoding::take_chunk;

impl ClientCalls {
    /// Takes note that a body is being decoded, into a chunk if its call is for a table. It is compared with an earlier partition of this index.
    pub(super) fn expect_chunk(&self, call: CallId, op: Op, compare: Option<u64>) {
        let earlier = |state: &ResumeState| state.chunks()?.earlier_chunk(compare?);
        let expected =
            self.with(call, |call| (call.form == Form::Chunk).then(|| call.state.as_ref().and_then(earlier)));
        if let Some(Some(earlier)) = expected {
            self.taken.expect(op, call, earlier);
        }
    }

    /// Takes the chunk that a body has become.
    pub(super) fn take_chunk_of(&self, now: f64, op: Op, chunk: Rc<Chunk>) {
        let chunk = self.taken.shared(chunk);
        let Some((call, as_kept)) = self.taken.fill(op, &chunk) else { return };
        let room = self.with(call, |call| {
            call.state.as_ref().and_then(ResumeState::chunks).map_or(Ok(()), |chunks| chunks.reserve(self.taken.len()))
        });
        let event = match room {
            Some(Err(OutOfMemory)) => Event::Undecoded(op, DecodeError::out_of_memory()),
            _ => {
                let (findings, bytes) = (chunk.len() as u64, chunk.byte_length() as u64);
                Event::Decoded(op, Decoded { findings, bytes, as_kept })
            }
        };
        self.handle(now, event);
    }

    /// Takes the chunk that a worker has packed, in time slices. Returns false if it is malformed.
    pub(super) async fn take_packed(&self, op: Op, packed: Vec<u8>) -> bool {
        let taken = match check_reserve() {
            Ok(()) => take_chunk(&ThisRuntime, packed).await,
            Err(OutOfMemory) => Err(UnpackError::OutOfMemory(OutOfMemory)),
        };
        match taken {
            Ok(chunk) => self.take_chunk_of(self.latest.get(), op, Rc::new(chunk)),
            Err(UnpackError::OutOfMemory(_)) => {
                self.handle(self.latest.get(), Event::Undecoded(op, DecodeError::out_of_memory()))
            }
            Err(UnpackError::Malformed) => return false,
        }
        true
    }

    /// Moves a partition to its call, to the reader of its stream, or to the objects that JavaScript gathers.
    pub(super) fn deliver(&self, id: CallId, op: Op, index: u64) {
        let to = &self.performer;
        let Some(chunk) = self.taken.take(op) else {
            return host::deliver(to, id.0, op.0, index as f64, &JsValue::UNDEFINED);
        };
        let read = self.with(id, |call| match (call.state.as_ref().and_then(ResumeState::chunks), call.subject.kind) {
            (Some(chunks), _) => {
                chunks.add(index, Rc::clone(&chunk));
                None
            }
            (None, Some(kind)) if call.is_stream => {
                Some((call.columns.clone(), call.context.inspection_key.clone(), kind))
            }
            _ => {
                call.partition = Some((index, Rc::clone(&chunk)));
                None
            }
        });
        let Some(Some((columns, inspection_key, kind))) = read else { return };
        match partition_table(index, chunk, columns.as_deref(), &inspection_key, kind) {
            Ok(table) => host::deliver(to, id.0, op.0, index as f64, &table),
            Err(error) => host::abort_call(to, id.0, &unmade(error)),
        }
    }

    /// Lets a call begin with the partitions of its earlier table with an index below this.
    pub(super) fn keep_earlier(&self, id: CallId, below: u64) {
        self.with(id, |call| {
            call.state.as_ref().and_then(ResumeState::chunks).map(|chunks| chunks.keep_earlier(below))
        });
    }

    /// Lets a call begin with nothing.
    pub(super) fn drop_earlier(&self, id: CallId) {
        self.with(id, |call| call.state.as_ref().and_then(ResumeState::chunks).map(|chunks| chunks.drop_earlier()));
    }

    /// Shows the progress of a call to its live table.
    pub(super) fn watched(&self, id: CallId, progress: Progress) {
        let watch = self.with(id, |call| call.watch.clone());
        if let Some(Some(watch)) = watch {
            watch.note(progress);
        }
    }
}
