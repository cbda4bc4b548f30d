//! The partitions in flight of a call: requested as the budgets allow, received as they arrive.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::scheduling::byte_budget::{CallBudget, Reservation};
use crate::scheduling::partition_tracker::{PartitionTracker, Ticket};
use crate::scheduling::reorder_buffer::Demand;

/// Requests the partitions of a call in index order, and returns each as it arrives.
pub(super) struct Prefetcher<'call, Arrival> {
    call_budget: CallBudget,
    tracker: &'call RefCell<PartitionTracker>,
    demand: Box<AskDemand<'call>>,
    begin: Box<Begin<'call, Arrival>>,
    in_flight: FuturesUnordered<InFlight<'call, Arrival>>,
    /// Whether the stage of a partition has changed since the budgets were looked at.
    has_changed: Rc<Cell<bool>>,
}

/// The stage of a partition in flight, which the prefetcher looks at. Clones share it.
#[derive(Clone)]
pub(super) struct StageCell {
    stage: Rc<Cell<Stage>>,
    waker: Rc<RefCell<Waker>>,
    has_changed: Rc<Cell<bool>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// It is being requested.
    Requested,
    /// Its body has been received. It is decoded once the next partitions are requested.
    Received,
    /// It is being decoded. Another partition may be requested meanwhile.
    Decoding,
    /// Its body is lost. It is requested again when there is room.
    Lost,
}

/// Returns the demand, given the number of tickets issued and of partitions in flight. Wakes the waker when the demand grows.
type AskDemand<'call> = dyn Fn(u64, usize, &Waker) -> Demand + 'call;

/// Begins to fetch one partition.
type Begin<'call, Arrival> = dyn Fn(Ticket, Reservation, StageCell) -> LocalBoxFuture<'call, Arrival> + 'call;

struct InFlight<'call, Arrival> {
    index: u64,
    stage: StageCell,
    work: LocalBoxFuture<'call, Arrival>,
}

impl StageCell {
    fn new(has_changed: &Rc<Cell<bool>>) -> Self {
        StageCell {
            stage: Rc::new(Cell::new(Stage::Requested)),
            waker: Rc::new(RefCell::new(Waker::noop().clone())),
            has_changed: Rc::clone(has_changed),
        }
    }

    /// Says that the body has been received. Resolves once the next partitions are requested, so that their requests are under way while this
    /// partition is decoded.
    pub(super) async fn received(&self) {
        self.enter(Stage::Received).await;
    }

    /// Says that the body is lost. Resolves when the partition may be requested again.
    pub(super) async fn lost(&self) {
        self.enter(Stage::Lost).await;
    }

    async fn enter(&self, stage: Stage) {
        self.stage.set(stage);
        self.has_changed.set(true);
        poll_fn(|context| {
            if self.stage.get() != stage {
                return Poll::Ready(());
            }
            self.waker.borrow_mut().clone_from(context.waker());
            Poll::Pending
        })
        .await;
    }

    fn advance(&self, stage: Stage) {
        self.stage.set(stage);
        self.waker.borrow().wake_by_ref();
    }
}

impl<'call, Arrival> Prefetcher<'call, Arrival> {
    /// A prefetcher that has requested nothing yet.
    pub(super) fn new(
        call_budget: CallBudget,
        tracker: &'call RefCell<PartitionTracker>,
        demand: impl Fn(u64, usize, &Waker) -> Demand + 'call,
        begin: impl Fn(Ticket, Reservation, StageCell) -> LocalBoxFuture<'call, Arrival> + 'call,
    ) -> Self {
        let (demand, begin) = (Box::new(demand), Box::new(begin));
        let in_flight = FuturesUnordered::new();
        Prefetcher { call_budget, tracker, demand, begin, in_flight, has_changed: Rc::default() }
    }

