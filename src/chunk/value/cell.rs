//! One value of one finding, in 32 bits.

/// A value of at most 31 bits, or the id of a value in the dictionary.
///
/// Cells of one dictionary are equal exactly if their values are, with three exceptions: `-0` and `0` have different cells, raw JSON that
/// spells one value in different ways has different cells, and a long string may have several cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u32);

/// The content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An integer of 31 bits.
    Integer(i32),
    /// The id of a string in the dictionary.
    Text(u32),
    /// The id of a number in the dictionary.
    Number(u32),
    /// The id of raw JSON among the strings of the dictionary.
    RawJson(u32),
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// An object whose fields have separate columns.
    Object,
    /// The finding lacks the field.
    Missing,
}

// Integers and strings, the most frequent contents, have the shortest tags: the lowest bit set, and the two lowest bits clear.
const TEXT: u32 = 0b00;
const NUMBER: u32 = 0b0010;
const RAW_JSON: u32 = 0b0110;
const CONSTANT: u32 = 0b1010;

impl Cell {
    /// The finding lacks the field.
    pub const MISSING: Self = Self(CONSTANT);
    /// `null`
    pub const NULL: Self = Self(1 << 4 | CONSTANT);
    /// `false`
    pub(crate) const FALSE: Self = Self(2 << 4 | CONSTANT);
    /// `true`
    pub const TRUE: Self = Self(3 << 4 | CONSTANT);
    /// An object whose fields have separate columns.
    pub const OBJECT: Self = Self(4 << 4 | CONSTANT);

    /// The smallest integer that fits into a cell.
    pub const MIN: i32 = -(1 << 30);
    /// The largest integer that fits into a cell.
    pub const MAX: i32 = (1 << 30) - 1;
    /// The number of ids that a cell can hold of each type.
    pub const REFERENCES: usize = 1 << 28;

    /// Returns true if all these words are cells of integers.
    #[inline]
    pub fn are_integers(words: &[u32]) -> bool {
        words.iter().fold(1, |all, word| all & word) == 1
    }

    /// The cell of an integer, which must lie between -2^30 and 2^30 - 1.
    #[inline]
    pub const fn integer(value: i32) -> Self {
        Self((value as u32) << 1 | 1)
    }

    /// The cell of a string, by id.
    #[inline]
    pub const fn text(id: u32) -> Self {
        Self(id << 2 | TEXT)
    }

    /// The cell of a number, by id.
    #[inline]
    pub const fn number(id: u32) -> Self {
        Self(id << 4 | NUMBER)
    }

    /// The cell of raw JSON, by id.
    #[inline]
    pub const fn raw_json(id: u32) -> Self {
        Self(id << 4 | RAW_JSON)
    }

    /// The cell of `true` or `false`.
    #[inline]
    pub const fn boolean(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The cell with these 32 bits, as [`Self::word`] returns them.
    #[inline]
    pub const fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// Returns the 32 bits of the cell.
    #[inline]
    pub const fn word(self) -> u32 {
        self.0
    }

    /// Returns the integer that the cell holds, if it holds one.
    #[inline]
    pub const fn as_integer(self) -> Option<i32> {
        if self.0 & 1 == 1 { Some(self.0 as i32 >> 1) } else { None }
    }

    /// Returns the cell whose id, if it has one, is counted on from this number of strings or of numbers. Without branches, because it is
    /// done for each cell of a row.
    #[inline]
    pub const fn counted_on(self, strings: u32, numbers: u32) -> Self {
        let text = if self.0 & 3 == TEXT { strings << 2 } else { 0 };
        let raw_json = if self.0 & 15 == RAW_JSON { strings << 4 } else { 0 };
        let number = if self.0 & 15 == NUMBER { numbers << 4 } else { 0 };
        Self(self.0.wrapping_add(text | raw_json | number))
    }

    /// Returns the content of the cell.
    #[inline]
    pub const fn content(self) -> Content {
        if let Some(value) = self.as_integer() {
            return Content::Integer(value);
        }
        if self.0 & 3 == TEXT {
            return Content::Text(self.0 >> 2);
        }
        match self.0 & 15 {
            NUMBER => Content::Number(self.0 >> 4),
            RAW_JSON => Content::RawJson(self.0 >> 4),
            _ => match self {
                Self::NULL => Content::Null,
                Self::FALSE => Content::Boolean(false),
                Self::TRUE => Content::Boolean(true),
                Self::OBJECT => Content::Object,
                _ => Content::Missing,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_ids_on_and_leaves_other_values() {
        assert_eq!(Cell::text(3).counted_on(5, 9), Cell::text(8));
        assert_eq!(Cell::raw_json(3).counted_on(5, 9), Cell::raw_json(8));
        assert_eq!(Cell::number(3).counted_on(5, 9), Cell::number(12));
        for cell in [Cell::integer(-7), Cell::NULL, Cell::TRUE, Cell::OBJECT, Cell::MISSING] {
            assert_eq!(cell.counted_on(5, 9), cell);
        }
    }

    #[test]
    fn returns_the_content_that_it_was_made_from() {
        for value in [0, 1, -1, 5, Cell::MIN, Cell::MAX] {
            assert_eq!(Cell::integer(value).content(), Content::Integer(value));
        }
        for id in [0, 1, 77, Cell::REFERENCES as u32 - 1] {
            assert_eq!(Cell::text(id).content(), Content::Text(id));
            assert_eq!(Cell::number(id).content(), Content::Number(id));
            assert_eq!(Cell::raw_json(id).content(), Content::RawJson(id));
        }
        assert_eq!(Cell::NULL.content(), Content::Null);
        assert_eq!(Cell::boolean(true).content(), Content::Boolean(true));
        assert_eq!(Cell::boolean(false).content(), Content::Boolean(false));
        assert_eq!(Cell::OBJECT.content(), Content::Object);
        assert_eq!(Cell::MISSING.content(), Content::Missing);
    }
}
