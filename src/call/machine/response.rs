//! The response to a request: its head, its body, and the reasons why it is none.

use super::action::Action;
use super::calls::Calls;
use super::event::{Failure, Why};
use super::head::Head;
use super::host::Host;
use super::numbered::Op;
use super::request::{Credentials, State, Stated};
use crate::contract::Operation;
use crate::error::{CallEnd, ErrorKind};
use crate::retry::is_transient;
use crate::way;

/// The maximum length, in bytes, of a compressed empty body: 20 for gzip without a file name.
const MOST_OF_NOTHING: u64 = 64;

/// The maximum number of bytes to read of an unsuccessful response, for the messages in it.
const EXCERPT_LIMIT: u64 = 16 * 1024;

impl<H: Host> Calls<H> {
    /// Takes the head of a response. Its body follows.
    pub(super) fn head(&mut self, now: f64, op: Op, head: Head, by_worker: bool, headers: H::Value) {
        let (request, call) = self.find_mut(op);
        let State::Sent = request.state else { return };
        request.response = Some(headers);
        let (policy, limit, way) = (call.wanted.settings.policy, call.wanted.settings.max_partition_bytes, request.way);
        let length = head.length.unwrap_or_default();
        if head.is_success && length <= limit as u64 {
            request.stated = Stated { is_html: head.is_html, is_whole: false };
            self.change(op, State::Reading(head, 0));
            self.access.note_response(now, by_worker, way);
            return self.grow_to(op, length);
        }
        self.access.note_response(now, by_worker, way);
        if head.is_success {
            return self.break_off(now, op, ErrorKind::TooLarge(limit));
        }
        if is_transient(head.status, head.retry_after.is_some())
            && let Some(wait) = head.retry_after.filter(|wait| policy.honours(*wait))
        {
            self.pause.extend(now, wait);
        }
        if head.is_redirect {
            return self.refused(now, op, head, &[]);
        }
        self.change(op, State::Refused(head, 0));
    }

    /// Takes note of a piece of a body.
    pub(super) fn piece(&mut self, now: f64, op: Op, length: u64) {
        let (request, call) = self.find_mut(op);
        let limit = call.wanted.settings.max_partition_bytes;
        match &mut request.state {
            State::Reading(_, total) => {
                *total = total.saturating_add(length);
                let total = *total;
                if total > limit as u64 {
                    return self.break_off(now, op, ErrorKind::TooLarge(limit));
                }
                self.grow_to(op, total);
            }
            State::Refused(_, total) => {
                *total = total.saturating_add(length);
                if *total >= EXCERPT_LIMIT {
                    self.quote(now, op);
                }
            }
            _ => {}
        }
    }

    /// Takes note of the end of a body.
    pub(super) fn body_end(&mut self, now: f64, op: Op) {
        let (request, _) = self.find_mut(op);
        match &request.state {
            State::Refused(..) => self.quote(now, op),
            State::Reading(head, total) => {
                let (total, stated) = (*total, head.length);
                // Without TLS, if a response breaks off in its headers, browsers report it as complete, with an empty body. The
                // `Content-Encoding` of another origin is hidden.
                if total == 0 && stated.unwrap_or_default() > MOST_OF_NOTHING {
                    return self.break_off(now, op, ErrorKind::Broken);
                }
                request.stated.is_whole = !head.is_encoded && stated == Some(total);
                request.length = total;
                self.take_body(op);
            }
            _ => {}
        }
    }

    /// Takes a body that has arrived.
    fn take_body(&mut self, op: Op) {
        self.release_permit(op);
        let (request, call) = self.find_mut(op);
        let length = request.length;
        match request.operation {
            Operation::Counts => {
                let attempt = request.performed();
                self.change(op, State::Counting);
                self.act_for(op, Action::ReadBytes { op, attempt, length });
            }
            Operation::Partition { index, .. } => {
                call.bytes.arrived(length);
                self.change(op, State::Arrived { index });
                self.grow_to(op, length);
            }
        }
    }

    /// Takes the bytes of a body that were asked for.
    pub(super) fn bytes(&mut self, now: f64, op: Op, bytes: Vec<u8>) {
        let (request, _) = self.find_mut(op);
        let head = match &mut request.state {
            State::Counting => None,
            State::Quoting(head) => Some(std::mem::take(head)),
            _ => return,
        };
        // It has ended by handing them over.
        request.attempt = None;
        match head {
            None => self.read_counts(now, op, bytes),
            Some(head) => self.refused(now, op, head, &bytes),
        }
    }

    /// Asks for the beginning of the body of a response that refuses the request: it may contain messages.
    pub(super) fn quote(&mut self, now: f64, op: Op) {
        let (request, _) = self.find_mut(op);
        let State::Refused(head, total) = &mut request.state else { return };
        let (head, total) = (std::mem::take(head), *total);
        if total == 0 {
            return self.refused(now, op, head, &[]);
        }
        let attempt = request.performed();
        self.change(op, State::Quoting(head));
        self.act_for(op, Action::ReadBytes { op, attempt, length: total.min(EXCERPT_LIMIT) });
    }

    /// Decides about a response that refuses the request, whose body begins like this.
    fn refused(&mut self, now: f64, op: Op, head: Head, excerpt: &[u8]) {
        let (request, call) = self.find_mut(op);
        let is_expired = head.status == 401 && !head.is_redirect;
        if is_expired && !request.is_refreshed && call.wanted.asks_headers {
            request.credentials = Credentials::InsteadOf(request.generation);
            self.leave_outside(op);
            return self.start_attempt(now, op);
        }
        let error = call.refusal_error(request, head, excerpt);
        self.attempt_failed(now, op, error);
    }

    /// Takes note of a request that has failed, or whose response has.
    #[cold]
    #[inline(never)]
    pub(super) fn failed(&mut self, now: f64, op: Op, failure: Failure<H::Value>) {
        let (request, call) = self.find_mut(op);
        let id = request.call;
        let is_sent = match &mut request.state {
            State::Refused(..) => return self.quote(now, op),
            State::Quoting(head) => {
                let head = std::mem::take(head);
                return self.refused(now, op, head, &[]);
            }
            State::Sent => true,
            State::Reading(..) | State::Counting | State::Arrived { .. } | State::Decoding { .. } => false,
            State::Queued | State::Waiting { .. } | State::Asking(_) | State::Mapping | State::Lost(_) => return,
        };
        let kind = match failure.why {
            Why::Framework if is_sent => return self.end(id, Err(CallEnd::Thrown(failure.cause))),
            Why::NoResponse => ErrorKind::NoResponse,
            Why::Memory => ErrorKind::Memory,
            Why::Lost if !is_sent => ErrorKind::WorkerLost,
            _ if is_sent => ErrorKind::Unreachable,
            _ => ErrorKind::Broken,
        };
        if failure.why == Why::InWorker {
            request.way = request.way.after(way::Failure::InWorker);
        }
        let is_decoding = matches!(request.state, State::Arrived { .. } | State::Decoding { .. });
        let mut error = call.error_of(request, kind);
        if failure.why != Why::Memory {
            error.explain(failure);
        }
        if is_decoding { self.lost(now, op, error) } else { self.attempt_failed(now, op, error) }
    }

    /// Gives up an attempt for another reason than its connection.
    #[cold]
    #[inline(never)]
    fn break_off(&mut self, now: f64, op: Op, kind: ErrorKind) {
        let (request, call) = self.find(op);
        let error = call.error_of(request, kind);
        self.attempt_failed(now, op, error);
    }
}
