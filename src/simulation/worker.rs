//! The simulated worker: makes the attempts of the page's calls, answers late, out of order or twice, falls silent, or dies.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};

use futures_util::FutureExt;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;

use super::host::{Caller, Flight, SimulatedHost, Token};
use super::rng::Rng;
use crate::attempt::decode::Thread;
use crate::attempt::message::{Cause, Order, Report};
use crate::attempt::remote::Connection;
use crate::attempt::worker::{Prepared, Worker, WorkerHost};

/// How the workers of a schedule behave. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct WorkerScript {
    /// The most time that a message takes.
    lag: f64,
    /// Whether reports may overtake each other.
    disorders: bool,
    /// Whether some reports come twice.
    repeats: bool,
    /// The report, from 0, with which a worker ends, and whether the page is told.
    end: Option<(u64, bool)>,
}

/// What an order says about sending a request.
#[derive(Clone)]
pub(super) struct Sending {
    pub(super) call: usize,
    pub(super) path: String,
    pub(super) token: Token,
    /// The attempt of the page, as long as it lasts.
    pub(super) flight: Weak<Flight>,
}

/// The workers of a schedule, one after the other.
#[derive(Default)]
pub(super) struct Workers {
    running: RefCell<Option<Running>>,
    tasks: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
    waker: RefCell<Option<Waker>>,
    reports: Cell<u64>,
}

/// A running worker.
struct Running {
    worker: Rc<Worker<Environment>>,
    connection: Rc<Connection<Sending>>,
    is_alive: Rc<Cell<bool>>,
}

/// The environment of a worker.
#[derive(Clone)]
pub(super) struct Environment {
    host: Weak<SimulatedHost>,
    connection: Rc<RefCell<Weak<Connection<Sending>>>>,
    is_alive: Rc<Cell<bool>>,
}

/// The time after which the page takes a silent worker for dead.
const SILENCE: f64 = 10_000.0;

impl WorkerScript {
    /// Draws the behaviour of a schedule's workers.
    pub(super) fn draw(rng: &Rng) -> Self {
        WorkerScript {
            lag: rng.milliseconds(20),
            disorders: rng.once_in(3),
            repeats: rng.once_in(4),
            end: rng.sometimes(3, || (rng.below(40), rng.once_in(2))),
        }
    }
}

impl fmt::Display for WorkerScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "  a worker answers within {} ms", self.lag)?;
        if self.disorders {
            write!(formatter, ", out of order")?;
        }
        if self.repeats {
            write!(formatter, ", sometimes twice")?;
        }
        match self.end {
            Some((report, true)) => writeln!(formatter, ", and dies at report {report}"),
            Some((report, false)) => writeln!(formatter, ", and falls silent at report {report}"),
            None => writeln!(formatter),
        }
    }
}

impl Workers {
    /// Runs the tasks of the workers. Never ends.
    pub(super) async fn run(host: Rc<SimulatedHost>) {
        let mut tasks = FuturesUnordered::new();
        poll_fn(|context| {
            loop {
                host.workers.waker.replace(Some(context.waker().clone()));
                tasks.extend(host.workers.tasks.take());
                let is_done = tasks.poll_next_unpin(context).is_ready() && !tasks.is_empty();
                if !is_done && host.workers.tasks.borrow().is_empty() {
                    return Poll::<()>::Pending;
                }
            }
        })
        .await;
    }

    /// Returns the connection to the running worker, or to a new one.
    pub(super) fn connection(host: &Rc<SimulatedHost>) -> Rc<Connection<Sending>> {
        let workers = &host.workers;
        if let Some(running) = workers.running.borrow().as_ref().filter(|running| !running.connection.is_lost()) {
            return Rc::clone(&running.connection);
        }
        let running = Running::new(host);
        let connection = Rc::clone(&running.connection);
        workers.running.replace(Some(running));
        connection
    }

    /// Checks that nothing of an attempt or of a call is left in the worker.
    pub(super) fn check_end(&self) {
        if let Some(Running { worker, connection, is_alive }) = self.running.borrow().as_ref() {
            assert_eq!(connection.attempts(), 0, "the page keeps attempts after the end");
            if is_alive.get() {
                assert_eq!(worker.running(), 0, "the worker makes attempts after the end");
                assert_eq!(worker.dictionaries(), 0, "the worker keeps dictionaries after the end");
            }
        }
    }

