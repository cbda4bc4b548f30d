//! What callers do: they make, resume and abort calls, and read streams.

use super::oracle;
use super::outcome::{Over, RunEnd, THROWN_BY_CALLBACK, Value};
use super::schedule::{Interruption, Task};
use super::world::{BASE, Coming, World};
use crate::error::{Error, ErrorKind};
use crate::machine::{self, CallId, Event, NewCall, WorkerOption};

impl World {
    pub(super) fn begin(&mut self, number: usize) {
        let record = &self.records[number];
        if record.is_finished {
            return;
        }
        if let Task::Stream(..) = record.call.task {
            return self.read(number);
        }
        if record.over == Over::Aborted {
            self.records[number].is_finished = true;
            return;
        }
        self.begin_run(number);
    }

    /// Makes a call, or resumes it.
    pub(super) fn begin_run(&mut self, number: usize) {
        self.begun += 1;
        let id = CallId(self.begun);
        let (now, record) = (self.now, &mut self.records[number]);
        record.begin_run(id, now);
        let (call, accumulator) = (&record.call, record.accumulator.clone());
        let task = match call.task {
            Task::Counts => machine::Task::Counts,
            Task::Partition(index) => machine::Task::Partition(call.kind, index),
            Task::Findings => machine::Task::Findings(call.kind),
            Task::Stream(order, _) => machine::Task::Stream(call.kind, order),
        };
        let worker = match &self.schedule.worker {
            None => WorkerOption::Page,
            Some(worker) if worker.is_auto => WorkerOption::Auto,
            Some(_) => WorkerOption::Worker,
        };
        let begin = NewCall {
            call: id,
            base: BASE.into(),
            inspection: number as i64,
            task,
            accumulator: matches!(task, machine::Task::Findings(_)).then_some(accumulator),
            settings: *record.settings(),
            begun: now,
            asks_headers: self.schedule.headers.is_some(),
            reports_progress: true,
            reports_partitions: true,
            is_watched: call.is_watched,
            maps_counts: call.maps_counts,
            worker,
        };
        assert_eq!(self.calls.begin(self.now, begin), id);
        self.perform_all();
    }

    /// Reads a stream on, as its reader does.
    pub(super) fn read(&mut self, number: usize) {
        let record = &self.records[number];
        let Task::Stream(_, reader) = &record.call.task else { panic!("the call is no stream") };
        if record.is_finished {
            return;
        }
        let interruption = reader.interruption.filter(|(after, _)| *after == record.read.len() as u64);
        match interruption {
            Some((_, Interruption::Breaks)) => return self.end(number, Over::Aborted),
            Some((_, Interruption::Idles)) => {
                self.records[number].is_idle = true;
                return;
            }
            Some((_, Interruption::WaitsFor(other))) if !self.records[other].is_finished => {
                self.records[number].is_idle = true;
                return;
            }
            _ => {}
        }
        self.records[number].is_idle = false;
        if self.records[number].over != Over::No {
            return self.finish(number);
        }
        if self.records[number].id.is_none() {
            self.begin_run(number);
        }
        if let Some(id) = self.records[number].id {
            self.handle(Event::Read(id));
        }
    }

    /// Ends a call early: by its caller, or because a callback has thrown.
    pub(super) fn end(&mut self, number: usize, over: Over) {
        let record = &mut self.records[number];
        if record.is_finished || record.over != Over::No {
            return;
        }
        record.over = over;
        match record.id {
            Some(id) => {
                self.handle(Event::Abort(id));
                self.end_of_run(
                    number,
                    &if over == Over::Aborted { RunEnd::Aborted } else { RunEnd::Threw(THROWN_BY_CALLBACK) },
                );
            }
            // It has not begun, or waits to be resumed.
            None => self.finish(number),
        }
    }

    /// Takes note of the end of a run, which may be resumed.
    pub(super) fn end_of_run(&mut self, number: usize, end: &RunEnd) {
        let flights = self.outside.iter().any(|one| one.call == number && one.is_in_flight);
        assert!(!flights, "a request is in flight after the end");
        self.records[number].abandon_refreshes();
        self.records[number].end_run();
        oracle::check_run(self, number, end);
        let record = &mut self.records[number];
        let is_partial = |error: &Error<Value>| matches!(error.kind, ErrorKind::Partial { .. });
        record.is_resumable |= matches!(end, RunEnd::Failed(error) if is_partial(error));
        let is_over = matches!(end, RunEnd::Succeeded(_)) || record.over == Over::Aborted;
        if is_over || !record.is_resumable || record.run + 1 == record.call.runs.len() {
            return self.finish(number);
        }
        record.run += 1;
        record.over = Over::No;
        let pause = record.call.pause;
        self.later(pause, Coming::Begin(number));
    }

    pub(super) fn finish(&mut self, number: usize) {
        self.records[number].is_finished = true;
        // Readers that wait for its end go on.
        for (other, record) in self.records.iter().enumerate() {
            if record.is_idle
                && let Task::Stream(_, reader) = &record.call.task
            {
                let waits = matches!(reader.interruption, Some((_, Interruption::WaitsFor(of))) if of == number);
                self.coming.extend(waits.then_some((self.now, Coming::Read(other))));
            }
        }
    }

    pub(super) fn number_of(&self, id: CallId) -> usize {
        let number = self.records.iter().position(|record| record.id == Some(id));
        number.unwrap_or_else(|| panic!("an action for a call that has ended"))
    }
}
