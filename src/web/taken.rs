//! The chunks of partitions on their way from the decoder to their call.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::Chunk;

use call::machine::{CallId, Op};

/// The partitions that are being decoded, or have not been delivered.
#[derive(Default)]
pub(super) struct Taken {
    partitions: RefCell<Vec<Partition>>,
    /// Stands for all chunks without findings.
    empty: RefCell<Option<Rc<Chunk>>>,
}

struct Partition {
    op: Op,
    call: CallId,
    /// The chunk of an earlier table, with which it is compared.
    earlier: Option<Rc<Chunk>>,
    chunk: Option<Rc<Chunk>>,
}

impl Taken {
    /// Drops what has become of a body.
    pub(super) fn cancel(&self, op: Op) {
        self.take(op);
    }

    /// Takes note that a body is being decoded.
    pub(super) fn expect(&self, op: Op, call: CallId, earlier: Option<Rc<Chunk>>) {
        self.take(op);
        self.partitions.borrow_mut().push(Partition { op, call, earlier, chunk: None });
    }

    /// Keeps a chunk. Returns its call, and whether it has the findings of the chunk that it is compared with; `None` if nobody waits for it.
    pub(super) fn fill(&self, op: Op, chunk: &Rc<Chunk>) -> Option<(CallId, Option<bool>)> {
        let mut partitions = self.partitions.borrow_mut();
        let one = partitions.iter_mut().find(|one| one.op == op)?;
        one.chunk = Some(Rc::clone(chunk));
        Some((one.call, one.earlier.take().map(|earlier| earlier.is_same(chunk))))
    }

    /// Takes the chunk that a body has become.
    pub(super) fn take(&self, op: Op) -> Option<Rc<Chunk>> {
        let mut partitions = self.partitions.borrow_mut();
        let position = partitions.iter().position(|one| one.op == op)?;
        partitions.swap_remove(position).chunk
    }

    /// The number of partitions.
    pub(super) fn len(&self) -> usize {
        self.partitions.borrow().len()
    }

    /// One chunk for all without findings.
    pub(super) fn shared(&self, chunk: Rc<Chunk>) -> Rc<Chunk> {
        if !chunk.is_empty() {
            return chunk;
        }
        Rc::clone(self.empty.borrow_mut().get_or_insert(chunk))
    }
}
