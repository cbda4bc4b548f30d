//! A virtual clock for tests, which advances only when told to, from alarm to alarm.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A virtual clock. Clones share its time.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    now: Cell<f64>,
    alarms: RefCell<Vec<(f64, Rc<Alarm>)>>,
}

#[derive(Default)]
struct Alarm {
    rung: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// The future of [`Clock::sleep`]. Removes its alarm when dropped.
pub(crate) struct Sleeping {
    clock: Clock,
    alarm: Rc<Alarm>,
}

impl Clock {
    /// Milliseconds since the clock began.
    pub(crate) fn now(&self) -> f64 {
        self.state.now.get()
    }

    /// Waits for this many milliseconds from now, not from the first poll.
    pub(crate) fn sleep(&self, milliseconds: f64) -> Sleeping {
        let alarm = Rc::new(Alarm::default());
        self.state.alarms.borrow_mut().push((self.now() + milliseconds, Rc::clone(&alarm)));
        Sleeping { clock: self.clone(), alarm }
    }

    /// The number of alarms set.
    pub(crate) fn alarms(&self) -> usize {
        self.state.alarms.borrow().len()
    }

    /// The time of the next alarm.
    pub(crate) fn next_alarm(&self) -> Option<f64> {
        self.state.alarms.borrow().iter().map(|(time, _)| *time).min_by(f64::total_cmp)
    }

    /// Advances to a time without ringing alarms.
    pub(crate) fn move_to(&self, time: f64) {
        self.state.now.set(self.now().max(time));
    }

    /// Advances to the next alarm and rings all alarms of that time; `false` if none is set.
    pub(crate) fn ring_next(&self) -> bool {
        let Some(time) = self.next_alarm() else { return false };
        self.move_to(time);
        let due: Vec<_> = self.state.alarms.borrow_mut().extract_if(.., |(due, _)| *due <= time).collect();
        for (_, alarm) in due {
            alarm.rung.set(true);
            if let Some(waker) = alarm.waker.take() {
                waker.wake();
            }
        }
        true
    }
}

impl Future for Sleeping {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.alarm.rung.get() {
            return Poll::Ready(());
        }
        self.alarm.waker.replace(Some(context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        if !self.alarm.rung.get() {
            self.clock.state.alarms.borrow_mut().retain(|(_, alarm)| !Rc::ptr_eq(alarm, &self.alarm));
        }
    }
}
