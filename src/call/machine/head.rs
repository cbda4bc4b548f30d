//! The head of a response, as the border has read it.

/// The relevant status and headers of a response.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The HTTP status; 0 for a redirect whose status the browser hides.
    pub status: u16,
    /// Whether the request has succeeded, with a whole body.
    pub is_success: bool,
    /// Whether the response is a redirect that was not followed.
    pub is_redirect: bool,
    /// Where a redirect leads, without credentials: an origin, or a path of the same origin. `None` if the host hides it.
    pub destination: Option<String>,
    /// Whether CORS may hide headers of the response.
    pub hides_headers: bool,
    /// The `Retry-After` header in milliseconds from now, if it is valid and visible.
    pub retry_after: Option<f64>,
    /// Whether the body is an HTML page.
    pub is_html: bool,
    /// The `Content-Length`. Only a lower bound: for a compressed body, it is the compressed length.
    pub length: Option<u64>,
    /// Whether a `Content-Encoding` is visible.
    pub is_encoded: bool,
}
