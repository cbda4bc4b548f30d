//! The redaction of an error: none of its texts may contain a secret of a header of the failed request, whichever attempt sent it.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use crate::host_functions::{self, make_redaction, quotes_header, redacted_cause};
use call::error::{Error, ErrorKind};

/// Replaces a redacted text.
const LEFT_OUT: &str = "(left out: it contains the value of a request header)";

/// The redaction of one error: `None` if the headers could not be read. Then every text may contain them.
struct Redaction(Option<host_functions::Redaction>);

impl Redaction {
    /// Redacts texts that contain these headers.
    fn of(headers: &[JsValue]) -> Self {
        Redaction(make_redaction(headers, LEFT_OUT))
    }

    /// Whether a text may contain a secret.
    fn quotes(&self, text: &JsString) -> bool {
        self.0.as_ref().is_none_or(|redaction| quotes_header(redaction, text))
    }

    fn cause(&self, cause: &JsValue) -> Option<JsValue> {
        self.0.as_ref().map(|redaction| redacted_cause(redaction, cause))
    }
}

/// Redacts every text of an error that comes from the service or the host, and its URL.
pub(super) fn redact(failure: &mut Error<JsValue>) {
    if failure.headers.is_empty() {
        return;
    }
    let redaction = Redaction::of(&failure.headers);
    failure.url = failure.url.take().filter(|url| !redaction.quotes(&url.as_str().into()));
    failure.cause = failure.cause.take().and_then(|cause| redaction.cause(&cause));
    for text in failure.messages.iter_mut().chain(&mut failure.reason) {
        if redaction.quotes(&text.as_str().into()) {
            *text = LEFT_OUT.to_owned();
        }
    }
    // These contain keys of the body.
    if let ErrorKind::Decode(error) | ErrorKind::CutOff(error) = &mut failure.kind {
        if redaction.quotes(&error.path.as_str().into()) {
            error.path = LEFT_OUT.to_owned();
        }
        if redaction.quotes(&error.diagnosis.as_str().into()) {
            error.diagnosis = format!(" {LEFT_OUT}");
        }
    }
}
