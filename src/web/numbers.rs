//! What JavaScript tells by a number. TypeScript has a table of each of these enums, and its compiler compares their cases and numbers.

use wasm_bindgen::prelude::*;

use call::hint::Hint;
use call::machine::{Advice, Why};

/// Why an exchange has failed.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum ExchangeFailure {
    /// The request was refused, or the connection broke.
    Connection,
    /// The value does not have the shape of a response.
    NoResponse,
    /// A framework ends the call with this value.
    Framework,
    /// The worker has ended.
    Lost,
    /// A worker got no response.
    InWorker,
}

/// Why a worker has not decoded a body.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum DelegationFailure {
    /// The page has to decode it.
    PageDecodes,
    /// The worker has lost it.
    Lost,
    /// There is no worker, for a call that requires one.
    NoWorker,
}

/// What the host knows about a request that got no response.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum ConnectionAdvice {
    /// Nothing.
    None,
    /// A browser hides the reason from its page.
    HiddenReason,
    /// A page of https requested a URL of http.
    Insecure,
    /// The environment names a proxy that Node's `fetch` does not use.
    UnusedProxy,
    /// The certificate is not trusted.
    Untrusted,
    /// A page of https requested a URL of http in the local network.
    InsecureLocal,
}

/// What is wrong with the credentials of a request that the service has refused.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum CredentialsFlaw {
    /// Nothing that can be seen.
    None,
    /// There are none.
    Missing,
    /// The `authorization` lacks the prefix of a bearer token.
    WithoutPrefix,
    /// The `authorization` has no token.
    EmptyAuthorization,
    /// The `authentication` has no token.
    EmptyAuthentication,
    /// The `authentication` has a bearer token.
    BearerInAuthentication,
}

impl ExchangeFailure {
    /// The same for the calls of a client.
    pub(super) fn why(self) -> Why {
        match self {
            ExchangeFailure::Connection => Why::Connection,
            ExchangeFailure::NoResponse => Why::NoResponse,
            ExchangeFailure::Framework => Why::Framework,
            ExchangeFailure::Lost => Why::Lost,
            ExchangeFailure::InWorker => Why::InWorker,
        }
    }
}

impl ConnectionAdvice {
    /// The same for the calls of a client.
    pub(super) fn advice(self) -> Advice {
        match self {
            ConnectionAdvice::None => Advice::None,
            ConnectionAdvice::HiddenReason => Advice::Hint(Hint::HiddenReason),
            ConnectionAdvice::Insecure => Advice::Hint(Hint::Insecure),
            ConnectionAdvice::UnusedProxy => Advice::Hint(Hint::UnusedProxy),
            ConnectionAdvice::Untrusted => Advice::Untrusted,
            ConnectionAdvice::InsecureLocal => Advice::Hint(Hint::InsecureLocal),
        }
    }
}

impl CredentialsFlaw {
    /// What the message of the error says about it.
    pub(super) fn hint(self) -> Hint {
        match self {
            CredentialsFlaw::None => Hint::Credentials,
            CredentialsFlaw::Missing => Hint::NoCredentials,
            CredentialsFlaw::WithoutPrefix => Hint::NoBearer,
            CredentialsFlaw::EmptyAuthorization => Hint::NoToken { header: "authorization" },
            CredentialsFlaw::EmptyAuthentication => Hint::NoToken { header: "authentication" },
            CredentialsFlaw::BearerInAuthentication => Hint::MisplacedBearer,
        }
    }
}
