//! Credentials that expired: parallel requests that were refused with the same headers ask for new ones only once.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::scheduling::semaphore::Semaphore;

/// Numbers the headers of one source: those asked for before a refresh are of an older generation than those after it.
pub(crate) type Generation = u64;

/// Numbers the refreshes of one source from 1 on.
pub(crate) type RefreshNumber = u64;

/// The refreshes of one source of headers, shared by all requests that use it.
pub(crate) struct CredentialRefresh<Headers, Value> {
    generation: Cell<Generation>,
    latest: RefCell<Option<Headers>>,
    pending: RefCell<Option<Rc<Pending<Headers, Value>>>>,
    /// Renewals begun so far, which numbers them.
    begun: Cell<RefreshNumber>,
}

/// Headers that were asked for. Of those who wait for them the first keeps the asking going, and the next one when that one is gone.
struct Pending<Headers, Value> {
    number: RefreshNumber,
    /// One permit, for who keeps it going.
    turns: Semaphore,
    asking: RefCell<Asking<Headers, Value>>,
}

enum Asking<Headers, Value> {
    Asked(LocalBoxFuture<'static, Result<Headers, Value>>),
    Answered(Result<Headers, Value>),
}

impl<Headers, Value> Default for CredentialRefresh<Headers, Value> {
    fn default() -> Self {
        CredentialRefresh {
            generation: Cell::new(0),
            latest: RefCell::new(None),
            pending: RefCell::new(None),
            begun: Cell::new(0),
        }
    }
}

impl<Headers: Clone + 'static, Value: Clone + 'static> CredentialRefresh<Headers, Value> {
    /// The generation of headers that are asked for now.
    pub(crate) fn generation(&self) -> Generation {
        self.generation.get()
    }

    /// The headers to use after a refusal of those of the generation `refused`: the newer ones where there are some,
    /// else what `ask` gives, which is called at most once for all who wait at the same time. `joined` becomes the number of the
    /// refresh that is waited for.
    pub(crate) async fn refreshed<Ask>(
        &self,
        refused: Generation,
        joined: &Cell<RefreshNumber>,
        ask: impl FnOnce() -> Ask,
    ) -> Result<Headers, Value>
    where
        Ask: Future<Output = Result<Headers, Value>> + 'static,
    {
        if refused < self.generation.get()
            && let Some(newer) = self.latest.borrow().clone()
        {
            return Ok(newer);
        }
        let begun = self.pending.borrow().clone();
        let pending = begun.unwrap_or_else(|| self.begin(ask()));
        joined.set(pending.number);
        let _turn = pending.turns.acquire().await;
        poll_fn(|context| self.poll_answer(&pending, context)).await
    }

    /// Forgets the refresh of that number, which takes too long, so that the next refusal asks anew. One that has taken its place stays.
    pub(crate) fn abandon(&self, number: RefreshNumber) {
        let abandoned = self.pending.borrow_mut().take_if(|pending| pending.number == number);
        drop(abandoned);
    }

    /// The number of the refresh that began last.
    #[cfg(test)]
    pub(crate) fn last_begun(&self) -> RefreshNumber {
        self.begun.get()
    }

    fn begin(&self, asked: impl Future<Output = Result<Headers, Value>> + 'static) -> Rc<Pending<Headers, Value>> {
        self.begun.update(|begun| begun + 1);
        let asking = RefCell::new(Asking::Asked(asked.boxed_local()));
        let pending = Rc::new(Pending { number: self.begun.get(), turns: Semaphore::new(1), asking });
        self.pending.replace(Some(Rc::clone(&pending)));
        pending
    }

