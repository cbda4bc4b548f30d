//! The partitions of a call on their way: asked for as room allows, received as they come.

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::budget::{Room, Share};
use crate::receipt::{Order, Receipt};
use crate::shelf::Demand;

/// Asks for partitions one after the other, and gives each as it comes.
pub struct Intake<'call, Arrival> {
    share: Share,
    /// Begins to get one partition, for which there is room.
    begin: Begin<'call, Arrival>,
    under_way: FuturesUnordered<UnderWay<'call, Arrival>>,
}

type Begin<'call, Arrival> = Box<dyn Fn(u64, Room) -> LocalBoxFuture<'call, Arrival> + 'call>;

struct UnderWay<'call, Arrival> {
    order: Option<Order>,
    arrival: LocalBoxFuture<'call, Arrival>,
}

impl<'call, Arrival> Intake<'call, Arrival> {
    /// Nothing is on its way yet.
    pub fn new(share: Share, begin: impl Fn(u64, Room) -> LocalBoxFuture<'call, Arrival> + 'call) -> Self {
        Intake { share, begin: Box::new(begin), under_way: FuturesUnordered::new() }
    }

    /// The next partition that comes, of those that the receipt orders; nothing when all have come. What may be asked for is
    /// asked anew whenever something has happened, given the number of orders so far and of partitions under way.
    pub fn poll_arrival<Findings>(
        &mut self,
        receipt: &RefCell<Receipt<Findings>>,
        demand: impl Fn(u64, usize, &Waker) -> Demand,
        context: &mut Context<'_>,
    ) -> Poll<Option<(Order, Arrival)>> {
        self.ask(&mut receipt.borrow_mut(), demand, context.waker());
        let arrived = self.under_way.poll_next_unpin(context);
        match arrived {
            Poll::Ready(None) if receipt.borrow().has_orders() => Poll::Pending,
            arrived => arrived,
        }
    }

    /// Cancels what is under way from that index on.
    pub fn cancel_from(&mut self, index: u64) {
        let before = |under_way: &UnderWay<'_, _>| under_way.order.as_ref().is_some_and(|order| order.index() < index);
        self.under_way = mem::take(&mut self.under_way).into_iter().filter(before).collect();
    }

    fn ask<Findings>(
        &mut self,
        receipt: &mut Receipt<Findings>,
        demand: impl Fn(u64, usize, &Waker) -> Demand,
        waker: &Waker,
    ) {
        while receipt.has_orders() {
            let Demand { under_way, reader_waits } = demand(receipt.handed_out(), self.under_way.len(), waker);
            if self.under_way.len() >= under_way {
                return;
            }
            let Poll::Ready(room) = self.share.poll_room(reader_waits, waker) else { return };
            let Some(order) = receipt.next_order() else { return };
            let arrival = (self.begin)(order.index(), room);
            self.under_way.push(UnderWay { order: Some(order), arrival });
        }
        // After a failure there may be nothing more to ask for while others wait behind.
        self.share.leave();
    }
}

impl<Arrival> Future for UnderWay<'_, Arrival> {
    type Output = (Order, Arrival);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.arrival.as_mut().poll(context) {
            // The order is there until the partition has come.
            Poll::Ready(arrival) => self.order.take().map_or(Poll::Pending, |order| Poll::Ready((order, arrival))),
            Poll::Pending => Poll::Pending,
        }
    }
}
