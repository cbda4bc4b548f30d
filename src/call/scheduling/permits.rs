//! Permits for the requests in flight of a client. Grants them first in, first out.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The permits of one client.
#[derive(Debug)]
pub(crate) struct Permits(Rc<Queue>);

/// The right to have one request in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(Rc<Queue>);

#[derive(Debug)]
struct Queue {
    free: Cell<usize>,
    waiting: RefCell<VecDeque<Rc<RefCell<Waker>>>>,
}

/// A place in the queue, which is left when it is dropped.
struct Place {
    queue: Rc<Queue>,
    waker: Rc<RefCell<Waker>>,
}

impl Permits {
    /// This many permits.
    pub(crate) fn new(count: usize) -> Self {
        Permits(Rc::new(Queue { free: Cell::new(count), waiting: RefCell::default() }))
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self) -> Permit {
        let place = Place { queue: Rc::clone(&self.0), waker: Rc::new(RefCell::new(Waker::noop().clone())) };
        self.0.waiting.borrow_mut().push_back(Rc::clone(&place.waker));
        poll_fn(|context| place.poll(context)).await
    }

    /// The number of permits that nobody has.
    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.0.free.get()
    }
}

impl Place {
    fn poll(&self, context: &Context<'_>) -> Poll<Permit> {
        let is_first = self.queue.waiting.borrow().front().is_some_and(|first| Rc::ptr_eq(first, &self.waker));
        match self.queue.free.get().checked_sub(1).filter(|_| is_first) {
            Some(left) => {
                self.queue.free.set(left);
                Poll::Ready(Permit(Rc::clone(&self.queue)))
            }
            None => {
                self.waker.borrow_mut().clone_from(context.waker());
                Poll::Pending
            }
        }
    }
}

impl Queue {
    fn wake_first(&self) {
        let first = self.waiting.borrow().front().filter(|_| self.free.get() > 0).map(|waker| waker.borrow().clone());
        if let Some(waker) = first {
            waker.wake();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.queue.waiting.borrow_mut().retain(|other| !Rc::ptr_eq(other, &self.waker));
        self.queue.wake_first();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.free.update(|free| free + 1);
        self.0.wake_first();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::future::join_all;

    use super::*;

    #[test]
    fn grants_as_many_permits_as_there_are() {
        let permits = Permits::new(2);
        let held: Vec<_> = (0..3).map_while(|_| permits.acquire().now_or_never()).collect();
        assert_eq!((held.len(), permits.free()), (2, 0));
        drop(held);
        assert_eq!(permits.free(), 2);
    }

    #[test]
    fn grants_permits_first_in_first_out() {
        let permits = Permits::new(1);
        let held = permits.acquire().now_or_never();
        let (mut early, mut late) = (Box::pin(permits.acquire()), Box::pin(permits.acquire()));
        assert!((&mut early).now_or_never().is_none() && (&mut late).now_or_never().is_none());
        drop(held);
        assert!((&mut late).now_or_never().is_none(), "it came later");
        let held = early.now_or_never();
        assert!(held.is_some() && (&mut late).now_or_never().is_none());
        drop(held);
        assert!(late.now_or_never().is_some());
    }

    #[test]
    fn passes_on_a_permit_that_a_dropped_request_waited_for() {
        let permits = Permits::new(1);
        let held = permits.acquire().now_or_never();
        let mut abandoned = Box::pin(permits.acquire());
        assert!((&mut abandoned).now_or_never().is_none());
        let mut others = Box::pin(join_all((0..3).map(|_| permits.acquire().map(drop))));
        assert!((&mut others).now_or_never().is_none());
        drop((held, abandoned));
        assert!(others.now_or_never().is_some());
        assert_eq!(permits.free(), 1);
    }
}