    fn poll_answer(
        &self,
        pending: &Pending<Headers, Value>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Headers, Value>> {
        let mut asking = pending.asking.borrow_mut();
        let answer = match &mut *asking {
            Asking::Asked(asked) => ready!(asked.as_mut().poll(context)),
            Asking::Answered(answer) => return Poll::Ready(answer.clone()),
        };
        *asking = Asking::Answered(answer.clone());
        // One that was abandoned may answer after another has begun, whose headers are the newer ones.
        if pending.number == self.begun.get() {
            self.settle(pending.number, answer.as_ref().ok().cloned());
        }
        Poll::Ready(answer)
    }

    fn settle(&self, number: RefreshNumber, headers: Option<Headers>) {
        self.abandon(number);
        if headers.is_some() {
            self.latest.replace(headers);
            self.generation.set(self.generation.get() + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_channel::oneshot;
    use futures_util::future::{join, ready};

    type Asked = Result<&'static str, &'static str>;

    async fn refreshed<Ask>(
        refresh: &CredentialRefresh<&'static str, &'static str>,
        refused: Generation,
        ask: impl FnOnce() -> Ask,
    ) -> Asked
    where
        Ask: Future<Output = Asked> + 'static,
    {
        refresh.refreshed(refused, &Cell::default(), ask).await
    }

    #[test]
    fn parallel_refusals_of_the_same_headers_ask_once() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (answer, asked) = oneshot::channel();
        let first = refreshed(&refresh, 0, || asked.map(|asked| asked.unwrap()));
        let second = refreshed(&refresh, 0, || async { panic!("asked twice") });
        let mut both = Box::pin(join(first, second));
        assert_eq!((&mut both).now_or_never(), None);
        answer.send(Ok("new")).unwrap();
        assert_eq!(both.now_or_never(), Some((Asked::Ok("new"), Asked::Ok("new"))));
        assert_eq!(refresh.generation(), 1);
    }

    #[test]
    fn a_late_refusal_of_older_headers_takes_the_newer_ones() {
        let refresh = Rc::new(CredentialRefresh::default());
        assert_eq!(refreshed(&refresh, 0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
        let late = refreshed(&refresh, 0, || async { panic!("asked again") });
        assert_eq!(late.now_or_never(), Some(Ok("new")));
        assert_eq!(refreshed(&refresh, 1, || ready(Asked::Ok("newest"))).now_or_never(), Some(Ok("newest")));
    }

    #[test]
    fn a_renewal_outlives_the_one_who_began_it() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (answer, asked) = oneshot::channel();
        let mut first = Box::pin(refreshed(&refresh, 0, || asked.map(|asked| asked.unwrap())));
        assert_eq!((&mut first).now_or_never(), None);
        let mut second = Box::pin(refreshed(&refresh, 0, || async { panic!("asked twice") }));
        assert_eq!((&mut second).now_or_never(), None);
        drop(first);
        answer.send(Asked::Ok("new")).unwrap();
        assert_eq!(second.now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn what_the_asking_throws_reaches_everybody_and_the_next_one_asks_anew() {
        let refresh = Rc::new(CredentialRefresh::default());
        assert_eq!(refreshed(&refresh, 0, || ready(Asked::Err("no"))).now_or_never(), Some(Err("no")));
        assert_eq!(refresh.generation(), 0);
        assert_eq!(refreshed(&refresh, 0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn an_abandoned_renewal_that_answers_late_leaves_the_next_one_alone() {
        let refresh = Rc::new(CredentialRefresh::default());
        let (late, asked_first) = oneshot::channel();
        let mut first = Box::pin(refreshed(&refresh, 0, || asked_first.map(|asked| asked.unwrap())));
        let mut patient = Box::pin(refreshed(&refresh, 0, || async { panic!("asked twice at once") }));
        assert_eq!(((&mut first).now_or_never(), (&mut patient).now_or_never()), (None, None));
        drop(first);
        refresh.abandon(1);
        let (answer, asked_again) = oneshot::channel();
        let mut second = Box::pin(refreshed(&refresh, 0, || asked_again.map(|asked| asked.unwrap())));
        assert_eq!((&mut second).now_or_never(), None);
        late.send(Asked::Ok("late")).unwrap();
        assert_eq!(patient.now_or_never(), Some(Ok("late")));
        // Whoever waited for the first one may give it up only now.
        refresh.abandon(1);
        let mut third = Box::pin(refreshed(&refresh, 0, || async { panic!("asked three times") }));
        assert_eq!((&mut third).now_or_never(), None);
        answer.send(Asked::Ok("new")).unwrap();
        assert_eq!((second.now_or_never(), third.now_or_never()), (Some(Ok("new")), Some(Ok("new"))));
        assert_eq!(refresh.generation(), 1);
        let refused_late = refreshed(&refresh, 0, || async { panic!("asked four times") });
        assert_eq!(refused_late.now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn after_an_abandoned_renewal_the_next_one_asks_anew() {
        let refresh = Rc::new(CredentialRefresh::default());
        let mut stuck = Box::pin(refreshed(&refresh, 0, std::future::pending::<Asked>));
        assert_eq!((&mut stuck).now_or_never(), None);
        refresh.abandon(1);
        assert_eq!(refreshed(&refresh, 0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
    }
}
