//! The partitions of a stream that its reader has not taken.

use super::event::Order;
use super::host::Host;
use crate::error::Error;

/// What the reader of a stream has not taken.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Unread<H: Host> {
    /// The partitions, each with its key: its index, or its rank of arrival. A list, because it is at most as long as `concurrency`.
    partitions: Vec<UnreadPartition<H>>,
    inserted: u64,
    /// The number of partitions taken, which is the key of the next one.
    taken: u64,
    /// Whether the reader waits.
    pub(super) is_awaited: bool,
    /// How the stream ends behind these partitions, once it is known.
    pub(super) end: Option<Result<(), Box<Error<H::Value>>>>,
}

/// A partition that the reader has not taken.
#[cfg_attr(test, derive(Debug))]
pub(super) struct UnreadPartition<H: Host> {
    key: u64,
    /// Its index.
    pub(super) index: u64,
    /// What it has become.
    pub(super) attempt: H::Attempt,
    /// The bytes that its findings hold.
    pub(super) bytes: u64,
}

impl<H: Host> Default for Unread<H> {
    fn default() -> Self {
        Unread { partitions: Vec::new(), inserted: 0, taken: 0, is_awaited: false, end: None }
    }
}

impl<H: Host> Unread<H> {
    /// The number of partitions.
    pub(super) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// Adds a partition.
    pub(super) fn insert(&mut self, order: Order, index: u64, attempt: H::Attempt, bytes: u64) {
        let key = if order == Order::Index { index } else { self.inserted };
        self.inserted += 1;
        self.partitions.push(UnreadPartition { key, index, attempt, bytes });
    }

    /// Takes the next partition for the reader that waits.
    pub(super) fn take(&mut self) -> Option<UnreadPartition<H>> {
        let next = self.partitions.iter().position(|one| one.key == self.taken)?;
        self.taken += 1;
        self.is_awaited = false;
        Some(self.partitions.swap_remove(next))
    }

    /// Removes all partitions.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = UnreadPartition<H>> + use<H> {
        std::mem::take(&mut self.partitions).into_iter()
    }
}
