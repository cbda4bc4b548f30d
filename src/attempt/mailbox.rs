//! What a worker has told of one attempt.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use columns::chunk::Chunk;

use super::head::Head;
use super::message::{Event, Failure};

/// What a worker has told of an attempt.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) told: RefCell<Told>,
    waker: RefCell<Option<Waker>>,
}

#[derive(Default)]
pub(super) struct Told {
    pub(super) head: Option<Head>,
    pub(super) excerpt: Vec<u8>,
    pub(super) is_excerpt_whole: bool,
    pub(super) at_least: u64,
    /// The length of the body, and whether it is an HTML page.
    pub(super) received: Option<(usize, bool)>,
    pub(super) body: Option<Vec<u8>>,
    /// The number of the parcel among those of the call's dictionary.
    pub(super) parcel: Option<Option<u32>>,
    /// The bytes of a parcel that has a dictionary of its own, or of the findings beside a failure.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) chunk: Option<Chunk>,
    pub(super) failure: Option<Failure>,
    /// Whether the worker has nothing more to tell.
    pub(super) is_over: bool,
}

impl Mailbox {
    pub(super) fn note(&self, event: Event, buffer: Option<Vec<u8>>) {
        let mut told = self.told.borrow_mut();
        told.is_over |= match &event {
            Event::Excerpt { is_whole } => *is_whole,
            Event::Received { .. } => buffer.is_some(),
            Event::Decoded { .. } | Event::Failed(_) => true,
            Event::Refused(_) | Event::Growing(_) => false,
        };
        match event {
            Event::Refused(head) => told.head = Some(head),
            Event::Excerpt { is_whole } => {
                told.is_excerpt_whole |= is_whole;
                let excerpt = buffer.unwrap_or_default();
                if excerpt.len() > told.excerpt.len() {
                    told.excerpt = excerpt;
                }
            }
            Event::Growing(bytes) => told.at_least = told.at_least.max(bytes),
            Event::Received { length, is_page } => {
                told.received = Some((length, is_page));
                told.body = buffer;
            }
            Event::Decoded { parcel } => {
                told.parcel = Some(parcel.map(|(_, number)| number));
                told.bytes = buffer;
            }
            Event::Failed(failure) => {
                told.failure = Some(failure);
                told.bytes = buffer;
            }
        }
        drop(told);
        self.wake();
    }

    pub(super) fn wake(&self) {
        let waker = self.waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the headers of the response. What else those of a successful one say comes with its body.
    pub(super) async fn head(&self) -> Result<Head, Failure> {
        let success =
            || Head { status: 200, is_redirect: false, hides_headers: false, retry_after: None, is_page: false };
        let is_success =
            |told: &Told| told.received.is_some() || told.at_least > 0 || is_of_body(told.failure.as_ref());
        poll_fn(|context| {
            self.poll(context, |told| {
                let head = told.head.take().or_else(|| is_success(told).then(success));
                head.map(Ok).or_else(|| told.failure.take().map(Err))
            })
        })
        .await
    }

    pub(super) fn poll<T>(&self, context: &Context<'_>, read: impl FnOnce(&mut Told) -> Option<T>) -> Poll<T> {
        self.waker.replace(Some(context.waker().clone()));
        read(&mut self.told.borrow_mut()).map_or(Poll::Pending, Poll::Ready)
    }
}

/// Whether a failure concerns the body of a response.
fn is_of_body(failure: Option<&Failure>) -> bool {
    !matches!(failure, None | Some(Failure::Unreachable(_) | Failure::NoResponse(_) | Failure::Lost))
}
