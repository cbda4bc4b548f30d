//! The state from which `resume()` continues a collecting call.

use std::rc::Rc;

use columns::table::Table;
use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::rows;
use crate::accumulator::Accumulator;
use crate::contract::Kind;
use crate::error::{CallEnd, Error};

#[wasm_bindgen(raw_module = "./table/table.js")]
extern "C" {
    /// Creates a `FindingsTable` with these columns and their origin.
    #[wasm_bindgen(js_name = tableFrom)]
    fn table_from(columns: Columns, inspection_key: &JsValue, kind: &str, is_complete: bool) -> JsValue;
}

/// The origin of findings.
pub(super) struct Origin<'call> {
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: &'call JsValue,
    /// The kind of the findings.
    pub(super) kind: Kind,
    /// Whether they are all findings of this kind.
    pub(super) is_complete: bool,
}

/// The form of the findings that a caller gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As plain objects.
    Rows,
    /// As a table.
    Columns,
}

/// The state of a call for all findings, from which another call can resume.
#[wasm_bindgen]
#[derive(Clone)]
pub struct ResumeState {
    accumulator: Rc<Accumulator>,
    inspection_key: JsValue,
    kind: Kind,
    form: Form,
    resume: Function,
}

impl Form {
    /// Returns the findings in this form.
    ///
    /// # Errors
    ///
    /// The error of `check_time`, which is called between batches of rows.
    pub(super) async fn give(
        self,
        findings: Table,
        origin: Origin<'_>,
        check_time: &dyn Fn() -> Result<(), Box<Error<JsValue>>>,
    ) -> Result<JsValue, CallEnd<JsValue>> {
        match self {
            Form::Rows => Ok(rows::findings(findings, check_time).await?.into()),
            Form::Columns => Ok(table(findings, origin)),
        }
    }
}

/// Makes the table of the package.
pub(super) fn table(findings: Table, Origin { inspection_key, kind, is_complete }: Origin<'_>) -> JsValue {
    table_from(findings.into(), inspection_key, kind.name(), is_complete)
}

#[wasm_bindgen]
impl ResumeState {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}

impl ResumeState {
    /// The state of a new call. To continue, `resume` is called with a state and options.
    pub(super) fn new(
        accumulator: Rc<Accumulator>,
        inspection_key: JsValue,
        kind: Kind,
        form: Form,
        resume: Function,
    ) -> Self {
        ResumeState { accumulator, inspection_key, kind, form, resume }
    }

    /// The partitions received so far.
    pub(super) fn accumulator(&self) -> Rc<Accumulator> {
        Rc::clone(&self.accumulator)
    }

    /// The inspection, as the caller passed it.
    pub(super) fn inspection_key(&self) -> &JsValue {
        &self.inspection_key
    }

    /// The kind of the findings.
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// The origin of the received findings.
    pub(super) fn origin(&self, is_complete: bool) -> Origin<'_> {
        Origin { inspection_key: &self.inspection_key, kind: self.kind, is_complete }
    }

    /// The form of the findings.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Returns the `resume()` of an error.
    pub(super) fn resumption(self) -> Function {
        let resume = self.resume.clone();
        resume.bind1(&JsValue::UNDEFINED, &self.into()).unchecked_into()
    }
}
