//! What the headers of a response say.

use serde::{Deserialize, Serialize};

/// What the headers of a response say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The HTTP status; 0 for a redirect whose status the browser hides.
    pub(crate) status: u16,
    /// Whether the response is a redirect that was not followed.
    pub(crate) is_redirect: bool,
    /// Whether CORS may hide headers of the response.
    pub(crate) hides_headers: bool,
    /// The `Retry-After` header, if it is present and visible.
    pub(crate) retry_after: Option<String>,
    /// Whether the body is an HTML page.
    pub(crate) is_page: bool,
}

impl Head {
    /// Whether the request has succeeded.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}
