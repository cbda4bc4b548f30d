//! The partitions in flight of a call: requested as the budgets allow, received as they arrive.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

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
    /// How many partitions in flight are being decoded.
    decoding: usize,
    /// Partitions to request again.
    lost: VecDeque<(u64, LocalBoxFuture<'call, Step<'call, Arrival>>)>,
}

/// The state of a partition in flight.
pub(super) enum Step<'call, Arrival> {
    /// Its body has been received, and the future decodes it. Another partition may be requested meanwhile.
    Received(LocalBoxFuture<'call, Step<'call, Arrival>>),
    /// Its body is lost, and the future requests it again.
    Lost(LocalBoxFuture<'call, Step<'call, Arrival>>),
    /// It has arrived or failed.
    Arrived(Arrival),
}

/// Returns the demand, given the number of tickets issued and of partitions in flight. Wakes the waker when the demand grows.
type AskDemand<'call> = dyn Fn(u64, usize, &Waker) -> Demand + 'call;

/// Begins to fetch one partition.
type Begin<'call, Arrival> = dyn Fn(Ticket, Reservation) -> LocalBoxFuture<'call, Step<'call, Arrival>> + 'call;

struct InFlight<'call, Arrival> {
    index: u64,
    is_decoding: bool,
    step: LocalBoxFuture<'call, Step<'call, Arrival>>,
}

impl<'call, Arrival> Prefetcher<'call, Arrival> {
    /// A prefetcher that has requested nothing yet.
    pub(super) fn new(
        call_budget: CallBudget,
        tracker: &'call RefCell<PartitionTracker>,
        demand: impl Fn(u64, usize, &Waker) -> Demand + 'call,
        begin: impl Fn(Ticket, Reservation) -> LocalBoxFuture<'call, Step<'call, Arrival>> + 'call,
    ) -> Self {
        let (demand, begin) = (Box::new(demand), Box::new(begin));
        let (in_flight, lost) = (FuturesUnordered::new(), VecDeque::new());
        Prefetcher { call_budget, tracker, demand, begin, in_flight, decoding: 0, lost }
    }

    /// Waits for the next partition to arrive, and returns it with its index; `None` once all the tracker's tickets are used.
    pub(super) async fn next(&mut self) -> Option<(u64, Arrival)> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Cancels all partitions in flight from an index on, last first: otherwise a later partition would get the connection of an earlier
    /// one.
    pub(super) fn cancel_from(&mut self, index: u64) {
        self.lost.retain(|(lost, _)| *lost < index);
        // A `FuturesUnordered` drops in no particular order.
        let mut in_flight: Vec<_> = mem::take(&mut self.in_flight).into_iter().collect();
        while let Some((last, _)) =
            in_flight.iter().enumerate().filter(|(_, one)| one.index >= index).max_by_key(|(_, one)| one.index)
        {
            in_flight.swap_remove(last);
        }
        self.decoding = in_flight.iter().filter(|one| one.is_decoding).count();
        self.in_flight.extend(in_flight);
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<(u64, Arrival)>> {
        loop {
            self.fill(0, context.waker());
            match ready!(self.in_flight.poll_next_unpin(context)) {
                Some(Stepped { index, step: Step::Received(step), .. }) => {
                    // First, so that the next request is under way while this partition is decoded.
                    self.fill(1, context.waker());
                    self.in_flight.push(InFlight { index, is_decoding: true, step });
                    self.decoding += 1;
                }
                Some(Stepped { index, step: Step::Lost(step), was_decoding }) => {
                    self.decoding -= usize::from(was_decoding);
                    self.lost.push_back((index, step));
                }
                Some(Stepped { index, step: Step::Arrived(arrival), was_decoding }) => {
                    self.decoding -= usize::from(was_decoding);
                    return Poll::Ready(Some((index, arrival)));
                }
                // With nothing in flight and tickets left, the demand wakes the task.
                None if self.tracker.borrow().has_tickets() => return Poll::Pending,
                None => return Poll::Ready(None),
            }
        }
    }

    /// Requests lost partitions as the demand allows. They still hold their reservations.
    fn request_lost(&mut self, waker: &Waker) {
        while !self.lost.is_empty() {
            let issued = self.tracker.borrow().issued();
            let Demand { in_flight, .. } = (self.demand)(issued, self.in_flight.len(), waker);
            if self.in_flight.len() - self.decoding >= in_flight {
                return;
            }
            if let Some((index, step)) = self.lost.pop_front() {
                self.in_flight.push(InFlight { index, is_decoding: false, step });
            }
        }
    }

    /// Requests partitions as the budgets allow, in addition to the partitions in flight and the ones that wait for the decoder.
    fn fill(&mut self, others: usize, waker: &Waker) {
        self.request_lost(waker);
        let mut tracker = self.tracker.borrow_mut();
        while tracker.has_tickets() {
            let all = self.in_flight.len() + self.lost.len() + others;
            let Demand { in_flight, reader_waits } = (self.demand)(tracker.issued(), all, waker);
            // At most as many more may wait for the decoder, because no budget counts the futures themselves.
            if self.in_flight.len() - self.decoding >= in_flight || all >= 2 * in_flight {
                break;
            }
            let Poll::Ready(reservation) = self.call_budget.poll_reserve(reader_waits, waker) else { return };
            let Some(ticket) = tracker.next_ticket() else { break };
            let index = ticket.index();
            self.in_flight.push(InFlight { index, is_decoding: false, step: (self.begin)(ticket, reservation) });
        }
        // This call may be first in the queue for bytes without needing any: a failure has closed the tracker, or lost partitions have
        // taken the room.
        self.call_budget.leave();
    }
}

/// A step of a partition in flight.
struct Stepped<'call, Arrival> {
    index: u64,
    was_decoding: bool,
    step: Step<'call, Arrival>,
}

