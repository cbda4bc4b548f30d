//! Values under numbers. No number comes twice, so that a late event finds nothing.

use std::collections::VecDeque;
use std::marker::PhantomData;

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, check_reserve};

/// The number of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(pub u32);

/// The number of what is under way outside: a question for headers, an exchange, a body. Each attempt has another one, so that an event of an
/// earlier attempt, or of a call that has ended, finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u32);

/// A number.
pub(super) trait Number: Copy {
    /// The number as a value of this type.
    const OF: fn(u32) -> Self;
    /// The number itself.
    const VALUE: fn(Self) -> u32;
}

impl Number for CallId {
    const OF: fn(u32) -> Self = CallId;
    const VALUE: fn(Self) -> u32 = |number| number.0;
}

impl Number for Op {
    const OF: fn(u32) -> Self = Op;
    const VALUE: fn(Self) -> u32 = |number| number.0;
}

/// Values in the order of their numbers. Most leave from the front. They are boxed, because room for a thousand calls at once is more than the reserve.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Numbered<N, T> {
    values: VecDeque<(u32, Box<T>)>,
    last: u32,
    numbers: PhantomData<N>,
}

impl<N, T> Default for Numbered<N, T> {
    fn default() -> Self {
        Numbered { values: VecDeque::new(), last: 0, numbers: PhantomData }
    }
}

impl<N: Number, T> Numbered<N, T> {
    /// Asks for the place of one more value.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn make_room(&mut self) -> Result<(), OutOfMemory> {
        self.values.try_reserve(1)?;
        check_reserve()
    }

    /// A new number, for something that has no value here.
    pub(super) fn number(&mut self) -> N {
        self.last += 1;
        (N::OF)(self.last)
    }

    /// Adds a value under a new number.
    pub(super) fn insert(&mut self, value: T) -> N {
        let number = self.number();
        self.values.push_back((self.last, Box::new(value)));
        number
    }

    /// The value under a number; `None` if it is not there any more.
    pub(super) fn get(&self, number: N) -> Option<&T> {
        Some(&self.values.get(self.place(number)?)?.1)
    }

    /// The value under a number, which is there.
    pub(super) fn at(&self, number: N) -> &T {
        self.get(number).certain()
    }

    /// The same to change it.
    pub(super) fn at_mut(&mut self, number: N) -> &mut T {
        &mut self.place(number).and_then(|place| self.values.get_mut(place)).certain().1
    }

    /// Gives a value a new number: the one before finds nothing any more.
    pub(super) fn renewed(&mut self, number: N) -> N {
        let value = self.take(number);
        self.insert(value)
    }

    /// Removes a value, which is there.
    pub(super) fn take(&mut self, number: N) -> T {
        *self.place(number).and_then(|place| self.values.remove(place)).certain().1
    }

    /// The values.
    #[cfg(test)]
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| &**value)
    }

    fn place(&self, number: N) -> Option<usize> {
        self.values.binary_search_by_key(&(N::VALUE)(number), |(other, _)| *other).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_last_number_alone() {
        let mut numbered = Numbered::<Op, u32>::default();
        let all: Vec<_> = (0..100).map(|value| numbered.insert(value)).collect();
        let renewed = numbered.renewed(all[7]);
        assert_eq!((numbered.get(all[7]), numbered.at(renewed), numbered.at(all[8])), (None, &7, &8));
        assert_eq!((numbered.take(all[8]), numbered.get(all[8]), numbered.at(all[9])), (8, None, &9));
        assert_eq!(numbered.values().count(), 99);
    }
}
