//! The refresh of expired credentials: requests that were refused with the same headers share one call for new ones.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared, WeakShared};

/// The generation of a source's headers. Each refresh that succeeds begins the next one.
pub(crate) type Generation = u64;

/// The number of a source's refresh, from 1.
pub(crate) type RefreshNumber = u64;

/// The refreshes of one source of headers, shared by all requests that use it. Single flight: requests wait for one refresh at a time.
pub struct CredentialRefresh<Headers, Value> {
    generation: Cell<Generation>,
    latest: RefCell<Option<Headers>>,
    /// The refresh that requests wait for. Weak: a result that no request has waited for may be too old for a later one.
    pending: RefCell<Option<Pending<Headers, Value>>>,
    /// The number of the refresh that began last; 0 before the first.
    last_begun: Cell<RefreshNumber>,
}

type Pending<Headers, Value> = (RefreshNumber, WeakShared<Refreshing<Headers, Value>>);

type Refreshing<Headers, Value> = LocalBoxFuture<'static, Result<Headers, Value>>;

impl<Headers, Value> Default for CredentialRefresh<Headers, Value> {
    fn default() -> Self {
        CredentialRefresh {
            generation: Cell::new(0),
            latest: RefCell::new(None),
            pending: RefCell::new(None),
            last_begun: Cell::new(0),
        }
    }
}

impl<Headers: Clone + 'static, Value: Clone + 'static> CredentialRefresh<Headers, Value> {
    /// The generation of headers that are requested now.
    pub(crate) fn generation(&self) -> Generation {
        self.generation.get()
    }

    /// Returns headers newer than the generation `refused`: the latest headers if they are newer, otherwise the result of the refresh that
    /// other requests wait for, otherwise the result of `request`. Sets `joined` to the number of the refresh it waits for.
    ///
    /// # Errors
    ///
    /// The error of the refresh, for each request that waits for it. The next call begins another refresh.
    pub(crate) async fn refreshed<Request>(
        self: &Rc<Self>,
        refused: Generation,
        joined: &Cell<RefreshNumber>,
        request: impl FnOnce() -> Request,
    ) -> Result<Headers, Value>
    where
        Request: Future<Output = Result<Headers, Value>> + 'static,
    {
        if refused < self.generation.get()
            && let Some(newer) = self.latest.borrow().clone()
        {
            return Ok(newer);
        }
        let pending = self.pending.borrow().as_ref().and_then(|(number, headers)| Some((*number, headers.upgrade()?)));
        let (number, headers) = pending.unwrap_or_else(|| self.begin(request()));
        joined.set(number);
        headers.await
    }

    /// Abandons the refresh with this number, so that the next refusal begins another one. Leaves any other refresh pending.
    pub(crate) fn abandon(&self, number: RefreshNumber) {
        self.pending.borrow_mut().take_if(|(pending, _)| *pending == number);
    }

    fn begin(
        self: &Rc<Self>,
        headers: impl Future<Output = Result<Headers, Value>> + 'static,
    ) -> (RefreshNumber, Shared<Refreshing<Headers, Value>>) {
        let number = self.last_begun.get() + 1;
        self.last_begun.set(number);
        let refresh = Rc::clone(self);
        let headers = async move {
            let headers = headers.await;
            refresh.settle(number, headers.as_ref().ok());
            headers
        };
        let headers = headers.boxed_local().shared();
        self.pending.replace(headers.downgrade().map(|headers| (number, headers)));
        (number, headers)
    }

