//! The room of one client for bytes that nobody has read yet: given first come, first served, by what a body is expected to need.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
#[cfg(test)]
use std::rc::Weak;
use std::task::{Poll, Waker};

/// Room for a number of bytes, shared by all calls of one client.
#[derive(Clone, Debug)]
pub struct Budget {
    line: Rc<Line>,
}

/// What one call may take of a budget. Its bodies are asked for one after the other, so it stands in the line only once.
pub struct Share {
    line: Rc<Line>,
    limit: u64,
    held: Rc<Cell<u64>>,
    guess: u64,
    largest: Rc<Cell<Option<u64>>>,
    place: Cell<Option<Rc<Place>>>,
}

/// Room for one body and what is made of it; given back when it is dropped.
///
/// Bytes are counted in 64 bits: what is expected of bodies can be more than the memory of the module could ever hold.
#[derive(Debug)]
pub struct Room {
    line: Rc<Line>,
    held_by_call: Rc<Cell<u64>>,
    largest: Rc<Cell<Option<u64>>>,
    expected: u64,
    bytes: Cell<u64>,
    #[cfg(test)]
    entry: Rc<Entry>,
}

/// What tests are told of a room.
#[cfg(test)]
#[derive(Debug)]
pub struct Entry {
    /// The least that it has had, which others may have counted on when they were given theirs.
    pub least: Cell<u64>,
    /// Whether it was given because a reader waited.
    pub reader_waited: bool,
    /// What it has now.
    pub bytes: Cell<u64>,
}

#[cfg(test)]
impl Entry {
    fn note(&self, bytes: u64) {
        self.bytes.set(bytes);
        self.least.set(self.least.get().min(bytes));
    }
}

#[derive(Debug)]
struct Line {
    limit: u64,
    held: Cell<u64>,
    #[cfg(test)]
    entries: RefCell<Vec<Weak<Entry>>>,
    places: RefCell<Vec<Rc<Place>>>,
}

#[derive(Debug)]
struct Place {
    waker: RefCell<Waker>,
}

impl Budget {
    /// A budget of that many bytes.
    pub fn new(limit: u64) -> Self {
        let line = Line {
            limit,
            held: Cell::new(0),
            #[cfg(test)]
            entries: RefCell::default(),
            places: RefCell::default(),
        };
        Budget { line: Rc::new(line) }
    }

    /// The share of a call that takes at most `limit` bytes, and expects a body to need `guess` of them until it has seen one.
    pub fn share(&self, limit: u64, guess: u64) -> Share {
        let limit = limit.min(self.line.limit);
        Share {
            line: Rc::clone(&self.line),
            limit,
            held: Rc::default(),
            guess,
            largest: Rc::default(),
            place: Cell::new(None),
        }
    }

    /// Bytes that can be taken.
    pub fn limit(&self) -> u64 {
        self.line.limit
    }

    /// Bytes that are taken at the moment.
    pub fn held(&self) -> u64 {
        self.line.held.get()
    }

    /// The rooms that are given at the moment.
    #[cfg(test)]
    pub fn entries(&self) -> Vec<Rc<Entry>> {
        self.line.entries.borrow_mut().retain(|entry| entry.strong_count() > 0);
        self.line.entries.borrow().iter().filter_map(Weak::upgrade).collect()
    }
}

impl Share {
    /// Asks for the room for the next body. Where a reader waits for just this one it is given at once, full or not, so that
    /// nothing that others leave unread can keep it from going on. Such a room takes nothing before [`Room::begin`].
    ///
    /// Whoever asks has to ask again whenever a body of the same call has come or was read; for the others there is the waker.
    pub fn poll_room(&self, reader_waits: bool, waker: &Waker) -> Poll<Room> {
        let bytes = self.largest.get().unwrap_or(self.guess);
        let fits_share = self.held.get() + bytes <= self.limit;
        let place = self.place.take();
        if reader_waits || fits_share && self.line.admits(place.as_ref(), bytes) {
            self.line.leave(place);
            return Poll::Ready(Room::new(self, bytes, reader_waits));
        }
        if fits_share {
            self.place.set(Some(self.line.stand(place, waker)));
        } else {
            // Others need not wait for what this call has to read first.
            self.line.leave(place);
        }
        Poll::Pending
    }