impl<'call, Arrival> Future for InFlight<'call, Arrival> {
    type Output = Stepped<'call, Arrival>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Stepped<'call, Arrival>> {
        let (index, was_decoding) = (self.index, self.is_decoding);
        self.step.as_mut().poll(context).map(|step| Stepped { index, was_decoding, step })
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

    /// A partition whose body is received, and then lost; its request is repeated and never ends.
    fn lost_once<'call>(kept: (Ticket, Reservation)) -> Step<'call, ()> {
        let again = async move {
            pending::<()>().await;
            drop(kept);
            Step::Arrived(())
        };
        Step::Received(async move { Step::Lost(again.boxed_local()) }.boxed_local())
    }

    fn tracker() -> RefCell<PartitionTracker> {
        RefCell::new(PartitionTracker::new(KindCounts { partitions: 9, findings: None }))
    }

    /// A prefetcher with room for the bytes of all partitions.
    fn prefetcher<'call>(
        tracker: &'call RefCell<PartitionTracker>,
        in_flight: usize,
        begin: impl Fn(Ticket, Reservation) -> LocalBoxFuture<'call, Step<'call, ()>> + 'call,
    ) -> Prefetcher<'call, ()> {
        let demand = move |_, _, _: &Waker| Demand { in_flight, reader_waits: false };
        Prefetcher::new(ByteBudget::new(9).call_budget(9, 1), tracker, demand, begin)
    }

    #[test]
    fn requests_as_many_again_while_those_received_wait_for_the_decoder() {
        let tracker = tracker();
        let begun = Rc::new(RefCell::new(Vec::new()));
        let mut prefetcher = prefetcher(&tracker, 2, |ticket, reservation| {
            begun.borrow_mut().push(ticket.index());
            async move {
                Step::Received(
                    async move {
                        pending::<()>().await;
                        drop((ticket, reservation));
                        Step::Arrived(())
                    }
                    .boxed_local(),
                )
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
        let begin = |ticket, reservation| async move { lost_once((ticket, reservation)) }.boxed_local();
        let mut prefetcher = Prefetcher::new(budget.call_budget(10, 3), &tracker, demand, begin);
        assert!(prefetcher.next().now_or_never().is_none());
        assert_eq!(tracker.borrow().issued(), 1, "there are no bytes for a second partition");
        assert!(reserve(2).is_some(), "the call waits for bytes that it could not use");
    }

    #[test]
    fn cancels_partitions_from_an_index_on_the_last_first() {
        let tracker = tracker();
        let cancelled = Rc::new(RefCell::new(Vec::new()));
        let mut prefetcher = prefetcher(&tracker, 5, |ticket, reservation| {
            let cancellation = Cancellation { index: ticket.index(), cancelled: Rc::clone(&cancelled) };
            async move {
                pending::<()>().await;
                drop((reservation, cancellation));
                Step::Arrived(())
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
