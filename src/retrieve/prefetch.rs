//! The partitions of a call on their way: asked for as reservation allows, received as they come.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;

use crate::scheduling::byte_budget::{CallBudget, Reservation};
use crate::scheduling::partition_tracker::{PartitionTracker, Ticket};
use crate::scheduling::reorder_buffer::Demand;

/// Asks for partitions one after the other, and tells of each as it comes.
pub(super) struct Prefetcher<'call, Arrival> {
    call_budget: CallBudget,
    tracker: &'call RefCell<PartitionTracker>,
    demand: Box<AskDemand<'call>>,
    begin: Box<Begin<'call, Arrival>>,
    /// In index ticket.
    in_flight: Vec<InFlight<'call, Arrival>>,
}

/// What may be asked for now, given the number of tickets so far and of partitions under way.
type AskDemand<'call> = dyn Fn(u64, usize, &Waker) -> Demand + 'call;

/// Begins to get one partition, for which there is reservation.
type Begin<'call, Arrival> = dyn Fn(Ticket, Reservation) -> LocalBoxFuture<'call, Arrival> + 'call;

struct InFlight<'call, Arrival> {
    index: u64,
    arrival: LocalBoxFuture<'call, Arrival>,
}

impl<'call, Arrival> Prefetcher<'call, Arrival> {
    /// Nothing is on its way yet.
    pub(super) fn new(
        call_budget: CallBudget,
        tracker: &'call RefCell<PartitionTracker>,
        demand: impl Fn(u64, usize, &Waker) -> Demand + 'call,
        begin: impl Fn(Ticket, Reservation) -> LocalBoxFuture<'call, Arrival> + 'call,
    ) -> Self {
        let (demand, begin) = (Box::new(demand), Box::new(begin));
        Prefetcher { call_budget, tracker, demand, begin, in_flight: Vec::new() }
    }

    /// The index of the next partition that comes, of those that the tracker tickets, and how it came; nothing when all have come.
    /// What may be asked for is asked anew whenever something has happened.
    pub(super) async fn next(&mut self) -> Option<(u64, Arrival)> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Cancels what is under way from that index on, the last first: the connection of an earlier one would serve a later one else
    /// that still waits for a connection.
    pub(super) fn cancel_from(&mut self, index: u64) {
        while self.in_flight.pop_if(|last| last.index >= index).is_some() {}
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<(u64, Arrival)>> {
        self.fill(context.waker());
        for (position, InFlight { index, arrival }) in self.in_flight.iter_mut().enumerate() {
            if let Poll::Ready(arrival) = arrival.as_mut().poll(context) {
                let arrived = (*index, arrival);
                drop(self.in_flight.remove(position));
                return Poll::Ready(Some(arrived));
            }
        }
        let is_over = self.in_flight.is_empty() && !self.tracker.borrow().has_tickets();
        if is_over { Poll::Ready(None) } else { Poll::Pending }
    }

    fn fill(&mut self, waker: &Waker) {
        let mut tracker = self.tracker.borrow_mut();
        while tracker.has_tickets() {
            let Demand { in_flight, reader_waits } = (self.demand)(tracker.issued(), self.in_flight.len(), waker);
            if self.in_flight.len() >= in_flight {
                return;
            }
            let Poll::Ready(reservation) = self.call_budget.poll_reserve(reader_waits, waker) else { return };
            let Some(ticket) = tracker.next_ticket() else { return };
            let index = ticket.index();
            self.in_flight.push(InFlight { index, arrival: (self.begin)(ticket, reservation) });
        }
        // After a failure there may be nothing more to ask for while others wait behind.
        self.call_budget.leave();
    }
}

impl<Arrival> Drop for Prefetcher<'_, Arrival> {
    fn drop(&mut self) {
        self.cancel_from(0);
    }
}
