//! What a worker calls: it turns one body after the other into a parcel. Only numbers cross the border, so that a worker needs no glue.

use std::cell::RefCell;
use std::ptr;

use columns::hash_seed::HashSeed;
use wasm_bindgen::prelude::*;

use crate::decode::Packing;

/// Bytes of a body that are decoded between two messages that the worker may hear.
const SLICE: usize = 1024 * 1024;

thread_local! {
    static PACKING: RefCell<Option<Packing>> = const { RefCell::new(None) };
}

/// Begins with a body of this length. Seeds its hashes with a random number in `0.0..1.0`, which a worker has to pass because it provides
/// no imports. Returns where its bytes belong; null if there is no memory for them.
#[wasm_bindgen(js_name = beginBody)]
pub fn begin_body(length: usize, random: f64) -> *mut u8 {
    PACKING.with_borrow_mut(|packing| match Packing::new(length, HashSeed::new(random)) {
        Ok(mut begun) => {
            let start = begun.body_mut().as_mut_ptr();
            *packing = Some(begun);
            start
        }
        Err(_) => ptr::null_mut(),
    })
}

/// Decodes some more of the body. Returns true once nothing is left to decode.
#[wasm_bindgen(js_name = decodeMore)]
pub fn decode_more() -> bool {
    PACKING.with_borrow_mut(|packing| packing.as_mut().is_none_or(|packing| packing.advance(SLICE)))
}

/// Returns where the parcel begins; null if the body has none.
#[wasm_bindgen(js_name = parcelStart)]
pub fn parcel_start() -> *const u8 {
    PACKING.with_borrow(|packing| packing.as_ref().and_then(Packing::parcel).map_or(ptr::null(), <[u8]>::as_ptr))
}

/// Returns the length of the parcel.
#[wasm_bindgen(js_name = parcelLength)]
pub fn parcel_length() -> usize {
    PACKING.with_borrow(|packing| packing.as_ref().and_then(Packing::parcel).map_or(0, <[u8]>::len))
}

/// Frees the body and its parcel.
#[wasm_bindgen(js_name = endBody)]
pub fn end_body() {
    PACKING.set(None);
}
