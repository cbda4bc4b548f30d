//! The partitions of a stream that its reader has not taken.

use super::event::{Op, Order};
use crate::error::Error;

/// What the reader of a stream has not taken.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Unread<V> {
    /// The partitions, each with its key: its index, or its rank of arrival. A list, because it is at most as long as `concurrency`.
    partitions: Vec<UnreadPartition>,
    inserted: u64,
    /// The number of partitions taken, which is the key of the next one.
    taken: u64,
    /// Whether the reader waits.
    pub(super) is_awaited: bool,
    /// How the stream ends behind these partitions, once it is known.
    pub(super) end: Option<Result<(), Box<Error<V>>>>,
}

/// A partition that the reader has not taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnreadPartition {
    key: u64,
    /// Its index.
    pub(super) index: u64,
    /// What it is known by outside.
    pub(super) op: Op,
    /// The bytes that its findings hold.
    pub(super) bytes: u64,
}

impl<V> Default for Unread<V> {
    fn default() -> Self {
        Unread { partitions: Vec::new(), inserted: 0, taken: 0, is_awaited: false, end: None }
    }
}

impl<V> Unread<V> {
    /// The number of partitions.
    pub(super) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// Whether the reader waits for the partition that would be requested next, of the index `issued`.
    pub(super) fn awaits(&self, order: Order, issued: u64, in_flight: usize) -> bool {
        let none_follows = match order {
            Order::Index => self.taken == issued,
            Order::Completion => in_flight == 0 && self.partitions.is_empty(),
        };
        self.is_awaited && none_follows
    }

    /// Adds a partition.
    pub(super) fn insert(&mut self, order: Order, index: u64, op: Op, bytes: u64) {
        let key = if order == Order::Index { index } else { self.inserted };
        self.inserted += 1;
        self.partitions.push(UnreadPartition { key, index, op, bytes });
    }

    /// Takes the next partition for the reader that waits.
    pub(super) fn take(&mut self) -> Option<UnreadPartition> {
        let next = self.partitions.iter().position(|one| one.key == self.taken)?;
        self.taken += 1;
        self.is_awaited = false;
        Some(self.partitions.swap_remove(next))
    }

    /// Removes all partitions.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = UnreadPartition> + use<V> {
        std::mem::take(&mut self.partitions).into_iter()
    }
}
