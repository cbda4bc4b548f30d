//! The promises of a retrieval, over a scripted service in virtual time.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::join_all;

use super::scripted::{Part, Reply, Scripted};
use super::*;
use crate::decode::counts::Counts;

const SETTINGS: Settings = Settings {
    concurrency: 6,
    timeout: 30_000.0,
    total_timeout: None,
    policy: Policy { retries: 3, max_retry_after: 60_000.0 },
    completeness: Completeness::Strict,
    failure_policy: FailurePolicy::FailFast,
    max_partition_bytes: 1 << 20,
    max_buffered_bytes: 64 << 20,
};

const COUNTS: &str = "Findings/42";

fn path(index: u64) -> String {
    format!("Findings/42/Sentiment/{index}")
}

/// A call on a client of its own.
fn call(service: &Scripted, settings: Settings) -> Retrieval<Scripted> {
    call_of(&Rc::new(Scheduler::new(6, 64 << 20)), service, settings)
}

fn call_of(scheduler: &Rc<Scheduler>, service: &Scripted, settings: Settings) -> Retrieval<Scripted> {
    Retrieval::new(service.clone(), Rc::clone(scheduler), Rc::default(), 42, settings, service.now())
}

fn gathering() -> Rc<Gathering> {
    Rc::new(Gathering::new(Scripted::read_number))
}

