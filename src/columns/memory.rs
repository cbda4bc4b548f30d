//! Growth that can fail without ending the module, and leaves something for what cannot: errors, futures, short lists.

use std::collections::TryReserveError;
use std::hint::black_box;

use thiserror::Error;

/// Bytes that are left when memory runs out.
const RESERVE: usize = 256 * 1024;

/// Lists of this many bytes and more grow only as far as the reserve allows; smaller ones are too many to look at each time.
const LARGE: usize = 64 * 1024;

/// Memory ran out.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("there is no memory left")]
pub struct OutOfMemory;

impl From<TryReserveError> for OutOfMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

/// Fails where less memory is left than the reserve: what would be kept for long should not be begun then.
pub fn check_reserve() -> Result<(), OutOfMemory> {
    let mut reserve = Vec::<u8>::new();
    reserve.try_reserve_exact(RESERVE)?;
    // The compiler would leave out an allocation that nobody looks at.
    black_box(&mut reserve);
    Ok(())
}

/// Makes room for `more` items, and for as many as are likely to follow.
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    grow(list, more, Vec::try_reserve)
}

/// Makes room for just `more` items.
pub fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    grow(list, more, Vec::try_reserve_exact)
}

fn grow<T>(
    list: &mut Vec<T>,
    more: usize,
    grow: fn(&mut Vec<T>, usize) -> Result<(), TryReserveError>,
) -> Result<(), OutOfMemory> {
    let before = list.capacity();
    if before - list.len() >= more {
        return Ok(());
    }
    grow(list, more)?;
    if list.capacity() * size_of::<T>() < LARGE {
        return Ok(());
    }
    check_reserve().inspect_err(|_| list.shrink_to(before))
}

/// Appends `item`.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    reserve(list, 1)?;
    list.push(item);
    Ok(())
}

/// Appends `item`, where that happens for every value of every finding.
#[inline(always)]
pub(crate) fn push_hot<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        return push(list, item);
    }
    list.push(item);
    Ok(())
}

/// Appends `items`.
#[inline]
pub(crate) fn extend<T: Copy>(list: &mut Vec<T>, items: &[T]) -> Result<(), OutOfMemory> {
    reserve(list, items.len())?;
    list.extend_from_slice(items);
    Ok(())
}

/// Brings `list` to `length`, with `filler` where it grows.
pub fn resize<T: Copy>(list: &mut Vec<T>, length: usize, filler: T) -> Result<(), OutOfMemory> {
    reserve(list, length.saturating_sub(list.len()))?;
    list.resize(length, filler);
    Ok(())
}

/// Brings `bytes` to `length`, with zeros where it grows. It is compiled here, where that is fast.
#[inline(never)]
pub fn resize_bytes(bytes: &mut Vec<u8>, length: usize) -> Result<(), OutOfMemory> {
    resize(bytes, length, 0)
}

/// A list of `length` times `filler`, without room to spare.
pub(crate) fn filled<T: Copy>(length: usize, filler: T) -> Result<Vec<T>, OutOfMemory> {
    let mut list = with_capacity(length)?;
    list.resize(length, filler);
    Ok(list)
}

/// An empty list with room for exactly `capacity` items.
pub fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    reserve_exact(&mut list, capacity)?;
    Ok(list)
}

/// A copy of `items` with room for as many as they have.
pub(crate) fn try_clone<T: Copy>(items: &Vec<T>) -> Result<Vec<T>, OutOfMemory> {
    let mut list = with_capacity(items.capacity())?;
    list.extend_from_slice(items);
    Ok(list)
}

/// A copy of `text` of its own.
pub(crate) fn try_to_owned(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_made_for_what_was_asked_and_found_where_it_is() {
        let mut list = vec![1_u32; 3];
        assert_eq!(reserve_exact(&mut list, 100_000), Ok(()));
        let capacity = list.capacity();
        assert!(capacity >= 100_003);
        assert_eq!(reserve(&mut list, 100_000), Ok(()));
        assert_eq!((list.capacity(), list.len()), (capacity, 3));
    }

    #[test]
    fn more_than_can_be_had_is_an_error_that_leaves_the_list_alone() {
        let mut list = vec![1_u64; 3];
        let capacity = list.capacity();
        assert_eq!(reserve(&mut list, usize::MAX / 2), Err(OutOfMemory));
        assert_eq!((list.capacity(), list), (capacity, vec![1; 3]));
    }
}
