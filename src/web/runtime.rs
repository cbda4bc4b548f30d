//! What the decoder needs of JavaScript: its JSON, its randomness and its tasks.

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

/// Returns a random seed of hashes. Not before the first response, because some hosts forbid random numbers until then.
pub(super) fn hash_seed() -> HashSeed {
    HashSeed::new(Math::random())
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
