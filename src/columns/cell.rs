//! One value of one finding, in 32 bits.

/// A value, or where the dictionary keeps it.
///
/// Two cells of one dictionary are equal exactly when their values are, except that `-0` and `0` have two cells, and that
/// arrays are told apart by their JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u32);

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// An integer of 31 bits.
    Integer(i32),
    /// The text with this number in the dictionary's strings.
    Text(u32),
    /// The number with this number in the dictionary's numbers.
    Number(u32),
    /// The JSON text with this number in the dictionary's strings.
    RawJson(u32),
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// An object whose fields have columns of their own.
    Object,
    /// The finding has no such field.
    Missing,
}

// The lowest bit is set for an integer, and the two lowest are clear for a text, because these are most of all cells.
const TEXT: u32 = 0b00;
const NUMBER: u32 = 0b0010;
const RAW_JSON: u32 = 0b0110;
const CONSTANT: u32 = 0b1010;

impl Cell {
    /// The finding has no such field.
    pub(crate) const MISSING: Self = Self(CONSTANT);
    /// `null`
    pub(crate) const NULL: Self = Self(1 << 4 | CONSTANT);
    /// `false`
    pub(crate) const FALSE: Self = Self(2 << 4 | CONSTANT);
    /// `true`
    pub(crate) const TRUE: Self = Self(3 << 4 | CONSTANT);
    /// An object whose fields have columns of their own.
    pub(crate) const OBJECT: Self = Self(4 << 4 | CONSTANT);

    /// The smallest integer that fits into a cell.
    pub(crate) const MIN: i32 = -(1 << 30);
    /// The largest integer that fits into a cell.
    pub(crate) const MAX: i32 = (1 << 30) - 1;
    /// How many texts, numbers or tokens can be told apart.
    pub(crate) const REFERENCES: usize = 1 << 28;

    /// The cell of an integer from [`Self::MIN`] to [`Self::MAX`].
    #[inline]
    pub const fn integer(value: i32) -> Self {
        Self((value as u32) << 1 | 1)
    }

    /// The cell of the text with this number.
    #[inline]
    pub(crate) const fn text(id: u32) -> Self {
        Self(id << 2 | TEXT)
    }

    /// The cell of the number with this number.
    #[inline]
    pub(crate) const fn number(id: u32) -> Self {
        Self(id << 4 | NUMBER)
    }

    /// The cell of the JSON text with this number.
    #[inline]
    pub(crate) const fn raw_json(id: u32) -> Self {
        Self(id << 4 | RAW_JSON)
    }

    /// The cell of `true` or `false`.
    #[inline]
    pub(crate) const fn boolean(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The cell that [`Self::word`] came from.
    #[inline]
    pub const fn from_word(word: u32) -> Self {
        Self(word)
    }

    /// The 32 bits.
    #[inline]
    pub const fn word(self) -> u32 {
        self.0
    }

    /// The integer that the cell holds itself, if it does.
    #[inline]
    pub const fn as_integer(self) -> Option<i32> {
        if self.0 & 1 == 1 { Some(self.0 as i32 >> 1) } else { None }
    }

    /// What the cell says.
    #[inline]
    pub(crate) const fn content(self) -> Content {
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
    fn a_cell_says_what_was_put_into_it() {
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
