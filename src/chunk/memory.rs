//! Fallible allocation.
//! Lists leave a reserve of memory, so that infallible allocations (errors, requests, reference counts) never trap. Large lists leave the
//! whole reserve, small lists together at least half.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::hint::{assert_unchecked, black_box};
use std::rc::Rc;

use thiserror::Error;

/// The reserve, in bytes.
const RESERVE: usize = 256 * 1024;

/// Lists of this many bytes or more leave the reserve. Smaller lists grow too often to check each time: the reserve is checked whenever
/// they have grown by this many bytes together.
const LARGE: usize = 64 * 1024;

thread_local! {
    /// The bytes by which small lists have grown since the last successful check.
    static UNCHECKED: Cell<usize> = const { Cell::new(0) };
}

/// Out of memory.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("out of memory")]
pub struct OutOfMemory;

impl From<TryReserveError> for OutOfMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

/// Checks that the reserve is free, before a long-lived allocation.
///
/// # Errors
/// Less memory than the reserve is free.
pub fn check_reserve() -> Result<(), OutOfMemory> {
    check_left(RESERVE)
}

/// Records the growth of small lists, and checks from time to time that half of the reserve is free. So a call can still make its result
/// when long-lived allocations already fail.
///
/// # Errors
/// Less memory than half of the reserve is free.
pub(crate) fn note_growth(bytes: usize) -> Result<(), OutOfMemory> {
    let unchecked = UNCHECKED.get().saturating_add(bytes);
    UNCHECKED.set(unchecked);
    if unchecked >= LARGE {
        check_left(RESERVE / 2)?;
        UNCHECKED.set(0);
    }
    Ok(())
}

/// Reserves capacity for at least `more` items, like [`Vec::try_reserve`]; for exactly as many if the list is empty and these are many.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
#[inline]
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if list.capacity() - list.len() < more {
        grow(list, more)?;
    }
    // SAFETY: there was room, or `try_reserve` has made it. So the compiler omits the growth of what comes next.
    unsafe { assert_unchecked(list.capacity() - list.len() >= more) };
    Ok(())
}

/// Makes room in a list for `count` items altogether.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
pub fn make_room<T>(list: &mut Vec<T>, count: usize) -> Result<(), OutOfMemory> {
    reserve(list, count.saturating_sub(list.len()))
}

/// Grows a list for at least `more` items.
#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let before = list.capacity();
    list.try_reserve(more)?;
    check_growth(before * size_of::<T>(), list.capacity() * size_of::<T>()).inspect_err(|_| list.shrink_to(before))
}

/// Checks what is left after a list has grown.
#[inline(never)]
fn check_growth(bytes_before: usize, bytes: usize) -> Result<(), OutOfMemory> {
    if bytes < LARGE { note_growth(bytes - bytes_before) } else { check_reserve() }
}

fn check_left(bytes: usize) -> Result<(), OutOfMemory> {
    let mut left = Vec::<u8>::new();
    left.try_reserve_exact(bytes)?;
    // The compiler would remove an unused allocation.
    black_box(&mut left);
    Ok(())
}

/// Appends `item`.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
#[inline(never)]
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    reserve(list, 1)?;
    list.push(item);
    Ok(())
}

/// Appends `item`. For the hot loop of the decoder: inlines all but the growth.
#[inline(always)]
pub(crate) fn push_hot<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        return push(list, item);
    }
    list.push(item);
    Ok(())
}

/// Appends `items`.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
#[inline]
pub fn extend<T: Copy>(list: &mut Vec<T>, items: &[T]) -> Result<(), OutOfMemory> {
    reserve(list, items.len())?;
    list.extend_from_slice(items);
    Ok(())
}

/// Resizes `list` to `length`; new items are copies of `filler`.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
pub fn resize<T: Copy>(list: &mut Vec<T>, length: usize, filler: T) -> Result<(), OutOfMemory> {
    make_room(list, length)?;
    list.resize(length, filler);
    Ok(())
}

/// Resizes `bytes` to `length`; new bytes are zero. Compiled in this crate, which is optimized for speed.
///
/// # Errors
///
/// Out of memory; the list is unchanged.
#[inline(never)]
pub fn resize_bytes(bytes: &mut Vec<u8>, length: usize) -> Result<(), OutOfMemory> {
    resize(bytes, length, 0)
}

/// Returns a list of `length` copies of `filler`.
pub fn filled<T: Copy>(length: usize, filler: T) -> Result<Vec<T>, OutOfMemory> {
    let mut list = with_capacity(length)?;
    list.resize(length, filler);
    Ok(list)
}

/// Returns an empty list with capacity for `capacity` items; for exactly as many unless these are few.
///
/// # Errors
///
/// Out of memory.
#[inline]
pub fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    reserve(&mut list, capacity)?;
    Ok(list)
}

/// Copies `text`.
///
/// # Errors
///
/// Out of memory.
pub fn try_to_owned(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    note_growth(text.len())?;
    copy.push_str(text);
    Ok(copy)
}

/// Moves a value behind a reference count.
pub fn try_shared<T>(value: T) -> Result<Rc<T>, OutOfMemory> {
    note_growth(size_of::<T>() + 2 * size_of::<usize>())?;
    Ok(Rc::new(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_once_for_the_same_capacity() {
        let mut list = vec![1_u32; 3];
        assert_eq!(reserve(&mut list, 100_000), Ok(()));
        let capacity = list.capacity();
        assert!(capacity >= 100_003);
        assert_eq!(reserve(&mut list, 100_000), Ok(()));
        assert_eq!((list.capacity(), list.len()), (capacity, 3));
    }

    #[test]
    fn fails_without_changing_the_list_when_memory_runs_out() {
        let mut list = vec![1_u64; 3];
        let capacity = list.capacity();
        assert_eq!(reserve(&mut list, usize::MAX / 2), Err(OutOfMemory));
        assert_eq!((list.capacity(), list), (capacity, vec![1; 3]));
    }
}
