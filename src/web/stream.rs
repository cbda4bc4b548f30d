//! A stream of partitions, which become rows or tables when they are read.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

use chunk::memory::OutOfMemory;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use js_sys::Promise;
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

use super::call::Call;
use super::error::{ErrorContext, error_of};
use super::findings_error::no_memory;
use super::host::JavaScript;
use super::rows::Findings;
use super::serialize::to_js;
#[cfg(feature = "tables")]
use super::tables::partition_table;
use call::contract::Kind;
use call::error::CallEnd;
use call::retrieve::retrieval::Retrieval;
use call::retrieve::stream::Delivery;
use call::scheduling::reorder_buffer::ReorderBuffer;
use chunk::form::Formed;

/// The partitions between the call and the reader.
pub(super) type Deliveries = ReorderBuffer<Delivery<Findings>, JsValue>;

/// The reader's end of a stream. Dropping it ends the call.
#[wasm_bindgen]
pub struct Stream {
    buffer: Rc<Deliveries>,
    inspection_key: JsValue,
    kind: Kind,
    /// The names of the columns that the findings keep.
    columns: Option<Rc<[u8]>>,
}

impl Stream {
    /// Starts the call, which fills the buffer.
    pub(super) fn new(
        buffer: Rc<Deliveries>,
        call: Call,
        inspection_key: JsValue,
        kind: Kind,
        columns: Option<Rc<[u8]>>,
    ) -> Self {
        spawn_local(run(Rc::clone(&buffer), call));
        Stream { buffer, inspection_key, kind, columns }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.buffer.clear(Ok(()));
    }
}

#[wasm_bindgen]
impl Stream {
    /// Resolves with the next partition; with undefined at the end.
    #[wasm_bindgen(unchecked_return_type = "Promise<Delivered | undefined>")]
    pub fn next(&self) -> Promise {
        let buffer = Rc::clone(&self.buffer);
        let (inspection_key, kind, columns) = (self.inspection_key.clone(), self.kind, self.columns.clone());
        let next = async move {
            let Some(delivery) = poll_fn(|context| buffer.poll_take(context)).await else {
                return Ok(JsValue::UNDEFINED);
            };
            let Delivery { index, findings, reservation } = delivery?;
            drop(reservation);
            match findings {
                Formed::Rows(objects) => to_js(&Partition { index, findings: objects.into() }),
                #[cfg(feature = "tables")]
                Formed::Chunk(chunk) => {
                    let table = partition_table(index, chunk, columns.as_deref(), &inspection_key, kind);
                    to_js(&PartitionTable { index, table: table.map_err(|OutOfMemory| no_memory())? })
                }
            }
        };
        future_to_promise(next.boxed_local())
    }
}

/// Inserts all partitions into the buffer, and waits until the reader has taken the end.
pub(super) async fn fill(
    buffer: Rc<Deliveries>,
    retrieval: Retrieval<JavaScript>,
    kind: Kind,
    context: ErrorContext,
) -> Result<JsValue, CallEnd<JsValue>> {
    let delivered = match retrieval.deliver(kind, &buffer).await {
        Ok(()) => Ok(()),
        Err(CallEnd::Failed(failure)) => Err(error_of(failure, &context, None).await),
        Err(thrown) => return Err(thrown),
    };
    buffer.end(delivered);
    poll_fn(|context| buffer.poll_read(context)).await;
    Ok(JsValue::UNDEFINED)
}

async fn run(buffer: Rc<Deliveries>, call: Call) {
    let cleared = poll_fn(|context| buffer.poll_cleared(context));
    // Polled first: a cleared buffer has room, so the call would request another partition.
    if let Either::Right((Err(reason), _)) = select(cleared, pin!(call.outcome())).await {
        buffer.clear(Err(reason));
    }
}

/// A partition of a stream.
#[derive(Serialize)]
struct Partition {
    index: u64,
    #[serde(with = "preserve")]
    findings: JsValue,
}

/// A partition of a stream of tables.
#[cfg(feature = "tables")]
#[derive(Serialize)]
struct PartitionTable {
    index: u64,
    #[serde(with = "preserve")]
    table: JsValue,
}
