//! A stream: a call whose partitions are read one at a time while others are in flight.

use std::cell::RefCell;
use std::task::Waker;

use chunk::memory::OutOfMemory;
use futures_util::FutureExt;

use super::host::{FindingsOf, Host};
use super::prefetch::Prefetcher;
use super::progress::Progress;
use super::retrieval::{OrEnd, Retrieval};
use crate::accumulator::Findings;
use crate::contract::Kind;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::partition_tracker::PartitionTracker;
use crate::scheduling::reorder_buffer::{Order, ReorderBuffer};

/// The minimum number of bytes that a body is expected to need before one has arrived. If the budget has no room for several bodies, a
/// stream begins with the partition that its reader waits for, and so stays within the budget from the start.
pub(crate) const LEAST_EXPECTED_BYTES: u64 = 8 * 1024 * 1024;

/// A partition in the buffer of a stream.
pub struct Delivery<F> {
    /// The index of the partition.
    pub index: u64,
    /// The findings of the partition.
    pub findings: F,
    /// Their bytes, until the reader drops it.
    pub reservation: Reservation,
}

impl<H: Host> Retrieval<H> {
    /// Inserts the partitions of one kind into the buffer when its reader makes room.
    ///
    /// # Errors
    ///
    /// The first error of a partition. In index order, all partitions before that one have been inserted by then.
    pub async fn deliver<ReaderEnd>(
        &self,
        kind: Kind,
        buffer: &ReorderBuffer<Delivery<FindingsOf<H>>, ReaderEnd>,
    ) -> OrEnd<(), H> {
        let delivered = async {
            self.host.prepare_worker(None);
            let counts = self.counts_of(kind).await?;
            self.host.prepare_worker(Some(counts));
            self.show(Progress::of(counts))?;
            let tracker = RefCell::new(PartitionTracker::new(counts));
            self.every_delivery(kind, buffer, &tracker).await?;
            Ok(self.check_delivered(kind, &tracker.borrow())?)
        };
        self.in_time(Some(kind), delivered.boxed_local()).await
    }

    /// Checks that every partition was delivered once, and that the total is right.
    pub(super) fn check_delivered(&self, kind: Kind, tracker: &PartitionTracker) -> Result<(), Box<Error<H::Value>>> {
        if !tracker.has_each_once() {
            return Err(self.call_error(kind, ErrorKind::Undelivered(tracker.counts().partitions)));
        }
        self.check_total(kind, tracker.check())
    }

    async fn every_delivery<ReaderEnd>(
        &self,
        kind: Kind,
        buffer: &ReorderBuffer<Delivery<FindingsOf<H>>, ReaderEnd>,
        tracker: &RefCell<PartitionTracker>,
    ) -> OrEnd<(), H> {
        let demand = |issued, in_flight, waker: &Waker| buffer.demand(issued, in_flight, waker);
        let call_budget = self.call_budget(LEAST_EXPECTED_BYTES);
        // A partition that is decoded counts, too, as one that the stream is ahead of its reader.
        let mut prefetcher = Prefetcher::new(call_budget, tracker, demand, |ticket, reservation, _| {
            let arrival = async move {
                let index = ticket.index();
                let (findings, bytes) = self.receive(kind, index, &reservation, None).await?;
                let length = findings.len();
                reservation.settle(findings.byte_length(bytes) as u64);
                let taken = tracker.borrow_mut().take(ticket, length);
                taken.map_err(|OutOfMemory| self.partition_error(kind, index, ErrorKind::Memory))?;
                buffer.insert(index, Delivery { index, findings, reservation });
                self.advance(length, bytes)
            };
            arrival.boxed_local()
        });
        let mut outcome = Ok(());
        while let Some((index, arrival)) = prefetcher.next().await {
            match arrival {
                Err(CallEnd::Failed(error)) if buffer.order() == Order::Index => {
                    tracker.borrow_mut().close();
                    prefetcher.cancel_from(index);
                    outcome = Err(CallEnd::Failed(error));
                }
                arrival => arrival?,
            }
        }
        outcome
    }
}