fn counts_body(partitions: u64, findings: u64) -> String {
    format!(r#"{{"SentimentPartitions":{partitions},"SentimentFindings":{findings},"errors":null}}"#)
}

fn partition_body(index: u64) -> String {
    format!(r#"{{"Findings":[{{"i":{index},"n":0}},{{"i":{index},"n":1}}],"errors":null}}"#)
}

/// A service with that many partitions of two findings each.
fn service(partitions: u64) -> Scripted {
    let service = Scripted::default();
    service.reply(COUNTS, [Reply::ok(counts_body(partitions, 2 * partitions))]);
    for index in 0..partitions {
        service.reply(&path(index), [Reply::ok(partition_body(index)).after(10.0)]);
    }
    service
}

fn json(findings: Table) -> String {
    let rows: Vec<String> = (0..findings.len()).map(|row| findings.json(row).unwrap().replace(".0", "")).collect();
    rows.join(",")
}

fn all(partitions: u64) -> String {
    let rows: Vec<String> =
        (0..partitions).map(|index| format!(r#"{{"i":{index},"n":0}},{{"i":{index},"n":1}}"#)).collect();
    rows.join(",")
}

fn findings(service: &Scripted, settings: Settings) -> Result<String, Ended<String>> {
    let call = call(service, settings);
    service.run(call.findings(Kind::Sentiment, gathering())).map(json)
}

/// Like `unwrap`, which would ask for findings that can be printed.
fn all_right<T>(result: Result<T, Ended<String>>) -> T {
    match result {
        Ok(value) => value,
        Err(Ended::Thrown(value)) => panic!("thrown: {value}"),
        Err(Ended::Failed(failure)) => panic!("failed: {failure}"),
    }
}

fn failure<T>(result: Result<T, Ended<String>>) -> Failure<String> {
    match result {
        Err(Ended::Failed(failure)) => *failure,
        Err(Ended::Thrown(value)) => panic!("thrown: {value}"),
        Ok(_) => panic!("it succeeded"),
    }
}

fn thrown<T>(result: Result<T, Ended<String>>) -> String {
    match result {
        Err(Ended::Thrown(value)) => value,
        Err(Ended::Failed(failure)) => panic!("failed: {failure}"),
        Ok(_) => panic!("it succeeded"),
    }
}

#[test]
fn findings_come_in_index_order_whatever_the_order_of_arrival() {
    let service = service(20);
    for index in 0..20 {
        service.reply(&path(index), [Reply::ok(partition_body(index)).after((index * 7 % 13) as f64)]);
    }
    assert_eq!(all_right(findings(&service, SETTINGS)), all(20));
}

#[test]
fn the_counts_are_asked_for_once_and_every_partition_once() {
    let service = service(9);
    all_right(findings(&service, SETTINGS));
    let mut paths: Vec<String> = service.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths.remove(0), COUNTS);
    assert_eq!(paths, (0..9).map(path).collect::<Vec<_>>());
}

#[test]
fn an_inspection_without_partitions_has_no_findings() {
    let service = service(0);
    assert_eq!(all_right(findings(&service, SETTINGS)), "");
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn the_window_slides_and_is_never_exceeded() {
    let service = service(30);
    service.reply(&path(0), [Reply::ok(partition_body(0)).after(1_000.0)]);
    all_right(findings(&service, Settings { concurrency: 3, ..SETTINGS }));
    assert_eq!(service.in_flight(), (0, 3));
    assert_eq!(service.times(&path(29)), [140.0], "the slow partition holds up nobody");
}

#[test]
fn the_calls_of_a_client_share_its_window() {
    let service = service(10);
    let client = Rc::new(Scheduler::new(4, 64 << 20));
    let calls: Vec<_> = (0..40).map(|_| call_of(&client, &service, SETTINGS)).collect();
    let results = service.run(join_all(calls.iter().map(|call| call.findings(Kind::Sentiment, gathering()))));
    assert!(results.into_iter().all(|result| json(all_right(result)) == all(10)));
    assert_eq!(service.in_flight(), (0, 4));
}

#[test]
fn what_fails_for_a_moment_is_tried_again_and_counts_as_retry() {
    let service = service(3);
    service.reply(&path(1), [Reply::new(500, ""), Reply::broken(), Reply::ok(partition_body(1))]);
    service.reply(&path(2), [Reply::ok("").parts(vec![Part::Broken]), Reply::ok(partition_body(2))]);
    assert_eq!(all_right(findings(&service, SETTINGS)), all(3));
    assert_eq!(service.told().last().unwrap().retries, 3);
    assert_eq!(service.times(&path(1)), [0.0, 150.0, 450.0]);
}

#[test]
fn after_the_retries_the_last_failure_stands_with_its_place_and_attempts() {
    let service = service(3);
    service.reply(&path(1), [Reply::broken(), Reply::new(503, r#"{"errors":["busy"]}"#)]);
    let failure = failure(findings(&service, SETTINGS));
    assert_eq!((failure.reason.clone(), failure.place.partition(), failure.attempts), (Reason::Http(503), Some(1), 4));
    assert_eq!(failure.messages, ["busy"]);
    assert_eq!(service.times(&path(1)).len(), 4);
}

#[test]
fn what_cannot_get_better_is_not_tried_again() {
    let no_object = format!(r#"{{"SentimentPartitions":1{}"#, "");
    let replies = [
        (Reply::new(404, ""), "http"),
        (Reply::new(400, ""), "http"),
        (Reply::new(501, ""), "http"),
        (Reply::redirect(), "http"),
        (Reply::new(403, ""), "unauthorized"),
        (Reply::new(401, ""), "unauthorized"),
        (Reply::no_response(), "network"),
        (Reply::ok(r#"{"errors":[]}"#), "service"),
        (Reply::ok(no_object), "decode"),
        (Reply::ok(""), "decode"),
        (Reply::ok(vec![b' '; (1 << 20) + 1]), "too-large"),
    ];
    for (reply, code) in replies {
        let service = service(1);
        service.reply(&path(0), [reply]);
        let failure = failure(findings(&service, SETTINGS));
        assert_eq!((failure.reason.code(), failure.attempts), (code, 1), "{failure}");
        assert_eq!(service.times(&path(0)).len(), 1, "{failure}");
    }
}

#[test]
fn every_transient_status_is_tried_again() {
    for status in [408, 429, 500, 502, 503, 504] {
        let service = service(1);
        service.reply(&path(0), [Reply::new(status, ""), Reply::ok(partition_body(0))]);
        assert_eq!(all_right(findings(&service, SETTINGS)), all(1));
    }
}

#[test]
fn a_failure_cancels_what_else_is_under_way_and_starts_nothing_new() {
    let service = service(10);
    service.reply(&path(2), [Reply::new(404, "").after(5.0)]);
    failure(findings(&service, SETTINGS));
    assert_eq!(service.in_flight().0, 0);
    assert_eq!(service.requests().len(), 7);
    assert_eq!(service.alarms(), 0);
}

#[test]
fn one_calls_failure_leaves_the_others_alone() {
    let service = service(4);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    service.reply(&path(3), [Reply::new(404, ""), Reply::ok(partition_body(3)).after(10.0)]);
    let (first, second) = (call_of(&client, &service, SETTINGS), call_of(&client, &service, SETTINGS));
    let results = service
        .run(join_all([first.findings(Kind::Sentiment, gathering()), second.findings(Kind::Sentiment, gathering())]));
    let succeeded: Vec<_> = results.into_iter().filter_map(Result::ok).map(json).collect();
    assert_eq!(succeeded, [all(4)]);
}

#[test]
fn an_attempt_that_outruns_the_timeout_is_tried_again() {
    for slow in [Reply::never(), Reply::ok("").parts(vec![Part::Bytes(b"{".to_vec()), Part::Stall])] {
        let service = service(1);
        service.reply(&path(0), [slow, Reply::ok(partition_body(0))]);
        assert_eq!(all_right(findings(&service, SETTINGS)), all(1));
        assert_eq!(service.times(&path(0)), [0.0, 30_150.0]);
    }
}

#[test]
fn the_timeout_covers_headers_function_response_and_body_together() {
    let service = service(1);
    service.headers_from(|_, _| (40.0, Ok("token".into())));
    let slow = Reply::ok("").after(40.0).parts(vec![Part::Wait(40.0), Part::Bytes(partition_body(0).into())]);
    service.reply(&path(0), [slow]);
    let settings = Settings { timeout: 100.0, policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS };
    assert_eq!(failure(findings(&service, settings)).reason, Reason::AttemptTimeout(100));
    assert!(findings(&service, Settings { timeout: 121.0, ..settings }).is_ok());
}

#[test]
fn a_headers_function_that_never_answers_is_a_timeout() {
    let service = service(1);
    service.headers_from(|_, _| (1e9, Ok("token".into())));
    let failure = failure(findings(&service, SETTINGS));
    assert_eq!((failure.reason.code(), failure.attempts), ("timeout", 4));
}

#[test]
fn the_body_of_a_refusal_that_stalls_does_not_hide_its_status() {
    let service = service(1);
    service.reply(&path(0), [Reply::new(404, "").parts(vec![Part::Stall])]);
    assert_eq!(failure(findings(&service, SETTINGS)).reason, Reason::Http(404));
}

#[test]
fn the_total_timeout_ends_the_call_wherever_it_is() {
    let total = Settings { total_timeout: Some(1_000.0), ..SETTINGS };
    let stalled = service(1);
    stalled.reply(&path(0), [Reply::never()]);
    let backing_off = service(1);
    backing_off.reply(&path(0), [Reply::broken().after(900.0)]);
    for service in [stalled, backing_off] {
        let failure = failure(findings(&service, total));
        assert_eq!(failure.reason, Reason::TotalTimeout(1_000));
        assert_eq!((service.now(), service.in_flight().0), (1_000.0, 0));
    }
}

#[test]
fn the_total_timeout_counts_the_time_in_the_line_for_a_slot() {
    let service = service(1);
    service.reply(COUNTS, [Reply::ok(counts_body(1, 2)).after(800.0)]);
    let client = Rc::new(Scheduler::new(1, 64 << 20));
    let total = Settings { total_timeout: Some(1_000.0), ..SETTINGS };
    let calls = [call_of(&client, &service, SETTINGS), call_of(&client, &service, total)];
    let results = service.run(join_all(calls.iter().map(|call| call.findings(Kind::Sentiment, gathering()))));
    let outcomes: Vec<_> = results.iter().map(Result::is_ok).collect();
    assert_eq!(outcomes, [true, false]);
}

#[test]
fn a_retry_after_is_waited_for_and_pauses_every_new_start_of_the_client() {
    let service = service(8);
    service.reply(&path(0), [Reply::new(429, "").retry_after("7"), Reply::ok(partition_body(0))]);
    assert_eq!(all_right(findings(&service, SETTINGS)), all(8));
    assert_eq!(service.times(&path(0)), [0.0, 7_000.0]);
    assert_eq!(service.times(&path(5)), [0.0], "it was under way already");
    assert_eq!(service.times(&path(6)), [7_000.0]);
}

#[test]
fn a_date_in_retry_after_is_seen_from_now() {
    let service = service(1);
    let date = "Sun, 06 Nov 1994 08:49:47 GMT";
    service.reply(&path(0), [Reply::new(503, "").retry_after(date).after(4_000.0), Reply::ok(partition_body(0))]);
    assert_eq!(all_right(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 10_000.0]);
}

#[test]
fn a_retry_after_that_is_too_long_fails_at_once_and_pauses_nobody() {
    let service = service(1);
    service.reply(&path(0), [Reply::new(429, "").retry_after("61")]);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    let first = call_of(&client, &service, SETTINGS);
    let failure = failure(service.run(first.findings(Kind::Sentiment, gathering())));
    assert_eq!((failure.reason, failure.retry_after, service.now()), (Reason::Http(429), Some(61_000.0), 0.0));
    service.reply(&path(0), [Reply::ok(partition_body(0))]);
    let second = call_of(&client, &service, SETTINGS);
    assert!(service.run(second.findings(Kind::Sentiment, gathering())).is_ok());
    assert_eq!(service.now(), 0.0);
}

#[test]
fn a_retry_after_past_the_total_timeout_fails_at_once() {
    let service = service(1);
    service.reply(&path(0), [Reply::new(429, "").retry_after("5")]);
    let failure = failure(findings(&service, Settings { total_timeout: Some(4_000.0), ..SETTINGS }));
    assert_eq!((failure.reason, service.now()), (Reason::Http(429), 0.0));
}

#[test]
fn a_sleeping_retry_keeps_its_slot() {
    let service = service(2);
    service.reply(&path(0), [Reply::new(500, ""), Reply::ok(partition_body(0))]);
    all_right(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
    assert_eq!(service.times(&path(0)), [0.0, 150.0]);
    assert_eq!(service.times(&path(1)), [150.0]);
}

#[test]
fn the_headers_function_is_asked_before_every_attempt_with_the_status_before() {
    let service = service(1);
    service.headers_from(|attempt, _| (0.0, Ok(format!("token {attempt}"))));
    service.reply(&path(0), [Reply::new(503, ""), Reply::broken(), Reply::ok(partition_body(0))]);
    all_right(findings(&service, SETTINGS));
    assert_eq!(service.asked(), [(1, None), (1, None), (2, Some(503)), (3, None)]);
    assert_eq!(service.requests()[2].headers, "token 2");
}

#[test]
fn expired_credentials_are_renewed_once_for_all_parallel_requests_and_count_as_no_attempt() {
    let service = service(6);
    let token = Rc::new(Cell::new(1));
    let renewed = Rc::clone(&token);
    service.headers_from(move |_, status| {
        if status == Some(401) {
            renewed.set(renewed.get() + 1);
            return (100.0, Ok(format!("token {}", renewed.get())));
        }
        (0.0, Ok(format!("token {}", renewed.get())))
    });
    for index in 0..6 {
        let expired = Reply::new(401, "").after(10.0 + 50.0 * index as f64);
        service.reply(&path(index), [expired, Reply::ok(partition_body(index))]);
    }
    assert_eq!(all_right(findings(&service, SETTINGS)), all(6));
    assert_eq!(token.get(), 2, "asked once, also for those refused after the renewal");
    assert_eq!(service.told().last().unwrap().retries, 0);
    let repeated = &service.requests()[7..];
    assert!(repeated.iter().all(|request| request.headers == "token 2"));
    assert_eq!(service.asked().iter().filter(|(_, status)| *status == Some(401)).count(), 1);
}

#[test]
fn credentials_that_are_refused_again_after_the_renewal_are_unauthorized() {
    let service = service(1);
    service.headers_from(|_, _| (0.0, Ok("token".into())));
    service.reply(&path(0), [Reply::new(401, r#"{"errors":["expired"]}"#)]);
    let failure = failure(findings(&service, SETTINGS));
    assert_eq!((failure.reason, failure.attempts), (Reason::Unauthorized(401), 1));
    assert_eq!(failure.messages, ["expired"]);
    assert_eq!(service.times(&path(0)).len(), 2);
}

#[test]
fn a_renewal_that_never_ends_is_a_timeout_and_the_next_attempt_asks_as_usual() {
    let service = service(1);
    service.headers_from(|_, status| (if status == Some(401) { 1e9 } else { 0.0 }, Ok("token".into())));
    service.reply(&path(0), [Reply::new(401, ""), Reply::ok(partition_body(0))]);
    assert_eq!(all_right(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 30_150.0]);
}

#[test]
fn what_the_headers_function_throws_ends_the_call() {
    let service = service(1);
    service.headers_from(|_, _| (0.0, Err("no token".into())));
    assert_eq!(thrown(findings(&service, SETTINGS)), "no token");
    assert_eq!(service.requests(), []);
}

#[test]
fn what_the_renewal_throws_ends_the_call() {
    let service = service(1);
    service.headers_from(|_, status| (0.0, if status.is_none() { Ok("old".into()) } else { Err("logged out".into()) }));
    service.reply(&path(0), [Reply::new(401, "")]);
    assert_eq!(thrown(findings(&service, SETTINGS)), "logged out");
}

#[test]
fn progress_is_told_once_at_zero_and_once_after_each_partition() {
    let service = service(2);
    all_right(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
    let told: Vec<_> = service.told().iter().map(|at| (at.partitions_done, at.findings_done, at.bytes)).collect();
    let bytes = partition_body(0).len() as u64;
    assert_eq!(told, [(0, 0, 0), (1, 2, bytes), (2, 4, 2 * bytes)]);
    assert!(service.told().iter().all(|at| (at.partitions, at.findings) == (2, Some(4))));
}

#[test]
fn what_the_progress_function_throws_ends_the_call() {
    let service = service(5);
    service.progress_throws("enough");
    assert_eq!(thrown(findings(&service, SETTINGS)), "enough");
    assert_eq!((service.requests().len(), service.in_flight().0), (1, 0));
}

#[test]
fn a_wrong_total_is_incomplete_and_carries_what_was_received() {
    let service = service(2);
    service.reply(COUNTS, [Reply::ok(counts_body(2, 5))]);
    let failure = failure(findings(&service, SETTINGS));
    assert_eq!(failure.reason, Reason::Incomplete(Shortfall { expected: 5, received: 4 }));
    assert_eq!(json(failure.findings.unwrap()), all(2));
}

#[test]
fn a_wrong_total_can_be_told_or_passed_over() {
    let service = service(2);
    service.reply(COUNTS, [Reply::ok(counts_body(2, 5))]);
    let off = Settings { completeness: Completeness::Off, ..SETTINGS };
    assert_eq!(all_right(findings(&service, off)), all(2));
    assert!(service.warnings().is_empty());
    let warn = Settings { completeness: Completeness::Warn, ..SETTINGS };
    assert_eq!(all_right(findings(&service, warn)), all(2));
    assert_eq!(service.warnings().len(), 1);
}

#[test]
fn errors_of_the_service_carry_its_messages_and_the_findings_that_came_along() {
    let service = service(1);
    service.reply(&path(0), [Reply::ok(r#"{"errors":["half"],"Findings":[{}]}"#)]);
    let failure = failure(findings(&service, SETTINGS));
    assert_eq!((failure.reason, failure.messages), (Reason::Service, vec!["half".to_owned()]));
    assert_eq!(json(failure.findings.unwrap()), "{}");
}

#[test]
fn counts_that_are_none_fail_before_any_partition_is_asked_for() {
    for wrong in ["-1", "2.5", "null", "\"3\""] {
        let service = Scripted::default();
        service.reply(COUNTS, [Reply::ok(format!(r#"{{"SentimentPartitions":{wrong}}}"#))]);
        assert_eq!(failure(findings(&service, SETTINGS)).reason.code(), "decode");
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn four_billion_partitions_end_at_the_first_one_that_is_not_there() {
    let service = service(2);
    service.reply(COUNTS, [Reply::ok(r#"{"SentimentPartitions":4000000000}"#)]);
    for index in 2..10 {
        service.reply(&path(index), [Reply::new(404, "")]);
    }
    assert_eq!(failure(findings(&service, SETTINGS)).reason, Reason::Http(404));
}

#[test]
fn a_caller_may_map_counts_of_any_form() {
    let service = service(2);
    service.reply(COUNTS, [Reply::ok("[2, 4]")]);
    let sentiment = Ok(KindCounts { partitions: 2, findings: Some(4) });
    service.counts_are_mapped_to(Counts { sentiment, topics: Err("topics is missing".into()) });
    assert_eq!(all_right(findings(&service, SETTINGS)), all(2));
    let counts = call(&service, SETTINGS);
    assert_eq!(failure(service.run(counts.counts())).reason.code(), "decode", "both kinds are asked for");
}

#[test]
fn one_partition_is_one_request() {
    let service = service(3);
    let call = call(&service, SETTINGS);
    let findings = service.run(call.partition(Kind::Sentiment, 1)).map(json);
    assert_eq!(all_right(findings), r#"{"i":1,"n":0},{"i":1,"n":1}"#);
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn a_call_that_is_dropped_leaves_nothing_behind_at_any_time() {
    for time in 0..60 {
        let service = service(12);
        service.reply(&path(3), [Reply::broken(), Reply::ok(partition_body(3))]);
        let client = Rc::new(Scheduler::new(2, 64 << 20));
        let aborted = call_of(&client, &service, SETTINGS);
        assert!(service.run_until(f64::from(time), aborted.findings(Kind::Sentiment, gathering())).is_none());
        assert_eq!((service.in_flight().0, service.alarms()), (0, 0));
        let next = call_of(&client, &service, SETTINGS);
        assert_eq!(
            json(all_right(service.run(next.findings(Kind::Sentiment, gathering())))),
            all(12),
            "every slot is free again"
        );
    }
}
