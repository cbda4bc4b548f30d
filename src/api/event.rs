//! An event of the host, with a listener that is removed on drop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A value with the shape of an `EventTarget`, from any realm.
    #[derive(Clone, Debug)]
    pub(super) type Target;
}

// After a trap nothing is dropped, so JavaScript removes these listeners.
#[wasm_bindgen(raw_module = "./host/cleanup.js")]
extern "C" {
    type Hearing;
    #[wasm_bindgen(catch, js_name = listenUntilStop)]
    fn listen_until_stop(target: &Target, event: &str, hear: &Function) -> Result<Hearing, JsValue>;
    #[wasm_bindgen(method)]
    fn end(this: &Hearing);
}

/// A listener that is removed on drop.
pub(super) struct Listening {
    hearing: Hearing,
    heard: Rc<Heard>,
    _hear: Closure<dyn FnMut()>,
}

#[derive(Default)]
struct Heard {
    event: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Listening {
    /// Adds a listener.
    pub(super) fn to(target: &Target, event: &str) -> Result<Self, JsValue> {
        let heard = Rc::new(Heard::default());
        let told = Rc::clone(&heard);
        let hear = Closure::new(move || {
            told.event.set(true);
            let waker = told.waker.take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let hearing = listen_until_stop(target, event, hear.as_ref().unchecked_ref())?;
        Ok(Listening { hearing, heard, _hear: hear })
    }

    /// Returns whether the event has occurred; if not, wakes the task of `context` when it does.
    pub(super) fn has_heard(&self, context: &Context<'_>) -> bool {
        self.heard.waker.replace(Some(context.waker().clone()));
        self.heard.event.get()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hearing.end();
    }
}
