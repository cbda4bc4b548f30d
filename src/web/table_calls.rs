//! The calls for tables.

use std::rc::Rc;

use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::client::Client;
use super::earlier_table::EarlierTable;
use super::gathered::GatheredChunks;
use super::live::LiveSource;
use super::performer::Settings;
use super::resume::Gathered;
use super::saved::opened;
use super::watch::Watch;
use crate::js_bytes::copied;
use call::machine::Op;
use table::tables::Tables;

#[wasm_bindgen]
impl Client {
    /// Fetches the findings of all partitions as a table, which may begin with an earlier one. The `resume` of a `partial` error is the state
    /// from which [`resume`](Self::resume) continues.
    #[wasm_bindgen(js_name = loadTable, unchecked_return_type = "Promise<FindingsTable<never>>")]
    pub fn load_table(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        settings: &Settings,
        earlier: Option<EarlierTable>,
    ) -> Result<Promise, JsValue> {
        let chunks = GatheredChunks::new(Tables::default(), earlier, None);
        let state = Self::new_state(Gathered::Chunks(Rc::new(chunks)), inspection_key, kind);
        self.resume(&state, settings)
    }

    /// Creates the source of a live table, which may begin with an earlier table. `on_change` is called after each change.
    #[wasm_bindgen(js_name = liveSource)]
    pub fn live_source(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "() => void")] on_change: Function,
        earlier: Option<EarlierTable>,
    ) -> LiveSource {
        let chunks = GatheredChunks::new(Tables::live(), earlier, Some(Watch::new(on_change)));
        LiveSource { resume_state: Self::new_state(Gathered::Chunks(Rc::new(chunks)), inspection_key, kind) }
    }

    /// Fetches what a live table lacks.
    #[wasm_bindgen(js_name = watchTable, unchecked_return_type = "Promise<FindingsTable<never>>")]
    pub fn watch_table(&self, source: &LiveSource, settings: &Settings) -> Result<Promise, JsValue> {
        self.resume(&source.resume_state, settings)
    }

    /// Takes the chunk that a worker has packed. Resolves with false if it is malformed, or there is no memory for it.
    #[wasm_bindgen(js_name = takeChunk, unchecked_return_type = "Promise<boolean>")]
    pub fn take_chunk(&self, op: u32, packed: &Uint8Array) -> Promise {
        let op = Op(op);
        let calls = Rc::clone(&self.calls);
        let copy = copied(packed);
        future_to_promise(async move {
            let Ok(copy) = copy else { return Ok(JsValue::FALSE) };
            Ok(calls.take_packed(op, copy).await.into())
        })
    }

    /// Opens a saved table.
    #[wasm_bindgen(js_name = openTable, unchecked_return_type = "Promise<FindingsTable<never>>")]
    pub fn open_table(bytes: Uint8Array) -> Promise {
        future_to_promise(opened(bytes))
    }
}
