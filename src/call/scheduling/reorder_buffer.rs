//! A bounded reorder buffer between the call that fetches the partitions of a stream and the reader that takes them.

use std::cell::RefCell;
use std::task::{Context, Poll, Waker};

/// The order in which a reader takes partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By index: a partition waits for all before it.
    Index,
    /// As they arrive.
    Completion,
}

/// A bounded buffer of unread partitions. Its capacity bounds them together with the partitions in flight.
#[derive(Debug)]
pub struct ReorderBuffer<Partition, Error> {
    order: Order,
    capacity: usize,
    state: RefCell<State<Partition, Error>>,
}

/// How much may be requested now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The maximum number of partitions in flight.
    pub(crate) in_flight: usize,
    /// Whether the reader waits for the partition that would be requested next.
    pub(crate) reader_waits: bool,
}

#[derive(Debug)]
struct State<Partition, Error> {
    /// Each partition with its key: its index, or its rank of arrival. A list, because it is at most as long as the capacity.
    partitions: Vec<(u64, Partition)>,
    /// Number of partitions inserted.
    inserted: u64,
    /// Number of partitions taken, which is the key of the next one.
    taken: u64,
    end: End<Error>,
    is_cleared: bool,
    reader: Option<Waker>,
    supplier: Option<Waker>,
}

#[derive(Debug)]
enum End<Error> {
    Open,
    /// The reader takes this end after all partitions before it.
    Reached(Result<(), Error>),
    /// The reader has taken the end.
    Taken,
}

impl<Partition, Error> ReorderBuffer<Partition, Error> {
    /// An empty buffer for at most `capacity` partitions, unread or in flight.
    pub fn new(order: Order, capacity: usize) -> Self {
        let state = State {
            partitions: Vec::new(),
            inserted: 0,
            taken: 0,
            end: End::Open,
            is_cleared: false,
            reader: None,
            supplier: None,
        };
        ReorderBuffer { order, capacity, state: RefCell::new(state) }
    }

    /// The order in which the reader takes partitions.
    pub fn order(&self) -> Order {
        self.order
    }

    /// What may be requested now, given the number of partitions requested so far and of those in flight. Wakes `waker` when the
    /// demand grows.
    pub(crate) fn demand(&self, requested: u64, in_flight: usize, waker: &Waker) -> Demand {
        let mut state = self.state.borrow_mut();
        state.supplier = Some(waker.clone());
        let none_follows = match self.order {
            Order::Index => state.taken == requested,
            Order::Completion => in_flight == 0 && state.partitions.is_empty(),
        };
        Demand {
            in_flight: self.capacity.saturating_sub(state.partitions.len()),
            reader_waits: state.reader.is_some() && none_follows,
        }
    }

    /// Inserts a partition, unless the buffer has ended.
    pub(crate) fn insert(&self, index: u64, partition: Partition) {
        let mut state = self.state.borrow_mut();
        if let End::Open = state.end {
            let key = if self.order == Order::Index { index } else { state.inserted };
            state.inserted += 1;
            state.partitions.push((key, partition));
            state.wake_reader();
        }
    }

    /// Ends the buffer: the reader takes the end after the partitions before it.
    pub fn end(&self, result: Result<(), Error>) {
        let mut state = self.state.borrow_mut();
        if let End::Open = state.end {
            state.end = End::Reached(result);
            state.wake_reader();
        }
    }

    /// Drops all partitions and replaces the end, unless the reader has taken it.
    pub fn clear(&self, result: Result<(), Error>) {
        let cleared = {
            let mut state = self.state.borrow_mut();
            state.is_cleared = true;
            if !matches!(state.end, End::Taken) {
                state.end = End::Reached(result);
            }
            state.wake_reader();
            state.wake_supplier();
            std::mem::take(&mut state.partitions)
        };
        drop(cleared);
    }

    /// Waits until the reader has taken the end.
    pub fn poll_read(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.borrow_mut();
        if let End::Taken = state.end {
            return Poll::Ready(());
        }
        state.supplier = Some(context.waker().clone());
        Poll::Pending
    }

