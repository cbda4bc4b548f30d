//! All findings of one kind: as one table, or as objects that the host keeps.

use std::cell::RefCell;
use std::rc::Rc;

use columns::memory::OutOfMemory;
use columns::table::Table;
use futures_util::FutureExt;

use super::host::Host;
use super::partition::Decoded;
use super::prefetch::{Prefetcher, StageCell};
use super::progress::Progress;
use super::retrieval::{Outcome, Retrieval};
use super::settings::FailurePolicy;
use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts};
use crate::decode::Runtime;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::failure_log::FailureLog;
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::partition_tracker::Ticket;
use crate::scheduling::reorder_buffer::Demand;

/// The maximum number of unrequested partitions listed in `failures`.
const MAX_LISTED_MISSING: usize = 1 << 16;

impl<H: Host> Retrieval<H> {
    /// Fetches all partitions of one kind, in index order. Requests only the partitions that the accumulator lacks, and adds each to it on
    /// arrival, so that another call can resume from it. If the host [builds objects](Host::builds_objects), the table is empty.
    ///
    /// # Errors
    /// [`ErrorKind::Partial`] with the received findings, for a collecting call; otherwise the first error of a partition.
    pub(crate) async fn findings(&self, kind: Kind, accumulator: Rc<Accumulator>) -> Outcome<Table, H> {
        // Outside the future, because a timeout drops the future.
        let failures = RefCell::new(FailureLog::default());
        let received = async {
            let _exclusive = accumulator.exclusive().await;
            self.begin_with(Progress::resumed(&accumulator));
            self.host.prepare_worker(None);
            let counts = self.counts_of(kind).await?;
            if !accumulator.is_begun() {
                let kept = accumulator.keep_only(self.host.columns());
                kept.map_err(|OutOfMemory| self.call_error(kind, ErrorKind::Memory))?;
            }
            accumulator.begin(counts).map_err(|before| self.counts_changed(kind, &accumulator, before, counts))?;
            self.host.prepare_worker(Some(accumulator.missing()));
            self.begin(Progress::resumed(&accumulator))?;
            self.every_partition(kind, &accumulator, &failures).await
        };
        let received = self.in_time(Some(kind), received.boxed_local()).await;
        let failures = failures.into_inner();
        match received {
            Ok(()) => self.complete(kind, &accumulator, failures),
            Err(CallEnd::Failed(error)) if self.keeps_partial(&accumulator, &error) => {
                Err(self.partial(kind, &accumulator, failures, Some(error.kind)))
            }
            Err(end) => Err(end),
        }
    }

    async fn every_partition(
        &self,
        kind: Kind,
        accumulator: &Accumulator,
        failures: &RefCell<FailureLog<H::Value>>,
    ) -> Outcome<(), H> {
        let demand =
            |_, in_flight, _: &_| Demand { in_flight: self.settings.concurrency, reader_waits: in_flight == 0 };
        let begin = |ticket: Ticket, reservation: Reservation, stage: StageCell| {
            let kept = async move {
                let index = ticket.index();
                let decoded = self.receive(kind, index, &reservation, Some(&stage)).await?;
                drop(reservation);
                self.keep(kind, ticket, decoded, accumulator)
            };
            kept.boxed_local()
        };
        let mut prefetcher = Prefetcher::new(self.call_budget(0), accumulator.tracker(), demand, begin);
        while let Some((index, arrival)) = prefetcher.next().await {
            match arrival {
                Err(CallEnd::Failed(error)) if self.collects() => {
                    let noted = failures.borrow_mut().note(index, error);
                    noted.map_err(|OutOfMemory| self.call_error(kind, ErrorKind::Memory))?;
                    // A `fetch` that fails at once would keep all other tasks waiting.
                    self.host.runtime().yield_now().await;
                }
                arrival => arrival?,
            }
        }
        Ok(())
    }

    /// Adds a partition to the accumulator.
    fn keep(
        &self,
        kind: Kind,
        ticket: Ticket,
        Decoded { length, chunk, bytes }: Decoded,
        accumulator: &Accumulator,
    ) -> Outcome<(), H> {
        let index = ticket.index();
        let taken = accumulator.take(ticket, length, chunk, bytes);
        taken.map_err(|OutOfMemory| {
            self.host.forget(index);
            self.partition_error(kind, index, ErrorKind::Memory)
        })?;
        self.advance(length, bytes)
    }

    /// Returns the findings, if every partition was received once and the total is right.
    pub(super) fn complete(
        &self,
        kind: Kind,
        accumulator: &Rc<Accumulator>,
        failures: FailureLog<H::Value>,
    ) -> Outcome<Table, H> {
        if !accumulator.tracker().borrow().has_each_once() {
            return Err(self.partial(kind, accumulator, failures, None));
        }
        let findings = accumulator.table().map_err(|OutOfMemory| self.call_error(kind, ErrorKind::Memory))?;
        let total = accumulator.tracker().borrow().check();
        let Err(error) = self.check_total(kind, total) else { return Ok(findings) };
        Err(error.with_findings(Some(findings)).into())
    }

    /// Whether the call fetches the other partitions when one fails.
    fn collects(&self) -> bool {
        self.settings.failure_policy == FailurePolicy::Collect
    }

    /// Whether a call that ended early rejects with [`ErrorKind::Partial`]. If every partition is there, the call timed out while
    /// re-reading the counts; nothing is missing.
    fn keeps_partial(&self, accumulator: &Accumulator, error: &Error<H::Value>) -> bool {
        self.collects()
            && matches!(error.kind, ErrorKind::TotalTimeout(_) | ErrorKind::Memory)
            && accumulator.is_begun()
            && !accumulator.tracker().borrow().is_whole()
    }

    /// The error that lists the missing partitions and carries the received ones. `cause` is why the call ended before it requested all. If
    /// out of memory, the error carries no table, but the call can still be resumed.
    fn partial(
        &self,
        kind: Kind,
        accumulator: &Rc<Accumulator>,
        failures: FailureLog<H::Value>,
        cause: Option<ErrorKind>,
    ) -> CallEnd<H::Value> {
        let findings = accumulator.table().ok();
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
        self.call_error(kind, ErrorKind::Changed { before, now, received })
    }
}
