//! Strings of JavaScript, whose length is looked at before they are copied. The glue would copy one of any length, and stop the module
//! where there is no room for it.

use columns::memory::{OutOfMemory, resize_bytes};
use js_sys::JsString;
use wasm_bindgen::prelude::*;

use crate::excerpt::MAX_CHARACTERS;

#[wasm_bindgen]
extern "C" {
    type TextEncoder;
    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;
    #[wasm_bindgen(method, js_name = encodeInto)]
    fn encode_into(this: &TextEncoder, text: &JsString, place: &mut [u8]) -> Encoded;

    type Encoded;
    #[wasm_bindgen(method, getter)]
    fn read(this: &Encoded) -> u32;
    #[wasm_bindgen(method, getter)]
    fn written(this: &Encoded) -> usize;
}

/// The most code units of a string that is copied at once.
const SMALL: u32 = 4096;

thread_local! {
    static ENCODER: TextEncoder = TextEncoder::new();
}

/// The value if it is a string that is short enough to be a word with a meaning.
pub(crate) fn word(value: &JsValue) -> Option<String> {
    let text = value.dyn_ref::<JsString>()?;
    if text.length() as usize <= MAX_CHARACTERS { value.as_string() } else { None }
}

/// The string as messages quote it.
pub(crate) fn excerpt(text: &JsString) -> String {
    let is_whole = text.length() as usize <= MAX_CHARACTERS;
    beginning(text) + if is_whole { "" } else { "…" }
}

/// The string if it is short, or else its beginning.
pub(crate) fn beginning(text: &JsString) -> String {
    let end = MAX_CHARACTERS as u32;
    // Both halves of a character, or none.
    let is_split = text.length() > end && (0xD800..0xDC00).contains(&(text.char_code_at(end - 1) as u32));
    text.slice(0, end - u32::from(is_split)).into()
}

/// A copy of a string of any length, if there is room for it. A lone surrogate becomes U+FFFD.
pub(crate) fn copied(text: &JsString) -> Result<String, OutOfMemory> {
    let length = text.length();
    let (mut bytes, mut read) = (Vec::new(), 0);
    // A code unit takes up to three bytes. Where that would be much, it is first tried whether it is all ASCII, as most is.
    let rooms: &[usize] = if length <= SMALL { &[3] } else { &[1, 3] };
    for room in rooms {
        let rest = if read == 0 { text.clone() } else { text.slice(read, length) };
        let start = bytes.len();
        bytes.try_reserve_exact(room * rest.length() as usize)?;
        resize_bytes(&mut bytes, start + room * rest.length() as usize)?;
        let place = bytes.get_mut(start..).unwrap_or_default();
        let encoded = ENCODER.with(|encoder| encoder.encode_into(&rest, place));
        bytes.truncate(start + encoded.written());
        read += encoded.read();
        if read == length {
            break;
        }
    }
    // It is always UTF-8.
    Ok(String::from_utf8(bytes).unwrap_or_default())
}
