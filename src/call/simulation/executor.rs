//! An executor that polls a task only if its own waker was woken, so that a lost wakeup shows.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::rng::Rng;

/// An executor of named tasks.
pub(super) struct Executor<Name> {
    tasks: Vec<Task<Name>>,
}

struct Task<Name> {
    name: Name,
    future: LocalBoxFuture<'static, ()>,
    wakefulness: Arc<Wakefulness>,
    waker: Waker,
}

struct Wakefulness {
    is_awake: AtomicBool,
}

impl<Name> Executor<Name> {
    /// An executor without tasks.
    pub(super) fn new() -> Self {
        Executor { tasks: Vec::new() }
    }

    /// Adds a task, which is awake at first.
    pub(super) fn add(&mut self, name: Name, future: impl Future<Output = ()> + 'static) {
        let wakefulness = Arc::new(Wakefulness { is_awake: AtomicBool::new(true) });
        let waker = Waker::from(Arc::clone(&wakefulness));
        self.tasks.push(Task { name, future: future.boxed_local(), wakefulness, waker });
    }

    /// Polls a random task of those that are awake; `false` if none is.
    pub(super) fn step(&mut self, rng: &Rng) -> bool {
        let awake = |task: &Task<Name>| task.wakefulness.is_awake.load(Ordering::Relaxed);
        let count = self.tasks.iter().filter(|task| awake(task)).count();
        if count == 0 {
            return false;
        }
        let chosen = rng.below(count as u64) as usize;
        let position = (0..self.tasks.len()).filter(|at| awake(&self.tasks[*at])).nth(chosen).unwrap_or_default();
        let task = &mut self.tasks[position];
        task.wakefulness.is_awake.store(false, Ordering::Relaxed);
        if task.future.poll_unpin(&mut Context::from_waker(&task.waker)).is_ready() {
            self.tasks.swap_remove(position);
        }
        true
    }

    /// The names of the tasks that have not ended.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.tasks.iter().map(|task| &task.name)
    }
}

impl Wake for Wakefulness {
    fn wake(self: Arc<Self>) {
        self.is_awake.store(true, Ordering::Relaxed);
    }
}
