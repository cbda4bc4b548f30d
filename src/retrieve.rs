//! A call from its first request to its result: counts, partitions, decoding, completeness.

mod request;

use std::cell::Cell;
use std::future::Future;
use std::iter;
use std::mem;
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use futures_util::lock::Mutex;
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde::Serialize;

use self::request::Received;
use crate::contract::{Kind, KindCounts, Operation};
use crate::decode::counts::{Counts, CountsBody};
use crate::decode::{self, Body, DecodeError, Decoder};
use crate::failure::{Ended, Failure, Place, Reason};
use crate::receipt::{Receipt, Shortfall};
use crate::renewal::Renewal;
use crate::retry::Policy;
use crate::scheduler::Scheduler;
use crate::table::Table;
use crate::table::chunk::Chunk;
use crate::table::dictionary::Dictionary;
use crate::table::memory::OutOfMemory;
use crate::transport::Transport;

/// Bytes of a body that are decoded without asking whether others should have a turn.
const SLICE: usize = 128 * 1024;

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
    /// The headers of an attempt, given its number and the status of the one before.
    fn headers(
        &self,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<Self::Headers, Self::Value>> + 'static;
    /// Whether [`Host::headers`] may give other headers when it is asked again.
    fn can_renew(&self) -> bool;
    /// The counts in the body of an answer of another form, where the caller maps it, each with what is wrong with it;
    /// the outer error is what the mapping threw.
    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, Self::Value>>;
    /// Whether the caller has ended the call, which then comes to no result and starts nothing any more.
    fn is_over(&self) -> bool;
    /// Lets others have a turn, when this call has been at work for some time.
    fn breathe(&self) -> impl Future<Output = ()>;
    /// Tells how far the call has come.
    fn progress(&self, progress: &Progress) -> Result<(), Self::Value>;
    /// Tells that the total is not what was received, for callers who want no more than that.
    fn warn(&self, message: &str);
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    /// The longest body of a partition that is taken, in bytes.
    pub max_partition_bytes: usize,
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
    pub renewal: Rc<Renewal<H::Headers, H::Value>>,
    /// The inspection.
    pub inspection: i64,
    /// What the caller allows.
    pub settings: Settings,
    progress: Cell<Progress>,
    deadline: Option<f64>,
    /// What the partitions share; they are decoded one after the other.
    dictionary: Mutex<Dictionary>,
}

type Outcome<T, H> = Result<T, Ended<<H as Transport>::Value>>;

impl<H: Host> Retrieval<H> {
    /// A call that was begun at a time of the host's clock.
    pub fn new(
        host: H,
        scheduler: Rc<Scheduler>,
        renewal: Rc<Renewal<H::Headers, H::Value>>,
        inspection: i64,
        settings: Settings,
        begun: f64,
    ) -> Self {
        let deadline = settings.total_timeout.map(|limit| begun + limit);
        let progress = Cell::new(Progress::of(KindCounts { partitions: 0, findings: None }));
        let dictionary = Mutex::new(Dictionary::new(H::read_number));
        Retrieval { host, scheduler, renewal, inspection, settings, progress, deadline, dictionary }
    }

    /// The counts of both kinds: sentiment, then topics.
    pub async fn counts(&self) -> Outcome<(KindCounts, KindCounts), H> {
        self.in_time(None, async {
            let [sentiment, topics] = self.read_counts(None, Kind::ALL).await?;
            Ok((sentiment, topics))
        })
        .await
    }

