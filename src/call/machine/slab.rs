//! Values under keys. A place that is used again has another key, so that a late event finds nothing.

use std::marker::PhantomData;

use chunk::invariant::Certain;

/// The number of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(pub u32);

/// The number of what is under way outside: a question for headers, an exchange, a body. Each attempt has another one, so that an event of an
/// earlier attempt, or of a call that has ended, finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op(pub u32);

/// The bits of a key that are its place. The others are its generation.
const PLACE_BITS: u32 = 18;

/// The number of places.
const PLACES: u32 = 1 << PLACE_BITS;

/// The number of generations.
const GENERATIONS: u32 = 1 << (u32::BITS - PLACE_BITS);

/// A place is not used again from this generation on, so that no key comes twice. The generations after it are for values that are renewed.
const LAST: u32 = GENERATIONS - GENERATIONS / 32;

/// A key: one number.
pub(super) trait Key: Copy {
    /// The key with this number.
    const OF: fn(u32) -> Self;
    /// The number of a key.
    const NUMBER: fn(Self) -> u32;
}

impl Key for CallId {
    const OF: fn(u32) -> Self = CallId;
    const NUMBER: fn(Self) -> u32 = |key| key.0;
}

impl Key for Op {
    const OF: fn(u32) -> Self = Op;
    const NUMBER: fn(Self) -> u32 = |key| key.0;
}

/// Values under keys.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Slab<K, T> {
    places: Vec<Place<T>>,
    free: Vec<u32>,
    keys: PhantomData<K>,
}

#[cfg_attr(test, derive(Debug))]
struct Place<T> {
    generation: u32,
    is_used: bool,
    value: Option<T>,
}

impl<K, T> Default for Slab<K, T> {
    fn default() -> Self {
        Slab { places: Vec::new(), free: Vec::new(), keys: PhantomData }
    }
}

impl<K: Key, T> Slab<K, T> {
    /// Reserves a place for a value. It is given back by [`remove`](Self::remove).
    pub(super) fn reserve(&mut self) -> K {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { generation: 0, is_used: false, value: None });
            (self.places.len() - 1) as u32
        });
        let place = self.places.get_mut(number as usize).certain();
        place.is_used = true;
        (K::OF)(number | place.generation << PLACE_BITS)
    }

    /// Puts a value in its reserved place. Returns false if that was given back.
    pub(super) fn fill(&mut self, key: K, value: T) -> bool {
        let place = self.place(key);
        place.is_some_and(|place| place.value.replace(value).is_none())
    }

    /// The value under a key; `None` if it is not there any more.
    pub(super) fn get(&self, key: K) -> Option<&T> {
        let place = self.places.get(place_of(key))?;
        place.value.as_ref().filter(|_| place.generation == generation_of(key))
    }

    /// The same to change it.
    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut T> {
        self.place(key)?.value.as_mut()
    }

    /// Gives a value another key: the one before finds nothing any more.
    pub(super) fn renewed(&mut self, key: K) -> K {
        let place = self.place(key).certain();
        place.generation = (place.generation + 1) % GENERATIONS;
        (K::OF)(place_of(key) as u32 | place.generation << PLACE_BITS)
    }

    /// Gives a place back, if it is in use. Returns its value.
    pub(super) fn remove(&mut self, key: K) -> Option<T> {
        let place = self.place(key)?;
        let value = place.value.take();
        place.is_used = false;
        place.generation += 1;
        if place.generation < LAST {
            self.free.push(place_of(key) as u32);
        }
        value
    }

    /// Whether no place is in use.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        !self.places.iter().any(|place| place.is_used)
    }

    /// The values.
    #[cfg(test)]
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.places.iter().filter_map(|place| place.value.as_ref())
    }

    fn place(&mut self, key: K) -> Option<&mut Place<T>> {
        self.places.get_mut(place_of(key)).filter(|place| place.is_used && place.generation == generation_of(key))
    }
}

fn place_of<K: Key>(key: K) -> usize {
    ((K::NUMBER)(key) % PLACES) as usize
}

fn generation_of<K: Key>(key: K) -> u32 {
    (K::NUMBER)(key) >> PLACE_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_used_ten_thousand_times_is_found_by_its_last_key_alone() {
        let mut slab = Slab::<Op, u32>::default();
        let mut keys = Vec::new();
        for number in 0..10_000 {
            let key = slab.reserve();
            assert!(slab.get(key).is_none() && slab.fill(key, number) && !slab.fill(Op(key.0 + PLACES), 0));
            keys.push(key);
            let renewed = if number % 3 == 0 { slab.renewed(key) } else { key };
            // Strays: of each attempt before, of an attempt that nobody makes, and of another place.
            for stray in keys.iter().copied().chain([Op(renewed.0 + PLACES), Op(renewed.0 ^ 1)]) {
                assert_eq!(slab.get(stray).copied(), (stray == renewed).then_some(number));
            }
            assert_eq!((slab.remove(renewed), slab.remove(renewed)), (Some(number), None));
            assert!(slab.is_empty() && !slab.fill(renewed, 1));
            keys = keys.split_off(keys.len().saturating_sub(64));
        }
        assert_eq!(slab.places.len(), 1, "one place serves");
    }

    #[test]
    fn a_place_is_not_used_again_before_a_key_would_come_twice() {
        let mut slab = Slab::<CallId, ()>::default();
        let mut keys: Vec<u32> = (0..2 * GENERATIONS)
            .map(|_| {
                let key = slab.reserve();
                slab.remove(key);
                key.0
            })
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((keys.len(), slab.places.len()), (2 * GENERATIONS as usize, 3));
    }
}
