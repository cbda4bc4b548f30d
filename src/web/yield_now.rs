//! Time slices: long work yields the thread every few milliseconds.

use std::cell::Cell;

use chunk::hash::HashSeed;
use chunk::memory::{OutOfMemory, try_to_owned};
use chunk::value::host_json::HostJson;
use js_sys::JSON;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::host_functions::{self, now, random};
use crate::js_string::copied;
use chunk::decoding::Runtime;

/// The length of a time slice in milliseconds: half a frame at 60 Hz.
const SLICE: f64 = 8.0;

thread_local! {
    /// When the time slice began. All calls share it, because they share the thread.
    static BEGAN: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// The runtime of this instance of the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThisRuntime;

impl Runtime for ThisRuntime {
    const JSON: HostJson = HostJson { number, canonical };

    fn hash_seed() -> HashSeed {
        HashSeed::new(random())
    }

    async fn yield_now(&self) {
        yield_now().await;
    }
}

fn number(json: &str) -> f64 {
    JSON::parse(json).ok().and_then(|number| number.as_f64()).unwrap_or(f64::NAN)
}

fn canonical(json: &str) -> Result<String, OutOfMemory> {
    let text = JSON::parse(json).and_then(|value| JSON::stringify(&value));
    match text.as_ref().map(|text| text.dyn_ref()) {
        Ok(Some(text)) => copied(text),
        // Only if the page has replaced a built-in.
        _ => try_to_owned(json),
    }
}

/// Waits for the host. If the wait took longer than a time slice, the host has had a turn, so a new slice begins.
pub(super) async fn wait<Awaited: Future>(awaited: Awaited) -> Awaited::Output {
    let began = now();
    let output = awaited.await;
    let ended = now();
    // Unless other work has already begun a slice, perhaps in this task.
    if ended - began > SLICE && BEGAN.get() <= began {
        BEGAN.set(ended);
    }
    output
}

/// The milliseconds that are left of the time slice. A single row may take longer.
pub(super) fn time_left() -> f64 {
    (BEGAN.get() + SLICE - now()).max(0.0)
}

/// Yields the thread if the time slice is used up.
pub(super) async fn yield_now() {
    if now() - BEGAN.get() > SLICE {
        next_task().await;
        BEGAN.set(now());
    }
}

/// Resolves in a later task.
pub(super) async fn next_task() {
    // It never rejects.
    let _ = JsFuture::from(host_functions::yield_now()).await;
}
