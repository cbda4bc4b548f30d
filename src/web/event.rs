//! An event of the host, with a listener that is removed on drop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use wasm_bindgen::prelude::*;

use crate::host_functions;

#[wasm_bindgen]
extern "C" {
    /// A value with the shape of an `EventTarget`, from any realm.
    #[derive(Clone, Debug)]
    pub(super) type Target;
}

/// A listener that is removed on drop. After a trap nothing is dropped, so JavaScript removes it.
pub(super) struct EventListener {
    listener: JsValue,
    state: Rc<EventState>,
    _callback: Closure<dyn FnMut()>,
}

#[derive(Default)]
struct EventState {
    event: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl EventListener {
    /// Adds a listener.
    pub(super) fn to(target: &Target, event: &str) -> Result<Self, JsValue> {
        let state = Rc::new(EventState::default());
        let shared = Rc::clone(&state);
        let callback = Closure::new(move || {
            shared.event.set(true);
            let waker = shared.waker.take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let listener = host_functions::listen(target, event, callback.as_ref().unchecked_ref()).result()?;
        Ok(EventListener { listener, state, _callback: callback })
    }

    /// Returns whether the event has occurred.
    pub(super) fn has_heard(&self) -> bool {
        self.state.event.get()
    }

    /// Returns whether the event has occurred; if not, wakes the task of `context` when it does.
    pub(super) fn has_occurred(&self, context: &Context<'_>) -> bool {
        self.state.waker.replace(Some(context.waker().clone()));
        self.state.event.get()
    }
}

impl Drop for EventListener {
    fn drop(&mut self) {
        host_functions::end_listening(&self.listener);
    }
}
