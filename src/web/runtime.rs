//! What the decoder needs of JavaScript: its JSON, its randomness and its tasks.

use std::cell::Cell;

#[cfg(feature = "tables")]
use chunk::decoding::Runtime;
use chunk::hash::HashSeed;
use chunk::memory::{OutOfMemory, try_to_owned};
use chunk::value::host_json::HostJson;
use js_sys::{JSON, Math};
use wasm_bindgen::prelude::*;

use crate::js_string::copied;

/// Reads and compares values as `JSON` does.
pub(super) const JSON_OF_HOST: HostJson = HostJson { number, canonical };

/// The runtime of this instance of the module.
#[cfg(feature = "tables")]
#[derive(Clone, Copy, Debug)]
pub(super) struct ThisRuntime;

#[cfg(feature = "tables")]
impl Runtime for ThisRuntime {
    const JSON: HostJson = JSON_OF_HOST;

    fn hash_seed() -> HashSeed {
        hash_seed()
    }

    async fn yield_now(&self) {
        if let Some(pause) = crate::host_functions::pause() {
            // It never rejects.
            let _ = wasm_bindgen_futures::JsFuture::from(pause).await;
        }
    }
}

/// Returns a random seed of hashes.
pub(super) fn hash_seed() -> HashSeed {
    if CHANCES.get().0.iter().any(|number| number.is_nan()) {
        ask_host(1);
    }
    HashSeed::new(chance())
}

/// As many numbers as a client has requests in flight by default, each of which may wait for another attempt.
const MOST: usize = 8;

thread_local! {
    /// The next random numbers, NaN before the host was asked, and how many are taken.
    static CHANCES: Cell<([f64; MOST], usize)> = const { Cell::new(([f64::NAN; MOST], MOST)) };
}

/// Asks the host for the next random numbers. Not before the first response, because some hosts forbid that.
pub(super) fn ask_chance() {
    ask_host(MOST);
}

fn ask_host(count: usize) {
    let mut numbers = [0.5; MOST];
    numbers.iter_mut().rev().take(count).for_each(|number| *number = Math::random());
    CHANCES.set((numbers, MOST - count));
}

/// Returns the next random number in `0.0..1.0`. One that the host was not asked for follows from the one before, by SplitMix64.
pub(super) fn chance() -> f64 {
    let (mut numbers, taken) = CHANCES.get();
    if let Some(number) = numbers.get(taken) {
        CHANCES.set((numbers, taken + 1));
        return *number;
    }
    let [.., last] = &mut numbers;
    let state = last.to_bits().wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    *last = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
    let next = *last;
    CHANCES.set((numbers, taken));
    next
}

fn number(json: &str) -> f64 {
    JSON::parse(json).ok().and_then(|number| number.as_f64()).unwrap_or(f64::NAN)
}

fn canonical(json: &str) -> Result<String, OutOfMemory> {
    let text = JSON::parse(json).and_then(|value| JSON::stringify(&value));
    match text.as_ref().map(|text| text.dyn_ref()) {
        Ok(Some(text)) => copied(text),
        _ => try_to_owned(json),
    }
}
