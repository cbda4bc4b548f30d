//! The calls for tables.

use std::rc::Rc;

use futures_util::FutureExt;
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::abort::AbortListener;
use super::client::{Client, gather};
use super::live::LiveSource;
use super::resume::{ResumeState, kind_of};
use super::saved::opened;
use super::settings::Settings;
use super::tables::EarlierTable;
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
        let prepared = self.prepare(&inspection_key, settings)?;
        Ok(gather(prepared, ResumeState::of_table(inspection_key, kind_of(kind), Tables::default(), earlier)))
    }

    /// Creates the source of a live table, which may begin with an earlier table. `on_change` is called after each change.
    #[wasm_bindgen(js_name = liveSource)]
    pub fn live_source(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InspectionKey")] inspection_key: JsValue,
        #[wasm_bindgen(unchecked_param_type = "FindingKind")] kind: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "() => void")] on_change: Function,
        earlier: Option<EarlierTable>,
    ) -> Result<LiveSource, JsValue> {
        let resume_state = ResumeState::of_table(inspection_key, kind_of(kind), Tables::live(), earlier);
        Ok(LiveSource::new(resume_state, on_change))
    }

    /// Fetches what a live table lacks, until the signal `signal` is aborted.
    #[wasm_bindgen(js_name = watchTable, unchecked_return_type = "Promise<FindingsTable<never>>")]
    pub fn watch_table(
        &self,
        source: &LiveSource,
        #[wasm_bindgen(unchecked_param_type = "AbortSignal")] signal: JsValue,
        settings: &Settings,
    ) -> Result<Promise, JsValue> {
        let resume_state = source.resume_state.clone();
        let signal = AbortListener::new(signal.unchecked_into());
        let mut prepared = self.prepare(&resume_state.inspection_key, settings)?;
        prepared.retrieval.host.watch = Some(Rc::clone(&source.watch));
        prepared.retrieval.host.signals.push(Rc::clone(&signal));
        prepared.ended = prepared.ended.or(&signal);
        Ok(gather(prepared, resume_state))
    }

    /// Opens a saved table.
    #[wasm_bindgen(js_name = openTable, unchecked_return_type = "Promise<FindingsTable<never>>")]
    pub fn open_table(bytes: Uint8Array) -> Promise {
        future_to_promise(opened(bytes).boxed_local())
    }
}
