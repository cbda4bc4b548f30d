//! What a call for all findings gathers, and from which `resume()` of its error continues.

#[cfg(feature = "tables")]
use std::rc::Rc;

#[cfg(feature = "tables")]
use chunk::memory::OutOfMemory;
use js_sys::Map;
#[cfg(feature = "tables")]
use table::TableError;
use wasm_bindgen::prelude::*;

#[cfg(feature = "tables")]
use super::findings_error::unmade;
#[cfg(feature = "tables")]
use super::gathered::GatheredChunks;
use crate::host_functions::join_findings;
use call::contract::Kind;
#[cfg(feature = "tables")]
use call::machine::Coverage;
use call::machine::{Accumulation, Earlier};
use chunk::form::{Form, form_of};
use chunk::invariant::Certain;

/// Returns the kind of this name, which JavaScript has checked.
pub(super) fn kind_of(name: &JsValue) -> Kind {
    [Kind::Topics, Kind::Sentiment].into_iter().find(|kind| *name == kind.name()).certain()
}

/// The state of a call for all findings, from which another call can resume.
#[wasm_bindgen]
#[derive(Clone)]
pub struct ResumeState {
    accumulator: Accumulation,
    gathered: Gathered,
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: JsValue,
    /// The kind of the findings.
    pub(super) kind: Kind,
}

/// The partitions that were received.
#[derive(Clone)]
pub(super) enum Gathered {
    /// The objects of each partition: a `Map`, by index.
    Lists(JsValue),
    /// The chunk of each partition.
    #[cfg(feature = "tables")]
    Chunks(Rc<GatheredChunks>),
}

/// Why there are no findings.
pub(super) enum Unmade {
    /// Out of memory.
    OutOfMemory,
    /// There are too many for a table: the error of the call.
    #[cfg(feature = "tables")]
    TooMany(JsValue),
}

#[wasm_bindgen]
impl ResumeState {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}

impl ResumeState {
    /// The state of a new call.
    pub(super) fn new(gathered: Gathered, inspection_key: JsValue, kind: Kind) -> Self {
        ResumeState { accumulator: Accumulation::new(gathered.earlier()), gathered, inspection_key, kind }
    }

    /// What calls receive with it, as the machine knows it.
    pub(super) fn accumulator(&self) -> Accumulation {
        self.accumulator.clone()
    }

    /// What calls have received; `None` before the counts are known.
    #[cfg(feature = "tables")]
    pub(super) fn coverage(&self) -> Option<Coverage> {
        self.accumulator.coverage()
    }

    /// The form of the findings.
    pub(super) fn form(&self) -> Form {
        form_of(!matches!(self.gathered, Gathered::Lists(_)))
    }

    /// Where JavaScript gathers objects; undefined if the state has chunks.
    pub(super) fn lists(&self) -> JsValue {
        match &self.gathered {
            Gathered::Lists(lists) => lists.clone(),
            #[cfg(feature = "tables")]
            Gathered::Chunks(_) => JsValue::UNDEFINED,
        }
    }

    /// The chunks of the partitions; `None` if it gathers objects.
    #[cfg(feature = "tables")]
    pub(super) fn chunks(&self) -> Option<&Rc<GatheredChunks>> {
        match &self.gathered {
            Gathered::Lists(_) => None,
            Gathered::Chunks(chunks) => Some(chunks),
        }
    }

    /// The findings received so far from this base URL: a list of plain objects, or the package's table.
    ///
    /// # Errors
    ///
    /// They cannot be made.
    #[cfg_attr(not(feature = "tables"), expect(unused_variables, reason = "only a table has an origin"))]
    pub(super) fn findings(&self, base_url: &str) -> Result<JsValue, Unmade> {
        match &self.gathered {
            Gathered::Lists(lists) => join_findings(lists).map_err(|_| Unmade::OutOfMemory),
            #[cfg(feature = "tables")]
            Gathered::Chunks(chunks) => {
                Ok(chunks.table_for_caller(self.coverage(), &self.inspection_key, self.kind, base_url)?)
            }
        }
    }
}

impl Gathered {
    /// No objects yet.
    pub(super) fn lists() -> Self {
        Gathered::Lists(Map::new().into())
    }

    /// The earlier table that calls may begin with.
    fn earlier(&self) -> Option<Earlier> {
        match self {
            Gathered::Lists(_) => None,
            #[cfg(feature = "tables")]
            Gathered::Chunks(chunks) => chunks.earlier(),
        }
    }
}

#[cfg(feature = "tables")]
impl From<TableError> for Unmade {
    fn from(error: TableError) -> Self {
        match error {
            TableError::OutOfMemory(OutOfMemory) => Unmade::OutOfMemory,
            TableError::TooMany(_) => Unmade::TooMany(unmade(error)),
        }
    }
}
