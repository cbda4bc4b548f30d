//! Bytes of JavaScript. Their length is checked before they are copied: js-sys would copy any number, and trap when out of memory.

use chunk::memory::{OutOfMemory, with_capacity};
use js_sys::Uint8Array;

/// Copies bytes. Unlike a copy to a list of zeros, this writes each of them once.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn copied(bytes: &Uint8Array) -> Result<Vec<u8>, OutOfMemory> {
    let length = bytes.length() as usize;
    let mut copy = with_capacity(length)?;
    if let Some(room) = copy.spare_capacity_mut().get_mut(..length) {
        bytes.copy_to_uninit(room);
        // SAFETY: there is room for as many bytes, and all are written.
        unsafe { copy.set_len(length) };
    }
    Ok(copy)
}
