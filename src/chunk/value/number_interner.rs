//! The distinct numbers of a partition that is being decoded, as far as they do not fit into a cell.

use super::cell::Cell;
use crate::hash::HashSeed;
use crate::hash_index::HashIndex;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push};
use crate::packing::Packer;

/// Stores each number once, by id. Numbers are compared by their bits.
pub struct NumberInterner {
    read: Option<ReadNumber>,
    seed: HashSeed,
    values: Vec<f64>,
    index: HashIndex,
}

/// Parses a JSON number and rounds it as `JSON.parse` does. The host provides it, because correct rounding needs large tables.
pub type ReadNumber = fn(&str) -> f64;

/// Parses a number with Rust's standard library. For tests.
#[cfg(any(test, feature = "testing"))]
pub fn rust_number(json: &str) -> f64 {
    json.parse().unwrap_or(f64::NAN)
}

impl NumberInterner {
    /// An empty interner. `read` parses the numbers that need correct rounding.
    pub fn new(read: Option<ReadNumber>, seed: HashSeed) -> Self {
        NumberInterner { read, seed, values: Vec::new(), index: HashIndex::default() }
    }

    /// Returns the cell of a JSON number that needs more than a few operations to read; `None` without `read`.
    pub fn read(&mut self, json: &str) -> Result<Option<Cell>, OutOfMemory> {
        self.read.map(|read| self.intern(read(json))).transpose()
    }

    /// Returns the cell of a number. A new number that does not fit into a cell gets an id.
    pub fn intern(&mut self, value: f64) -> Result<Cell, OutOfMemory> {
        if let Some(cell) = inline(value) {
            return Ok(cell);
        }
        let bits = value.to_bits();
        let hash = self.seed.of_words(&[bits as u32, (bits >> 32) as u32]);
        let is_equal = |id: u32| self.values.get(id as usize).certain().to_bits() == bits;
        if let Some(id) = self.index.find(hash, is_equal) {
            return Ok(Cell::number(id));
        }
        // A body, of less than 2^31 bytes, has no more numbers than a cell can refer to.
        (self.values.len() < Cell::REFERENCES).then_some(()).certain();
        let id = self.values.len() as u32;
        push(&mut self.values, value)?;
        self.index.insert(hash, id)?;
        Ok(Cell::number(id))
    }

    /// Writes the numbers.
    pub fn pack(&self, packer: &mut Packer) -> Result<(), OutOfMemory> {
        packer.list(self.values.iter().map(|value| value.to_bits().to_le_bytes()))
    }

    #[cfg(test)]
    pub(crate) fn value(&self, id: u32) -> f64 {
        self.values[id as usize]
    }
}

/// Returns a cell with the number itself, if it fits.
pub fn inline(value: f64) -> Option<Cell> {
    let integer = value as i32;
    let fits = (Cell::MIN..=Cell::MAX).contains(&integer) && f64::from(integer).to_bits() == value.to_bits();
    fits.then(|| Cell::integer(integer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::cell::Content;
    use proptest::prelude::*;

    fn read(numbers: &NumberInterner, cell: Cell) -> f64 {
        match cell.content() {
            Content::Integer(value) => f64::from(value),
            Content::Number(id) => numbers.values[id as usize],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn zero_and_minus_zero_are_two_numbers() {
        let mut numbers = NumberInterner::new(Some(rust_number), HashSeed::default());
        let minus = numbers.intern(-0.0).unwrap();
        assert_ne!(minus, numbers.intern(0.0).unwrap());
        assert!(read(&numbers, minus).is_sign_negative());
    }

    proptest! {
        #[test]
        fn returns_each_number_bit_for_bit(values in prop::collection::vec(prop_oneof![any::<f64>(), any::<i32>().prop_map(f64::from)], 0..50)) {
            let mut numbers = NumberInterner::new(Some(rust_number), HashSeed::default());
            for value in &values {
                let cell = numbers.intern(*value).unwrap();
                prop_assert_eq!(read(&numbers, cell).to_bits(), value.to_bits());
                prop_assert_eq!(numbers.intern(*value).unwrap(), cell);
            }
        }
    }
}
