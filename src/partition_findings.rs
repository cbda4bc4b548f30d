//! The findings of one partition: in columns, or as objects of the host.

use std::rc::Rc;

use columns::chunk::Chunk;

use crate::accumulator::Findings;

/// The findings of a partition.
#[derive(Clone)]
pub(crate) enum PartitionFindings<Objects> {
    /// In columns.
    Columns(Rc<Chunk>),
    /// As objects, and their number.
    Objects(Objects, usize),
}

impl<Objects> Findings for PartitionFindings<Objects> {
    fn len(&self) -> usize {
        match self {
            PartitionFindings::Columns(chunk) => chunk.len(),
            PartitionFindings::Objects(_, count) => *count,
        }
    }

    fn byte_length(&self, body: usize) -> usize {
        match self {
            PartitionFindings::Columns(chunk) => chunk.byte_length(),
            // Objects are about as large as the body.
            PartitionFindings::Objects(..) => body,
        }
    }
}
