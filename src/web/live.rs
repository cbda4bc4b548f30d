//! The source of a live table: the partitions that its calls have received so far.

use chunk::memory::{OutOfMemory, check_reserve};
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::{no_memory, unmade};
use super::resume::ResumeState;
use super::serialize::to_js;
use super::watch::Watch;
use call::progress::Progress;

/// The content of a live table. Its calls add to it one after the other.
#[wasm_bindgen]
pub struct LiveSource {
    /// The state from which each call resumes.
    pub(super) resume_state: ResumeState,
}

#[wasm_bindgen]
impl LiveSource {
    /// Returns the findings received so far as a table that shares their columns.
    pub fn table(&self) -> Result<Columns, JsValue> {
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        let Some(chunks) = self.resume_state.chunks() else { return Err(no_memory()) };
        chunks.table(self.resume_state.coverage()).map(Columns::from).map_err(unmade)
    }

    /// Returns the progress of the call.
    #[wasm_bindgen(unchecked_return_type = "LiveProgress")]
    pub fn progress(&self) -> JsValue {
        let watch = self.resume_state.chunks().and_then(|chunks| chunks.watch.as_ref());
        to_js(&watch.map_or(Progress::NONE, Watch::progress))
    }

    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}