    /// Waits until the buffer is cleared.
    pub fn poll_cleared(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.borrow_mut();
        if state.is_cleared {
            return Poll::Ready(());
        }
        state.supplier = Some(context.waker().clone());
        Poll::Pending
    }

    /// Takes the next partition; after the last one the error, if there is one; then `None`.
    pub fn poll_take(&self, context: &Context<'_>) -> Poll<Option<Result<Partition, Error>>> {
        let mut state = self.state.borrow_mut();
        let next = state.partitions.iter().position(|(key, _)| *key == state.taken);
        if let Some(next) = next {
            let (_, partition) = state.partitions.swap_remove(next);
            state.taken += 1;
            state.reader = None;
            state.wake_supplier();
            return Poll::Ready(Some(Ok(partition)));
        }
        match std::mem::replace(&mut state.end, End::Taken) {
            End::Open => {
                state.end = End::Open;
                let began_to_wait = state.reader.replace(context.waker().clone()).is_none();
                if began_to_wait {
                    state.wake_supplier();
                }
                Poll::Pending
            }
            End::Reached(result) => {
                // The remaining partitions come after one that never arrives.
                state.partitions.clear();
                state.wake_supplier();
                Poll::Ready(result.err().map(Err))
            }
            End::Taken => Poll::Ready(None),
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

    fn demand(buffer: &Numbers, requested: u64, in_flight: usize) -> (usize, bool) {
        let demand = buffer.demand(requested, in_flight, &noop_waker());
        (demand.in_flight, demand.reader_waits)
    }

    #[test]
    fn holds_a_partition_until_all_before_it_are_taken() {
        let buffer = Numbers::new(Order::Index, 3);
        buffer.insert(1, 1);
        assert_eq!(take(&buffer), Poll::Pending);
        buffer.insert(0, 0);
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Ok(0))), Poll::Ready(Some(Ok(1)))]);
    }

    #[test]
    fn gives_partitions_as_they_arrive_in_completion_order() {
        let buffer = Numbers::new(Order::Completion, 3);
        buffer.insert(7, 7);
        buffer.insert(2, 2);
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Ok(7))), Poll::Ready(Some(Ok(2)))]);
    }

    #[test]
    fn demands_fewer_partitions_the_more_are_unread() {
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
    fn reports_a_waiting_reader_only_for_a_partition_not_requested() {
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
    fn gives_an_error_once_after_the_partitions_before_it() {
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
    fn gives_only_the_error_once_cleared() {
        let buffer = Numbers::new(Order::Index, 3);
        buffer.insert(0, 0);
        buffer.end(Ok(()));
        buffer.clear(Err("aborted"));
        assert_eq!([take(&buffer), take(&buffer)], [Poll::Ready(Some(Err("aborted"))), Poll::Ready(None)]);
        buffer.clear(Err("aborted again"));
        assert_eq!(take(&buffer), Poll::Ready(None));
    }

    #[test]
    fn wakes_the_supplier_when_cleared() {
        let buffer = Numbers::new(Order::Index, 3);
        // It polls only what was woken.
        let mut cleared = FuturesUnordered::from_iter([poll_fn(|context| buffer.poll_cleared(context))]);
        assert_eq!(cleared.next().now_or_never(), None);
        buffer.clear(Ok(()));
        assert_eq!(cleared.next().now_or_never(), Some(Some(())));
    }

    #[test]
    fn is_read_once_the_reader_has_taken_the_end() {
        let buffer = Numbers::new(Order::Index, 3);
        let is_read = |buffer: &Numbers| buffer.poll_read(&Context::from_waker(&noop_waker())).is_ready();
        buffer.insert(0, 0);
        buffer.end(Ok(()));
        assert!(!is_read(&buffer));
        assert_eq!(take(&buffer), Poll::Ready(Some(Ok(0))));
        assert!(!is_read(&buffer), "the end is not taken");
        assert_eq!(take(&buffer), Poll::Ready(None));
        assert!(is_read(&buffer));
    }

    proptest! {
        #[test]
        fn gives_each_partition_once_and_in_order_in_any_order_of_arrival(
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
