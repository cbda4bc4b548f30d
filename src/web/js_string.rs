//! JavaScript strings. Their length is checked before they are copied: the glue would copy a string of any length, and trap when out of
//! memory.

use chunk::memory::{OutOfMemory, resize_bytes};
use js_sys::JsString;

use crate::host_functions::encode_text;

/// The maximum number of code units of a string that is copied in one step.
const SMALL: u32 = 4096;

/// Copies a string of any length. A lone surrogate becomes U+FFFD.
///
/// # Errors
///
/// Out of memory.
pub(crate) fn copied(text: &JsString) -> Result<String, OutOfMemory> {
    let length = text.length();
    let (mut bytes, mut read) = (Vec::new(), 0);
    // A code unit takes up to three bytes. Most strings are ASCII, so a long string is first copied as ASCII, and the rest as Unicode.
    let attempts: &[usize] = if length <= SMALL { &[3] } else { &[1, 3] };
    for bytes_per_unit in attempts {
        let rest = if read == 0 { text.clone() } else { text.slice(read, length) };
        let start = bytes.len();
        resize_bytes(&mut bytes, start + bytes_per_unit * length.saturating_sub(read) as usize)?;
        let target = bytes.get_mut(start..).unwrap_or_default();
        let mut counts = [0; 2];
        encode_text(&rest, target, &mut counts);
        let [encoded, written] = counts;
        bytes.truncate(start + written as usize);
        read += encoded;
        if read == length {
            break;
        }
    }
    String::from_utf8(bytes).map_err(|_| OutOfMemory)
}
