//! Slots, a fixed number of them, handed out first come, first served: for the requests of one client, or one slot for what is to
//! be done by one at a time.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A window over what may be under way at the same time, shared by all that want to do it.
#[derive(Clone, Debug)]
pub struct Window {
    line: Rc<Line>,
}

/// The right to have one thing under way; given back when it is dropped.
#[derive(Debug)]
pub struct Slot {
    line: Rc<Line>,
}

/// Waits for a slot behind everybody who asked before; leaves the line when it is dropped.
#[derive(Debug)]
pub struct Waiting {
    line: Rc<Line>,
    place: Option<Rc<Place>>,
}

/// Invariant: nobody stands in the line while a slot is free.
#[derive(Debug)]
struct Line {
    free: Cell<usize>,
    places: RefCell<Vec<Rc<Place>>>,
}

#[derive(Debug)]
struct Place {
    granted: Cell<bool>,
    waker: RefCell<Waker>,
}

impl Window {
    /// A window of that many slots.
    pub fn new(slots: usize) -> Self {
        Window { line: Rc::new(Line { free: Cell::new(slots), places: RefCell::default() }) }
    }

    /// Waits for a slot. A place in the line is taken at the first poll.
    pub fn slot(&self) -> Waiting {
        Waiting { line: Rc::clone(&self.line), place: None }
    }
}

impl Future for Waiting {
    type Output = Slot;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Slot> {
        let admitted = match &self.place {
            Some(place) => place.is_granted(context.waker()),
            None => self.line.take_free(),
        };
        if admitted {
            self.place = None;
            return Poll::Ready(Slot { line: Rc::clone(&self.line) });
        }
        if self.place.is_none() {
            self.place = Some(self.line.stand_last(context.waker()));
        }
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else { return };
        if place.granted.get() {
            self.line.give_back();
        } else {
            self.line.places.borrow_mut().retain(|other| !Rc::ptr_eq(other, &place));
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.line.give_back();
    }
}

impl Line {
    fn take_free(&self) -> bool {
        let left = self.free.get().checked_sub(1);
        self.free.set(left.unwrap_or_default());
        left.is_some()
    }

    fn stand_last(&self, waker: &Waker) -> Rc<Place> {
        let place = Rc::new(Place { granted: Cell::new(false), waker: RefCell::new(waker.clone()) });
        self.places.borrow_mut().push(Rc::clone(&place));
        place
    }

    /// Hands the slot to whoever stands first, so that nobody who comes later can take it before.
    fn give_back(&self) {
        if self.places.borrow().is_empty() {
            return self.free.update(|free| free + 1);
        }
        let first = self.places.borrow_mut().remove(0);
        first.grant();
    }
}

impl Place {
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

    fn poll(waiting: &mut Waiting) -> Option<Slot> {
        match waiting.poll_unpin(&mut Context::from_waker(&noop_waker())) {
            Poll::Ready(slot) => Some(slot),
            Poll::Pending => None,
        }
    }

    #[test]
    fn no_more_slots_are_out_than_the_window_has() {
        let window = Window::new(2);
        let first = window.slot().now_or_never();
        let second = window.slot().now_or_never();
        assert!(first.is_some() && second.is_some());
        assert!(window.slot().now_or_never().is_none());
        drop(first);
        assert!(window.slot().now_or_never().is_some());
    }

    #[test]
    fn slots_go_to_those_who_wait_in_the_order_in_which_they_came() {
        let window = Window::new(1);
        let slot = window.slot().now_or_never();
        let (mut early, mut late) = (window.slot(), window.slot());
        assert!(poll(&mut early).is_none() && poll(&mut late).is_none());
        drop(slot);
        assert!(window.slot().now_or_never().is_none(), "a newcomer does not overtake");
        assert!(poll(&mut late).is_none(), "the second waits for the first");
        let slot = poll(&mut early);
        assert!(slot.is_some());
        drop(slot);
        assert!(poll(&mut late).is_some());
    }

    #[test]
    fn whoever_gives_up_after_the_grant_passes_the_slot_on() {
        let window = Window::new(1);
        let slot = window.slot().now_or_never();
        let (mut early, mut late) = (window.slot(), window.slot());
        assert!(poll(&mut early).is_none() && poll(&mut late).is_none());
        drop(slot);
        drop(early);
        assert!(poll(&mut late).is_some());
    }

    proptest! {
        #[test]
        fn no_sequence_of_asking_giving_back_and_giving_up_loses_or_adds_a_slot(
            slots in 1usize..5,
            steps in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 0..200),
        ) {
            let window = Window::new(slots);
            let (mut waiting, mut held) = (Vec::new(), Vec::new());
            for (step, which) in steps {
                match step {
                    0 => waiting.push(window.slot()),
                    1 if !held.is_empty() => drop(held.swap_remove(which.index(held.len()))),
                    2 if !waiting.is_empty() => drop(waiting.remove(which.index(waiting.len()))),
                    _ if !waiting.is_empty() => {
                        let place = which.index(waiting.len());
                        if let Some(slot) = poll(&mut waiting[place]) {
                            held.push(slot);
                            waiting.remove(place);
                        }
                    }
                    _ => {}
                }
                prop_assert!(held.len() <= slots);
            }
            waiting.clear();
            held.clear();
            let all: Vec<_> = (0..slots).map_while(|_| window.slot().now_or_never()).collect();
            prop_assert_eq!(all.len(), slots);
            prop_assert!(window.slot().now_or_never().is_none());
        }
    }
}
