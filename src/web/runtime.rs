//! What the decoder needs of JavaScript: its JSON, its randomness and its tasks.

use chunk::hash::HashSeed;
use js_sys::{JSON, Math};
#[cfg(feature = "tables")]
use {
    crate::js_string::copied,
    chunk::memory::{OutOfMemory, try_to_owned},
    table::tables::Host,
    wasm_bindgen::JsCast,
};

/// What catalogs need of this host.
#[cfg(feature = "tables")]
pub(super) const HOST: Host = Host { canonical, hash_seed };

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

#[cfg(feature = "tables")]
fn canonical(json: &str) -> Result<String, OutOfMemory> {
    let text = JSON::parse(json).and_then(|value| JSON::stringify(&value));
    match text.as_ref().map(|text| text.dyn_ref()) {
        Ok(Some(text)) => copied(text),
        _ => try_to_owned(json),
    }
}
