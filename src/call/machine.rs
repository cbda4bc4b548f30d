//! The calls of one client as a value: events in, actions out. Neither time nor JavaScript is in it: the border performs the actions, and tells
//! what has become of them by the next events.

mod accumulator;
pub mod action;
mod attempt;
mod begin;
mod call;
mod calls;
mod decoding;
mod ending;
mod error;
pub mod event;
mod handle;
mod head;
mod host;
mod numbered;
mod ordered;
mod pause;
mod report;
mod request;
mod response;
mod schedule;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod unread;

pub use self::accumulator::{Accumulation, Coverage, Earlier};
pub use self::action::{Action, Outcome, Sender};
#[cfg(test)]
pub(crate) use self::call::LEAST_EXPECTED_BYTES;
pub use self::calls::Calls;
pub use self::event::{Advice, Decoded, Event, Failure, NewCall, Order, Task, Undecoded, Why, WorkerOption};
pub use self::head::Head;
pub use self::host::Host;
pub use self::numbered::{CallId, Op};
