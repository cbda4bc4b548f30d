//! Events that cannot be: of an attempt that nobody makes, a second head, a body after an abort. They change nothing.

use chunk::decode::{DecodeError, DecodeErrorKind};

use super::outcome::{Simulated, Value};
use super::page::Outside;
use super::world::World;
use crate::counts::Counts;
use crate::machine::{Advice, CallId, Decoded, Event, Failure, Head, Op, Undecoded, Why};

/// Hands such an event to the calls, and checks that it changes nothing.
pub(super) fn throw_in(world: &mut World) {
    let event = event(world);
    let before = format!("{:?}", world.calls);
    let trace = format!("{:>9} stray {event:?}", world.now);
    world.calls.handle(world.now, event);
    let after = format!("{:?}", world.calls);
    assert!(before == after, "an event that cannot be changes the calls: {trace}\n{before}\n{after}");
    world.strays += 1;
}

fn event(world: &World) -> Event<Simulated> {
    let rng = &world.rng;
    let alive = world.outside.get(rng.below(world.outside.len().max(1) as u64) as usize);
    match rng.below(4) {
        0 => Event::Abort(CallId(90 + rng.below(9) as u32)),
        1 => Event::Read(CallId(90 + rng.below(9) as u32)),
        2 if let Some(outside) = alive => {
            let kinds = impossible(outside);
            of_kind(kinds[rng.below(kinds.len() as u64) as usize], outside.op)
        }
        _ => {
            let ended = world.ended_ops.get(rng.below(8) as usize);
            of_kind(rng.below(KINDS), ended.copied().unwrap_or(Op(u32::MAX)))
        }
    }
}

/// The number of kinds of events about an attempt.
const KINDS: u64 = 12;

/// The kinds that cannot be in the state of an attempt.
fn impossible(outside: &Outside) -> &'static [u64] {
    match outside {
        Outside { is_done: true, .. } => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        Outside { is_in_flight: true, has_head: false, .. } => &[0, 1, 3, 4, 5, 7, 8, 9, 10, 11],
        Outside { is_in_flight: true, .. } => &[0, 1, 2, 5, 7, 8, 9, 10, 11],
        _ => &[0, 1, 2, 3, 4, 5, 7],
    }
}

fn of_kind(kind: u64, op: Op) -> Event<Simulated> {
    let cause = Value::Text("stray");
    match kind {
        0 => Event::Headers(op, Value::Token(usize::MAX, 0)),
        1 => Event::Thrown(op, cause),
        2 => Event::Head(op, Head { status: 200, is_success: true, ..Head::default() }, true, cause),
        3 => Event::Piece(op, 1 << 40),
        4 => Event::BodyEnd(op),
        5 => Event::Bytes(op, Vec::new()),
        6 => {
            let (why, reason) = (Why::Connection, String::new());
            Event::Failed(op, Failure { why, cause, reason, advice: Advice::None, is_offline: false })
        }
        7 => Event::Mapped(op, Counts { sentiment: Err(String::new()), topics: Err(String::new()) }),
        8 => Event::Decoded(op, Ok(Decoded { findings: 1, bytes: 1 })),
        9 => Event::Decoded(op, Err(Undecoded::Wrong(DecodeError::of(DecodeErrorKind::UnexpectedEnd)))),
        10 => Event::Decoded(op, Err(Undecoded::Lost)),
        _ => Event::Decoded(op, Err(Undecoded::Unbuilt(cause))),
    }
}
