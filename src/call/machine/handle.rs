//! Events in: each changes the calls, and then what has become possible begins.

use super::calls::Calls;
use super::event::Event;
use super::host::Host;

impl<H: Host> Calls<H> {
    /// Takes note of an event at a time, in milliseconds on a clock that never goes back. An event about something that has ended changes
    /// nothing.
    pub fn handle(&mut self, now: f64, event: Event<H>) {
        if !self.is_late(&event) {
            self.take_event(now, event);
            self.schedule(now);
        }
    }

    fn is_late(&self, event: &Event<H>) -> bool {
        match event {
            Event::Head(op, ..)
            | Event::Piece(op, _)
            | Event::BodyEnd(op)
            | Event::Bytes(op, _)
            | Event::Failed(op, _)
            | Event::Mapped(op, _)
            | Event::Decoded(op, _) => self.requests.get(*op).is_none(),
            Event::Read(call) => self.calls.get(*call).is_none(),
            // The headers may be those of a refresh, and what was to be done for a call that has ended remains to be done unless it is aborted.
            Event::Headers(..) | Event::Thrown(..) | Event::Abort(_) | Event::Online | Event::Tick => false,
        }
    }

    fn take_event(&mut self, now: f64, event: Event<H>) {
        match event {
            Event::Headers(op, headers) => self.headers(now, op, headers),
            Event::Thrown(op, thrown) => self.thrown(op, thrown),
            Event::Head(op, head, by_worker, headers) => self.head(now, op, head, by_worker, headers),
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
    }
}
