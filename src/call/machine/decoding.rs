//! A body that becomes findings, in a worker or in the page.

use chunk::memory::OutOfMemory;

use super::accumulator::Accumulation;
use super::action::{Action, Outcome};
use super::call::SINGLE;
use super::calls::Calls;
use super::event::{Decoded, Task, Undecoded};
use super::host::Host;
use super::numbered::Op;
use super::request::State;
use crate::error::{Error, ErrorKind};
use crate::progress::{PartitionChange, PartitionState, Progress};
use crate::way::Way;

impl<H: Host> Calls<H> {
    /// Decodes the bodies that have arrived: in a worker all, in the page one after the other, which needs the least memory.
    pub(super) fn decode_arrived(&mut self) {
        while let Some((index, op, by_worker)) = self.next_to_decode() {
            self.change(op, State::Decoding { index, by_worker });
            let (request, _) = self.find(op);
            let (attempt, length) = (request.performed(), request.length);
            self.act_for(op, Action::Decode { attempt, length, by_worker });
        }
    }

    /// The next body to decode, with its index, and whether a worker does: that of the lowest index.
    fn next_to_decode(&self) -> Option<(u64, Op, bool)> {
        let for_page = || self.for_page.first().filter(|_| !self.is_page_decoding);
        let for_worker = self.for_worker.first().map(|(index, op)| (index as u64, op, true));
        for_worker.or_else(|| for_page().map(|(index, op)| (index as u64, op, false)))
    }

    /// Takes the findings of a partition, or decides about a body that has not become any.
    pub(super) fn decoded(&mut self, now: f64, op: Op, end: Result<Decoded, Undecoded<H::Value>>) {
        let (request, _) = self.find(op);
        let State::Decoding { index, by_worker } = request.state else { return };
        match end {
            Ok(decoded) => self.take_findings(op, index, decoded),
            Err(why) => self.undecoded(now, op, index, by_worker, why),
        }
    }

    fn take_findings(&mut self, op: Op, index: u64, Decoded { findings, bytes }: Decoded) {
        let (request, call) = self.find(op);
        let (id, body, host, task) = (request.call, request.length, call.host(), call.wanted.task);
        let taken = call.wanted.accumulator.as_ref().map(|one| one.take(index, findings, body));
        if let Some(Err(OutOfMemory)) = taken {
            let error = call.error_of(request, ErrorKind::Memory);
            return self.request_failed(op, error);
        }
        let request = self.take_request(op);
        self.retries.give_back(request.attempts);
        // First of all, so that a report that throws cannot lose it.
        let attempt = request.performed();
        match task {
            Task::Stream(_, order) => self.insert(id, order, index, attempt, bytes),
            _ => self.act(id, Action::Deliver { call: host, attempt, index }),
        }
        let change = PartitionChange::to(PartitionState::Received, Some(index), request.attempts);
        self.report(id, PartitionChange { findings, bytes: body, ..change }, None);
        let single = || Progress { partitions_done: 1, findings_done: findings, bytes: body, ..Progress::of(SINGLE) };
        let received = self.call(id).wanted.accumulator.as_ref().map_or_else(single, Accumulation::progress);
        self.progress(id, received);
        if let Task::Partition(..) = task {
            self.end(id, Ok(Outcome::Delivered));
        }
    }

    #[cold]
    #[inline(never)]
    fn undecoded(&mut self, now: f64, op: Op, index: u64, by_worker: bool, why: Undecoded<H::Value>) {
        let (request, call) = self.find(op);
        match why {
            Undecoded::Wrong(error) => {
                let error = call.decode_error(request, error);
                self.lost(now, op, error);
            }
            Undecoded::Refused(messages, objects) => {
                let mut error = call.error_of(request, ErrorKind::Service);
                (error.messages, error.objects) = (messages, objects);
                self.request_failed(op, error);
            }
            Undecoded::Unbuilt(cause) => {
                let mut error = call.error_of(request, ErrorKind::Memory);
                error.cause = Some(cause);
                self.request_failed(op, error);
            }
            _ if !by_worker => {}
            Undecoded::PageDecodes => {
                // The page decodes what a worker cannot, and finds the error.
                let (request, _) = self.find_mut(op);
                request.way = Way::PageOnly;
                self.change(op, State::Arrived { index });
            }
            Undecoded::NoWorker { cause, is_offline } => {
                let mut error = call.error_of(request, ErrorKind::NoWorker);
                error.cause = Some(cause);
                error.offline(is_offline);
                self.request_failed(op, error);
            }
            Undecoded::Lost => {
                let error = call.error_of(request, ErrorKind::WorkerLost);
                self.lost(now, op, error);
            }
        }
    }

    /// Lets a partition whose body is lost be requested again, if its error allows that: when there is room, if its call requests several.
    pub(super) fn lost(&mut self, now: f64, op: Op, error: Box<Error<H::Value>>) {
        let (_, call) = self.find(op);
        let waits = matches!(call.wanted.task, Task::Findings(..)) && error.kind.is_transient();
        if !waits {
            return self.attempt_failed(now, op, error);
        }
        self.leave_outside(op);
        self.change(op, State::Lost(error));
    }
}
