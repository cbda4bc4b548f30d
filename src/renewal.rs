//! Credentials that expired: parallel requests that were refused with the same headers ask for new ones only once.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::window::Window;

/// Numbers the headers of one source: those asked for before a renewal are of an older generation than those after it.
pub type Generation = u64;

/// The renewals of one source of headers, shared by all requests that use it.
pub struct Renewal<Headers, Value> {
    generation: Cell<Generation>,
    latest: RefCell<Option<Headers>>,
    pending: RefCell<Option<Rc<Pending<Headers, Value>>>>,
}

/// Headers that were asked for. Of those who wait for them the first keeps the asking going, and the next one when that one is gone.
struct Pending<Headers, Value> {
    /// One slot, for who keeps it going.
    turns: Window,
    asking: RefCell<Asking<Headers, Value>>,
}

enum Asking<Headers, Value> {
    Asked(LocalBoxFuture<'static, Result<Headers, Value>>),
    Answered(Result<Headers, Value>),
}

impl<Headers, Value> Default for Renewal<Headers, Value> {
    fn default() -> Self {
        Renewal { generation: Cell::new(0), latest: RefCell::new(None), pending: RefCell::new(None) }
    }
}

impl<Headers: Clone + 'static, Value: Clone + 'static> Renewal<Headers, Value> {
    /// The generation of headers that are asked for now.
    pub fn generation(&self) -> Generation {
        self.generation.get()
    }

    /// The headers to use after a refusal of those of the generation `refused`: the newer ones where there are some,
    /// else what `ask` gives, which is called at most once for all who wait at the same time.
    pub async fn renewed<Ask>(&self, refused: Generation, ask: impl FnOnce() -> Ask) -> Result<Headers, Value>
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
        let _turn = pending.turns.slot().await;
        poll_fn(|context| self.poll_answer(&mut pending.asking.borrow_mut(), context)).await
    }

    /// Forgets a renewal that nobody should wait for any longer, so that the next refusal asks anew.
    pub fn abandon(&self) {
        let abandoned = self.pending.take();
        drop(abandoned);
    }

    fn begin(&self, asked: impl Future<Output = Result<Headers, Value>> + 'static) -> Rc<Pending<Headers, Value>> {
        let asking = RefCell::new(Asking::Asked(asked.boxed_local()));
        let pending = Rc::new(Pending { turns: Window::new(1), asking });
        self.pending.replace(Some(Rc::clone(&pending)));
        pending
    }

    fn poll_answer(
        &self,
        asking: &mut Asking<Headers, Value>,
        context: &mut Context<'_>,
    ) -> Poll<Result<Headers, Value>> {
        let answer = match asking {
            Asking::Asked(asked) => ready!(asked.as_mut().poll(context)),
            Asking::Answered(answer) => return Poll::Ready(answer.clone()),
        };
        *asking = Asking::Answered(answer.clone());
        self.settle(answer.as_ref().ok().cloned());
        Poll::Ready(answer)
    }

    fn settle(&self, headers: Option<Headers>) {
        self.abandon();
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

    #[test]
    fn parallel_refusals_of_the_same_headers_ask_once() {
        let renewal = Rc::new(Renewal::default());
        let (answer, asked) = oneshot::channel();
        let first = renewal.renewed(0, || asked.map(|asked| asked.unwrap()));
        let second = renewal.renewed(0, || async { panic!("asked twice") });
        let mut both = Box::pin(join(first, second));
        assert_eq!((&mut both).now_or_never(), None);
        answer.send(Ok("new")).unwrap();
        assert_eq!(both.now_or_never(), Some((Asked::Ok("new"), Asked::Ok("new"))));
        assert_eq!(renewal.generation(), 1);
    }

    #[test]
    fn a_late_refusal_of_older_headers_takes_the_newer_ones() {
        let renewal = Rc::new(Renewal::default());
        assert_eq!(renewal.renewed(0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
        let late = renewal.renewed(0, || async { panic!("asked again") });
        assert_eq!(late.now_or_never(), Some(Ok("new")));
        assert_eq!(renewal.renewed(1, || ready(Asked::Ok("newest"))).now_or_never(), Some(Ok("newest")));
    }

    #[test]
    fn a_renewal_outlives_the_one_who_began_it() {
        let renewal = Rc::new(Renewal::default());
        let (answer, asked) = oneshot::channel();
        let mut first = Box::pin(renewal.renewed(0, || asked.map(|asked| asked.unwrap())));
        assert_eq!((&mut first).now_or_never(), None);
        let mut second = Box::pin(renewal.renewed(0, || async { panic!("asked twice") }));
        assert_eq!((&mut second).now_or_never(), None);
        drop(first);
        answer.send(Asked::Ok("new")).unwrap();
        assert_eq!(second.now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn what_the_asking_throws_reaches_everybody_and_the_next_one_asks_anew() {
        let renewal = Rc::new(Renewal::default());
        assert_eq!(renewal.renewed(0, || ready(Asked::Err("no"))).now_or_never(), Some(Err("no")));
        assert_eq!(renewal.generation(), 0);
        assert_eq!(renewal.renewed(0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
    }

    #[test]
    fn after_an_abandoned_renewal_the_next_one_asks_anew() {
        let renewal = Rc::new(Renewal::default());
        let mut stuck = Box::pin(renewal.renewed(0, std::future::pending::<Asked>));
        assert_eq!((&mut stuck).now_or_never(), None);
        renewal.abandon();
        assert_eq!(renewal.renewed(0, || ready(Asked::Ok("new"))).now_or_never(), Some(Ok("new")));
    }
}
