//! The parcels of one dictionary of a worker.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use columns::dictionary::Dictionary;
use columns::parcel::{UnpackError, unpack};

use super::mailbox::Mailbox;

/// The parcels of one dictionary of a worker, which a dictionary of the page takes in the order in which they were packed.
///
/// A parcel is taken even if nobody waits for its chunk: those after it refer to its entries.
#[derive(Default)]
pub(super) struct Mirror {
    /// Those that wait, with their numbers.
    parcels: RefCell<Vec<(u32, Parcel)>>,
    /// The number of the first parcel that has not been taken.
    next: Cell<u32>,
}

pub(super) struct Parcel {
    pub(super) bytes: Vec<u8>,
    pub(super) mailbox: Option<Rc<Mailbox>>,
}

impl Mirror {
    pub(super) fn add(&self, number: u32, parcel: Parcel) {
        let is_new = number >= self.next.get() && !self.parcels.borrow().iter().any(|(other, _)| *other == number);
        if is_new {
            self.parcels.borrow_mut().push((number, parcel));
        }
        // One that came late may be the one that others wait for.
        let waiting: Vec<_> = self.parcels.borrow().iter().filter_map(|(_, parcel)| parcel.mailbox.clone()).collect();
        waiting.iter().for_each(|mailbox| mailbox.wake());
    }

    /// Whether all parcels up to this one have come.
    pub(super) fn reaches(&self, number: u32) -> bool {
        let parcels = self.parcels.borrow();
        (self.next.get()..=number).all(|number| parcels.iter().any(|(other, _)| *other == number))
    }

    /// Adds the entries of parcels to the dictionary, up to the one whose chunk a mailbox waits for.
    pub(super) fn take_until(&self, mailbox: &Rc<Mailbox>, dictionary: &mut Dictionary) -> Result<(), UnpackError> {
        while mailbox.told.borrow().chunk.is_none() {
            let number = self.next.get();
            let Some(parcel) = self.remove(number) else { return Err(UnpackError::Malformed) };
            match unpack(&parcel.bytes, dictionary) {
                Ok(chunk) => {
                    self.next.set(number + 1);
                    if let Some(mailbox) = parcel.mailbox {
                        mailbox.told.borrow_mut().chunk = Some(chunk);
                    }
                }
                Err(error) => {
                    // There may be memory for it later.
                    self.parcels.borrow_mut().push((number, parcel));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn remove(&self, number: u32) -> Option<Parcel> {
        let mut parcels = self.parcels.borrow_mut();
        let position = parcels.iter().position(|(other, _)| *other == number)?;
        Some(parcels.swap_remove(position).1)
    }
}
