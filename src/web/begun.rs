//! The objects of a call that begins, as JavaScript has made them.

use js_sys::{JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The options of a call with all defaults, and values derived from them: the type `Settings` of `src/js/client/options/settings.ts`.
    #[wasm_bindgen(typescript_type = "Settings")]
    pub type Settings;
    /// The same of a call that begins: the type `Begun` of `src/js/engine/performer.ts`.
    #[wasm_bindgen(typescript_type = "Begun")]
    pub type Begun;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn promise(this: &Begun) -> Promise;
    #[wasm_bindgen(method, getter, structural, js_name = baseUrl)]
    pub(super) fn base_url(this: &Begun) -> JsString;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn columns(this: &Begun) -> Option<Uint8Array>;
}
