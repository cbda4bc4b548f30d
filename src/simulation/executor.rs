//! Futures side by side, each polled only when it has been woken itself: a waker that is forgotten is not made up for by others.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::rng::Rng;

/// The futures, each with the name of whoever it stands for.
pub(super) struct Executor<Name> {
    members: Vec<Member<Name>>,
}

struct Member<Name> {
    name: Name,
    future: LocalBoxFuture<'static, ()>,
    alertness: Arc<Alertness>,
    waker: Waker,
}

struct Alertness {
    is_awake: AtomicBool,
}

impl<Name> Executor<Name> {
    /// Nobody yet.
    pub(super) fn new() -> Self {
        Executor { members: Vec::new() }
    }

    /// One more, who is awake.
    pub(super) fn add(&mut self, name: Name, future: impl Future<Output = ()> + 'static) {
        let alertness = Arc::new(Alertness { is_awake: AtomicBool::new(true) });
        let waker = Waker::from(Arc::clone(&alertness));
        self.members.push(Member { name, future: future.boxed_local(), alertness, waker });
    }

    /// Lets one of those who are awake go on, whom rng chooses; tells whether there was one.
    pub(super) fn go_on(&mut self, rng: &Rng) -> bool {
        let awake = |member: &Member<Name>| member.alertness.is_awake.load(Ordering::Relaxed);
        let count = self.members.iter().filter(|member| awake(member)).count();
        if count == 0 {
            return false;
        }
        let chosen = rng.below(count as u64) as usize;
        let position = (0..self.members.len()).filter(|at| awake(&self.members[*at])).nth(chosen).unwrap_or_default();
        let member = &mut self.members[position];
        member.alertness.is_awake.store(false, Ordering::Relaxed);
        if member.future.poll_unpin(&mut Context::from_waker(&member.waker)).is_ready() {
            self.members.swap_remove(position);
        }
        true
    }

    /// Those who have not come to their end.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.members.iter().map(|member| &member.name)
    }
}

impl Wake for Alertness {
    fn wake(self: Arc<Self>) {
        self.is_awake.store(true, Ordering::Relaxed);
    }
}