    /// Waits for the next partition to arrive, and returns it with its index; `None` once all the tracker's tickets are used.
    pub(super) async fn next(&mut self) -> Option<(u64, Arrival)> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Cancels all partitions in flight from an index on, last first: otherwise a later partition would get the connection of an earlier
    /// one.
    pub(super) fn cancel_from(&mut self, index: u64) {
        // A `FuturesUnordered` drops in no particular order.
        let mut in_flight: Vec<_> = mem::take(&mut self.in_flight).into_iter().collect();
        while let Some((last, _)) =
            in_flight.iter().enumerate().filter(|(_, one)| one.index >= index).max_by_key(|(_, one)| one.index)
        {
            in_flight.swap_remove(last);
        }
        self.in_flight.extend(in_flight);
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<(u64, Arrival)>> {
        loop {
            self.fill(context.waker());
            match self.in_flight.poll_next_unpin(context) {
                Poll::Ready(Some(arrived)) => return Poll::Ready(Some(arrived)),
                Poll::Ready(None) if !self.tracker.borrow().has_tickets() => return Poll::Ready(None),
                _ if self.has_changed.get() => {}
                // With nothing in flight and tickets left, the demand wakes the task.
                _ => return Poll::Pending,
            }
        }
    }

    /// Requests partitions as the budgets allow, the lost ones first, which still hold their reservations. Then decodes those received.
    fn fill(&mut self, waker: &Waker) {
        self.has_changed.set(false);
        self.request_lost(waker);
        self.request_new(waker);
        while let Some(received) = self.first_at(Stage::Received) {
            received.stage.advance(Stage::Decoding);
        }
    }

    fn request_lost(&self, waker: &Waker) {
        while let Some(lost) = self.first_at(Stage::Lost) {
            let issued = self.tracker.borrow().issued();
            if self.requested() >= (self.demand)(issued, self.in_flight.len(), waker).in_flight {
                return;
            }
            lost.stage.advance(Stage::Requested);
        }
    }

    fn request_new(&mut self, waker: &Waker) {
        let mut tracker = self.tracker.borrow_mut();
        while tracker.has_tickets() {
            let all = self.in_flight.len();
            let Demand { in_flight, reader_waits } = (self.demand)(tracker.issued(), all, waker);
            // At most as many more may wait for the decoder, because no budget counts the futures themselves.
            if self.requested() >= in_flight || all >= 2 * in_flight {
                break;
            }
            let Poll::Ready(reservation) = self.call_budget.poll_reserve(reader_waits, waker) else { return };
            let Some(ticket) = tracker.next_ticket() else { break };
            let (index, stage) = (ticket.index(), StageCell::new(&self.has_changed));
            let work = (self.begin)(ticket, reservation, stage.clone());
            self.in_flight.push(InFlight { index, stage, work });
        }
        // This call may be first in the queue for bytes without needing any: a failure has closed the tracker, or lost partitions have
        // taken the room.
        self.call_budget.leave();
    }

    /// The number of partitions that are being requested.
    fn requested(&self) -> usize {
        self.in_flight.iter().filter(|one| one.is_at(Stage::Requested)).count()
    }

    /// The partition at a stage with the lowest index.
    fn first_at(&self, stage: Stage) -> Option<&InFlight<'call, Arrival>> {
        self.in_flight.iter().filter(|one| one.is_at(stage)).min_by_key(|one| one.index)
    }
}

impl<Arrival> InFlight<'_, Arrival> {
    fn is_at(&self, stage: Stage) -> bool {
        self.stage.stage.get() == stage
    }
}

impl<Arrival> Future for InFlight<'_, Arrival> {
    type Output = (u64, Arrival);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<(u64, Arrival)> {
        let index = self.index;
        self.work.as_mut().poll(context).map(|arrival| (index, arrival))
    }
}

