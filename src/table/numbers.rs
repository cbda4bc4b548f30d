//! Every distinct number of a retrieval that does not fit into a cell.

use super::cell::Cell;
use super::index::Index;
use super::memory::{OutOfMemory, push};

/// Numbers, told apart by their bits.
#[derive(Default)]
pub struct Numbers {
    values: Vec<f64>,
    index: Index,
}

impl Numbers {
    /// The cell of a number; the number is added when it is new and does not fit into the cell itself.
    pub fn intern(&mut self, value: f64) -> Result<Cell, OutOfMemory> {
        if let Some(cell) = inline(value) {
            return Ok(cell);
        }
        if let Some(id) = self.find_id(value) {
            return Ok(Cell::number(id));
        }
        if self.values.len() >= Cell::REFERENCES {
            return Err(OutOfMemory);
        }
        let id = self.values.len() as u32;
        push(&mut self.values, value)?;
        self.index.insert(hash(value), id)?;
        Ok(Cell::number(id))
    }

    /// The cell of a number that is there.
    pub fn find(&self, value: f64) -> Option<Cell> {
        inline(value).or_else(|| self.find_id(value).map(Cell::number))
    }

    /// The number with this number.
    pub fn value(&self, id: u32) -> f64 {
        self.values.get(id as usize).copied().unwrap_or(f64::NAN)
    }

    /// All the numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many bytes all of it takes.
    pub fn byte_length(&self) -> usize {
        self.values.capacity() * size_of::<f64>() + self.index.byte_length()
    }

    /// Forgets all but the first `length` numbers.
    pub fn truncate(&mut self, length: usize) {
        if length < self.values.len() {
            self.values.truncate(length);
            self.index.truncate(length as u32);
        }
    }

    fn find_id(&self, value: f64) -> Option<u32> {
        self.index.find(hash(value), |id| self.value(id).to_bits() == value.to_bits())
    }
}

/// The cell that holds the number itself.
fn inline(value: f64) -> Option<Cell> {
    let integer = value as i32;
    let fits = (Cell::MIN..=Cell::MAX).contains(&integer) && f64::from(integer).to_bits() == value.to_bits();
    fits.then(|| Cell::integer(integer))
}

fn hash(value: f64) -> u32 {
    (value.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::cell::Content;
    use proptest::prelude::*;

    fn read(numbers: &Numbers, cell: Cell) -> f64 {
        match cell.content() {
            Content::Integer(value) => f64::from(value),
            Content::Number(id) => numbers.value(id),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn zero_and_minus_zero_are_two_numbers() {
        let mut numbers = Numbers::default();
        let minus = numbers.intern(-0.0).unwrap();
        assert_ne!(minus, numbers.intern(0.0).unwrap());
        assert!(read(&numbers, minus).is_sign_negative());
    }

    proptest! {
        #[test]
        fn a_number_comes_back_bit_by_bit(values in prop::collection::vec(prop_oneof![any::<f64>(), any::<i32>().prop_map(f64::from)], 0..50)) {
            let mut numbers = Numbers::default();
            for value in &values {
                let cell = numbers.intern(*value).unwrap();
                prop_assert_eq!(read(&numbers, cell).to_bits(), value.to_bits());
                prop_assert_eq!(numbers.intern(*value).unwrap(), cell);
                prop_assert_eq!(numbers.find(*value), Some(cell));
            }
        }
    }
}
