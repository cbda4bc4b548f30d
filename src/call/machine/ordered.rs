//! Numbers in the order of their moments or indexes: the first is found without looking at the others.

/// Numbers, each with the key that it is ordered by. To move them all costs less than what is done for one.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Ordered<T>(Vec<(f64, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<T: Copy + PartialEq> Ordered<T> {
    /// Adds a number, behind those with the same key. An infinite key stands for none.
    pub(super) fn insert(&mut self, key: f64, number: T) {
        if key.is_finite() {
            let place = self.0.partition_point(|(other, _)| *other <= key);
            self.0.insert(place, (key, number));
        }
    }

    /// Removes a number that was added with this key.
    pub(super) fn remove(&mut self, key: f64, number: T) {
        let from = self.0.partition_point(|(other, _)| *other < key);
        if let Some(behind) = self.0.iter().skip(from).position(|(_, other)| *other == number) {
            self.0.remove(from + behind);
        }
    }

    /// The first number, with its key.
    pub(super) fn first(&self) -> Option<(f64, T)> {
        self.0.first().copied()
    }

    /// The first key; infinity if there is none.
    pub(super) fn first_key(&self) -> f64 {
        self.0.first().map_or(f64::INFINITY, |(key, _)| *key)
    }

    /// The numbers up to this key, in their order.
    pub(super) fn until(&self, key: f64) -> impl Iterator<Item = T> {
        self.0.iter().take_while(move |(other, _)| *other <= key).map(|(_, number)| *number)
    }

    /// Whether there is none.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
