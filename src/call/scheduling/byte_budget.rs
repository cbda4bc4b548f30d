//! A byte budget for a client's unread bodies and findings. Grants reservations first in, first out, for the bytes that a body is expected
//! to need.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Poll, Waker};

/// The byte budget of one client. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ByteBudget {
    ledger: Rc<Ledger>,
}

/// One call's part of a [`ByteBudget`]. A call reserves for one body at a time, so it has at most one place in the queue.
pub(crate) struct CallBudget {
    ledger: Rc<Ledger>,
    limit: u64,
    held: Rc<Cell<u64>>,
    expected_bytes: u64,
    largest: Rc<Cell<Option<u64>>>,
    waiter: Cell<Option<Rc<Waiter>>>,
}

/// The bytes of one body, and of the findings decoded from it. Released when dropped.
///
/// Counted in 64 bits: the bytes that bodies are expected to need can exceed the module's address space.
#[derive(Debug)]
pub struct Reservation {
    ledger: Rc<Ledger>,
    held_by_call: Rc<Cell<u64>>,
    largest: Rc<Cell<Option<u64>>>,
    expected: u64,
    bytes: Cell<u64>,
}

#[derive(Debug)]
struct Ledger {
    limit: u64,
    held: Cell<u64>,
    waiters: RefCell<Vec<Rc<Waiter>>>,
}

#[derive(Debug)]
struct Waiter {
    waker: RefCell<Waker>,
}

impl ByteBudget {
    /// A budget of this many bytes.
    pub(crate) fn new(limit: u64) -> Self {
        let ledger = Ledger { limit, held: Cell::new(0), waiters: RefCell::default() };
        ByteBudget { ledger: Rc::new(ledger) }
    }

    /// The part of a call that reserves at most `limit` bytes. Until a body has arrived, each is expected to need
    /// `expected_bytes`.
    pub(crate) fn call_budget(&self, limit: u64, expected_bytes: u64) -> CallBudget {
        let limit = limit.min(self.ledger.limit);
        CallBudget {
            ledger: Rc::clone(&self.ledger),
            limit,
            held: Rc::default(),
            expected_bytes,
            largest: Rc::default(),
            waiter: Cell::new(None),
        }
    }

    /// The size of the budget, in bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.ledger.limit
    }

    /// Bytes reserved now.
    #[cfg(test)]
    pub(crate) fn held(&self) -> u64 {
        self.ledger.held.get()
    }
}

impl CallBudget {
    /// Reserves the bytes of the next body. If a reader waits for that body, grants them even beyond the limit, so that unread
    /// findings of other calls cannot block it; such a reservation holds nothing before [`Reservation::activate`].
    ///
    /// Poll again after each body of this call arrives or is read; releases by other calls wake `waker`.
    pub(crate) fn poll_reserve(&self, reader_waits: bool, waker: &Waker) -> Poll<Reservation> {
        let bytes = self.largest.get().unwrap_or(self.expected_bytes);
        let fits_call = self.held.get() + bytes <= self.limit;
        let waiter = self.waiter.take();
        if reader_waits || fits_call && self.ledger.admits(waiter.as_ref(), bytes) {
            self.ledger.leave(waiter);
            return Poll::Ready(Reservation::new(self, bytes, reader_waits));
        }
        if fits_call {
            self.waiter.set(Some(self.ledger.enqueue(waiter, waker)));
        } else {
            // This call waits for its own reader, so others do not have to wait behind it.
            self.ledger.leave(waiter);
        }
        Poll::Pending
    }

    /// Leaves the queue. For a call that has no more to reserve.
    pub(crate) fn leave(&self) {
        self.ledger.leave(self.waiter.take());
    }
}

impl Drop for CallBudget {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Reservation {
    fn new(call: &CallBudget, bytes: u64, reader_waited: bool) -> Self {
        let reservation = Reservation {
            ledger: Rc::clone(&call.ledger),
            held_by_call: Rc::clone(&call.held),
            largest: Rc::clone(&call.largest),
            expected: bytes,
            bytes: Cell::new(0),
        };
        if !reader_waited {
            reservation.activate();
        }
        reservation
    }

    /// Holds the bytes that the body is expected to need. Call when its request begins.
    pub(crate) fn activate(&self) {
        self.grow_to(self.expected);
    }

    /// Holds at least this many bytes, which have arrived or which `Content-Length` states.
    pub(crate) fn grow_to(&self, bytes: u64) {
        self.resize(self.bytes.get().max(bytes));
    }

    /// Holds at least the bytes of the whole body, which the next bodies are expected to need too.
    pub fn received(&self, bytes: u64) {
        self.largest.set(self.largest.get().max(Some(bytes)));
        self.grow_to(bytes);
    }

    /// Holds exactly the bytes of the findings, which replace the body, and which the next bodies are expected to need too.
    pub(crate) fn settle(&self, bytes: u64) {
        self.largest.set(self.largest.get().max(Some(bytes)));
        self.resize(bytes);
    }

