//! Turns on the thread: work that takes long gives it up every few milliseconds.

use std::cell::Cell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// How long a turn may take, in milliseconds; half a frame of a display that shows sixty a second.
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
    /// When the turn began, of all calls together: what waits for the thread does not care which of them holds it.
    static BEGAN: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// Lets others have their turn, if this one has taken long enough.
pub(super) async fn yield_now() {
    if now() - BEGAN.get() > SLICE {
        // It cannot be rejected; and if it were, going on at once would do no harm.
        let _ = JsFuture::from(next_slice()).await;
        BEGAN.set(now());
    }
}
