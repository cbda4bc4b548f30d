//! The partitions of a stream between the call that gets them and the reader who takes them, in the order of the reader.

use std::cell::RefCell;
use std::task::{Context, Poll, Waker};

/// In which order a reader gets partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By index: a partition waits for those before it.
    Index,
    /// As they come.
    Completion,
}

/// Holds partitions that nobody has read yet, of which and of those under way there are at most as many as it has reservation for.
#[derive(Debug)]
pub(crate) struct ReorderBuffer<Partition, Error> {
    order: Order,
    reservation: usize,
    state: RefCell<State<Partition, Error>>,
}

/// What may be asked for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// Partitions that may be under way.
    pub(crate) in_flight: usize,
    /// Whether the reader waits for the one that would be asked for next.
    pub(crate) reader_waits: bool,
}

#[derive(Debug)]
struct State<Partition, Error> {
    /// Each with its key: its index, or the turn in which it came. They are as few as there is reservation for.
    partitions: Vec<(u64, Partition)>,
    /// How many came.
    inserted: u64,
    /// How many were taken, which is the key of the next one.
    taken: u64,
    end: End<Error>,
    is_cleared: bool,
    reader: Option<Waker>,
    supplier: Option<Waker>,
}

#[derive(Debug)]
enum End<Error> {
    Open,
    /// What the reader is told when it has taken everything before.
    Reached(Result<(), Error>),
    Told,
}

impl<Partition, Error> ReorderBuffer<Partition, Error> {
    /// An empty buffer with reservation for that many partitions.
    pub(crate) fn new(order: Order, reservation: usize) -> Self {
        let state = State {
            partitions: Vec::new(),
            inserted: 0,
            taken: 0,
            end: End::Open,
            is_cleared: false,
            reader: None,
            supplier: None,
        };
        ReorderBuffer { order, reservation, state: RefCell::new(state) }
    }

    /// The order in which the reader wants them.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// What may be asked for now, given how many partitions were asked for so far and how many of them are under way. Whoever
    /// asks is woken when it may be more.
    pub(crate) fn demand(&self, asked: u64, in_flight: usize, waker: &Waker) -> Demand {
        let mut state = self.state.borrow_mut();
        state.supplier = Some(waker.clone());
        let nothing_comes = match self.order {
            Order::Index => state.taken == asked,
            Order::Completion => in_flight == 0 && state.partitions.is_empty(),
        };
        Demand {
            in_flight: self.reservation.saturating_sub(state.partitions.len()),
            reader_waits: state.reader.is_some() && nothing_comes,
        }
    }

    /// Puts a partition on the buffer, unless it has come to its end.
    pub(crate) fn insert(&self, index: u64, partition: Partition) {
        let mut state = self.state.borrow_mut();
        if let End::Open = state.end {
            let key = if self.order == Order::Index { index } else { state.inserted };
            state.inserted += 1;
            state.partitions.push((key, partition));
            state.wake_reader();
        }
    }

    /// Nothing more comes: the reader is told so when it has taken what comes before.
    pub(crate) fn end(&self, result: Result<(), Error>) {
        let mut state = self.state.borrow_mut();
        if let End::Open = state.end {
            state.end = End::Reached(result);
            state.wake_reader();
        }
    }

    /// Throws away what is on the buffer; the reader is told why at once, unless it has been told of an end before.
    pub(crate) fn clear(&self, result: Result<(), Error>) {
        let cleared = {
            let mut state = self.state.borrow_mut();
            state.is_cleared = true;
            if !matches!(state.end, End::Told) {
                state.end = End::Reached(result);
            }
            state.wake_reader();
            state.wake_supplier();
            std::mem::take(&mut state.partitions)
        };
        drop(cleared);
    }

    /// Waits until the reader has taken everything and has been told of the end.
    pub(crate) fn poll_read(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.borrow_mut();
        if let End::Told = state.end {
            return Poll::Ready(());
        }
        state.supplier = Some(context.waker().clone());
        Poll::Pending
    }

    /// Waits until everything is thrown away that is on the buffer.
    pub(crate) fn poll_cleared(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.borrow_mut();
        if state.is_cleared {
            return Poll::Ready(());
        }
        state.supplier = Some(context.waker().clone());
        Poll::Pending
    }

