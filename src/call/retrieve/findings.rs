//! All findings of one kind.

use std::cell::RefCell;

use chunk::memory::OutOfMemory;
use futures_util::FutureExt;

use super::host::{FindingsOf, Host};
use super::prefetch::{Prefetcher, StageCell};
use super::progress::Progress;
use super::retrieval::{OrEnd, Retrieval};
use super::settings::{Completeness, FailurePolicy};
use crate::accumulator::{Accumulator, Growth, Trust};
use crate::contract::{Kind, KindCounts};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::failure_log::FailureLog;
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::partition_tracker::{Ticket, TotalMismatch};
use crate::scheduling::reorder_buffer::Demand;
use chunk::decoding::Runtime;

/// The maximum number of unrequested partitions listed in `failures`.
const MAX_LISTED_MISSING: usize = 1 << 16;

impl<H: Host> Retrieval<H> {
    /// Fetches all partitions of one kind, in index order. Requests only the partitions that the accumulator lacks, and adds each to it on
    /// arrival, so that another call can resume from it.
    ///
    /// # Errors
    /// [`ErrorKind::Partial`] for a collecting call; otherwise the first error of a partition.
    pub async fn findings(&self, kind: Kind, accumulator: &Accumulator<FindingsOf<H>>) -> OrEnd<(), H> {
        // Outside the future, because a timeout drops the future.
        let failures = RefCell::new(FailureLog::default());
        let received = async {
            let _exclusive = accumulator.exclusive().await;
            self.begin_with(Progress::resumed(accumulator));
            self.host.prepare_worker(None);
            let counts = self.counts_of(kind).await?;
            let random = || self.host.random();
            let is_strict = self.settings.completeness == Completeness::Strict;
            let trust = Trust { random: self.settings.appends.then_some(&random), is_strict };
            accumulator
                .begin(counts, trust)
                .map_err(|before| self.counts_changed(kind, accumulator, before, counts))?;
            self.host.prepare_worker(Some(accumulator.missing()));
            self.show(Progress::resumed(accumulator))?;
            self.every_partition(kind, accumulator, &failures).await
        };
        let received = self.in_time(Some(kind), received.boxed_local()).await;
        let failures = failures.into_inner();
        match received {
            Ok(()) => self.complete(kind, accumulator, failures),
            Err(CallEnd::Failed(error)) if self.keeps_partial(accumulator, &error) => {
                Err(self.partial(kind, accumulator, failures, Some(error.kind)))
            }
            Err(end) => Err(end),
        }
    }

    async fn every_partition(
        &self,
        kind: Kind,
        accumulator: &Accumulator<FindingsOf<H>>,
        failures: &RefCell<FailureLog<H::Value>>,
    ) -> OrEnd<(), H> {
        let demand =
            |_, in_flight, _: &_| Demand { in_flight: self.settings.concurrency, reader_waits: in_flight == 0 };
        let begin = |ticket: Ticket, reservation: Reservation, stage: StageCell| {
            let kept = async move {
                let index = ticket.index();
                let (findings, bytes) = self.receive(kind, index, &reservation, Some(&stage)).await?;
                let growth = accumulator.growth();
                let taken = accumulator.take(ticket, findings, bytes);
                taken.map_err(|OutOfMemory| self.partition_error(kind, index, ErrorKind::Memory))?;
                if accumulator.growth() != growth {
                    self.host.prepare_worker(Some(accumulator.missing()));
                }
                self.show(Progress::resumed(accumulator))
            };
            kept.boxed_local()
        };
        let mut prefetcher = Prefetcher::new(self.call_budget(0), accumulator.tracker(), demand, begin);
        while let Some((index, arrival)) = prefetcher.next().await {
            match arrival {
                Err(CallEnd::Failed(error)) if self.collects() => {
                    let noted = failures.borrow_mut().note(index, error);
                    let has_decided = noted.and_then(|()| accumulator.give_up(index));
                    if has_decided.map_err(|OutOfMemory| self.call_error(kind, ErrorKind::Memory))? {
                        self.host.prepare_worker(Some(accumulator.missing()));
                        self.show(Progress::resumed(accumulator))?;
                    }
                    // A `fetch` that fails at once would keep all other tasks waiting.
                    self.host.runtime().yield_now().await;
                }
                arrival => arrival?,
            }
        }
        Ok(())
    }

    /// Checks that every partition was received once, and that the total is right.
    pub(super) fn complete(
        &self,
        kind: Kind,
        accumulator: &Accumulator<FindingsOf<H>>,
        failures: FailureLog<H::Value>,
    ) -> OrEnd<(), H> {
        if !accumulator.has_each_once() {
            return Err(self.partial(kind, accumulator, failures, None));
        }
        let has_appended = accumulator.growth() == Some(Growth::Append);
        let total = accumulator.tracker().borrow().check();
        Ok(self.check_total(kind, total.map_err(|mismatch| TotalMismatch { has_appended, ..mismatch }))?)
    }

    /// Whether the call fetches the other partitions when one fails.
    fn collects(&self) -> bool {
        self.settings.failure_policy == FailurePolicy::Collect
    }

    /// Whether a call that ended early rejects with [`ErrorKind::Partial`]. If every partition is there, the call timed out while
    /// re-reading the counts; nothing is missing.
    fn keeps_partial(&self, accumulator: &Accumulator<FindingsOf<H>>, error: &Error<H::Value>) -> bool {
        self.collects()
            && matches!(error.kind, ErrorKind::TotalTimeout(_) | ErrorKind::Memory)
            && accumulator.is_begun()
            && !accumulator.is_whole()
    }

    /// The error that lists the missing partitions. `cause` is why the call ended before it requested all.
    fn partial(
        &self,
        kind: Kind,
        accumulator: &Accumulator<FindingsOf<H>>,
        failures: FailureLog<H::Value>,
        cause: Option<ErrorKind>,
    ) -> CallEnd<H::Value> {
        let tracker = accumulator.tracker().borrow();
        let partitions = tracker.counts().partitions;
        let missing = partitions - tracker.partitions();
        let mut error = self.call_error(kind, ErrorKind::Partial { missing, partitions });
        error.failures = match cause {
            None => failures.in_order(),
            Some(cause) => failures.add_missing(tracker.missing(), MAX_LISTED_MISSING, |index| {
                self.partition_error(kind, index, cause.clone())
            }),
        };
        error.into()
    }

    fn counts_changed(
        &self,
        kind: Kind,
        accumulator: &Accumulator<FindingsOf<H>>,
        before: KindCounts,
        now: KindCounts,
    ) -> Box<Error<H::Value>> {
        let received = accumulator.tracker().borrow().findings();
        self.call_error(kind, ErrorKind::Changed { before, now, received })
    }
}
