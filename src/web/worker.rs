//! The exports for a worker, which packs the findings of bodies. Only numbers cross, so that a worker needs no glue.

use std::cell::RefCell;
use std::ptr;

use chunk::decoding::Decoding;
use chunk::form::{Formed, form_of};
use chunk::hash::HashSeed;
use chunk::memory::filled;
use chunk::value::dictionary::Dictionary;
use wasm_bindgen::prelude::*;

/// The number of bytes to decode before the worker handles messages.
const SLICE: usize = 1024 * 1024;

thread_local! {
    static DECODING: RefCell<Option<Decoding>> = const { RefCell::new(None) };
    static PACKED: RefCell<Option<Formed>> = const { RefCell::new(None) };
}

/// Begins with a body of this length, whose findings are packed as rows or as a chunk. `random`, in `0.0..1.0`, seeds its hashes; the worker passes it
/// because it has no imports. Returns the address for the body's bytes; null if out of memory.
#[wasm_bindgen(js_name = beginBody)]
pub fn begin_body(length: usize, as_rows: bool, random: f64) -> *mut u8 {
    let Ok(body) = filled(length, 0) else { return ptr::null_mut() };
    let mut decoding = Decoding::new(body, Dictionary::new(None, HashSeed::new(random)), form_of(!as_rows));
    let start = decoding.decoder().map_or(ptr::null_mut(), |decoder| decoder.body_mut().as_mut_ptr());
    DECODING.set(Some(decoding));
    start
}

/// Keeps only some columns. Their names begin at this offset, behind the body, and each is followed by the byte `0xFF`.
#[wasm_bindgen(js_name = keepColumns)]
pub fn keep_columns(names: usize) {
    let keep = |decoding: &mut Decoding| decoding.decoder()?.keep_columns(names).ok();
    DECODING.with_borrow_mut(|decoding| {
        if decoding.as_mut().and_then(keep).is_none() {
            *decoding = None;
        }
    });
}

/// Decodes some more of the body. Returns true when the body is decoded: packed, unless the page has to decode it, and find the error.
#[wasm_bindgen(js_name = decodeMore)]
pub fn decode_more() -> bool {
    DECODING.with_borrow_mut(|decoding| {
        let Some(one) = decoding else { return true };
        let end = one.advance(SLICE);
        let has_errors = one.messages.is_some();
        if !has_errors && matches!(end, Ok(None)) {
            return false;
        }
        PACKED.set(end.ok().flatten().filter(|_| !has_errors));
        *decoding = None;
        true
    })
}

/// Returns the address of the packed findings; null if there is none.
#[wasm_bindgen(js_name = packedStart)]
pub fn packed_start() -> *const u8 {
    PACKED.with_borrow(|packed| packed.as_ref().map_or(ptr::null(), |packed| packed.bytes().as_ptr()))
}

/// Returns the length of the packed findings.
#[wasm_bindgen(js_name = packedLength)]
pub fn packed_length() -> usize {
    PACKED.with_borrow(|packed| packed.as_ref().map_or(0, |packed| packed.bytes().len()))
}

/// Frees the body and the packed findings.
#[wasm_bindgen(js_name = endBody)]
pub fn end_body() {
    DECODING.set(None);
    PACKED.set(None);
}
