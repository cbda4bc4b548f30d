//! Events in: each changes the calls, and then what has become possible begins.

use super::calls::Calls;
use super::event::Event;
use super::host::Host;

impl<H: Host> Calls<H> {
    /// Takes note of an event at a time, in milliseconds on a clock that never goes back. An event about something that has ended changes
    /// nothing.
    pub fn handle(&mut self, now: f64, event: Event<H>) {
        match event {
            Event::Headers(op, headers) => self.headers(now, op, headers),
            Event::Thrown(op, thrown) => self.thrown(op, thrown),
            Event::Head(op, head, by_worker) => self.head(now, op, head, by_worker),
            Event::Piece(op, length) => self.piece(now, op, length),
            Event::BodyEnd(op) => self.body_end(now, op),
            Event::Bytes(op, bytes) => self.bytes(now, op, bytes),
            Event::Failed(op, failure) => self.failed(now, op, failure),
            Event::Mapped(op, counts) => self.mapped(op, counts),
            Event::Decoded(op, end) => self.decoded(now, op, end),
            Event::Read(call) => self.read(call),
            Event::Abort(call) => self.abort(call),
            Event::Online => self.online(now),
            Event::Tick => self.tick(now),
        }
        self.schedule(now);
    }
}
