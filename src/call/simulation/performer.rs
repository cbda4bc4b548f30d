//! The border of the simulation: performs the actions of the calls.

use chunk::decode::DecodeError;

use super::outcome::{Over, RunEnd, Simulated, Value};
use super::page::{Content, Outside};
use super::record::Record;
use super::schedule::{Callback, Task};
use super::worker::Work as WorkOfWorker;
use super::world::{Coming, Worked, World, url_of};
use crate::counts::{Counts, CountsBody};
use crate::error::{CallEnd, Error};
use crate::machine::{Action, CallId, Event, Op};
use crate::progress::{PartitionChange, PartitionState};

impl World {
    pub(super) fn perform(&mut self, action: Action<Simulated>) {
        self.records.iter_mut().for_each(Record::judge_earlier);
        match action {
            Action::AskHeaders { call, op, status, .. } => self.ask_headers(call, op, status == Some(401)),
            Action::Send { call, op, url, headers, sender } => self.send(call, op, &url, headers, sender),
            Action::Cancel { attempt } => self.forget(attempt),
            Action::ReadBytes { op, length, .. } => {
                let position = self.position(op).unwrap_or_else(|| panic!("there is no body {op:?}"));
                let outside = &self.outside[position];
                let end = length as usize;
                assert!(end <= outside.arrived, "more is read than has arrived");
                let bytes = outside.content.text[..end].to_vec();
                self.forget(op);
                self.handle(Event::Bytes(op, bytes));
            }
            Action::UseWorker { call } => {
                let number = self.number_of(call);
                let record = &mut self.records[number];
                assert!(!std::mem::replace(&mut record.uses_worker, true), "a worker is used twice");
            }
            Action::Decode { attempt: op, length, by_worker: true } => {
                let number = self.check_work(op, length);
                let (time, worked) = match self.schedule.worker.as_ref() {
                    None => panic!("there is no worker"),
                    Some(worker) => {
                        let is_partition = self.content(op).is_partition();
                        match worker.work(&self.rng, self.now, is_partition) {
                            WorkOfWorker::Decodes(time) => (time, Worked::Decoded),
                            WorkOfWorker::Returns(time) => (time, Worked::Returned),
                            WorkOfWorker::Loses(time) => (time, Worked::Lost),
                            WorkOfWorker::IsMissing => (0.0, Worked::NoWorker),
                        }
                    }
                };
                assert!(self.records[number].uses_worker, "the call uses no worker");
                self.later(time, Coming::Worked(op, worked));
            }
            Action::Decode { attempt: op, length, by_worker: false } => {
                self.check_work(op, length);
                let others = self.outside.iter().any(|one| one.is_in_page && one.op != op);
                assert!(!others, "the page decodes two bodies at once");
                let position = self.position(op).unwrap_or_default();
                self.outside[position].is_in_page = true;
                let is_of_worker = self.outside[position].by_worker;
                let is_unread = is_of_worker && self.schedule.worker.as_ref().is_some_and(|one| one.ends(&self.rng));
                let worked = if is_unread { Worked::Unread } else { Worked::Decoded };
                let time = if self.rng.once_in(4) { self.rng.milliseconds(3) } else { 0.0 };
                self.later(time, Coming::Worked(op, worked));
            }
            Action::MapCounts { call, op, body } => {
                assert!(self.records[self.number_of(call)].call.maps_counts, "the call has no function for counts");
                let Counts { sentiment, topics } = CountsBody::decode(&body).expect("the counts are JSON").counts;
                let flaw = |error: DecodeError| error.to_string();
                let counts = Counts { sentiment: sentiment.map_err(flaw), topics: topics.map_err(flaw) };
                self.handle(Event::Mapped(op, counts));
            }
            Action::Progress { call, progress, is_report } => {
                let number = self.number_of(call);
                self.check_not_over(number);
                let record = &mut self.records[number];
                let is_watched = record.call.is_watched;
                assert!(is_report || is_watched, "nobody sees the progress");
                if is_watched {
                    record.note_shown(&progress, is_report);
                }
                if is_report {
                    let calls = record.note_progress(&progress);
                    self.intervene(number, Callback::Progress, calls);
                }
            }
            Action::Report { call, change, error } => self.report(call, &change, error.as_deref()),
            Action::Deliver { call, attempt: op, index } => {
                let number = self.number_of(call);
                let position = self.position(op).unwrap_or_else(|| panic!("{op:?} has become nothing"));
                assert!(self.outside[position].is_done, "{op:?} has become nothing");
                let findings = self.records[number].call.partitions[index as usize].findings.clone();
                self.outside.swap_remove(position);
                self.end_op(op);
                if let Task::Stream(_, reader) = &self.records[number].call.task {
                    if self.records[number].over != Over::No {
                        return;
                    }
                    let pause = reader.pause;
                    self.records[number].deliver(index, findings);
                    return self.later(pause, Coming::Read(number));
                }
                self.records[number].deliver(index, findings);
            }
            Action::Missing { call, index, error } => {
                let number = self.number_of(call);
                let failures = &mut self.records[number].failures;
                let place = failures.partition_point(|(other, _)| *other < index);
                if failures.get(place).is_none_or(|(other, _)| *other != index) {
                    failures.insert(place, (index, error));
                }
            }
            Action::End { call, end } => {
                let number = self.number_of(call);
                assert_eq!(self.records[number].over, Over::No, "a call ends twice");
                let end = match end {
                    Ok(outcome) => RunEnd::Succeeded(outcome),
                    Err(CallEnd::Failed(error)) => RunEnd::Failed(error),
                    Err(CallEnd::Thrown(value)) => RunEnd::Threw(value),
                };
                self.end_of_run(number, &end);
            }
        }
    }

