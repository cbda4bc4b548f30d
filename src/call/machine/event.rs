//! What happens to the calls of a client: calls that begin and end, responses, findings, and the passing of time.

use std::rc::Rc;

use chunk::decode::DecodeError;

use super::accumulator::Accumulation;
use super::head::Head;
use super::host::Host;
use super::numbered::{CallId, Op};
use crate::contract::Kind;
use crate::counts::Counts;
use crate::hint::Hint;
use crate::settings::Settings;

/// What has happened.
#[cfg_attr(test, derive(Debug))]
pub enum Event<H: Host> {
    /// The `headers` function has returned.
    Headers(Op, H::Value),
    /// `headers` or `readCounts` has thrown.
    Thrown(Op, H::Value),
    /// The head of a response has arrived, sent by a worker or not, with its headers.
    Head(Op, Head, bool, H::Value),
    /// This many more bytes of a body have arrived.
    Piece(Op, u64),
    /// A body has arrived.
    BodyEnd(Op),
    /// The beginning of a body, as it was asked for.
    Bytes(Op, Vec<u8>),
    /// A request has failed, or its body cannot be read.
    Failed(Op, Failure<H::Value>),
    /// `readCounts` has returned; an inner error says what is wrong with the counts of one kind.
    Mapped(Op, Counts<String>),
    /// A body has become findings, or why it has not.
    Decoded(Op, Result<Decoded, Undecoded<H::Value>>),
    /// The reader of a stream waits for the next partition.
    Read(CallId),
    /// The caller, or a function of the caller, has ended a call.
    Abort(CallId),
    /// The host is online again.
    Online,
    /// The time that [`Calls::next_wake`](super::Calls::next_wake) has told has come.
    Tick,
}

/// A call that begins.
#[cfg_attr(test, derive(Debug))]
pub struct NewCall<H: Host> {
    /// What performs it.
    pub call: H::Call,
    /// The base URL.
    pub base: Rc<str>,
    /// The inspection.
    pub inspection: i64,
    /// What it fetches.
    pub task: Task,
    /// For all findings: what is received, with which another call may resume.
    pub accumulator: Option<Accumulation>,
    /// Its options.
    pub settings: Settings,
    /// When it began, from which its `totalTimeout` runs.
    pub begun: f64,
    /// Whether its headers are those that a function returns.
    pub asks_headers: bool,
    /// Whether it has `onProgress`.
    pub reports_progress: bool,
    /// Whether it has `onPartition`.
    pub reports_partitions: bool,
    /// Whether a live table shows its progress.
    pub is_watched: bool,
    /// Whether it has `readCounts`.
    pub maps_counts: bool,
    /// Its option `worker`.
    pub worker: WorkerOption,
}

/// What a call fetches.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// The counts of both kinds.
    Counts,
    /// One partition.
    Partition(Kind, u64),
    /// All partitions that the accumulator lacks.
    Findings(Kind),
    /// All partitions, as a reader takes them.
    Stream(Kind, Order),
}

impl Task {
    /// The kind of the findings; `None` for both.
    pub fn kind(&self) -> Option<Kind> {
        match *self {
            Task::Counts => None,
            Task::Partition(kind, _) | Task::Findings(kind) | Task::Stream(kind, _) => Some(kind),
        }
    }
}

/// The order in which the reader of a stream takes partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By index: a partition waits for all before it.
    Index,
    /// As they arrive.
    Completion,
}

/// Where bodies are decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorkerOption {
    /// In the page.
    Page,
    /// In a worker for large inspections.
    Auto,
    /// In a worker.
    Worker,
}

/// What a body has become.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    /// The number of its findings.
    pub findings: u64,
    /// The bytes that they take.
    pub bytes: u64,
}

/// Why a request has failed.
#[derive(Debug)]
pub struct Failure<V> {
    /// What has failed.
    pub why: Why,
    /// The rejection.
    pub cause: V,
    /// Its text.
    pub reason: String,
    /// What the host knows about it.
    pub advice: Advice,
    /// Whether the host is offline.
    pub is_offline: bool,
}

/// What a host knows about a request that got no response.
#[derive(Clone, Copy, Debug)]
pub enum Advice {
    /// Nothing.
    None,
    /// This explains it.
    Hint(Hint),
    /// The certificate of the service is not trusted.
    Untrusted,
}

/// What has failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The request was refused, or the connection broke.
    Connection,
    /// The value does not have the shape of a response.
    NoResponse,
    /// A framework ends the call with the cause.
    Framework,
    /// A worker that sent the request got no response. The page may get one.
    InWorker,
    /// The worker has ended.
    Lost,
    /// There is no memory for the body.
    Memory,
}

/// Why a body has not become findings.
#[derive(Debug)]
pub enum Undecoded<V> {
    /// It is no partition, or memory ran out.
    Wrong(DecodeError),
    /// It has `errors`: these messages, and the findings besides them.
    Refused(Vec<String>, Option<V>),
    /// The objects of its findings could not be made.
    Unbuilt(V),
    /// A worker cannot decode it: the page has to.
    PageDecodes,
    /// The worker has lost it.
    Lost,
    /// There is no worker, for a call that requires one.
    NoWorker {
        /// Why there is none.
        cause: V,
        /// Whether the host is offline.
        is_offline: bool,
    },
}
