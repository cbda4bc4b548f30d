//! An attempt in a worker, as the page holds it.

use std::rc::Rc;

use super::mailbox::Mailbox;

/// An attempt in a worker. Dropping it cancels it unless it has ended.
pub(super) struct RemoteAttempt {
    pub(super) mailbox: Rc<Mailbox>,
    /// Ends it; cancels it unless the argument says that it is over.
    pub(super) end: Box<dyn Fn(bool)>,
}

impl Drop for RemoteAttempt {
    fn drop(&mut self) {
        (self.end)(self.mailbox.told.borrow().is_over);
    }
}
