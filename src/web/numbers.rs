//! What JavaScript tells by a number. TypeScript has a table of each of these enums, and its compiler compares their cases and numbers.

use wasm_bindgen::prelude::*;

use call::hint::Hint;
use call::machine::{Advice, Why};

/// Declares an enum, and what each of its cases means to the calls of a client.
macro_rules! told {
    ($(#[$about:meta])* enum $Told:ident -> $meaning:ident: $Meaning:ty { $($(#[$case:meta])* $Case:ident => $means:expr,)* }) => {
        $(#[$about])*
        #[wasm_bindgen]
        #[derive(Clone, Copy, Debug)]
        pub enum $Told { $($(#[$case])* $Case,)* }

        impl $Told {
            /// What it means.
            pub(super) fn $meaning(self) -> $Meaning {
                match self { $($Told::$Case => $means,)* }
            }
        }
    };
}

told! {
    /// Why an exchange has failed.
    enum ExchangeFailure -> why: Why {
        /// The request was refused, or the connection broke.
        Connection => Why::Connection,
        /// The value does not have the shape of a response.
        NoResponse => Why::NoResponse,
        /// A framework ends the call with this value.
        Framework => Why::Framework,
        /// The worker has ended.
        Lost => Why::Lost,
        /// A worker got no response.
        InWorker => Why::InWorker,
    }
}

told! {
    /// What the host knows about a request that got no response.
    enum ConnectionAdvice -> advice: Advice {
        /// Nothing.
        None => Advice::None,
        /// A browser hides the reason from its page.
        HiddenReason => Advice::Hint(Hint::HiddenReason),
        /// A page of https requested a URL of http.
        Insecure => Advice::Hint(Hint::Insecure),
        /// The environment names a proxy that Node's `fetch` does not use.
        UnusedProxy => Advice::Hint(Hint::UnusedProxy),
        /// The certificate is not trusted.
        Untrusted => Advice::Untrusted,
        /// A page of https requested a URL of http in the local network.
        InsecureLocal => Advice::Hint(Hint::InsecureLocal),
    }
}

told! {
    /// What is wrong with the credentials of a request that the service has refused.
    enum CredentialsFlaw -> hint: Hint {
        /// Nothing that can be seen.
        None => Hint::Credentials,
        /// There are none.
        Missing => Hint::NoCredentials,
        /// The `authorization` lacks the prefix of a bearer token.
        WithoutPrefix => Hint::NoBearer,
        /// The `authorization` has no token.
        EmptyAuthorization => Hint::NoToken { header: "authorization" },
        /// The `authentication` has no token.
        EmptyAuthentication => Hint::NoToken { header: "authentication" },
        /// The `authentication` has a bearer token.
        BearerInAuthentication => Hint::MisplacedBearer,
    }
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