    /// The findings of one partition.
    pub async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        self.in_time(Some(kind), async {
            self.begin(KindCounts { partitions: 1, findings: None })?;
            let (chunk, bytes) = self.read_partition(kind, index).await?;
            self.advance(chunk.len(), bytes)?;
            self.table_of(kind, vec![chunk]).await
        })
        .await
    }

    /// The findings of all partitions of one kind, in index order; all of them or none.
    pub async fn findings(&self, kind: Kind) -> Outcome<Table, H> {
        self.in_time(Some(kind), async {
            let [counts] = self.read_counts(Some(kind), [kind]).await?;
            self.begin(counts)?;
            let receipt = self.every_partition(kind, counts).await?;
            let checked = receipt.check();
            let findings = self.table_of(kind, receipt.into_findings()).await?;
            self.complete(kind, checked, findings)
        })
        .await
    }

    /// Keeps as many partitions on their way as the call may have, until all have arrived.
    async fn every_partition(&self, kind: Kind, counts: KindCounts) -> Outcome<Receipt<Chunk>, H> {
        let mut receipt = Receipt::new(counts);
        let mut under_way = FuturesUnordered::new();
        loop {
            let free = self.settings.concurrency.saturating_sub(under_way.len());
            under_way.extend(iter::from_fn(|| receipt.next_order()).take(free).map(|order| async move {
                let result = self.read_partition(kind, order.index()).await;
                (order, result)
            }));
            let Some((order, result)) = under_way.next().await else { return Ok(receipt) };
            let (chunk, bytes) = result?;
            let length = chunk.len();
            receipt.take(order, chunk, length).map_err(|OutOfMemory| self.no_memory(kind))?;
            self.advance(length, bytes)?;
        }
    }

    fn complete(&self, kind: Kind, checked: Result<(), Shortfall>, findings: Table) -> Outcome<Table, H> {
        let Err(shortfall) = checked else { return Ok(findings) };
        let failure = Failure::new(Reason::Incomplete(shortfall), self.place(Some(kind)), 0);
        match self.settings.completeness {
            Completeness::Strict => Err(failure.with_findings(Some(findings)).into()),
            Completeness::Warn => {
                self.host.warn(&failure.to_string());
                Ok(findings)
            }
            Completeness::Off => Ok(findings),
        }
    }

    /// The partitions with the dictionary that they were decoded against.
    async fn table_of(&self, kind: Kind, chunks: Vec<Chunk>) -> Outcome<Table, H> {
        let dictionary = mem::replace(&mut *self.dictionary.lock().await, Dictionary::new(H::read_number));
        Ok(Table::new(dictionary, chunks).map_err(|OutOfMemory| self.no_memory(kind))?)
    }

    fn no_memory(&self, kind: Kind) -> Box<Failure<H::Value>> {
        Failure::new(Reason::Memory, self.place(Some(kind)), 0)
    }

    /// The counts of these kinds, for a call about one kind or about the inspection.
    async fn read_counts<const KINDS: usize>(
        &self,
        asked: Option<Kind>,
        kinds: [Kind; KINDS],
    ) -> Outcome<[KindCounts; KINDS], H> {
        let Received { body, attempts } = self.request(Operation::Counts, asked).await?;
        let failed = |reason| Failure::new(reason, self.place(asked).at(Operation::Counts), attempts);
        let undecodable = |error| failed(undecodable(error));
        let CountsBody { errors, counts } = CountsBody::decode(&body).map_err(undecodable)?;
        if let Some(messages) = errors {
            return Err(failed(Reason::Service).saying(messages).into());
        }
        let mapped = self.host.map_counts(&body).transpose().map_err(Ended::Thrown)?;
        let mut found = [KindCounts { partitions: 0, findings: None }; KINDS];
        for (place, kind) in found.iter_mut().zip(kinds) {
            *place = match &mapped {
                Some(mapped) => mapped.clone().of(kind).map_err(|flaw| failed(Reason::Mapping(flaw)))?,
                None => counts.clone().of(kind).map_err(undecodable)?,
            };
        }
        Ok(found)
    }

    async fn read_partition(&self, kind: Kind, index: u64) -> Outcome<(Chunk, usize), H> {
        let operation = Operation::Partition { kind, index };
        let Received { body, attempts } = self.request(operation, Some(kind)).await?;
        let bytes = body.len();
        let failed = |reason| Failure::new(reason, self.place(Some(kind)).at(operation), attempts);
        let undecodable = |error| failed(undecodable(error));
        let mut dictionary = self.dictionary.lock().await;
        let body = self.decode(body, &mut dictionary).await.map_err(undecodable)?;
        match (body.errors, body.findings) {
            (None, findings) => Ok((findings.map_err(undecodable)?, bytes)),
            (Some(messages), findings) => {
                let findings = match findings {
                    // A dictionary of their own, because what they added to that of the call stays there.
                    Ok(_) => self.detached(body.bytes).await,
                    Err(_) => None,
                };
                Err(failed(Reason::Service).saying(messages).with_findings(findings).into())
            }
        }
    }

    /// Decodes a body in slices, between which others have their turn.
    async fn decode(&self, body: Vec<u8>, dictionary: &mut Dictionary) -> Result<Body, DecodeError> {
        let mut decoder = Decoder::new(body);
        while !decoder.advance(dictionary, SLICE)? {
            self.host.breathe().await;
        }
        self.host.breathe().await;
        Ok(decoder.finish())
    }

    /// The findings of a body that came with errors.
    async fn detached(&self, body: Vec<u8>) -> Option<Table> {
        let mut dictionary = Dictionary::new(H::read_number);
        let chunk = self.decode(body, &mut dictionary).await.ok()?.findings.ok()?;
        Table::new(dictionary, vec![chunk]).ok()
    }

    fn place(&self, kind: Option<Kind>) -> Place {
        Place::of_call(self.inspection, kind)
    }

    fn begin(&self, counts: KindCounts) -> Outcome<(), H> {
        let retries = self.progress.get().retries;
        self.progress.set(Progress { retries, ..Progress::of(counts) });
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
        self.host.progress(&self.progress.get()).map_err(Ended::Thrown)
    }

    /// The whole call within its `totalTimeout`.
    async fn in_time<T>(&self, kind: Option<Kind>, call: impl Future<Output = Outcome<T, H>>) -> Outcome<T, H> {
        let (Some(deadline), Some(limit)) = (self.deadline, self.settings.total_timeout) else { return call.await };
        let outran = || Failure::new(Reason::TotalTimeout(limit as u64), self.place(kind), 0).into();
        self.until(deadline, call).await.unwrap_or_else(|| Err(outran()))
    }

    /// The work's result, or `None` when the time comes first.
    async fn until<T>(&self, time: f64, work: impl Future<Output = T>) -> Option<T> {
        let alarm = self.host.sleep((time - self.host.now()).max(0.0));
        match select(pin!(work), pin!(alarm)).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }
}

fn undecodable(error: DecodeError) -> Reason {
    if error.reason == decode::Reason::Memory { Reason::Memory } else { Reason::Decode(error) }
}

impl Progress {
    fn of(counts: KindCounts) -> Self {
        let KindCounts { partitions, findings } = counts;
        Progress { partitions_done: 0, partitions, findings_done: 0, findings, bytes: 0, retries: 0 }
    }
}

#[cfg(test)]
pub mod scripted;
#[cfg(test)]
mod tests;
