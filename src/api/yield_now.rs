//! Time slices: long work yields the thread every few milliseconds.

use std::cell::Cell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The length of a time slice in milliseconds: half a frame at 60 Hz.
const SLICE: f64 = 8.0;

#[wasm_bindgen(raw_module = "./yield_now.js")]
extern "C" {
    #[wasm_bindgen(js_name = yieldNow)]
    fn next_slice() -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds on a clock that never goes back.
    #[wasm_bindgen(js_namespace = performance)]
    pub(super) fn now() -> f64;
}

thread_local! {
    /// When the time slice began. All calls share it, because they share the thread.
    static BEGAN: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// Yields the thread if the time slice is used up.
pub(super) async fn yield_now() {
    if now() - BEGAN.get() > SLICE {
        // It is never rejected.
        let _ = JsFuture::from(next_slice()).await;
        BEGAN.set(now());
    }
}
