//! Growth that can fail without ending the module.

use std::collections::TryReserveError;

/// There is no memory left for what was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<TryReserveError> for OutOfMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

/// Appends `item`.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    list.try_reserve(1)?;
    list.push(item);
    Ok(())
}

/// Appends `item`, where that happens for every value of every finding.
#[inline(always)]
pub fn push_often<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        return push(list, item);
    }
    list.push(item);
    Ok(())
}

/// Appends `items`.
#[inline]
pub fn extend<T: Copy>(list: &mut Vec<T>, items: &[T]) -> Result<(), OutOfMemory> {
    list.try_reserve(items.len())?;
    list.extend_from_slice(items);
    Ok(())
}

/// Brings `list` to `length`, with `filler` where it grows.
pub fn resize<T: Copy>(list: &mut Vec<T>, length: usize, filler: T) -> Result<(), OutOfMemory> {
    list.try_reserve(length.saturating_sub(list.len()))?;
    list.resize(length, filler);
    Ok(())
}

/// Brings `bytes` to `length`, with zeros where it grows. It is compiled here, where that is fast.
#[inline(never)]
pub fn resize_bytes(bytes: &mut Vec<u8>, length: usize) -> Result<(), OutOfMemory> {
    resize(bytes, length, 0)
}

/// A list of `length` times `filler`, without room to spare.
pub fn filled<T: Copy>(length: usize, filler: T) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(length)?;
    list.resize(length, filler);
    Ok(list)
}

/// An empty list with room for exactly `capacity` items.
pub fn with_room<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity)?;
    Ok(list)
}

/// A copy of `items` with room for as many as they have.
pub fn copied<T: Copy>(items: &Vec<T>) -> Result<Vec<T>, OutOfMemory> {
    let mut list = with_room(items.capacity())?;
    list.extend_from_slice(items);
    Ok(list)
}

/// A copy of `text` of its own.
pub fn owned(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy)
}
