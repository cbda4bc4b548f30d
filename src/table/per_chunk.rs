//! What is kept of each chunk of a catalog.

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, push};

/// A value for each chunk that has been asked for one, by the number of the chunk in its catalog. A chunk never changes, so a value that
/// depends on nothing but the chunk holds for all tables that have it, whatever arrives.
pub(super) struct PerChunk<T> {
    values: Vec<Option<T>>,
}

impl<T> Default for PerChunk<T> {
    fn default() -> Self {
        PerChunk { values: Vec::new() }
    }
}

impl<T> PerChunk<T> {
    /// Returns the value of a chunk, if there is one.
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)?.as_ref()
    }

    /// Sets the value of a chunk.
    pub(super) fn set(&mut self, number: u32, value: T) -> Result<(), OutOfMemory> {
        while self.values.len() <= number as usize {
            push(&mut self.values, None)?;
        }
        *self.values.get_mut(number as usize).certain() = Some(value);
        Ok(())
    }

    /// Returns the bytes of memory that are held, with those of each value.
    pub(super) fn byte_length(&self, of_value: impl Fn(&T) -> usize) -> usize {
        self.values.capacity() * size_of::<Option<T>>() + self.values.iter().flatten().map(of_value).sum::<usize>()
    }
}
