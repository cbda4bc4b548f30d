//! A call from its first request to its result: counts, partitions, what is missing, completeness.

mod partition;
mod prefetch;
mod request;
mod stream;

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::rc::Rc;

use columns::decode::{DecodeError, DecodeErrorKind};
use columns::memory::OutOfMemory;
use columns::table::Table;
use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};

use self::prefetch::Prefetcher;
use self::request::Received;
pub use self::stream::Delivery;
use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts, Operation};
use crate::counts::{Counts, CountsBody};
use crate::error::{CallEnd, Error, ErrorKind, Subject};
use crate::failure_log::FailureLog;
use crate::scheduling::byte_budget::CallBudget;
use crate::scheduling::credential_refresh::CredentialRefresh;
use crate::scheduling::partition_tracker::Shortfall;
use crate::scheduling::reorder_buffer::Demand;
use crate::scheduling::retry::Policy;
use crate::scheduling::scheduler::Scheduler;
use crate::transport::Transport;

/// So many partitions that a call did not come to ask for are named among the failures, and no more.
const NAMED_MISSING: usize = 1 << 16;

/// What a retrieval needs of the world around it besides a transport.
pub trait Host: Transport {
    /// Milliseconds on a clock that never goes back.
    fn now(&self) -> f64;
    /// Milliseconds since 1970.
    fn date(&self) -> f64;
    /// Reads a JSON number as `JSON.parse` does.
    fn read_number(json: &str) -> f64;
    /// A random number from 0 up to 1.
    fn chance(&self) -> f64;
    /// Waits for that many milliseconds.
    fn sleep(&self, milliseconds: f64) -> impl Future<Output = ()>;
    /// Whether there is no connection at all, as far as the host knows.
    fn is_offline(&self) -> bool;
    /// Waits until the host has a connection again; for ever where it does not tell.
    fn back_online(&self) -> impl Future<Output = ()>;
    /// The headers of an attempt on a path, given its number and the status of the one before.
    fn headers(
        &self,
        path: &str,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<Self::Headers, Self::Value>> + 'static;
    /// Whether [`Host::headers`] may give other headers when it is asked again.
    fn can_refresh(&self) -> bool;
    /// The counts in the body of an answer of another form, where the caller maps it, each with what is wrong with it;
    /// the outer error is what the mapping threw.
    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, Self::Value>>;
    /// Whether the caller has ended the call, which then comes to no result and starts nothing any more.
    fn is_over(&self) -> bool;
    /// Lets others have a turn, when this call has been at work for some time.
    fn yield_now(&self) -> impl Future<Output = ()>;
    /// Tells how far the call has come.
    fn progress(&self, progress: &Progress) -> Result<(), Self::Value>;
    /// Tells what became of a partition.
    fn partition(&self, change: &PartitionChange) -> Result<(), Self::Value>;
    /// Takes note of a time that something took, for callers who measure.
    fn measure(&self, span: Span);
    /// Tells that the total is not what was received, for callers who want no more than that.
    fn warn(&self, message: &str);
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Partitions received.
    pub partitions_done: u64,
    /// Partitions to receive.
    pub partitions: u64,
    /// Findings received.
    pub findings_done: u64,
    /// Findings to receive, where the service says it.
    pub findings: Option<u64>,
    /// Bytes of the partitions received.
    pub bytes: u64,
    /// Retries made.
    pub retries: u64,
}

/// What became of a partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionChange {
    /// Its index.
    pub index: u64,
    /// What it is now.
    pub state: PartitionState,
    /// The attempt that was, or will be, made; from 1.
    pub attempt: u32,
    /// Its number of findings, once it has been received.
    pub findings: u64,
    /// The bytes of its body, once it has been received.
    pub bytes: u64,
}

/// What a partition can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionState {
    /// Its first attempt begins.
    Requested,
    /// An attempt failed, and another one will follow.
    Retrying,
    /// It is there.
    Received,
    /// It cannot be had.
    Failed,
}

impl PartitionState {
    /// The name under which callers are told of it.
    pub fn name(self) -> &'static str {
        match self {
            PartitionState::Requested => "requested",
            PartitionState::Retrying => "retrying",
            PartitionState::Received => "received",
            PartitionState::Failed => "failed",
        }
    }
}

/// A time that something took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// What was asked for.
    pub subject: Subject,
    /// The attempt, where it is the time of one, and not of all with the waiting between them.
    pub attempt: Option<u32>,
    /// When it began, on the clock of the host; it ends now.
    pub begun: f64,
}

