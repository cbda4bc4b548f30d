//! The progress of the calls behind a live table.

use std::cell::Cell;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use call::progress::Progress;

/// The progress of the call behind a live table, and the function to call after each change.
pub(super) struct Watch {
    progress: Cell<Progress>,
    on_change: Function,
}

impl Watch {
    /// Nothing yet. `on_change` must not throw.
    pub(super) fn new(on_change: Function) -> Self {
        Watch { progress: Cell::new(Progress::NONE), on_change }
    }

    /// The progress of the last call.
    pub(super) fn progress(&self) -> Progress {
        self.progress.get()
    }

    /// Records the progress and reports the change.
    pub(super) fn note(&self, progress: Progress) {
        self.progress.set(progress);
        // It does not throw.
        let _ = self.on_change.call0(&JsValue::UNDEFINED);
    }
}