impl<Arrival> Drop for Prefetcher<'_, Arrival> {
    fn drop(&mut self) {
        self.cancel_from(0);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::rc::Rc;

    use futures_util::FutureExt;

    use super::*;
    use crate::contract::KindCounts;
    use crate::scheduling::byte_budget::ByteBudget;

    /// Records its index when dropped.
    struct Cancellation {
        index: u64,
        cancelled: Rc<RefCell<Vec<u64>>>,
    }

    impl Drop for Cancellation {
        fn drop(&mut self) {
            self.cancelled.borrow_mut().push(self.index);
        }
    }

    fn tracker() -> RefCell<PartitionTracker> {
        RefCell::new(PartitionTracker::new(KindCounts { partitions: 9, findings: None }))
    }

    /// A prefetcher with room for the bytes of all partitions.
    fn prefetcher<'call>(
        tracker: &'call RefCell<PartitionTracker>,
        in_flight: usize,
        begin: impl Fn(Ticket, Reservation, StageCell) -> LocalBoxFuture<'call, ()> + 'call,
    ) -> Prefetcher<'call, ()> {
        let demand = move |_, _, _: &Waker| Demand { in_flight, reader_waits: false };
        Prefetcher::new(ByteBudget::new(9).call_budget(9, 1), tracker, demand, begin)
    }

    #[test]
    fn requests_as_many_again_while_those_received_wait_for_the_decoder() {
        let tracker = tracker();
        let begun = Rc::new(RefCell::new(Vec::new()));
        let mut prefetcher = prefetcher(&tracker, 2, |ticket, reservation, stage| {
            begun.borrow_mut().push(ticket.index());
            async move {
                stage.received().await;
                pending::<()>().await;
                drop((ticket, reservation));
            }
            .boxed_local()
        });
        assert!(prefetcher.next().now_or_never().is_none());
        assert_eq!(*begun.borrow(), [0, 1, 2, 3]);
    }

    #[test]
    fn lets_others_have_bytes_while_a_lost_partition_is_requested_again() {
        let (tracker, budget) = (tracker(), ByteBudget::new(10));
        let reserve = |expected| match budget.call_budget(10, expected).poll_reserve(false, Waker::noop()) {
            Poll::Ready(reservation) => Some(reservation),
            Poll::Pending => None,
        };
        let _held = reserve(5);
        let demand = |_, _, _: &Waker| Demand { in_flight: 1, reader_waits: false };
        // Its body is received, and then lost; its request is repeated and never ends.
        let begin = |ticket, reservation, stage: StageCell| {
            async move {
                stage.received().await;
                stage.lost().await;
                pending::<()>().await;
                drop((ticket, reservation));
            }
            .boxed_local()
        };
        let mut prefetcher = Prefetcher::new(budget.call_budget(10, 3), &tracker, demand, begin);
        assert!(prefetcher.next().now_or_never().is_none());
        assert_eq!(tracker.borrow().issued(), 1, "there are no bytes for a second partition");
        assert!(reserve(2).is_some(), "the call waits for bytes that it could not use");
    }

    #[test]
    fn requests_the_next_partition_before_it_decodes_one_and_a_lost_one_when_there_is_room() {
        let tracker = tracker();
        let events = Rc::new(RefCell::new(Vec::new()));
        let mut prefetcher = prefetcher(&tracker, 1, |ticket, reservation, stage| {
            let events = Rc::clone(&events);
            async move {
                let index = ticket.index();
                let note = |event: &str| events.borrow_mut().push(format!("{event} {index}"));
                note("request");
                stage.received().await;
                note("decode");
                if index == 0 {
                    stage.lost().await;
                    note("request again");
                }
                pending::<()>().await;
                drop((ticket, reservation));
            }
            .boxed_local()
        });
        assert!(prefetcher.next().now_or_never().is_none());
        assert_eq!(*events.borrow(), ["request 0", "request 1", "decode 0", "request again 0", "decode 1"]);
    }

    #[test]
    fn cancels_partitions_from_an_index_on_the_last_first() {
        let tracker = tracker();
        let cancelled = Rc::new(RefCell::new(Vec::new()));
        let mut prefetcher = prefetcher(&tracker, 5, |ticket, reservation, _| {
            let cancellation = Cancellation { index: ticket.index(), cancelled: Rc::clone(&cancelled) };
            async move {
                pending::<()>().await;
                drop((reservation, cancellation));
            }
            .boxed_local()
        });
        assert!(prefetcher.next().now_or_never().is_none());
        prefetcher.cancel_from(2);
        assert_eq!(*cancelled.borrow(), [4, 3, 2]);
        drop(prefetcher);
        assert_eq!(*cancelled.borrow(), [4, 3, 2, 1, 0]);
    }
}
