//! The decoding of bodies in the page, in slices that JavaScript drives.

use chunk::decode::DecodeError;
use chunk::decoding::Decoding;
use chunk::form::Formed;
use chunk::hash::HashSeed;
use chunk::memory::{OutOfMemory, check_reserve};
use chunk::value::dictionary::Dictionary;
use js_sys::{JSON, Math};
use wasm_bindgen::prelude::*;

use super::attempt::Attempt;
use call::machine::Undecoded;

/// Bytes of a body to decode between two checks of the time slice. On a slow device they can take a few milliseconds.
const SLICE: usize = 96 * 1024;

impl Attempt {
    /// Decodes a slice of the body, which is first copied into the module. Returns the findings once they are there.
    ///
    /// # Errors
    ///
    /// Why there are none.
    pub(super) fn decode(&self) -> Result<Option<Formed>, Undecoded<JsValue>> {
        // Not borrowed, because the decoder calls JavaScript.
        let decoding = self.decoding.take().map_or_else(|| self.begin_decoding(), Ok);
        let mut decoding = decoding.map_err(|OutOfMemory| Undecoded::Wrong(DecodeError::out_of_memory()))?;
        let formed = decoding.advance(SLICE).map_err(|error| match decoding.messages.take() {
            Some(messages) => Undecoded::Refused(messages, None),
            None => Undecoded::Wrong(error),
        });
        self.decoding.replace(Some(decoding));
        formed
    }

    /// Takes the messages of a body with `errors`, whose findings have been decoded.
    pub(super) fn take_messages(&self) -> Option<Vec<String>> {
        self.decoding.borrow_mut().as_mut()?.messages.take()
    }

    fn begin_decoding(&self) -> Result<Decoding, OutOfMemory> {
        let body = self.copied_body(self.length.get())?;
        check_reserve()?;
        let mut dictionary = new_dictionary();
        dictionary.columns.clone_from(&self.call.columns);
        Ok(Decoding::new(body, dictionary, self.call.form))
    }
}

/// A dictionary for a body that is decoded here.
pub(super) fn new_dictionary() -> Dictionary {
    Dictionary::new(Some(number), hash_seed())
}

/// Returns a random seed of hashes. Not before the first response, because some hosts forbid random numbers until then.
pub(super) fn hash_seed() -> HashSeed {
    HashSeed::new(Math::random())
}

/// Parses a JSON number as `JSON.parse` does.
fn number(json: &str) -> f64 {
    JSON::parse(json).ok().and_then(|number| number.as_f64()).unwrap_or(f64::NAN)
}
