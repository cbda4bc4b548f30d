//! One call: its environment and settings, its progress, its deadline and its errors.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;

use chunk::Chunk;
use chunk::decode::{DecodeError, DecodeErrorKind};
use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::lock::Mutex;

use super::host::Host;
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::settings::{Completeness, Settings};
use crate::contract::{Kind, Operation};
use crate::error::{CallEnd, Error, ErrorKind, Subject};
use crate::scheduling::byte_budget::CallBudget;
use crate::scheduling::credential_refresh::CredentialRefresh;
use crate::scheduling::partition_tracker::TotalMismatch;
use crate::scheduling::scheduler::Scheduler;
use crate::transport::Transport;

/// One call.
pub struct Retrieval<H: Host> {
    /// The environment of the call.
    pub host: H,
    /// The scheduler that the calls of a client share.
    pub(super) scheduler: Rc<Scheduler>,
    /// The refresh that all users of the same `headers` function share.
    pub(super) refresh: Rc<CredentialRefresh<H::Headers, H::Value>>,
    /// The id of the inspection.
    pub(super) inspection: i64,
    /// The options of the call.
    pub settings: Settings,
    /// Locked while the calling thread decodes a body: one after the other, which needs the least memory.
    pub(super) decoding: Mutex<()>,
    /// Stands for the chunks without findings.
    pub(super) empty_chunk: RefCell<Option<Rc<Chunk>>>,
    progress: Cell<Progress>,
    deadline: Option<f64>,
}

/// The result of a call, or of a step of one.
pub type OrEnd<T, H> = Result<T, CallEnd<<H as Transport>::Value>>;

impl<H: Host> Retrieval<H> {
    /// A call that began at a time of the host's clock, from which its `totalTimeout` runs.
    pub fn new(
        host: H,
        scheduler: Rc<Scheduler>,
        refresh: Rc<CredentialRefresh<H::Headers, H::Value>>,
        inspection: i64,
        settings: Settings,
        begun: f64,
    ) -> Self {
        let deadline = settings.total_timeout.map(|limit| begun + limit);
        Retrieval {
            host,
            scheduler,
            refresh,
            inspection,
            settings,
            decoding: Mutex::default(),
            empty_chunk: RefCell::default(),
            progress: Cell::new(Progress::NONE),
            deadline,
        }
    }

