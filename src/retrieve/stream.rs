//! A call whose partitions are read one after the other while others are on their way.

use std::cell::RefCell;
use std::task::Waker;

use columns::memory::OutOfMemory;
use columns::table::Table;
use futures_util::FutureExt;

use super::{Host, Outcome, Progress, Retrieval};
use crate::contract::Kind;
use crate::error::{CallEnd, ErrorKind};
use crate::retrieve::prefetch::Prefetcher;
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::partition_tracker::PartitionTracker;
use crate::scheduling::reorder_buffer::{Order, ReorderBuffer};

/// What a body is expected to have at least, in bytes, until one has come. Where that leaves no reservation for others, a stream begins
/// with the one that its reader waits for, and so keeps within its bounds from the beginning.
const UNSEEN: u64 = 8 * 1024 * 1024;

/// A partition on the buffer, with the reservation that it takes until it is read.
pub struct Delivery {
    /// Its index.
    pub index: u64,
    /// Its findings.
    pub findings: Table,
    /// Given back when it is dropped.
    pub reservation: Reservation,
}

impl<H: Host> Retrieval<H> {
    /// Puts the partitions of one kind on the buffer, as its reader makes reservation, until all are there or one cannot be had. In index
    /// order all before that one are there then.
    pub async fn deliver<Error>(&self, kind: Kind, buffer: &ReorderBuffer<Delivery, Error>) -> Outcome<(), H> {
        let delivered = async {
            let counts = self.read_counts(Some(kind)).await?.of(kind)?;
            self.begin(Progress::of(counts))?;
            let tracker = RefCell::new(PartitionTracker::new(counts));
            self.every_delivery(kind, buffer, &tracker).await?;
            let checked = tracker.borrow().check();
            Ok(self.check(kind, checked)?)
        };
        self.in_time(Some(kind), delivered.boxed_local()).await
    }

    async fn every_delivery<Error>(
        &self,
        kind: Kind,
        buffer: &ReorderBuffer<Delivery, Error>,
        tracker: &RefCell<PartitionTracker>,
    ) -> Outcome<(), H> {
        let demand = |asked, in_flight, waker: &Waker| buffer.demand(asked, in_flight, waker);
        let mut prefetcher = Prefetcher::new(self.call_budget(UNSEEN), tracker, demand, |ticket, reservation| {
            async move {
                let index = ticket.index();
                let (findings, bytes) = self.read_partition_alone(kind, index, &reservation).await?;
                let length = findings.len();
                let taken = tracker.borrow_mut().take(ticket, length);
                taken.map_err(|OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory))?;
                buffer.insert(index, Delivery { index, findings, reservation });
                self.advance(length, bytes)
            }
            .boxed_local()
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
