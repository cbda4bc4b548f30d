//! The redaction of an error: none of its texts may contain a secret of a header of the failed request, whichever attempt sent it.

use wasm_bindgen::prelude::*;

use crate::host_functions::make_redaction;
use call::error::{Error, ErrorKind};

/// Replaces a redacted text.
const LEFT_OUT: &str = "(left out: it contains the value of a request header)";

/// Redacts every text of an error that comes from the service or the host, and its URL.
pub(super) fn redact(failure: &mut Error<JsValue>) {
    if failure.headers.is_empty() {
        return;
    }
    let redaction = make_redaction(&failure.headers, LEFT_OUT);
    failure.url = failure.url.take().filter(|url| !redaction.quotes(url));
    failure.cause = failure.cause.take().map(|cause| redaction.cause(&cause));
    // The format has the title of a page.
    let format = match &mut failure.kind {
        ErrorKind::Decode(error) => error.format.as_mut(),
        _ => None,
    };
    for text in failure.messages.iter_mut().chain(&mut failure.reason).chain(&mut failure.request_id).chain(format) {
        if redaction.quotes(text) {
            *text = LEFT_OUT.to_owned();
        }
    }
}
