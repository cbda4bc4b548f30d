//! What happens outside: headers, exchanges with the service, and bodies that are worked on.

use super::outcome::{THROWN_BY_HEADERS, Value};
use super::page::{Content, Outside, Part};
use super::world::{Coming, DATE, Worked, World, url_of};
use crate::contract::{Kind, Operation};
use crate::machine::{Advice, CallId, Decoded, Event, Failure, Op, Sender, Undecoded, Why};

impl World {
    pub(super) fn ask_headers(&mut self, call: CallId, op: Op, refreshes: bool) {
        let number = self.number_of(call);
        self.check_not_over(number);
        let Some(headers) = self.schedule.headers.clone() else { panic!("there is no headers function") };
        let record = &mut self.records[number];
        if refreshes && !self.schedule.has_lost_attempts() {
            assert!(record.refreshing.is_empty(), "requests of a call wait for two refreshes at the same time");
            assert!(record.are_refused, "a refresh of headers that were not refused");
        }
        if refreshes {
            record.refreshing.push(op);
        } else {
            self.check_pause();
        }
        let time = self.asked;
        self.asked += 1;
        if headers.hangs_at != Some(time) {
            self.later(headers.takes, Coming::Headers(op, number, refreshes, time));
        }
    }

    pub(super) fn return_headers(&mut self, op: Op, number: usize, refreshes: bool, time: u64) {
        let record = &mut self.records[number];
        let is_awaited = record.refreshing.contains(&op);
        record.refreshing.retain(|other| *other != op);
        let throws_at = self.schedule.headers.as_ref().and_then(|headers| headers.throws_at);
        if throws_at == Some(time) {
            self.have_thrown = true;
            return self.handle(Event::Thrown(op, THROWN_BY_HEADERS));
        }
        if refreshes {
            record.are_refused &= !is_awaited;
            record.newest_token += 1;
        }
        let token = Value::Token(number, record.newest_token);
        self.handle(Event::Headers(op, token));
    }

    pub(super) fn send(&mut self, call: CallId, op: Op, url: &str, headers: Option<Value>, sender: Sender) {
        let number = self.number_of(call);
        self.check_not_over(number);
        self.check_pause();
        assert_eq!(headers.is_some(), self.schedule.headers.is_some(), "a request lacks its headers");
        let index = self.index_of(number, url);
        let uses_worker = self.records[number].uses_worker;
        assert!(sender == Sender::Page || (uses_worker && index.is_some()), "a worker sends what the page has to");
        self.records[number].begin_flight(index);
        let flights = self.outside.iter().filter(|one| one.is_in_flight).count();
        assert!(flights < self.schedule.concurrency, "the client has too many requests in flight");
        let time = self.records[number].count_request(index);
        let call = &self.schedule.calls[number];
        let script = index.map_or(&call.counts_script, |index| &call.partitions[index as usize].script);
        let step = script.step(time).clone();
        let content = Content::of(&step, call, self.records[number].run, index);
        let worker = self.schedule.worker.as_ref().filter(|one| sender == Sender::Any && one.sends(self.now));
        let parts = content.parts(&step, worker, &self.rng);
        let token = match headers {
            Some(Value::Token(of, token)) => {
                assert_eq!(of, number, "a request has the headers of another call");
                token
            }
            _ => 0,
        };
        self.outside.push(Outside::new(op, number, index, token, step, content, parts, worker.is_some()));
        self.later(0.0, Coming::Exchange(op));
        self.calls.keep(op, op);
    }

    /// The index of the partition with this URL; `None` for the counts.
    pub(super) fn index_of(&self, number: usize, url: &str) -> Option<u64> {
        let inspection = number as i64;
        if *url == *url_of(&Operation::Counts.path(inspection)) {
            return None;
        }
        let index = url.rsplit('/').next().and_then(|index| index.parse().ok());
        let index: u64 = index.unwrap_or_else(|| panic!("unexpected request for {url}"));
        let kind: Kind = self.schedule.calls[number].kind;
        assert_eq!(url, url_of(&Operation::Partition { kind, index }.path(inspection)));
        Some(index)
    }

