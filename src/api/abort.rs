//! The caller's `AbortSignal`, for the duration of one call.

use std::future::{pending, poll_fn};
use std::task::Poll;

use wasm_bindgen::prelude::*;

use super::event::{EventListener, Target};

#[wasm_bindgen]
extern "C" {
    /// A value with the shape of an `AbortSignal`, from any realm.
    #[wasm_bindgen(extends = Target)]
    #[derive(Clone, Debug)]
    pub(super) type Signal;
    #[wasm_bindgen(method, getter, catch)]
    fn aborted(this: &Signal) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn reason(this: &Signal) -> Result<JsValue, JsValue>;
}

impl Signal {
    /// Returns the reason if the signal is aborted.
    pub(super) fn reason_of_abort(&self) -> Result<Option<JsValue>, JsValue> {
        if self.aborted()?.is_truthy() { self.reason().map(Some) } else { Ok(None) }
    }
}

/// Resolves with the signal's reason when it is aborted; never without a signal.
pub(super) async fn aborted(signal: Option<Signal>) -> JsValue {
    let Some(signal) = signal else { return pending().await };
    let listener = match EventListener::to(&signal, "abort") {
        Ok(listener) => listener,
        Err(thrown) => return thrown,
    };
    poll_fn(|context| match signal.reason_of_abort() {
        Ok(None) => {
            listener.has_occurred(context);
            Poll::Pending
        }
        Ok(Some(reason)) | Err(reason) => Poll::Ready(reason),
    })
    .await
}
