//! The advice with which the message of an error ends.

use std::fmt;

/// Advice that explains an error further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The host reports that it is offline.
    Offline,
    /// The service asked to wait longer than `maxRetryAfter`.
    LongRetryAfter {
        /// The milliseconds that the service asked for.
        asked: u64,
        /// The option, in milliseconds.
        most: u64,
    },
    /// The service asked to wait beyond the end of `totalTimeout`.
    LateRetryAfter {
        /// The milliseconds that the service asked for.
        asked: u64,
        /// The option, in milliseconds.
        total: u64,
    },
    /// The response may have had a `Retry-After` that CORS hides.
    HiddenRetryAfter,
    /// The retry budget of the client is exhausted.
    NoRetryLeft,
    /// The host is a page, from which the browser hides why a request got no response.
    HiddenReason,
    /// A page of https requested a URL of http.
    Insecure,
    /// A page of https requested a URL of http in the local network.
    InsecureLocal,
    /// The environment names a proxy that Node's `fetch` does not use.
    UnusedProxy,
    /// The URL may lead to something other than the service.
    WrongUrl,
    /// The partition that the caller asks for may not exist.
    WrongIndex,
    /// The response says that it is HTML, and is not JSON.
    Html,
    /// The redirect may be to a page for signing in.
    SignIn,
    /// The credentials may be wrong.
    Credentials,
    /// The request had no header with credentials.
    NoCredentials,
    /// The `Authorization` lacks the prefix of a bearer token.
    NoBearer,
    /// The header for a token has none.
    NoToken {
        /// The name of the header.
        header: &'static str,
    },
    /// The `authentication` has a bearer token.
    MisplacedBearer,
    /// The credentials may lack a permission.
    NoPermission,
    /// The counts may have a shape that the caller can convert.
    OtherCounts,
    /// The connection may have broken, because the response does not say how long its body is.
    UnknownLength,
    /// The time passed before the caller's function returned headers.
    SlowHeaders,
}

impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Hint::Offline => "The device is offline.",
            Hint::HiddenReason => {
                "The browser's console names the reason, which pages cannot read: the service cannot be reached, the connection \
                 broke, the service does not allow the page's origin (CORS), connect-src of the page's content security \
                 policy does not allow the URL, or the user does not allow the page to access the local network or this \
                 device."
            }
            Hint::Insecure => "The page is of https, so the browser lets it request no http URL: use https in baseUrl.",
            Hint::InsecureLocal => {
                "The page is of https, and the URL is an http one of the local network: Chrome requests it if the user allows the \
                 page to access the local network, other browsers do not. For all of them, use https in baseUrl."
            }
            Hint::UnusedProxy => {
                "The environment names a proxy, which Node's fetch uses only in Node 22.21, 24 or later, and only if \
                 NODE_USE_ENV_PROXY=1 is set, too."
            }
            Hint::WrongUrl => "Check baseUrl (--base-url) and the inspection key.",
            Hint::WrongIndex => "Check the partition index, too: it must be less than the number of partitions.",
            Hint::Html => "The response says that it is HTML: perhaps it is of a firewall or proxy.",
            Hint::SignIn => {
                "If that is a page for signing in, the session has ended; otherwise set baseUrl (--base-url) to the URL that it leads to."
            }
            Hint::Credentials => "Check the credentials.",
            Hint::NoCredentials => "The request had neither an authorization nor an authentication header.",
            Hint::NoBearer => {
                "The value of the authorization header does not begin with \"bearer \": a bearer token has this prefix, and an \
                 authentication token belongs in the header authentication."
            }
            Hint::MisplacedBearer => {
                "The value of the authentication header begins with \"bearer \": a bearer token belongs in the header \
                 authorization."
            }
            Hint::NoToken { header } => {
                return write!(
                    formatter,
                    "The {header} header has no token: check where its token comes from, such as an environment variable that \
                     is not set."
                );
            }
            Hint::NoPermission => "The credentials may lack permission for this inspection.",
            Hint::OtherCounts => "If the service sends counts in another shape, convert them with readCounts, in a program.",
            Hint::UnknownLength => "The connection probably broke: the response does not say how long its body is.",
            Hint::SlowHeaders => "The function headers did not return in time.",
            Hint::HiddenRetryAfter => {
                "No Retry-After can be read: if the service sends one, it must expose it to other origins with \
                 Access-Control-Expose-Headers."
            }
            Hint::LongRetryAfter { asked, most } => {
                return write!(
                    formatter,
                    "The service asked to wait for {asked} ms, longer than the maxRetryAfter of {most} ms: raise it, or call again later."
                );
            }
            Hint::LateRetryAfter { asked, total } => {
                return write!(
                    formatter,
                    "The service asked to wait for {asked} ms, beyond the totalTimeout of {total} ms: raise it, or call again \
                     later."
                );
            }
            Hint::NoRetryLeft => {
                "It was not retried because too many requests of this client have failed; successful requests allow retries again."
            }
        })
    }
}
