//! A signal: given once, seen by everybody from then on.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Something that has happened or not.
#[derive(Default)]
pub(super) struct Signal {
    is_given: Cell<bool>,
    wakers: RefCell<Vec<Waker>>,
}

impl Signal {
    /// It happens.
    pub(super) fn give(&self) {
        self.is_given.set(true);
        self.wakers.take().into_iter().for_each(Waker::wake);
    }

    /// Whether it has happened.
    pub(super) fn is_given(&self) -> bool {
        self.is_given.get()
    }

    /// Waits until it has happened.
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
