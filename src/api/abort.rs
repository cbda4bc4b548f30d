//! The caller's `AbortSignal`, listened to for the time of one call.

use std::cell::RefCell;
use std::future::{Future, pending};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use js_sys::{Function, TypeError};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Anything of the shape of an `AbortSignal`, of whatever realm.
    #[derive(Clone, Debug)]
    pub type Signal;
    #[wasm_bindgen(method, getter, catch)]
    fn aborted(this: &Signal) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn reason(this: &Signal) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch, js_name = addEventListener)]
    fn listen_function(this: &Signal) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = addEventListener)]
    fn listen(this: &Signal, event: &str, listener: &Function) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = removeEventListener)]
    fn unlisten(this: &Signal, event: &str, listener: &Function) -> Result<(), JsValue>;
}

impl Signal {
    /// The value as a signal, if it has the shape of one.
    pub fn from_shape(value: &JsValue) -> Result<Signal, JsValue> {
        let signal: Signal = value.clone().unchecked_into();
        let fits =
            value.is_object() && signal.aborted()?.as_bool().is_some() && signal.listen_function()?.is_function();
        if fits { Ok(signal) } else { Err(TypeError::new("signal must be an AbortSignal").into()) }
    }

    /// The reason, once it is aborted.
    pub fn reason_of_abort(&self) -> Result<Option<JsValue>, JsValue> {
        if self.aborted()?.is_truthy() { self.reason().map(Some) } else { Ok(None) }
    }
}

/// Ends with the signal's reason when it is aborted; never where there is no signal.
pub async fn aborted(signal: Option<Signal>) -> JsValue {
    let Some(signal) = signal else { return pending().await };
    match Abort::listen(signal) {
        Ok(abort) => abort.await,
        Err(thrown) => thrown,
    }
}

/// Listens until it is dropped.
struct Abort {
    signal: Signal,
    listener: Closure<dyn FnMut()>,
    waker: Rc<RefCell<Option<Waker>>>,
}

impl Abort {
    fn listen(signal: Signal) -> Result<Self, JsValue> {
        let waker = Rc::new(RefCell::new(None));
        let woken = Rc::clone(&waker);
        let listener = Closure::new(move || {
            let waker: Option<Waker> = woken.take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        signal.listen("abort", listener.as_ref().unchecked_ref())?;
        Ok(Abort { signal, listener, waker })
    }
}

impl Future for Abort {
    type Output = JsValue;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<JsValue> {
        match self.signal.reason_of_abort() {
            Ok(None) => {
                self.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
            Ok(Some(reason)) | Err(reason) => Poll::Ready(reason),
        }
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        // A signal that does not let go of its listener must not keep the call from ending.
        let _ = self.signal.unlisten("abort", self.listener.as_ref().unchecked_ref());
    }
}
