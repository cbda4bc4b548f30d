//! An `AbortSignal`, for the duration of one call.

use std::future::poll_fn;
use std::rc::Rc;
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

/// Listens to a signal. Its state is read once, and again at each event.
pub(super) struct AbortListener {
    signal: Signal,
    /// The listener, or what the signal has thrown instead of one.
    listener: Result<EventListener, JsValue>,
    /// Whether the signal was aborted when the listener was added, or threw then.
    was_aborted: bool,
}

impl AbortListener {
    /// Begins to listen.
    pub(super) fn new(signal: Signal) -> Rc<Self> {
        let listener = EventListener::to(&signal, "abort");
        let was_aborted = listener.is_err() || !matches!(signal.reason_of_abort(), Ok(None));
        Rc::new(AbortListener { signal, listener, was_aborted })
    }

    /// Whether the signal has been aborted.
    pub(super) fn is_aborted(&self) -> bool {
        self.was_aborted || self.listener.as_ref().is_ok_and(EventListener::has_heard)
    }

    /// Resolves with the signal's reason when it is aborted.
    pub(super) async fn reason(self: Rc<Self>) -> JsValue {
        poll_fn(|context| {
            let listener = match &self.listener {
                Ok(listener) => listener,
                Err(thrown) => return Poll::Ready(thrown.clone()),
            };
            if !listener.has_occurred(context) && !self.was_aborted {
                return Poll::Pending;
            }
            match self.signal.reason_of_abort() {
                Ok(None) => Poll::Pending,
                Ok(Some(reason)) | Err(reason) => Poll::Ready(reason),
            }
        })
        .await
    }
}

impl Signal {
    /// Returns the reason if the signal is aborted.
    fn reason_of_abort(&self) -> Result<Option<JsValue>, JsValue> {
        if self.aborted()?.is_truthy() { self.reason().map(Some) } else { Ok(None) }
    }
}