    /// Runs a call until it ends or exceeds its `totalTimeout`.
    pub(super) async fn in_time<T>(&self, kind: Option<Kind>, call: LocalBoxFuture<'_, OrEnd<T, H>>) -> OrEnd<T, H> {
        match select(call, self.total_timeout(kind).boxed_local()).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right((error, _)) => Err(error.into()),
        }
    }

    /// Milliseconds until the call exceeds its `totalTimeout`, if it has one.
    pub(super) fn time_left(&self) -> Option<f64> {
        self.deadline.map(|deadline| deadline - self.host.now())
    }

    /// The call's part of the client's byte budget. Until a body has arrived, each is expected to need `limit / max(call, client
    /// concurrency)` bytes, but at least `least`. So a call starts with its full concurrency, and leaves bytes for other calls.
    pub(super) fn call_budget(&self, least: u64) -> CallBudget {
        let limit = self.settings.max_buffered_bytes.min(self.scheduler.byte_budget.limit());
        let share = limit / self.settings.concurrency.max(1) as u64;
        self.scheduler.byte_budget.call_budget(limit, share.min(self.scheduler.equal_share).max(least))
    }

    /// Sets the progress that the call begins with, before the counts are known.
    pub(super) fn begin_with(&self, progress: Progress) {
        self.progress.set(progress);
    }

    /// Reports the progress of what has been received; the call counts the rest.
    pub(super) fn show(&self, progress: Progress) -> OrEnd<(), H> {
        self.progress.update(|Progress { retries, decoded_in, .. }| Progress { retries, decoded_in, ..progress });
        self.report_progress()
    }

    /// Records on which thread a partition was decoded.
    pub(super) fn decoded_in(&self, thread: DecodingThread) {
        self.progress.update(|progress| Progress { decoded_in: Some(thread), ..progress });
    }

    /// Counts a partition received, and reports the progress.
    pub(super) fn advance(&self, findings: usize, bytes: usize) -> OrEnd<(), H> {
        self.progress.update(|progress| Progress {
            partitions_done: progress.partitions_done + 1,
            findings_done: progress.findings_done + findings as u64,
            bytes: progress.bytes + bytes as u64,
            ..progress
        });
        self.report_progress()
    }

    /// Counts a retry; the next progress report has it.
    pub(super) fn count_retry(&self) {
        self.progress.update(|progress| Progress { retries: progress.retries + 1, ..progress });
        self.show_progress();
    }

    /// Reports the change of the state of a partition or of the counts, and the error of the attempt that failed.
    pub(super) fn report(&self, change: &PartitionChange, error: Option<&Error<H::Value>>) -> OrEnd<(), H> {
        self.host.partition(change, error).map_err(CallEnd::Thrown)
    }

    /// Reports that a partition, or the counts, failed. Returns the error that ends the call, because a callback may throw.
    pub(super) fn report_failure(&self, index: Option<u64>, end: CallEnd<H::Value>) -> CallEnd<H::Value> {
        let CallEnd::Failed(error) = end else { return end };
        let change = PartitionChange::to(PartitionState::Failed, index, error.attempts);
        let reported = self.report(&change, Some(&error));
        reported.err().unwrap_or(CallEnd::Failed(error))
    }

    /// Compares the number of received findings with the total, as the `completeness` option says.
    pub(super) fn check_total(&self, kind: Kind, total: Result<(), TotalMismatch>) -> Result<(), Box<Error<H::Value>>> {
        let Err(mismatch) = total else { return Ok(()) };
        let error = self.call_error(kind, ErrorKind::Incomplete(mismatch));
        match self.settings.completeness {
            Completeness::Strict => Err(error),
            Completeness::Warn => {
                self.host.warn(&error.to_string());
                Ok(())
            }
            Completeness::Off => Ok(()),
        }
    }

    /// The call as the subject of an error; `None` means both kinds.
    pub(super) fn subject(&self, kind: Option<Kind>) -> Subject {
        Subject::of_call(self.inspection, kind)
    }

    /// An error of a request, of which nothing is known but its kind.
    pub(super) fn request_error(&self, kind: ErrorKind, subject: Subject, attempts: u32) -> Box<Error<H::Value>> {
        let mut error = Error::new(kind, subject, attempts);
        error.url = subject.path().map(|path| self.host.url(&path));
        error
    }

    /// An error of one partition that has nothing to do with its attempts.
    pub fn partition_error(&self, kind: Kind, index: u64, error_kind: ErrorKind) -> Box<Error<H::Value>> {
        self.request_error(error_kind, self.subject(Some(kind)).at(Operation::Partition { kind, index }), 0)
    }

    /// An error of a call about one kind of findings.
    pub fn call_error(&self, kind: Kind, error_kind: ErrorKind) -> Box<Error<H::Value>> {
        Error::new(error_kind, self.subject(Some(kind)), 0)
    }

    fn report_progress(&self) -> OrEnd<(), H> {
        self.show_progress();
        self.host.progress(&self.progress.get()).map_err(CallEnd::Thrown)
    }

    /// Reports the progress to the live table of the call.
    fn show_progress(&self) {
        if !self.host.is_over() {
            self.host.changed(&self.progress.get());
        }
    }

    /// Waits until the call exceeds its `totalTimeout`; forever without one.
    async fn total_timeout(&self, kind: Option<Kind>) -> Box<Error<H::Value>> {
        let (Some(left), Some(limit)) = (self.time_left(), self.settings.total_timeout) else {
            return pending().await;
        };
        self.host.sleep(left.max(0.0)).await;
        Error::new(ErrorKind::TotalTimeout(limit as u64), self.subject(kind), 0)
    }
}

/// The kind of error of a body that cannot be decoded.
pub(super) fn decode_error_kind(error: DecodeError) -> ErrorKind {
    if matches!(error.kind, DecodeErrorKind::OutOfMemory) { ErrorKind::Memory } else { ErrorKind::Decode(error) }
}
