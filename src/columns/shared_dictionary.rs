//! A dictionary that tables share with the decoding of later partitions.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use futures_util::lock::{Mutex, MutexLockFuture};

use super::cell::{Cell, Content};
use super::dictionary::Dictionary;
use super::host_json::{CanonicalJson, HostJson};
use super::memory::{OutOfMemory, try_to_owned};
use super::repeats::Repeats;
use super::spellings::Spellings;

/// A dictionary with shared ownership. Cloning shares it.
/// Committed entries never change, so a table reads the same values even if more is decoded later.
#[derive(Clone)]
pub struct SharedDictionary(Rc<Shared>);

struct Shared {
    dictionary: RefCell<Dictionary>,
    spellings: RefCell<Spellings>,
    repeats: RefCell<Repeats>,
    canonical: CanonicalJson,
    /// Locked while a partition is decoded. Tables read the dictionary between the slices of a decoding.
    decoding: Mutex<()>,
}

/// Raw JSON is equal if its texts are. For tests.
impl From<Dictionary> for SharedDictionary {
    fn from(dictionary: Dictionary) -> Self {
        Self::new(dictionary, HostJson::RUST.canonical)
    }
}

impl SharedDictionary {
    /// Shares a dictionary. `canonical` writes raw JSON so that equal values have the same text.
    pub fn new(dictionary: Dictionary, canonical: CanonicalJson) -> Self {
        let spellings = RefCell::new(Spellings::new(dictionary.seed().clone()));
        SharedDictionary(Rc::new(Shared {
            dictionary: RefCell::new(dictionary),
            spellings,
            repeats: RefCell::default(),
            canonical,
            decoding: Mutex::default(),
        }))
    }

    /// Shares another dictionary, in which raw JSON is written canonically in the same way.
    pub(crate) fn of_other(&self, dictionary: Dictionary) -> Self {
        Self::new(dictionary, self.0.canonical)
    }

    /// Waits until no other partition is decoded with this dictionary, and locks it. The order of the partitions does not matter.
    pub fn lock(&self) -> MutexLockFuture<'_, ()> {
        self.0.decoding.lock()
    }

    /// Removes what a cancelled decoding has left behind.
    pub fn clean(&self) {
        if let Some(_decoding) = self.0.decoding.try_lock() {
            self.write().rollback();
        }
    }

    /// Borrows the dictionary to read from it.
    pub fn read(&self) -> Ref<'_, Dictionary> {
        self.0.dictionary.borrow()
    }

    /// Borrows the dictionary to add to it. The borrow must end before any other use: at the latest before the next `await`.
    pub fn write(&self) -> RefMut<'_, Dictionary> {
        self.0.dictionary.borrow_mut()
    }

    /// Borrows the values of the raw JSON that has been [normalized](Self::normalized).
    pub(crate) fn spellings(&self) -> Ref<'_, Spellings> {
        self.0.spellings.borrow()
    }

    /// Returns the cell that stands for all cells with an equal value. As for the keys of a JavaScript `Map`, `-0` and `0` are one value.
    /// Raw JSON is one value if `JSON.stringify` writes the same text. May call the host, so the dictionary must not be borrowed.
    #[inline]
    pub(crate) fn normalized(&self, cell: Cell) -> Result<Cell, OutOfMemory> {
        match cell.content() {
            Content::Number(id) if self.read().numbers.value(id) == 0.0 => Ok(Cell::integer(0)),
            Content::Text(id) => self.first_text(id).map(Cell::text),
            Content::RawJson(id) => self.first_spelling(id).map(Cell::raw_json),
            _ => Ok(cell),
        }
    }

    /// Returns the id that stands for all texts that equal this one. A dictionary may have a long text several times, or get it again from a
    /// later partition: results of queries that are kept until then have the id that was returned first.
    #[inline]
    pub(crate) fn first_text(&self, id: u32) -> Result<u32, OutOfMemory> {
        let strings = &self.read().strings;
        if strings.is_long(id) { self.0.repeats.borrow_mut().first(strings, id) } else { Ok(id) }
    }

    #[inline(never)]
    fn first_spelling(&self, id: u32) -> Result<u32, OutOfMemory> {
        let known = self.spellings().first(id);
        if let Some(first) = known {
            return Ok(first);
        }
        let json = try_to_owned(self.read().strings.text(id))?;
        let text = (self.0.canonical)(&json)?;
        self.0.spellings.borrow_mut().add(id, &text)
    }
}