    /// The bytes it holds.
    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Holds exactly this many bytes.
    pub fn resize(&self, bytes: u64) {
        let before = self.bytes.replace(bytes);
        for held in [&self.ledger.held, &*self.held_by_call] {
            held.update(|held| held - before + bytes);
        }
        if bytes < before {
            self.ledger.wake_first();
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.resize(0);
    }
}

impl Ledger {
    /// Whether the bytes fit and no other waiter comes first.
    fn admits(&self, waiter: Option<&Rc<Waiter>>, bytes: u64) -> bool {
        let waiters = self.waiters.borrow();
        let is_first = waiters.first().is_none_or(|first| waiter.is_some_and(|waiter| Rc::ptr_eq(first, waiter)));
        is_first && self.held.get() + bytes <= self.limit
    }

    fn enqueue(&self, waiter: Option<Rc<Waiter>>, waker: &Waker) -> Rc<Waiter> {
        if let Some(waiter) = waiter {
            waiter.waker.borrow_mut().clone_from(waker);
            return waiter;
        }
        let waiter = Rc::new(Waiter { waker: RefCell::new(waker.clone()) });
        self.waiters.borrow_mut().push(Rc::clone(&waiter));
        waiter
    }

    fn leave(&self, waiter: Option<Rc<Waiter>>) {
        if let Some(waiter) = waiter {
            self.waiters.borrow_mut().retain(|other| !Rc::ptr_eq(other, &waiter));
            self.wake_first();
        }
    }

