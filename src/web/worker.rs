//! The exports for a worker, which packs the findings of bodies. Only numbers cross, so that a worker needs no glue.

use std::cell::RefCell;
use std::ptr;

use chunk::hash::HashSeed;
use wasm_bindgen::prelude::*;

use chunk::decoding::Packing;
use chunk::form::form_of;

/// The number of bytes to decode before the worker handles messages.
const SLICE: usize = 1024 * 1024;

thread_local! {
    static PACKING: RefCell<Option<Packing>> = const { RefCell::new(None) };
}

/// Begins with a body of this length, whose findings are packed as rows or as a chunk. `random`, in `0.0..1.0`, seeds its hashes; the worker passes it
/// because it has no imports. Returns the address for the body's bytes; null if out of memory.
#[wasm_bindgen(js_name = beginBody)]
pub fn begin_body(length: usize, as_rows: bool, random: f64) -> *mut u8 {
    let form = form_of(!as_rows);
    PACKING.with_borrow_mut(|packing| match Packing::new(length, HashSeed::new(random), form) {
        Ok(mut begun) => {
            let start = begun.body_mut().as_mut_ptr();
            *packing = Some(begun);
            start
        }
        Err(_) => ptr::null_mut(),
    })
}

/// Keeps only some columns. Their names begin at this offset, behind the body, and each is followed by the byte `0xFF`.
#[wasm_bindgen(js_name = keepColumns)]
pub fn keep_columns(names: usize) {
    PACKING.with_borrow_mut(|packing| packing.iter_mut().for_each(|packing| packing.start(Some(names))));
}

/// Decodes some more of the body. Returns true when the body is decoded.
#[wasm_bindgen(js_name = decodeMore)]
pub fn decode_more() -> bool {
    PACKING.with_borrow_mut(|packing| packing.as_mut().is_none_or(|packing| packing.advance(SLICE)))
}

/// Returns the address of the packed findings; null if there is none.
#[wasm_bindgen(js_name = packedStart)]
pub fn packed_start() -> *const u8 {
    PACKING.with_borrow(|packing| packing.as_ref().and_then(Packing::packed).map_or(ptr::null(), <[u8]>::as_ptr))
}

/// Returns the length of the packed findings.
#[wasm_bindgen(js_name = packedLength)]
pub fn packed_length() -> usize {
    PACKING.with_borrow(|packing| packing.as_ref().and_then(Packing::packed).map_or(0, <[u8]>::len))
}

/// Frees the body and the packed findings.
#[wasm_bindgen(js_name = endBody)]
pub fn end_body() {
    PACKING.set(None);
}
