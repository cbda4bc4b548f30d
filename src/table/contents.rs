//! The chunks of a catalog: their strings, numbers, paths and shapes under ids that are the same in all tables.

use std::rc::Rc;

use super::member::Member;
use super::string_reader::StringReader;
use chunk::invariant::Certain;
use chunk::value::Value;
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::Shapes;
use chunk::value::strings::text_of;
use chunk::value_of;

/// The chunks of a catalog, and their paths and shapes.
pub struct Contents {
    pub(super) members: Vec<Rc<Member>>,
    pub(super) shapes: Shapes,
    /// The number of findings.
    pub(super) rows: u64,
}

impl Contents {
    /// Returns the value of a global cell.
    pub fn value(&self, cell: Cell) -> Value<'_> {
        value_of(cell, |id| self.number_of(id).certain(), |id| text_of(self.strings().bytes(id)))
    }

    /// Returns the value of a global cell if it is a number.
    #[inline]
    pub(super) fn number(&self, cell: Cell) -> Option<f64> {
        match cell.content() {
            Content::Integer(value) => Some(f64::from(value)),
            Content::Number(id) => Some(self.number_of(id).certain()),
            _ => None,
        }
    }

    /// Returns a number that does not fit into a cell; `None` for an unknown id.
    pub fn number_of(&self, id: u32) -> Option<f64> {
        let at = self.members.partition_point(|member| member.numbers <= id).checked_sub(1)?;
        let member = self.members.get(at)?;
        member.chunk.number(id - member.numbers)
    }

    /// Reads the strings.
    pub fn strings(&self) -> StringReader<'_> {
        StringReader::new(&self.members)
    }

    /// Returns the paths and shapes of all chunks.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }
}