    /// Leaves the line, because there is nothing more to ask for.
    pub fn leave(&self) {
        self.line.leave(self.place.take());
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Room {
    fn new(share: &Share, bytes: u64, reader_waited: bool) -> Self {
        let line = Rc::clone(&share.line);
        #[cfg(test)]
        let entry = {
            let entry = Rc::new(Entry { least: Cell::new(bytes), reader_waited, bytes: Cell::new(0) });
            line.entries.borrow_mut().push(Rc::downgrade(&entry));
            entry
        };
        let room = Room {
            line,
            held_by_call: Rc::clone(&share.held),
            largest: Rc::clone(&share.largest),
            expected: bytes,
            bytes: Cell::new(0),
            #[cfg(test)]
            entry,
        };
        if !reader_waited {
            room.begin();
        }
        room
    }

    /// Takes what the body is expected to need, because its request begins.
    pub fn begin(&self) {
        self.at_least(self.expected);
    }

    /// Notes that so many bytes have come or are announced, which may be more than was expected.
    pub fn at_least(&self, bytes: u64) {
        self.set(self.bytes.get().max(bytes));
    }

    /// Notes that the whole body has come, of which it is not known yet what will be made of it.
    pub fn received(&self, bytes: u64) {
        self.largest.set(self.largest.get().max(Some(bytes)));
        self.at_least(bytes);
    }

    /// Notes what was made of the body, which is all that is left of it, and from which is known what to expect of the next ones.
    pub fn takes(&self, bytes: u64) {
        self.largest.set(self.largest.get().max(Some(bytes)));
        self.set(bytes);
    }

    /// The bytes that it has.
    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Takes just so many bytes.
    pub fn set(&self, bytes: u64) {
        let before = self.bytes.replace(bytes);
        #[cfg(test)]
        self.entry.note(bytes);
        for held in [&self.line.held, &*self.held_by_call] {
            held.update(|held| held - before + bytes);
        }
        if bytes < before {
            self.line.wake_first();
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl Line {
    /// Whether there is room, and nobody before.
    fn admits(&self, place: Option<&Rc<Place>>, bytes: u64) -> bool {
        let places = self.places.borrow();
        let is_first = places.first().is_none_or(|first| place.is_some_and(|place| Rc::ptr_eq(first, place)));
        is_first && self.held.get() + bytes <= self.limit
    }

    fn stand(&self, place: Option<Rc<Place>>, waker: &Waker) -> Rc<Place> {
        if let Some(place) = place {
            place.waker.borrow_mut().clone_from(waker);
            return place;
        }
        let place = Rc::new(Place { waker: RefCell::new(waker.clone()) });
        self.places.borrow_mut().push(Rc::clone(&place));
        place
    }

    fn leave(&self, place: Option<Rc<Place>>) {
        if let Some(place) = place {
            self.places.borrow_mut().retain(|other| !Rc::ptr_eq(other, &place));
            self.wake_first();
        }
    }

    fn wake_first(&self) {
        let first = self.places.borrow().first().map(|place| place.waker.borrow().clone());
        if let Some(waker) = first {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::task::noop_waker;
    use proptest::prelude::*;

    fn ask(share: &Share, reader_waits: bool) -> Option<Room> {
        match share.poll_room(reader_waits, &noop_waker()) {
            Poll::Ready(room) => Some(room),
            Poll::Pending => None,
        }
    }

    #[test]
    fn before_anything_was_seen_each_body_is_expected_to_be_as_large_as_guessed() {
        let budget = Budget::new(100);
        let share = budget.share(60, 20);
        let rooms: Vec<_> = (0..3).map_while(|_| ask(&share, false)).collect();
        assert_eq!((rooms.len(), budget.held()), (3, 60));
        assert!(ask(&share, false).is_none());
    }

    #[test]
    fn a_body_is_expected_to_be_as_large_as_the_largest_that_came() {
        let budget = Budget::new(100);
        let share = budget.share(100, 50);
        let first = ask(&share, false).unwrap();
        first.takes(40);
        let second = ask(&share, false).unwrap();
        second.takes(10);
        assert_eq!(budget.held(), 50);
        assert!(ask(&share, false).is_some_and(|room| room.bytes.get() == 40));
        second.at_least(61);
        assert!(ask(&share, false).is_none());
    }

    #[test]
    fn a_body_is_expected_to_become_as_large_as_what_was_made_of_another() {
        let budget = Budget::new(100);
        let share = budget.share(100, 2);
        let first = ask(&share, false).unwrap();
        first.takes(20);
        first.takes(50);
        assert!(ask(&share, false).is_some_and(|room| room.bytes.get() == 50));
    }

    #[test]
    fn what_a_reader_waits_for_is_let_in_however_full_it_is() {
        let budget = Budget::new(10);
        let (idle, waiting) = (budget.share(10, 10), budget.share(10, 10));
        let _unread = ask(&idle, false).unwrap();
        assert!(ask(&waiting, false).is_none());
        assert!(ask(&waiting, true).is_some());
    }

    #[test]
    fn what_a_reader_waits_for_takes_no_room_before_its_request_begins() {
        let budget = Budget::new(10);
        let rooms: Vec<_> = (0..500).filter_map(|_| ask(&budget.share(10, 10), true)).collect();
        assert_eq!((rooms.len(), budget.held()), (500, 0));
        rooms[7].begin();
        assert_eq!(budget.held(), 10);
    }

    #[test]
    fn rooms_of_more_bytes_than_32_bits_count_are_held_and_given_back_exactly() {
        let limit = 1_u64 << 30;
        let budget = Budget::new(limit);
        let shares: Vec<_> = (0..30).map(|_| budget.share(limit, limit / 6)).collect();
        let rooms: Vec<_> = shares.iter().filter_map(|share| ask(share, true)).collect();
        rooms.iter().for_each(Room::begin);
        assert_eq!(budget.held(), 30 * (limit / 6));
        drop(rooms);
        assert_eq!(budget.held(), 0);
        assert!(ask(&budget.share(limit, limit), false).is_some());
    }

    #[test]
    fn nobody_overtakes_whoever_came_first() {
        let budget = Budget::new(10);
        let (holder, early, late) = (budget.share(10, 10), budget.share(10, 10), budget.share(1, 1));
        let room = ask(&holder, false).unwrap();
        assert!(ask(&early, false).is_none() && ask(&late, false).is_none());
        room.set(5);
        assert!(ask(&late, false).is_none(), "there would be room for it, but it came later");
        drop(room);
        assert!(ask(&late, false).is_none());
        assert!(ask(&early, false).is_some());
        assert!(ask(&late, false).is_some());
    }

    #[test]
    fn a_call_that_has_to_read_first_keeps_nobody_waiting() {
        let budget = Budget::new(10);
        let (full, other) = (budget.share(4, 4), budget.share(4, 4));
        let _unread = ask(&full, false).unwrap();
        assert!(ask(&full, false).is_none());
        assert!(ask(&other, false).is_some());
    }

    #[test]
    fn a_share_that_wants_nothing_more_leaves_the_line() {
        let budget = Budget::new(10);
        let (holder, early, late) = (budget.share(10, 10), budget.share(10, 10), budget.share(10, 10));
        let room = ask(&holder, false);
        assert!(ask(&early, false).is_none() && ask(&late, false).is_none());
        drop(room);
        early.leave();
        assert!(ask(&late, false).is_some());
    }

    #[test]
    fn a_share_that_is_dropped_leaves_the_line() {
        let budget = Budget::new(10);
        let (holder, early, late) = (budget.share(10, 10), budget.share(10, 10), budget.share(10, 10));
        let room = ask(&holder, false);
        assert!(ask(&early, false).is_none() && ask(&late, false).is_none());
        drop((room, early));
        assert!(ask(&late, false).is_some());
    }

    proptest! {
        #[test]
        fn what_is_held_is_the_sum_of_the_rooms_and_without_waiting_readers_never_above_the_limit(
            limit in 1u64..50,
            steps in prop::collection::vec((0usize..3, 0u8..4, any::<prop::sample::Index>(), 0u64..20), 0..200),
        ) {
            let budget = Budget::new(limit);
            let shares: Vec<_> = (1..=3u64).map(|part| budget.share(limit / part, limit / part / 2)).collect();
            let mut rooms = Vec::new();
            for (share, step, which, bytes) in steps {
                match step {
                    0 => rooms.extend(ask(&shares[share], false)),
                    1 if !rooms.is_empty() => drop(rooms.swap_remove(which.index(rooms.len()))),
                    2 if !rooms.is_empty() => {
                        let room: &Room = &rooms[which.index(rooms.len())];
                        room.takes(bytes.min(room.bytes.get()));
                    }
                    _ => {}
                }
                prop_assert!(budget.held() <= limit);
                prop_assert_eq!(budget.held(), rooms.iter().map(|room| room.bytes.get()).sum::<u64>());
            }
            drop(rooms);
            drop(shares);
            prop_assert_eq!(budget.held(), 0);
            prop_assert!(ask(&budget.share(limit, limit), false).is_some());
        }
    }
}
