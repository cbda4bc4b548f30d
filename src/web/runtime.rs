//! What the decoder needs of JavaScript: its JSON, its randomness and its tasks.

use chunk::hash::HashSeed;
use js_sys::{JSON, Math};

/// Yields to other tasks if the time slice is used up.
#[cfg(feature = "tables")]
pub(super) async fn yield_now() {
    if let Some(pause) = crate::host_functions::pause() {
        // It never rejects.
        let _ = wasm_bindgen_futures::JsFuture::from(pause).await;
    }
}

/// Returns a random seed of hashes. Not before the first response, because some hosts forbid random numbers until then.
pub(super) fn hash_seed() -> HashSeed {
    HashSeed::new(Math::random())
}

/// Parses a JSON number as `JSON.parse` does.
pub(super) fn number(json: &str) -> f64 {
    JSON::parse(json).ok().and_then(|number| number.as_f64()).unwrap_or(f64::NAN)
}