    fn wake_first(&self) {
        let first = self.waiters.borrow().first().map(|waiter| waiter.waker.borrow().clone());
        if let Some(waker) = first {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;

    use super::*;
    use futures_util::task::noop_waker;
    use proptest::prelude::*;

    /// Whether a waker was woken.
    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn reserve(call: &CallBudget, reader_waits: bool) -> Option<Reservation> {
        match call.poll_reserve(reader_waits, &noop_waker()) {
            Poll::Ready(reservation) => Some(reservation),
            Poll::Pending => None,
        }
    }

    #[test]
    fn expects_each_body_to_need_the_initial_guess_at_first() {
        let budget = ByteBudget::new(100);
        let call = budget.call_budget(60, 20);
        let reservations: Vec<_> = (0..3).map_while(|_| reserve(&call, false)).collect();
        assert_eq!((reservations.len(), budget.held()), (3, 60));
        assert!(reserve(&call, false).is_none());
    }

    #[test]
    fn expects_each_body_to_need_as_much_as_the_largest_so_far() {
        let budget = ByteBudget::new(100);
        let call = budget.call_budget(100, 50);
        let first = reserve(&call, false).unwrap();
        first.settle(40);
        let second = reserve(&call, false).unwrap();
        second.settle(10);
        assert_eq!(budget.held(), 50);
        assert!(reserve(&call, false).is_some_and(|reservation| reservation.bytes.get() == 40));
        second.grow_to(61);
        assert!(reserve(&call, false).is_none());
    }

    #[test]
    fn expects_each_body_to_need_as_much_as_the_largest_findings_so_far() {
        let budget = ByteBudget::new(100);
        let call = budget.call_budget(100, 2);
        let first = reserve(&call, false).unwrap();
        first.settle(20);
        first.settle(50);
        assert!(reserve(&call, false).is_some_and(|reservation| reservation.bytes.get() == 50));
    }

    #[test]
    fn grants_beyond_the_limit_when_a_reader_waits() {
        let budget = ByteBudget::new(10);
        let (idle, waiting) = (budget.call_budget(10, 10), budget.call_budget(10, 10));
        let _unread = reserve(&idle, false).unwrap();
        assert!(reserve(&waiting, false).is_none());
        assert!(reserve(&waiting, true).is_some());
    }

    #[test]
    fn holds_nothing_for_a_waiting_reader_before_the_request_begins() {
        let budget = ByteBudget::new(10);
        let reservations: Vec<_> = (0..500).filter_map(|_| reserve(&budget.call_budget(10, 10), true)).collect();
        assert_eq!((reservations.len(), budget.held()), (500, 0));
        reservations[7].activate();
        assert_eq!(budget.held(), 10);
    }

    #[test]
    fn counts_beyond_32_bits_exactly() {
        let limit = 1_u64 << 30;
        let budget = ByteBudget::new(limit);
        let calls: Vec<_> = (0..30).map(|_| budget.call_budget(limit, limit / 6)).collect();
        let reservations: Vec<_> = calls.iter().filter_map(|call| reserve(call, true)).collect();
        reservations.iter().for_each(Reservation::activate);
        assert_eq!(budget.held(), 30 * (limit / 6));
        drop(reservations);
        assert_eq!(budget.held(), 0);
        assert!(reserve(&budget.call_budget(limit, limit), false).is_some());
    }

    #[test]
    fn grants_reservations_first_in_first_out() {
        let budget = ByteBudget::new(10);
        let (holder, early, late) = (budget.call_budget(10, 10), budget.call_budget(10, 10), budget.call_budget(1, 1));
        let reservation = reserve(&holder, false).unwrap();
        assert!(reserve(&early, false).is_none() && reserve(&late, false).is_none());
        reservation.resize(5);
        assert!(reserve(&late, false).is_none(), "its bytes would fit, but it came later");
        drop(reservation);
        assert!(reserve(&late, false).is_none());
        assert!(reserve(&early, false).is_some());
        assert!(reserve(&late, false).is_some());
    }

    #[test]
    fn lets_others_pass_a_call_that_has_reached_its_own_limit() {
        let budget = ByteBudget::new(10);
        let (full, other) = (budget.call_budget(4, 4), budget.call_budget(4, 4));
        let _unread = reserve(&full, false).unwrap();
        assert!(reserve(&full, false).is_none());
        assert!(reserve(&other, false).is_some());
    }

    #[test]
    fn lets_others_pass_a_call_that_has_left_the_queue() {
        let budget = ByteBudget::new(10);
        let (holder, early, late) =
            (budget.call_budget(10, 10), budget.call_budget(10, 10), budget.call_budget(10, 10));
        let reservation = reserve(&holder, false);
        assert!(reserve(&early, false).is_none() && reserve(&late, false).is_none());
        drop(reservation);
        early.leave();
        assert!(reserve(&late, false).is_some());
    }

    #[test]
    fn passes_on_bytes_that_a_woken_call_does_not_take() {
        let budget = ByteBudget::new(1);
        let (holder, early, late) = (budget.call_budget(1, 1), budget.call_budget(1, 1), budget.call_budget(1, 1));
        let reservation = reserve(&holder, false);
        let (dropped, woken) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
        assert!(early.poll_reserve(false, &Waker::from(Arc::clone(&dropped))).is_pending());
        assert!(late.poll_reserve(false, &Waker::from(Arc::clone(&woken))).is_pending());
        drop(reservation);
        assert_eq!((dropped.0.load(Ordering::Relaxed), woken.0.load(Ordering::Relaxed)), (true, false));
        drop(early);
        assert!(woken.0.load(Ordering::Relaxed));
        assert!(reserve(&late, false).is_some());
    }

    #[test]
    fn lets_others_pass_a_call_that_was_dropped() {
        let budget = ByteBudget::new(10);
        let (holder, early, late) =
            (budget.call_budget(10, 10), budget.call_budget(10, 10), budget.call_budget(10, 10));
        let reservation = reserve(&holder, false);
        assert!(reserve(&early, false).is_none() && reserve(&late, false).is_none());
        drop((reservation, early));
        assert!(reserve(&late, false).is_some());
    }

    proptest! {
        #[test]
        fn holds_the_sum_of_its_reservations_within_the_limit_unless_readers_wait(
            limit in 1u64..50,
            steps in prop::collection::vec((0usize..3, 0u8..4, any::<prop::sample::Index>(), 0u64..20), 0..200),
        ) {
            let budget = ByteBudget::new(limit);
            let calls: Vec<_> = (1..=3u64).map(|part| budget.call_budget(limit / part, limit / part / 2)).collect();
            let (mut reservations, mut excess) = (Vec::new(), 0);
            for (call, step, which, bytes) in steps {
                match step {
                    0 => reservations.extend(reserve(&calls[call], false)),
                    1 if !reservations.is_empty() => drop(reservations.swap_remove(which.index(reservations.len()))),
                    2 if !reservations.is_empty() => {
                        let reservation: &Reservation = &reservations[which.index(reservations.len())];
                        reservation.settle(bytes.min(reservation.bytes.get()));
                    }
                    // Granted to a reader that waits, or grown: this may exceed the limit, and then nothing else is granted.
                    3 if bytes < 3 => {
                        let reservation = reserve(&calls[call], true).unwrap();
                        reservation.activate();
                        excess += reservation.bytes.get();
                        reservations.push(reservation);
                    }
                    3 if !reservations.is_empty() => {
                        let reservation: &Reservation = &reservations[which.index(reservations.len())];
                        let before = reservation.bytes.get();
                        reservation.grow_to(before + bytes % 5);
                        excess += reservation.bytes.get() - before;
                    }
                    _ => {}
                }
                prop_assert!(budget.held() <= limit + excess);
                prop_assert_eq!(budget.held(), reservations.iter().map(|reservation| reservation.bytes.get()).sum::<u64>());
            }
            drop(reservations);
            drop(calls);
            prop_assert_eq!(budget.held(), 0);
            prop_assert!(reserve(&budget.call_budget(limit, limit), false).is_some());
        }
    }
}
