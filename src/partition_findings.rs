//! The findings of one partition: in columns, or as objects of the host.

use std::cell::RefCell;
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

/// The chunk that stands for all without findings, because an inspection may have many such partitions.
#[derive(Default)]
pub(crate) struct EmptyChunk(RefCell<Option<Rc<Chunk>>>);

impl EmptyChunk {
    /// Returns a chunk, or the one that stands for it.
    pub(crate) fn shared(&self, chunk: Rc<Chunk>) -> Rc<Chunk> {
        if chunk.is_empty() { Rc::clone(self.0.borrow_mut().get_or_insert(chunk)) } else { chunk }
    }
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

#[cfg(test)]
mod tests {
    use columns::decode::Decoder;
    use columns::dictionary::Dictionary;

    use super::*;

    #[test]
    fn partitions_without_findings_share_a_chunk() {
        let chunk_of = |body: &str| {
            let mut decoder = Decoder::new(body.into(), Dictionary::default());
            assert_eq!(decoder.advance(usize::MAX), Ok(true));
            Rc::new(decoder.finish().findings.unwrap())
        };
        let empty = EmptyChunk::default();
        let [first, second] = [1, 2].map(|_| empty.shared(chunk_of(r#"{"Findings":[]}"#)));
        let [one, other] = [1, 2].map(|_| empty.shared(chunk_of(r#"{"Findings":[{"a":1}]}"#)));
        assert!(Rc::ptr_eq(&first, &second));
        assert!(!Rc::ptr_eq(&one, &other) && one.len() == 1);
    }
}
