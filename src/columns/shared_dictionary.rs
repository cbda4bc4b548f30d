//! A dictionary that tables share with the decoding of further partitions.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use super::dictionary::Dictionary;

/// A dictionary with shared ownership. Cloning shares it.
///
/// What is committed never changes, so that a table reads the same values however much is decoded after it was made.
#[derive(Clone)]
pub struct SharedDictionary(Rc<RefCell<Dictionary>>);

impl From<Dictionary> for SharedDictionary {
    fn from(dictionary: Dictionary) -> Self {
        SharedDictionary(Rc::new(RefCell::new(dictionary)))
    }
}

impl SharedDictionary {
    /// Borrows the dictionary to read from it.
    pub fn read(&self) -> Ref<'_, Dictionary> {
        self.0.borrow()
    }

    /// Borrows the dictionary to add to it. Must end before anything else uses the dictionary: at the latest before the next `await`.
    pub fn write(&self) -> RefMut<'_, Dictionary> {
        self.0.borrow_mut()
    }
}
