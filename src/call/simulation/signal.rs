//! A one-time signal between tasks.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A signal. Once given, it stays given.
#[derive(Default)]
pub(super) struct Signal {
    is_given: Cell<bool>,
    wakers: RefCell<Vec<Waker>>,
}

impl Signal {
    /// Gives the signal, and wakes all that wait for it.
    pub(super) fn give(&self) {
        self.is_given.set(true);
        self.wakers.take().into_iter().for_each(Waker::wake);
    }

    /// Whether the signal was given.
    pub(super) fn is_given(&self) -> bool {
        self.is_given.get()
    }

    /// Waits until the signal is given.
    pub(super) async fn given(&self) {
        poll_fn(|context| {
            if self.is_given.get() {
                return Poll::Ready(());
            }
            self.wakers.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