    /// Records how a refresh ended, unless another one has begun since, whose headers are newer.
    fn settle(&self, number: RefreshNumber, headers: Option<&Headers>) {
        if number == self.last_begun.get() {
            self.abandon(number);
            if headers.is_some() {
                self.latest.replace(headers.cloned());
                self.generation.set(self.generation.get() + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_channel::oneshot;
    use futures_util::future::{join, ready};

    type Response = Result<&'static str, &'static str>;

    async fn refreshed<Request>(
        refresh: &Rc<CredentialRefresh<&'static str, &'static str>>,
        refused: Generation,
        request: impl FnOnce() -> Request,
    ) -> Response
    where
        Request: Future<Output = Response> + 'static,
    {
        refresh.refreshed(refused, &Cell::default(), request).await
    }

    #[test]
    fn asks_once_for_parallel_refusals_of_the_same_headers() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (sender, receiver) = oneshot::channel();
        let first = refreshed(&refresh, 0, || receiver.map(Result::unwrap));
        let second = refreshed(&refresh, 0, || async { panic!("requested twice") });
        let mut both = Box::pin(join(first, second));
        assert_eq!((&mut both).now_or_never(), None);
        sender.send(Ok("new")).unwrap();
        assert_eq!(both.now_or_never(), Some((Response::Ok("new"), Response::Ok("new"))));
        assert_eq!(refresh.generation(), 1);
    }

    #[test]
    fn retries_a_late_refusal_of_older_headers_with_the_latest() {
        let refresh = Rc::new(CredentialRefresh::default());
        assert_eq!(refreshed(&refresh, 0, || ready(Response::Ok("new"))).now_or_never(), Some(Ok("new")));
        let late = refreshed(&refresh, 0, || async { panic!("requested again") });
        assert_eq!(late.now_or_never(), Some(Ok("new")));
        assert_eq!(refreshed(&refresh, 1, || ready(Response::Ok("newest"))).now_or_never(), Some(Ok("newest")));
    }

    #[test]
    fn continues_when_the_request_that_began_it_is_dropped() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (sender, receiver) = oneshot::channel();
        let mut first = Box::pin(refreshed(&refresh, 0, || receiver.map(Result::unwrap)));
        assert_eq!((&mut first).now_or_never(), None);
        let mut second = Box::pin(refreshed(&refresh, 0, || async { panic!("requested twice") }));
        assert_eq!((&mut second).now_or_never(), None);
        drop(first);
        sender.send(Response::Ok("new")).unwrap();
        assert_eq!(second.now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn asks_again_when_all_requests_that_waited_are_dropped() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (sender, receiver) = oneshot::channel();
        let mut dropped = Box::pin(refreshed(&refresh, 0, || receiver.map(|_| Response::Ok("old"))));
        assert_eq!((&mut dropped).now_or_never(), None);
        drop(dropped);
        let _ = sender.send(());
        assert_eq!(refreshed(&refresh, 0, || ready(Response::Ok("new"))).now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn rejects_all_waiting_requests_and_asks_again_for_the_next() {
        let refresh = Rc::new(CredentialRefresh::default());
        assert_eq!(refreshed(&refresh, 0, || ready(Response::Err("no"))).now_or_never(), Some(Err("no")));
        assert_eq!(refresh.generation(), 0);
        assert_eq!(refreshed(&refresh, 0, || ready(Response::Ok("new"))).now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn leaves_its_successor_alone_when_abandoned_and_completed_late() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (late, first_receiver) = oneshot::channel();
        let mut first = Box::pin(refreshed(&refresh, 0, || first_receiver.map(Result::unwrap)));
        let mut patient = Box::pin(refreshed(&refresh, 0, || async { panic!("requested twice at once") }));
        assert_eq!(((&mut first).now_or_never(), (&mut patient).now_or_never()), (None, None));
        drop(first);
        refresh.abandon(1);
        let (sender, second_receiver) = oneshot::channel();
        let mut second = Box::pin(refreshed(&refresh, 0, || second_receiver.map(Result::unwrap)));
        assert_eq!((&mut second).now_or_never(), None);
        late.send(Response::Ok("late")).unwrap();
        assert_eq!(patient.now_or_never(), Some(Ok("late")));
        // A request that waited for the first refresh may abandon it only now.
        refresh.abandon(1);
        let mut third = Box::pin(refreshed(&refresh, 0, || async { panic!("requested three times") }));
        assert_eq!((&mut third).now_or_never(), None);
        sender.send(Response::Ok("new")).unwrap();
        assert_eq!((second.now_or_never(), third.now_or_never()), (Some(Ok("new")), Some(Ok("new"))));
        assert_eq!(refresh.generation(), 1);
        let refused_late = refreshed(&refresh, 0, || async { panic!("requested four times") });
        assert_eq!(refused_late.now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn asks_again_after_an_abandoned_refresh() {
        let refresh = Rc::new(CredentialRefresh::default());
        let mut stuck = Box::pin(refreshed(&refresh, 0, std::future::pending::<Response>));
        assert_eq!((&mut stuck).now_or_never(), None);
        refresh.abandon(1);
        assert_eq!(refreshed(&refresh, 0, || ready(Response::Ok("new"))).now_or_never(), Some(Ok("new")));
    }
}