    /// Whether everything was thrown away that was on the buffer.
    pub(crate) fn is_cleared(&self) -> bool {
        self.state.borrow().is_cleared
    }

    /// Why the buffer was cleared, if the reader has not been told.
    pub(crate) fn take_reason(&self) -> Option<Error> {
        let mut state = self.state.borrow_mut();
        if !state.is_cleared {
            return None;
        }
        match std::mem::replace(&mut state.end, End::Told) {
            End::Reached(result) => result.err(),
            End::Open | End::Told => None,
        }
    }

    /// The next partition, or once how it ended, and nothing from then on.
    pub(crate) fn poll_take(&self, context: &Context<'_>) -> Poll<Option<Result<Partition, Error>>> {
        let mut state = self.state.borrow_mut();
        let next = state.partitions.iter().position(|(key, _)| *key == state.taken);
        if let Some(next) = next {
            let (_, partition) = state.partitions.swap_remove(next);
            state.taken += 1;
            state.reader = None;
            state.wake_supplier();
            return Poll::Ready(Some(Ok(partition)));
        }
        match std::mem::replace(&mut state.end, End::Told) {
            End::Open => {
                state.end = End::Open;
                let began_to_wait = state.reader.replace(context.waker().clone()).is_none();
                if began_to_wait {
                    state.wake_supplier();
                }
                Poll::Pending
            }
            End::Reached(result) => {
                // What is still there lies behind a gap that nothing fills any more.
                state.partitions.clear();
                state.wake_supplier();
                Poll::Ready(result.err().map(Err))
            }
            End::Told => Poll::Ready(None),
        }
    }
}

impl<Partition, Error> State<Partition, Error> {
    fn wake_reader(&mut self) {
        if let Some(reader) = &self.reader {
            reader.wake_by_ref();
        }
    }

