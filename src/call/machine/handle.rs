//! Events in: each changes the calls, and then what has become possible begins.

use super::calls::Calls;
use super::event::Event;
use super::host::Host;
use super::request::State;
use super::slab::Op;

impl<H: Host> Calls<H> {
    /// Takes note of an event at a time, in milliseconds on a clock that never goes back. An event about something that has ended changes
    /// nothing.
    pub fn handle(&mut self, now: f64, event: Event<H>) {
        match event {
            Event::Begin(begin) => self.begin(begin),
            Event::Headers(op, headers) => self.headers(now, op, headers),
            Event::HeadersFailed(op, thrown) => self.headers_failed(op, thrown),
            Event::Head(op, head, by_worker) => self.head(now, op, head, by_worker),
            Event::Piece(op, length) => self.piece(now, op, length),
            Event::BodyEnd(op) => self.body_end(now, op),
            Event::Bytes(op, bytes) => self.bytes(now, op, bytes),
            Event::Failed(op, failure) => self.failed(now, op, failure),
            Event::Mapped(op, counts) => self.mapped(op, counts),
            Event::Decoded(op, decoded) => self.decoded(op, decoded),
            Event::Undecoded(op, error) => self.undecoded(now, op, error),
            Event::Refused(op, messages, objects) => self.reported_errors(op, messages, objects),
            Event::NotDelegated(op, why) => self.not_delegated(now, op, why),
            Event::Unbuilt(op, cause) => self.unbuilt(op, cause),
            Event::Read(call) => self.read(call),
            Event::Abort(call) => self.abort(call),
            Event::Online => self.online(now),
            Event::Tick => self.tick(now),
        }
        self.schedule(now);
    }

    /// Whether an event may draw random numbers: where a failure lets an attempt wait, or where attempts wait for the end of a pause.
    pub fn may_draw(&self, now: f64, event: &Event<H>) -> bool {
        self.pause.left(now) > 0.0
            || match event {
                Event::Head(_, head, _) => !head.is_success,
                Event::Piece(op, _) | Event::Bytes(op, _) => self.may_fail(*op, false),
                Event::BodyEnd(op) => self.may_fail(*op, true),
                Event::Mapped(..)
                | Event::Failed(..)
                | Event::Undecoded(..)
                | Event::NotDelegated(..)
                | Event::Tick => true,
                _ => false,
            }
    }

    /// Whether the response to a request refuses it, is empty at its end, or decides about an earlier table.
    fn may_fail(&self, op: Op, at_end: bool) -> bool {
        let Some((request, _)) = self.find(op) else { return false };
        match request.state {
            State::Refused(..) | State::Quoting(_) => true,
            State::Reading(_, 0) => at_end,
            State::Counting => self.received(request.call, |one| one.has_trial()) == Some(true),
            _ => false,
        }
    }
}