    /// Lets the next part of an exchange happen.
    pub(super) fn exchange(&mut self, op: Op) {
        let Some(position) = self.position(op) else { panic!("a cancelled exchange goes on") };
        let outside = &mut self.outside[position];
        let Some(part) = outside.parts.pop_front() else { return };
        let number = outside.call;
        match part {
            Part::Wait(milliseconds) => return self.later(milliseconds, Coming::Exchange(op)),
            Part::Stall => return,
            Part::Fails(why) => {
                self.land(op);
                return self.fail(op, why);
            }
            Part::Head => {
                outside.has_head = true;
                let hides_headers = self.schedule.hides_headers;
                let head = outside.content.head(&outside.step, hides_headers, DATE + self.now);
                let record = &mut self.records[number];
                record.are_refused |=
                    head.status == 401 && (outside.token == record.newest_token || record.may_be_stale);
                if let Some(wait) = head.retry_after.filter(|wait| *wait <= 60_000.0)
                    && outside.content.pauses()
                {
                    // Between two actions, the request may be one that is about to be cancelled.
                    if !self.is_interrupted {
                        self.paused_until = self.paused_until.max(self.now + wait);
                    }
                    self.resumed_by = self.resumed_by.max(self.now + wait * 1.1);
                }
                let by_worker = outside.by_worker;
                self.later(0.0, Coming::Exchange(op));
                return self.handle(Event::Head(op, head, by_worker, Value::Objects));
            }
            Part::Bytes(length) => {
                outside.arrived += length;
                self.later(0.0, Coming::Exchange(op));
                return self.handle(Event::Piece(op, length as u64));
            }
            Part::End => {
                let is_success = outside.content.is_success();
                let index = outside.index;
                self.land(op);
                if is_success {
                    let is_retry = self.records[number].is_retry(index);
                    let successes = if is_retry { &mut self.late_successes } else { &mut self.first_successes };
                    *successes += 1;
                }
            }
        }
        self.handle(Event::BodyEnd(op));
    }

    pub(super) fn fail(&mut self, op: Op, why: Why) {
        let is_offline = self.schedule.offline.is_some_and(|(from, until)| (from..until).contains(&self.now));
        let cause = Value::Text("connection reset");
        let failure = Failure { why, cause, reason: String::from("reset"), advice: Advice::None, is_offline };
        self.handle(Event::Failed(op, failure));
    }

    pub(super) fn check_work(&self, op: Op, length: u64) -> usize {
        let outside = &self.outside[self.position(op).unwrap_or_else(|| panic!("there is no body {op:?}"))];
        let number = outside.call;
        self.check_not_over(number);
        assert_eq!((outside.index.is_some(), outside.arrived as u64), (true, length));
        assert!(!outside.is_in_flight && outside.parts.is_empty(), "a body is decoded before it has arrived");
        number
    }

    pub(super) fn worked(&mut self, op: Op, worked: Worked) {
        let Some(position) = self.position(op) else { panic!("a body that is forgotten is decoded") };
        self.outside[position].is_in_page = false;
        let outside = &self.outside[position];
        let end = match worked {
            Worked::Returned => Err(Undecoded::PageDecodes),
            Worked::Lost => Err(Undecoded::Lost),
            Worked::NoWorker => Err(Undecoded::NoWorker { cause: Value::Text("no worker"), is_offline: false }),
            Worked::Unread => return self.fail(op, Why::Connection),
            Worked::Decoded => outside.content.decoded().map(|findings| {
                // A table may take more or fewer bytes than its body.
                let bytes = outside.content.text.len() as u64 * self.rng.between(1, 4) / 2;
                Decoded { findings, bytes }
            }),
        };
        self.outside[position].is_done = end.is_ok();
        self.handle(Event::Decoded(op, end));
    }
}
