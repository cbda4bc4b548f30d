//! The head of a response, as `src/js/worker/exchange.ts` has read it. gloo-net reads the headers.

use gloo_net::http;
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use crate::host_functions::{date, numbers_of, parse_date};
use call::machine::Head;
use call::retry_after::RetryAfter;

/// The media type of a page.
const PAGE: &str = "text/html";

/// Reads the head, whose headers are the engine's own.
pub(super) fn head_of(head: &JsValue, headers: Headers) -> Head {
    let [status, is_success, is_opaque_redirect, is_cors] =
        numbers_of(head, "status isSuccess type=opaqueredirect type=cors");
    let headers = http::Headers::from_raw(headers);
    let header = |name| headers.get(name);
    let status = status as u16;
    let is_success = is_success == 1.0;
    // Only a refusal asks to wait.
    let retry_after = if is_success { None } else { header("retry-after") };
    let retry_after = retry_after.and_then(|header| RetryAfter::parse(&header, parse_date));
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 0 && is_opaque_redirect == 1.0);
    Head {
        status,
        is_success,
        is_redirect,
        destination: if is_redirect { header("location") } else { None },
        hides_headers: is_cors == 1.0,
        retry_after: retry_after.map(|retry_after| retry_after.wait(date())),
        is_html: header("content-type")
            .is_some_and(|kind| kind.get(..PAGE.len()).is_some_and(|start| start.eq_ignore_ascii_case(PAGE))),
        length: header("content-length").and_then(|length| length.parse().ok()),
        is_encoded: header("content-encoding").is_some(),
    }
}
