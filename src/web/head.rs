//! The head of a response, as `src/js/core/worker/exchange.ts` has read it. gloo-net reads the headers.

use gloo_net::http;
use js_sys::Date;
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use crate::members::{is, members};
use call::machine::Head;
use call::retry_after::RetryAfter;

/// The media type of a page.
const PAGE: &str = "text/html";

members! {
    /// What Rust reads of a head besides its headers.
    struct HeadMembers {
        status: "status",
        is_success: "isSuccess",
        is_opaque_redirect: "type=opaqueredirect",
        is_cors: "type=cors",
    }
}

/// The header that has the id of a request.
const REQUEST_ID: &str = "x-request-id";

/// The maximum number of characters of the id of a request.
const MAX_REQUEST_ID: usize = 200;

/// Reads the head, whose headers are the engine's own, and returns them, too.
pub(super) fn head_of(head: &JsValue, headers: Headers) -> (Head, JsValue) {
    let members = HeadMembers::of(head);
    let headers = http::Headers::from_raw(headers);
    let header = |name| headers.get(name);
    let status = members.status as u16;
    let is_success = is(members.is_success);
    // Only a refusal asks to wait.
    let retry_after = if is_success { None } else { header("retry-after") };
    let retry_after = retry_after.and_then(|header| RetryAfter::parse(&header, Date::parse));
    let is_redirect = matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 0 && is(members.is_opaque_redirect));
    let head = Head {
        status,
        is_success,
        is_redirect,
        destination: if is_redirect { header("location") } else { None },
        hides_headers: is(members.is_cors),
        retry_after: retry_after.map(|retry_after| retry_after.wait(Date::now())),
        is_html: header("content-type")
            .is_some_and(|kind| kind.get(..PAGE.len()).is_some_and(|start| start.eq_ignore_ascii_case(PAGE))),
        length: header("content-length").and_then(|length| length.parse().ok()),
        is_encoded: header("content-encoding").is_some(),
    };
    (head, headers.into_raw().into())
}

/// The id of a request in the headers of its response.
pub(super) fn request_id_of(headers: &JsValue) -> Option<String> {
    headers.unchecked_ref::<Headers>().get(REQUEST_ID).ok().flatten()
}

/// What an error has of such an id.
pub(super) fn shortened(id: &str) -> String {
    id.chars().take(MAX_REQUEST_ID).collect()
}
