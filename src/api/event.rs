//! An event of the host, listened to until nobody waits for it any more.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

use js_sys::Function;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Anything of the shape of an `EventTarget`, of whatever realm.
    #[derive(Clone, Debug)]
    pub type Target;
    #[wasm_bindgen(method, getter, catch, js_name = addEventListener)]
    fn listen_function(this: &Target) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = addEventListener)]
    fn listen(this: &Target, event: &str, listener: &Function) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = removeEventListener)]
    fn unlisten(this: &Target, event: &str, listener: &Function) -> Result<(), JsValue>;
}

// Should the module stop, nothing is dropped: JavaScript takes these listeners away. And a target may call a listener that has been
// taken away from it, which then must not reach what is dropped here.
#[wasm_bindgen(raw_module = "./cleanup.js")]
extern "C" {
    #[wasm_bindgen(js_name = listenerUntilForgotten)]
    fn listener_until_forgotten(target: &Target, event: &str, hear: &Function) -> Function;
    fn forget(listener: &Function);
}

impl Target {
    /// Whether it can be listened to.
    pub fn fits(&self) -> Result<bool, JsValue> {
        Ok(self.listen_function()?.is_function())
    }
}

/// Listens until it is dropped.
pub struct Listening {
    target: Target,
    event: &'static str,
    listener: Function,
    heard: Rc<Heard>,
    _hear: Closure<dyn FnMut()>,
}

#[derive(Default)]
struct Heard {
    event: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Listening {
    /// Begins to listen.
    pub fn to(target: Target, event: &'static str) -> Result<Self, JsValue> {
        let heard = Rc::new(Heard::default());
        let told = Rc::clone(&heard);
        let hear = Closure::new(move || {
            told.event.set(true);
            let waker = told.waker.take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let listener = listener_until_forgotten(&target, event, hear.as_ref().unchecked_ref());
        target.listen(event, &listener).inspect_err(|_| forget(&listener))?;
        Ok(Listening { target, event, listener, heard, _hear: hear })
    }

    /// Whether the event has come; if not, whoever asks is woken when it does.
    pub fn has_heard(&self, context: &Context<'_>) -> bool {
        self.heard.waker.replace(Some(context.waker().clone()));
        self.heard.event.get()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        forget(&self.listener);
        // A target that does not let go of its listener must not keep the call from ending.
        let _ = self.target.unlisten(self.event, &self.listener);
    }
}