/// What a caller allows for one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Requests in flight for this call; the client's window caps them over all its calls.
    pub concurrency: usize,
    /// Milliseconds for one attempt, from asking for its headers to the end of its body.
    pub timeout: f64,
    /// Milliseconds for the whole call.
    pub total_timeout: Option<f64>,
    /// When to try again.
    pub policy: Policy,
    /// What to do when the number of findings is not the total.
    pub completeness: Completeness,
    /// What to do when a partition cannot be had.
    pub failure_policy: FailurePolicy,
    /// The longest body of a partition that is taken, in bytes.
    pub max_partition_bytes: usize,
    /// Bytes of bodies and findings of this call that nobody has read yet; the client's budget caps them over all its calls.
    pub max_buffered_bytes: u64,
}

/// What to do when a partition cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Fail at once.
    FailFast,
    /// Get all the others first.
    Collect,
}

/// What to do when the number of findings received is not the total that the service gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Fail.
    Strict,
    /// Tell it.
    Warn,
    /// Nothing.
    Off,
}

/// One call.
pub struct Retrieval<H: Host> {
    /// The world that it lives in.
    pub host: H,
    /// What it shares with the other calls of its client.
    pub scheduler: Rc<Scheduler>,
    /// What it shares with the other users of the same headers.
    pub refresh: Rc<CredentialRefresh<H::Headers, H::Value>>,
    /// The inspection.
    pub inspection: i64,
    /// What the caller allows.
    pub settings: Settings,
    progress: Cell<Progress>,
    deadline: Option<f64>,
    /// Partitions that could not be had by a call that went on.
    failures: RefCell<FailureLog<H::Value>>,
}

pub(crate) type Outcome<T, H> = Result<T, CallEnd<<H as Transport>::Value>>;

impl<H: Host> Retrieval<H> {
    /// A call that was begun at a time of the host's clock.
    pub fn new(
        host: H,
        scheduler: Rc<Scheduler>,
        refresh: Rc<CredentialRefresh<H::Headers, H::Value>>,
        inspection: i64,
        settings: Settings,
        begun: f64,
    ) -> Self {
        let deadline = settings.total_timeout.map(|limit| begun + limit);
        let progress = Cell::new(Progress::of(KindCounts { partitions: 0, findings: None }));
        Retrieval { host, scheduler, refresh, inspection, settings, progress, deadline, failures: RefCell::default() }
    }

    /// The counts of both kinds: sentiment, then topics.
    pub async fn counts(&self) -> Outcome<(KindCounts, KindCounts), H> {
        let counts = async {
            let Counts { sentiment, topics } = self.read_counts(None).await?;
            Ok((sentiment?, topics?))
        };
        self.in_time(None, counts.boxed_local()).await
    }

