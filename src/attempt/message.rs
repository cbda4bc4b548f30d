//! The messages between a page and its worker.

use columns::decode::DecodeError;
use serde::{Deserialize, Serialize};

use super::form::Form;
use super::head::Head;

/// Identifies an attempt among those of a connection.
pub(crate) type AttemptId = u32;

/// Identifies a call among those of a connection.
pub(crate) type CallId = u32;

/// What the page asks of the worker. `Sending` is what the transport needs: the address, the headers and how to send them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order<Sending> {
    /// Make an attempt.
    Begin(Beginning<Sending>),
    /// Cancel an attempt.
    Cancel(AttemptId),
    /// Forget the dictionary of a call.
    EndCall(CallId),
}

/// An attempt that the worker shall make.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beginning<Sending> {
    pub(crate) attempt: AttemptId,
    pub(crate) call: CallId,
    pub(crate) form: Form,
    /// The longest body that is accepted, in bytes.
    pub(crate) limit: usize,
    /// The bytes that are reserved for the body.
    pub(crate) reserved: u64,
    pub(crate) sending: Sending,
}

/// What the worker tells about an attempt. Some come with a buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) attempt: AttemptId,
    pub(crate) event: Event,
}

/// An event of an attempt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Event {
    /// A response without success.
    Refused(Head),
    /// The beginning of its body, which the buffer has.
    Excerpt {
        /// Whether this is all of the body that matters.
        is_whole: bool,
    },
    /// The body of a response has more bytes than were reserved: at least this many.
    Growing(u64),
    /// The body has arrived. The buffer has it if it is needed as its bytes; otherwise it is decoded next.
    Received {
        /// Its length in bytes.
        length: usize,
        /// Whether it is an HTML page.
        is_page: bool,
    },
    /// The columns of a partition, in the buffer.
    Decoded {
        /// The call and the number of this parcel among those of its dictionary; `None` if the parcel has a dictionary of its own.
        parcel: Option<(CallId, u32)>,
    },
    /// There will be no columns.
    Failed(Failure),
}

/// Why an attempt fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Failure {
    /// There is no response.
    Unreachable(Cause),
    /// The transport gave something other than a response.
    NoResponse(Cause),
    /// The connection broke.
    Broken(Cause),
    /// The body is empty, though another length was announced.
    Empty,
    /// The body exceeds its limit.
    TooLarge,
    /// Memory ran out.
    Memory,
    /// The body does not follow the contract of the service.
    Undecodable(DecodeError),
    /// The body reports errors. The buffer, if there is one, has the findings that came with them; `complete` is false if there was no memory
    /// for them.
    Service {
        /// The messages.
        messages: Vec<String>,
        /// Whether the buffer has all findings.
        complete: bool,
    },
    /// The worker has ended.
    Lost,
}

/// The cause of a failed request. An error itself does not cross threads in every engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// The name of the error, such as `TypeError`.
    pub(crate) name: String,
    /// Its message.
    pub(crate) message: String,
}

#[cfg(test)]
impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.message
    }
}
