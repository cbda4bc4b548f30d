//! A fair semaphore for the requests of one client.
//! `futures_util` has no semaphore, and its `Mutex` lets a newcomer overtake waiters.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A fair semaphore: it grants its permits first in, first out. Clones share the permits.
#[derive(Clone, Debug)]
pub(crate) struct Semaphore {
    queue: Rc<Queue>,
}

/// A permit, returned to the semaphore when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    queue: Rc<Queue>,
}

/// The future of [`Semaphore::acquire`]. Leaves the queue when dropped.
#[derive(Debug)]
pub(crate) struct Acquire {
    queue: Rc<Queue>,
    waiter: Option<Rc<Waiter>>,
}

/// Invariant: no one waits while a permit is available.
#[derive(Debug)]
struct Queue {
    available: Cell<usize>,
    waiters: RefCell<Vec<Rc<Waiter>>>,
}

#[derive(Debug)]
struct Waiter {
    granted: Cell<bool>,
    waker: RefCell<Waker>,
}

impl Semaphore {
    /// A semaphore with this many permits.
    pub(crate) fn new(permits: usize) -> Self {
        Semaphore { queue: Rc::new(Queue { available: Cell::new(permits), waiters: RefCell::default() }) }
    }

    /// Waits for a permit. The future joins the queue at its first poll.
    pub(crate) fn acquire(&self) -> Acquire {
        Acquire { queue: Rc::clone(&self.queue), waiter: None }
    }
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        let admitted = match &self.waiter {
            Some(waiter) => waiter.is_granted(context.waker()),
            None => self.queue.try_acquire(),
        };
        if admitted {
            self.waiter = None;
            return Poll::Ready(Permit { queue: Rc::clone(&self.queue) });
        }
        if self.waiter.is_none() {
            self.waiter = Some(self.queue.enqueue(context.waker()));
        }
        Poll::Pending
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        if waiter.granted.get() {
            self.queue.release();
        } else {
            self.queue.waiters.borrow_mut().retain(|other| !Rc::ptr_eq(other, &waiter));
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.release();
    }
}

impl Queue {
    fn try_acquire(&self) -> bool {
        let left = self.available.get().checked_sub(1);
        self.available.set(left.unwrap_or_default());
        left.is_some()
    }

    fn enqueue(&self, waker: &Waker) -> Rc<Waiter> {
        let waiter = Rc::new(Waiter { granted: Cell::new(false), waker: RefCell::new(waker.clone()) });
        self.waiters.borrow_mut().push(Rc::clone(&waiter));
        waiter
    }

    /// Grants the permit to the first waiter at once, so that no newcomer takes it before that waiter is polled.
    fn release(&self) {
        if self.waiters.borrow().is_empty() {
            return self.available.update(|available| available + 1);
        }
        let first = self.waiters.borrow_mut().remove(0);
        first.grant();
    }
}

impl Waiter {
    fn is_granted(&self, waker: &Waker) -> bool {
        self.waker.borrow_mut().clone_from(waker);
        self.granted.get()
    }

    fn grant(&self) {
        self.granted.set(true);
        let waker = self.waker.borrow().clone();
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::task::noop_waker;
    use proptest::prelude::*;

    fn poll(waiting: &mut Acquire) -> Option<Permit> {
        match waiting.poll_unpin(&mut Context::from_waker(&noop_waker())) {
            Poll::Ready(permit) => Some(permit),
            Poll::Pending => None,
        }
    }

    #[test]
    fn grants_at_most_its_number_of_permits() {
        let semaphore = Semaphore::new(2);
        let first = semaphore.acquire().now_or_never();
        let second = semaphore.acquire().now_or_never();
        assert!(first.is_some() && second.is_some());
        assert!(semaphore.acquire().now_or_never().is_none());
        drop(first);
        assert!(semaphore.acquire().now_or_never().is_some());
    }

    #[test]
    fn grants_permits_first_in_first_out() {
        let semaphore = Semaphore::new(1);
        let permit = semaphore.acquire().now_or_never();
        let (mut early, mut late) = (semaphore.acquire(), semaphore.acquire());
        assert!(poll(&mut early).is_none() && poll(&mut late).is_none());
        drop(permit);
        assert!(semaphore.acquire().now_or_never().is_none(), "a newcomer does not overtake");
        assert!(poll(&mut late).is_none(), "the second waits for the first");
        let permit = poll(&mut early);
        assert!(permit.is_some());
        drop(permit);
        assert!(poll(&mut late).is_some());
    }

    #[test]
    fn passes_on_a_permit_granted_to_a_dropped_waiter() {
        let semaphore = Semaphore::new(1);
        let permit = semaphore.acquire().now_or_never();
        let (mut early, mut late) = (semaphore.acquire(), semaphore.acquire());
        assert!(poll(&mut early).is_none() && poll(&mut late).is_none());
        drop(permit);
        drop(early);
        assert!(poll(&mut late).is_some());
    }

    proptest! {
        #[test]
        fn keeps_its_number_of_permits_in_any_sequence_of_acquire_release_and_drop(
            permits in 1usize..5,
            steps in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 0..200),
        ) {
            let semaphore = Semaphore::new(permits);
            let (mut waiting, mut held) = (Vec::new(), Vec::new());
            for (step, which) in steps {
                match step {
                    0 => waiting.push(semaphore.acquire()),
                    1 if !held.is_empty() => drop(held.swap_remove(which.index(held.len()))),
                    2 if !waiting.is_empty() => drop(waiting.remove(which.index(waiting.len()))),
                    _ if !waiting.is_empty() => {
                        let waiter = which.index(waiting.len());
                        if let Some(permit) = poll(&mut waiting[waiter]) {
                            held.push(permit);
                            waiting.remove(waiter);
                        }
                    }
                    _ => {}
                }
                prop_assert!(held.len() <= permits);
            }
            waiting.clear();
            held.clear();
            let all: Vec<_> = (0..permits).map_while(|_| semaphore.acquire().now_or_never()).collect();
            prop_assert_eq!(all.len(), permits);
            prop_assert!(semaphore.acquire().now_or_never().is_none());
        }
    }
}
