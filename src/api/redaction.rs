//! The redaction of an error: none of its texts may contain a header value of the failed request, whichever attempt sent it.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use crate::error::{Error, ErrorKind};

/// Replaces a redacted text.
const LEFT_OUT: &str = "(left out: it contains the value of a request header)";

#[wasm_bindgen(raw_module = "./host/redaction.js")]
extern "C" {
    #[wasm_bindgen(js_name = Redaction)]
    type Script;
    #[wasm_bindgen(constructor, catch, js_class = "Redaction")]
    fn new(headers: &[JsValue], replacement: &str) -> Result<Script, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn quotes(this: &Script, text: &JsString) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn cause(this: &Script, cause: &JsValue) -> Result<JsValue, JsValue>;
}

/// The redaction of one error.
struct Redaction {
    /// `None` if the headers could not be read: then every text may contain them.
    script: Option<Script>,
}

impl Redaction {
    /// Redacts texts that contain these headers.
    fn of(headers: &[web_sys::Headers]) -> Self {
        let headers: Vec<JsValue> = headers.iter().map(JsValue::from).collect();
        Redaction { script: Script::new(&headers, LEFT_OUT).ok() }
    }

    /// Whether a text may contain a header value.
    fn quotes(&self, text: &JsString) -> bool {
        self.script.as_ref().is_none_or(|script| script.quotes(text).unwrap_or(true))
    }

    fn cause(&self, cause: &JsValue) -> Option<JsValue> {
        self.script.as_ref()?.cause(cause).ok()
    }
}

/// Redacts every text of an error that comes from the service or the host, and its URL.
pub(super) fn redact(failure: &mut Error<JsValue>, headers: &[web_sys::Headers]) {
    if headers.is_empty() {
        return;
    }
    let redaction = Redaction::of(headers);
    failure.url = failure.url.take().filter(|url| !redaction.quotes(&url.as_str().into()));
    failure.cause = failure.cause.take().and_then(|cause| redaction.cause(&cause));
    for message in &mut failure.messages {
        if redaction.quotes(&message.as_str().into()) {
            *message = LEFT_OUT.to_owned();
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