    /// The findings of one partition.
    pub async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        let findings = async {
            self.begin(Progress::of(KindCounts { partitions: 1, findings: None }))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let (table, bytes) = self.read_partition_alone(kind, index, &reservation).await?;
            self.advance(table.len(), bytes)?;
            Ok(table)
        };
        self.in_time(Some(kind), findings.boxed_local()).await
    }

    /// The findings of all partitions of one kind, in index order; all of them or none. Goes on with what has been gathered
    /// before, and leaves what it has gathered there.
    pub async fn findings(&self, kind: Kind, accumulator: Rc<Accumulator>) -> Outcome<Table, H> {
        let gathered = async {
            let _turn = accumulator.exclusive().await;
            let counts = self.read_counts(Some(kind)).await?.of(kind)?;
            accumulator.begin(counts).map_err(|before| self.counts_changed(kind, &accumulator, before, counts))?;
            self.begin(Progress::going_on(counts, &accumulator))?;
            self.every_partition(kind, &accumulator).await
        };
        match self.in_time(Some(kind), gathered.boxed_local()).await {
            Ok(()) if self.failures.borrow().is_empty() => self.complete(kind, &accumulator).await,
            Ok(()) => Err(self.partial(kind, &accumulator, None).await),
            Err(CallEnd::Failed(error)) if self.keeps_partial(&accumulator, &error) => {
                Err(self.partial(kind, &accumulator, Some(error.kind)).await)
            }
            Err(ended) => Err(ended),
        }
    }

    /// Keeps as many partitions on their way as the call may have, until all have arrived.
    async fn every_partition(&self, kind: Kind, accumulator: &Accumulator) -> Outcome<(), H> {
        let demand =
            |_, in_flight, _: &_| Demand { in_flight: self.settings.concurrency, reader_waits: in_flight == 0 };
        let mut prefetcher =
            Prefetcher::new(self.call_budget(0), accumulator.tracker(), demand, |ticket, reservation| {
                async move {
                    let index = ticket.index();
                    let (chunk, bytes) = self.read_partition(kind, index, &reservation, accumulator).await?;
                    let length = chunk.len();
                    let taken = accumulator.take(ticket, chunk, bytes);
                    taken.map_err(|OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory))?;
                    self.advance(length, bytes)
                }
                .boxed_local()
            });
        while let Some((index, arrival)) = prefetcher.next().await {
            match arrival {
                Err(CallEnd::Failed(error)) if self.collects() => {
                    self.failures.borrow_mut().note(index, error).map_err(|OutOfMemory| self.out_of_memory(kind))?;
                }
                arrival => arrival?,
            }
        }
        Ok(())
    }

    async fn complete(&self, kind: Kind, accumulator: &Accumulator) -> Outcome<Table, H> {
        let findings = accumulator.table().await.map_err(|OutOfMemory| self.out_of_memory(kind))?;
        let checked = accumulator.tracker().borrow().check();
        let Err(error) = self.check(kind, checked) else { return Ok(findings) };
        Err(error.with_findings(Some(findings)).into())
    }

    /// What a caller who wants it strictly is told when the number of findings is not the total.
    fn check(&self, kind: Kind, checked: Result<(), Shortfall>) -> Result<(), Box<Error<H::Value>>> {
        let Err(shortfall) = checked else { return Ok(()) };
        let error = Error::new(ErrorKind::Incomplete(shortfall), self.subject(Some(kind)), 0);
        match self.settings.completeness {
            Completeness::Strict => Err(error),
            Completeness::Warn => {
                self.host.warn(&error.to_string());
                Ok(())
            }
            Completeness::Off => Ok(()),
        }
    }

    /// Whether what was gathered is worth telling, although the call as a whole had to end. If everything is there already, the
    /// call has ended before it could read the counts again, and nobody knows whether it is everything still.
    fn keeps_partial(&self, accumulator: &Accumulator, error: &Error<H::Value>) -> bool {
        self.collects()
            && matches!(error.kind, ErrorKind::TotalTimeout(_) | ErrorKind::Memory)
            && accumulator.is_begun()
            && !accumulator.tracker().borrow().is_whole()
    }

    /// Whether the call gets every other partition when one cannot be had.
    pub fn collects(&self) -> bool {
        self.settings.failure_policy == FailurePolicy::Collect
    }

    /// What was gathered, with the failures of what is missing. `cause` is why the call came to no others. Without memory for a table
    /// of what was gathered there is none, and the call can be gone on with all the same.
    async fn partial(&self, kind: Kind, accumulator: &Rc<Accumulator>, cause: Option<ErrorKind>) -> CallEnd<H::Value> {
        let findings = accumulator.table().await.ok();
        let tracker = accumulator.tracker().borrow();
        let partitions = tracker.counts().partitions;
        let missing = partitions - tracker.partitions();
        let mut error = Error::new(ErrorKind::Partial { missing, partitions }, self.subject(Some(kind)), 0);
        let failures = self.failures.take();
        error.failures = match cause {
            None => failures.in_order(),
            Some(cause) => failures.add_missing(tracker.missing(), NAMED_MISSING, |index| {
                self.partition_error(kind, index, 0, cause.clone())
            }),
        };
        error.accumulator = Some(Rc::clone(accumulator));
        error.with_findings(findings).into()
    }

    fn counts_changed(
        &self,
        kind: Kind,
        accumulator: &Accumulator,
        before: KindCounts,
        now: KindCounts,
    ) -> Box<Error<H::Value>> {
        let received = accumulator.tracker().borrow().findings();
        Error::new(ErrorKind::Changed { before, now, received }, self.subject(Some(kind)), 0)
    }

    fn out_of_memory(&self, kind: Kind) -> Box<Error<H::Value>> {
        Error::new(ErrorKind::Memory, self.subject(Some(kind)), 0)
    }

    /// The counts of both kinds, for a call about one kind or about the inspection, each with the failure of what is wrong with it.
    async fn read_counts(&self, asked: Option<Kind>) -> Outcome<Counts<Box<Error<H::Value>>>, H> {
        let Received { body, attempts } = self.request(Operation::Counts, asked, None).await?;
        let error_of = |kind| Error::new(kind, self.subject(asked).at(Operation::Counts), attempts);
        let undecodable = |error| error_of(undecodable(error));
        let CountsBody { errors, counts } = CountsBody::decode(&body).map_err(undecodable)?;
        if let Some(messages) = errors {
            return Err(error_of(ErrorKind::Service).with_messages(messages).into());
        }
        let Some(mapped) = self.host.map_counts(&body).transpose().map_err(CallEnd::Thrown)? else {
            let Counts { sentiment, topics } = counts;
            return Ok(Counts { sentiment: sentiment.map_err(undecodable), topics: topics.map_err(undecodable) });
        };
        let misread = |flaw| error_of(ErrorKind::Mapping(flaw));
        Ok(Counts { sentiment: mapped.sentiment.map_err(misread), topics: mapped.topics.map_err(misread) })
    }

    fn subject(&self, kind: Option<Kind>) -> Subject {
        Subject::of_call(self.inspection, kind)
    }

    /// What the call may take of the client's reservation for bytes, with what it expects of a body until one has come: its part, so
    /// that it begins with as many as it may have under way, but at least so many bytes.
    fn call_budget(&self, least: u64) -> CallBudget {
        let limit = self.settings.max_buffered_bytes.min(self.scheduler.byte_budget.limit());
        self.scheduler.byte_budget.call_budget(limit, (limit / self.settings.concurrency.max(1) as u64).max(least))
    }

    fn begin(&self, progress: Progress) -> Outcome<(), H> {
        let retries = self.progress.get().retries;
        self.progress.set(Progress { retries, ..progress });
        self.tell_progress()
    }

    fn advance(&self, findings: usize, bytes: usize) -> Outcome<(), H> {
        self.progress.update(|progress| Progress {
            partitions_done: progress.partitions_done + 1,
            findings_done: progress.findings_done + findings as u64,
            bytes: progress.bytes + bytes as u64,
            ..progress
        });
        self.tell_progress()
    }

    fn tell_progress(&self) -> Outcome<(), H> {
        self.host.progress(&self.progress.get()).map_err(CallEnd::Thrown)
    }

    /// Fails once the call has outrun its `totalTimeout`.
    pub fn check_time(&self, kind: Option<Kind>) -> Result<(), Box<Error<H::Value>>> {
        match (self.deadline, self.settings.total_timeout) {
            (Some(deadline), Some(limit)) if self.host.now() > deadline => Err(self.total_timeout_error(kind, limit)),
            _ => Ok(()),
        }
    }

    fn total_timeout_error(&self, kind: Option<Kind>, limit: f64) -> Box<Error<H::Value>> {
        Error::new(ErrorKind::TotalTimeout(limit as u64), self.subject(kind), 0)
    }

    /// The whole call within its `totalTimeout`.
    async fn in_time<T>(&self, kind: Option<Kind>, call: LocalBoxFuture<'_, Outcome<T, H>>) -> Outcome<T, H> {
        match select(call, self.time_over(kind).boxed_local()).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right((error, _)) => Err(error.into()),
        }
    }

    /// Waits until the call has outrun its `totalTimeout`; for ever where it has none.
    async fn time_over(&self, kind: Option<Kind>) -> Box<Error<H::Value>> {
        let (Some(deadline), Some(limit)) = (self.deadline, self.settings.total_timeout) else {
            return pending().await;
        };
        self.host.sleep((deadline - self.host.now()).max(0.0)).await;
        self.total_timeout_error(kind, limit)
    }
}

fn undecodable(error: DecodeError) -> ErrorKind {
    if error.kind == DecodeErrorKind::OutOfMemory { ErrorKind::Memory } else { ErrorKind::Decode(error) }
}

impl Progress {
    fn of(counts: KindCounts) -> Self {
        let KindCounts { partitions, findings } = counts;
        Progress { partitions_done: 0, partitions, findings_done: 0, findings, bytes: 0, retries: 0 }
    }

    fn going_on(counts: KindCounts, accumulator: &Accumulator) -> Self {
        let tracker = accumulator.tracker().borrow();
        let (partitions_done, findings_done) = (tracker.partitions(), tracker.findings());
        Progress { partitions_done, findings_done, bytes: accumulator.bytes(), ..Progress::of(counts) }
    }
}

#[cfg(test)]
mod tests;