    pub(super) fn check_not_over(&self, number: usize) {
        assert_eq!(self.records[number].over, Over::No, "the call is over and does something");
    }

    pub(super) fn position(&self, op: Op) -> Option<usize> {
        self.outside.iter().position(|one| one.op == op)
    }

    pub(super) fn content(&self, op: Op) -> &Content {
        let position = self.position(op).unwrap_or_else(|| panic!("there is no body {op:?}"));
        &self.outside[position].content
    }

    /// Forgets what lies outside under a number.
    pub(super) fn forget(&mut self, op: Op) {
        if let Some(position) = self.position(op) {
            let outside = self.outside.swap_remove(position);
            self.end_flight(&outside);
        }
        self.coming.retain(|(_, coming)| !matches!(coming, Coming::Exchange(of) | Coming::Worked(of, _) if *of == op));
        self.end_op(op);
    }

    pub(super) fn end_op(&mut self, op: Op) {
        self.ended_ops.push_back(op);
        if self.ended_ops.len() > 8 {
            self.ended_ops.pop_front();
        }
    }

    pub(super) fn end_flight(&mut self, outside: &Outside) {
        if outside.is_in_flight {
            self.records[outside.call].in_flight -= 1;
        }
    }

    pub(super) fn land(&mut self, op: Op) {
        if let Some(position) = self.position(op)
            && std::mem::take(&mut self.outside[position].is_in_flight)
        {
            self.records[self.outside[position].call].in_flight -= 1;
        }
    }

    pub(super) fn report(&mut self, call: CallId, change: &PartitionChange, error: Option<&Error<Value>>) {
        let number = self.number_of(call);
        self.check_not_over(number);
        if let Some(error) = error {
            assert_eq!(error.url, error.subject.path().as_deref().map(url_of), "an error of another URL");
        }
        let has_failed = matches!(change.state, PartitionState::Retrying | PartitionState::Failed);
        assert_eq!(error.is_some(), has_failed, "{change:?} has an error, or lacks one");
        if change.state == PartitionState::Failed {
            self.records[number].abandon_refreshes();
        }
        let is_retry = change.state == PartitionState::Retrying;
        assert_eq!(change.delay.is_some(), is_retry, "{change:?} has a delay, or lacks one");
        self.retries += u32::from(is_retry);
        let calls = self.records[number].note_change(change);
        self.intervene(number, Callback::Partition, calls);
    }

    pub(super) fn intervene(&mut self, number: usize, callback: Callback, calls: u64) {
        let Some(intervention) = self.schedule.calls[number].intervention else { return };
        if intervention.callback == callback && intervention.at == calls {
            self.end(number, if intervention.throws { Over::Threw } else { Over::Aborted });
        }
    }
}
