//! Where lists begin that lie one after the other.

use std::ops::Range;

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, push, with_capacity};

/// The start of each list, then the end of the last one.
pub(super) struct Starts(Vec<usize>);

impl Starts {
    /// Lists of these lengths, which have at most `u32::MAX` items together.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn new(lengths: impl ExactSizeIterator<Item = usize>) -> Result<Self, OutOfMemory> {
        let (mut starts, mut end) = (with_capacity(lengths.len() + 1)?, 0_u32);
        for length in lengths {
            starts.push(end as usize);
            end = u32::try_from(length).ok().and_then(|length| end.checked_add(length)).certain();
        }
        push(&mut starts, end as usize)?;
        Ok(Starts(starts))
    }

    /// Returns the start of each list, then the end.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    /// Returns the range of each list.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.array_windows().map(|[start, end]| *start..*end)
    }

    /// Returns the end of the last list.
    pub(super) fn end(&self) -> usize {
        self.0.last().copied().unwrap_or_default()
    }

    /// Returns the list that has the item at a position, and the position in this list. Beyond the end there is no such list.
    #[inline]
    pub(super) fn locate(&self, position: usize) -> Option<(usize, usize)> {
        let list = self.0.partition_point(|start| *start <= position).checked_sub(1)?;
        Some((list, position - self.0.get(list)?))
    }

    /// Returns the lists that have items at these positions, each with the range of its items.
    pub(super) fn parts(&self, positions: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let first = self.0.partition_point(|start| *start <= positions.start).saturating_sub(1);
        let Range { start: from, end } = positions;
        let lists = self.0.array_windows().enumerate().skip(first);
        lists
            .take_while(move |(_, [start, _])| *start < end)
            .map(move |(list, [start, next])| (list, from.saturating_sub(*start)..next.min(&end) - start))
            .filter(|(_, part)| !part.is_empty())
    }

    /// Returns the bytes of memory that the starts hold.
    pub(super) fn byte_length(&self) -> usize {
        self.0.capacity() * size_of::<usize>()
    }
}