    fn add(&self, is_alive: Option<&Rc<Cell<bool>>>, task: impl Future<Output = ()> + 'static) {
        let (is_alive, mut task) = (is_alive.map(Rc::clone), task.boxed_local());
        let task = poll_fn(move |context| {
            let is_over = is_alive.as_ref().is_some_and(|is_alive| !is_alive.get());
            if is_over { Poll::Ready(()) } else { task.poll_unpin(context) }
        });
        self.tasks.borrow_mut().push(task.boxed_local());
        let waker = self.waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Running {
    fn new(host: &Rc<SimulatedHost>) -> Self {
        let is_alive = Rc::new(Cell::new(true));
        let environment =
            Environment { host: Rc::downgrade(host), connection: Rc::default(), is_alive: Rc::clone(&is_alive) };
        let worker = Worker::new(environment.clone());
        let (orders, host, obeying) = (Rc::new(RefCell::new(VecDeque::new())), Rc::downgrade(host), Rc::clone(&worker));
        let alive = Rc::clone(&is_alive);
        let connection = Connection::new(move |order: Order<Sending>| {
            let Some(host) = host.upgrade() else { return };
            orders.borrow_mut().push_back(order);
            let (orders, worker, inner) =
                (Rc::clone(&orders), Rc::clone(&obeying), (Rc::downgrade(&host), Rc::clone(&alive)));
            let lag = host.clock.sleep(host.script().lag);
            let obey = async move {
                lag.await;
                let order = orders.borrow_mut().pop_front();
                let attempt = order.and_then(|order| worker.obey(order));
                if let (Some(attempt), Some(host)) = (attempt, inner.0.upgrade()) {
                    host.workers.add(Some(&inner.1), attempt);
                }
            };
            host.workers.add(Some(&alive), obey);
        });
        environment.connection.replace(Rc::downgrade(&connection));
        Running { worker, connection, is_alive }
    }
}

impl Environment {
    /// Ends the worker; the page notices after some time.
    fn end(&self, host: &Rc<SimulatedHost>, notice: f64) {
        self.is_alive.set(false);
        let (noticed, connection) = (host.clock.sleep(notice), self.connection.borrow().clone());
        host.workers.add(None, async move {
            noticed.await;
            if let Some(connection) = connection.upgrade() {
                connection.lose();
            }
        });
    }

    fn deliver(&self, host: &Rc<SimulatedHost>, report: Report, buffer: Option<Vec<u8>>) {
        let script = host.script();
        let lag = if script.disorders { host.rng.part() * script.lag } else { script.lag };
        let (arrived, connection) = (host.clock.sleep(lag), self.connection.borrow().clone());
        // What was posted arrives even if the worker has died since.
        host.workers.add(None, async move {
            arrived.await;
            if let Some(connection) = connection.upgrade().filter(|connection| !connection.is_lost()) {
                connection.receive(report, buffer);
            }
        });
    }
}

impl Thread for Environment {
    fn read_number(json: &str) -> f64 {
        columns::number_interner::rust_number(json)
    }

    async fn yield_now(&self) {
        if let Some(host) = self.host.upgrade()
            && host.rng.once_in(4)
        {
            host.wait(0.0).await;
        }
    }
}

impl WorkerHost for Environment {
    type Thread = Environment;
    type Sending = Sending;
    type Transport = Caller;

    fn thread(&self) -> Environment {
        self.clone()
    }

    fn transport(&self, sending: Sending) -> Result<Prepared<Caller>, Cause> {
        let host = self.host.upgrade().unwrap_or_else(|| panic!("the host is gone"));
        let transport = Caller::of_worker(host, sending.call, sending.flight);
        Ok(Prepared { transport, path: sending.path, headers: sending.token })
    }

    fn describe(value: String) -> Cause {
        Cause { name: "Error".to_owned(), message: value }
    }

    fn post(&self, report: Report, buffer: Option<Vec<u8>>) {
        let Some(host) = self.host.upgrade().filter(|_| self.is_alive.get()) else { return };
        let number = host.workers.reports.replace(host.workers.reports.get() + 1);
        match host.script().end {
            Some((last, is_told)) if number == last => {
                self.end(&host, if is_told { host.script().lag } else { SILENCE });
            }
            _ => {
                if host.script().repeats && host.rng.once_in(4) {
                    self.deliver(&host, report.clone(), buffer.clone());
                }
                self.deliver(&host, report, buffer);
            }
        }
    }
}