    fn wake_supplier(&mut self) {
        if let Some(supplier) = self.supplier.take() {
            supplier.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use futures_util::FutureExt;
    use futures_util::stream::{FuturesUnordered, StreamExt};
    use futures_util::task::noop_waker;
    use proptest::prelude::*;

    type Numbers = ReorderBuffer<u64, &'static str>;

    fn take(buffer: &Numbers) -> Poll<Option<Result<u64, &'static str>>> {
        buffer.poll_take(&Context::from_waker(&noop_waker()))
    }

    fn demand(buffer: &Numbers, asked: u64, in_flight: usize) -> (usize, bool) {
        let demand = buffer.demand(asked, in_flight, &noop_waker());
        (demand.in_flight, demand.reader_waits)
    }

    #[test]
    fn by_index_a_partition_waits_for_those_before_it() {
        let buffer = Numbers::new(Order::Index, 3);
        buffer.insert(1, 1);
        assert_eq!(take(&buffer), Poll::Pending);
        buffer.insert(0, 0);
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Ok(0))), Poll::Ready(Some(Ok(1)))]);
    }

    #[test]
    fn by_completion_they_are_taken_as_they_came() {
        let buffer = Numbers::new(Order::Completion, 3);
        buffer.insert(7, 7);
        buffer.insert(2, 2);
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Ok(7))), Poll::Ready(Some(Ok(2)))]);
    }

    #[test]
    fn what_is_unread_takes_the_room_of_what_could_be_under_way() {
        let buffer = Numbers::new(Order::Index, 2);
        assert_eq!(demand(&buffer, 0, 0), (2, false));
        buffer.insert(1, 1);
        assert_eq!(demand(&buffer, 2, 1), (1, false));
        buffer.insert(0, 0);
        assert_eq!(demand(&buffer, 2, 0), (0, false));
        assert!(take(&buffer).is_ready());
        assert_eq!(demand(&buffer, 2, 0), (1, false));
    }

    #[test]
    fn a_reader_waits_only_for_what_was_not_asked_for_yet() {
        let by_index = Numbers::new(Order::Index, 2);
        assert_eq!(take(&by_index), Poll::Pending);
        assert_eq!(demand(&by_index, 0, 0), (2, true));
        assert_eq!(demand(&by_index, 1, 1), (2, false));
        let by_completion = Numbers::new(Order::Completion, 2);
        assert_eq!(take(&by_completion), Poll::Pending);
        assert_eq!(demand(&by_completion, 5, 0), (2, true));
        assert_eq!(demand(&by_completion, 5, 1), (2, false));
    }

    #[test]
    fn a_failure_is_told_once_and_only_after_what_came_before_it() {
        let buffer = Numbers::new(Order::Index, 3);
        buffer.insert(0, 0);
        buffer.insert(2, 2);
        buffer.end(Err("1 failed"));
        buffer.insert(1, 1);
        assert_eq!(take(&buffer), Poll::Ready(Some(Ok(0))));
        assert_eq!(take(&buffer), Poll::Ready(Some(Err("1 failed"))));
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(None), Poll::Ready(None)]);
    }

    #[test]
    fn a_shelf_that_is_cleared_gives_nothing_but_the_reason() {
        let buffer = Numbers::new(Order::Index, 3);
        buffer.insert(0, 0);
        buffer.end(Ok(()));
        buffer.clear(Err("aborted"));
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Err("aborted"))), Poll::Ready(None)]);
        buffer.clear(Err("aborted again"));
        assert_eq!(take(&buffer), Poll::Ready(None));
    }

    #[test]
    fn whoever_is_at_work_on_a_partition_learns_of_the_reason_as_well_and_it_is_told_once() {
        let buffer = Numbers::new(Order::Index, 3);
        assert_eq!(buffer.take_reason(), None);
        buffer.end(Err("failed"));
        assert_eq!(buffer.take_reason(), None, "a failure comes in its place");
        buffer.clear(Err("aborted"));
        assert_eq!(buffer.take_reason(), Some("aborted"));
        assert_eq!(take(&buffer), Poll::Ready(None));
    }

    #[test]
    fn whoever_fills_a_shelf_is_woken_when_it_is_cleared() {
        let buffer = Numbers::new(Order::Index, 3);
        // It polls only what was woken.
        let mut cleared = FuturesUnordered::from_iter([poll_fn(|context| buffer.poll_cleared(context))]);
        assert_eq!(cleared.next().now_or_never(), None);
        buffer.clear(Ok(()));
        assert_eq!(cleared.next().now_or_never(), Some(Some(())));
    }

    #[test]
    fn everything_has_been_read_when_the_reader_was_told_of_the_end() {
        let buffer = Numbers::new(Order::Index, 3);
        let is_read = |buffer: &Numbers| buffer.poll_read(&Context::from_waker(&noop_waker())).is_ready();
        buffer.insert(0, 0);
        buffer.end(Ok(()));
        assert!(!is_read(&buffer));
        assert_eq!(take(&buffer), Poll::Ready(Some(Ok(0))));
        assert!(!is_read(&buffer), "the end has not been told");
        assert_eq!(take(&buffer), Poll::Ready(None));
        assert!(is_read(&buffer));
    }

    proptest! {
        #[test]
        fn everything_is_read_once_and_in_order_whatever_the_order_in_which_it_comes(
            arrivals in (0u64..30).prop_flat_map(|count| Just((0..count).collect::<Vec<u64>>()).prop_shuffle()),
            reads in prop::collection::vec(any::<bool>(), 0..60),
        ) {
            for order in [Order::Index, Order::Completion] {
                let buffer = Numbers::new(order, usize::MAX);
                let mut read = Vec::new();
                let mut coming = arrivals.iter();
                for reads_now in &reads {
                    if !*reads_now {
                        coming.next().inspect(|index| buffer.insert(**index, **index));
                    } else if let Poll::Ready(Some(Ok(index))) = take(&buffer) {
                        read.push(index);
                    }
                }
                coming.for_each(|index| buffer.insert(*index, *index));
                buffer.end(Ok(()));
                while let Poll::Ready(Some(Ok(index))) = take(&buffer) {
                    read.push(index);
                }
                let expected = if order == Order::Index { (0..arrivals.len() as u64).collect() } else { arrivals.clone() };
                prop_assert_eq!(read, expected);
            }
        }
    }
}
