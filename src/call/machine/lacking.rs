//! The partitions that a collecting call has not received when time or memory ends it.

use std::rc::Rc;

use chunk::memory::{check_reserve, push};

use super::action::Action;
use super::host::Host;
use crate::contract::{Kind, Operation};
use crate::error::{Error, ErrorKind, Subject};

/// The maximum number of unrequested partitions listed in `failures`.
const MAX_LISTED_MISSING: usize = 1 << 16;

/// These partitions. Their errors are made one by one, because all together would need much memory.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Lacking<H: Host> {
    call: H::Call,
    base: Rc<str>,
    inspection: i64,
    kind: Kind,
    /// Why the call has ended.
    error: ErrorKind,
    indexes: std::vec::IntoIter<u64>,
}

impl<H: Host> Lacking<H> {
    /// As many of the missing partitions as are listed.
    pub(super) fn new(
        call: H::Call,
        base: Rc<str>,
        inspection: i64,
        kind: Kind,
        error: ErrorKind,
        missing: impl Iterator<Item = u64>,
    ) -> Self {
        let mut indexes = Vec::new();
        for index in missing.take(MAX_LISTED_MISSING) {
            if push(&mut indexes, index).is_err() {
                break;
            }
        }
        Lacking { call, base, inspection, kind, error, indexes: indexes.into_iter() }
    }

    /// Keeps the error of the next partition, unless memory is short.
    pub(super) fn next(&mut self) -> Option<Action<H>> {
        check_reserve().ok()?;
        let index = self.indexes.next()?;
        let operation = Operation::Partition { kind: self.kind, index };
        let subject = Subject::of_call(self.inspection, Some(self.kind)).at(operation);
        let mut error = Error::new(self.error.clone(), subject, 0);
        error.url = Some([&*self.base, &*operation.path(self.inspection)].concat());
        Some(Action::Missing { call: self.call.clone(), index, error })
    }
}
