//! The promises of the retrieval, against a mock host in virtual time.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

use chunk::Chunk;
use futures_util::future::{Either, join, join_all, select};

use super::host::Host;
use super::progress::{DecodingThread, PartitionChange, PartitionState};
use super::retrieval::Retrieval;
use super::settings::{Completeness, FailurePolicy, Settings};
use super::stream::Delivery;
use crate::accumulator::{Accumulator, EarlierPartitions, Findings, Growth, Trust};
use crate::contract::{Kind, KindCounts};
use crate::counts::Counts;
use crate::error::{CallEnd, Error, ErrorKind, Hint};
use crate::failure_log::FailureLog;
use crate::mock_host::{MockFindings, MockHost, MockRequest, MockWork, Part, ScriptedResponse};
use crate::scheduling::partition_tracker::{PartitionTracker, TotalMismatch};
use crate::scheduling::reorder_buffer::{Order, ReorderBuffer};
use crate::scheduling::retry::Policy;
use crate::scheduling::scheduler::Scheduler;
use crate::transport::Sender;
use crate::transport::retry_after::RetryAfter;
use chunk::form::Formed;
use table::tables::table_of;

const SETTINGS: Settings = Settings {
    concurrency: 6,
    timeout: 30_000.0,
    total_timeout: None,
    policy: Policy { retries: 3, max_retry_after: 60_000.0 },
    completeness: Completeness::Strict,
    failure_policy: FailurePolicy::FailFast,
    max_partition_bytes: 1 << 20,
    max_buffered_bytes: 64 << 20,
    appends: false,
};

type MockAccumulator = Accumulator<MockFindings>;

const COUNTS: &str = "Findings/42";

fn path(index: u64) -> String {
    format!("Findings/42/Sentiment/{index}")
}

/// A call of a client of its own.
fn call(service: &MockHost, settings: Settings) -> Retrieval<MockHost> {
    call_of(&Rc::new(Scheduler::new(6, 64 << 20)), service, settings)
}

fn call_of(scheduler: &Rc<Scheduler>, service: &MockHost, settings: Settings) -> Retrieval<MockHost> {
    Retrieval::new(service.clone(), Rc::clone(scheduler), Rc::default(), 42, settings, service.now())
}

fn accumulator() -> Rc<MockAccumulator> {
    Rc::new(Accumulator::new(None))
}

fn counts_body(partitions: u64, findings: u64) -> String {
    format!(r#"{{"SentimentPartitions":{partitions},"SentimentFindings":{findings},"errors":null}}"#)
}

fn partition_body(index: u64) -> String {
    format!(r#"{{"Findings":[{{"i":{index},"n":0}},{{"i":{index},"n":1}}],"errors":null}}"#)
}

/// A service with partitions of two findings each.
fn service(partitions: u64) -> MockHost {
    let service = MockHost::default();
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(partitions, 2 * partitions))]);
    for index in 0..partitions {
        service.respond(&path(index), [ScriptedResponse::ok(partition_body(index)).after(10.0)]);
    }
    service
}

fn json(findings: &MockFindings) -> String {
    let rows = match findings {
        Formed::Chunk(chunk) => {
            let table = table_of::<MockHost>(0, Rc::clone(chunk), None).unwrap();
            (0..table.len()).map(|row| table.json(row).unwrap()).collect()
        }
        Formed::Rows(objects) => objects.clone(),
    };
    rows.join(",").replace(".0", "")
}

fn json_of(chunk: Rc<Chunk>) -> String {
    json(&Formed::Chunk(chunk))
}

/// The findings of each partition received, in index order.
fn received(accumulator: &MockAccumulator) -> Vec<String> {
    accumulator.partitions().iter().map(|one| json(&one.findings)).collect()
}

/// Makes or resumes a call, and returns its findings.
async fn get(call: &Retrieval<MockHost>, accumulator: Rc<MockAccumulator>) -> Result<String, CallEnd<String>> {
    call.findings(Kind::Sentiment, &accumulator).await?;
    Ok(received(&accumulator).join(","))
}

fn rows_of(index: u64) -> String {
    format!(r#"{{"i":{index},"n":0}},{{"i":{index},"n":1}}"#)
}

fn all(partitions: u64) -> String {
    (0..partitions).map(rows_of).collect::<Vec<_>>().join(",")
}

fn findings(service: &MockHost, settings: Settings) -> Result<String, CallEnd<String>> {
    let call = call(service, settings);
    service.run(get(&call, accumulator()))
}

/// Like `unwrap`, which needs `Debug`.
fn succeeded<T>(result: Result<T, CallEnd<String>>) -> T {
    match result {
        Ok(value) => value,
        Err(CallEnd::Thrown(value)) => panic!("thrown: {value}"),
        Err(CallEnd::Failed(error)) => panic!("failed: {error}"),
    }
}

fn error<T>(result: Result<T, CallEnd<String>>) -> Error<String> {
    match result {
        Err(CallEnd::Failed(error)) => *error,
        Err(CallEnd::Thrown(value)) => panic!("thrown: {value}"),
        Ok(_) => panic!("the call succeeded"),
    }
}

fn thrown<T>(result: Result<T, CallEnd<String>>) -> String {
    match result {
        Err(CallEnd::Thrown(value)) => value,
        Err(CallEnd::Failed(error)) => panic!("failed: {error}"),
        Ok(_) => panic!("the call succeeded"),
    }
}

#[test]
fn resolves_in_index_order_whatever_the_order_of_arrival() {
    let service = service(20);
    for index in 0..20 {
        service.respond(&path(index), [ScriptedResponse::ok(partition_body(index)).after((index * 7 % 13) as f64)]);
    }
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(20));
}

#[test]
fn requests_the_counts_once_and_each_partition_once() {
    let service = service(9);
    succeeded(findings(&service, SETTINGS));
    let mut paths: Vec<String> = service.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths.remove(0), COUNTS);
    assert_eq!(paths, (0..9).map(path).collect::<Vec<_>>());
}

#[test]
fn resolves_without_findings_for_an_inspection_without_partitions() {
    let service = service(0);
    assert_eq!(succeeded(findings(&service, SETTINGS)), "");
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn keeps_the_concurrency_full_and_never_exceeds_it() {
    let service = service(30);
    service.respond(&path(0), [ScriptedResponse::ok(partition_body(0)).after(1_000.0)]);
    succeeded(findings(&service, Settings { concurrency: 3, ..SETTINGS }));
    assert_eq!(service.in_flight(), (0, 3));
    assert_eq!(service.times(&path(29)), [140.0], "the slow partition delays no other");
}

#[test]
fn shares_the_permits_among_the_calls_of_a_client() {
    let service = service(10);
    let client = Rc::new(Scheduler::new(4, 64 << 20));
    let calls: Vec<_> = (0..40).map(|_| call_of(&client, &service, SETTINGS)).collect();
    let results = service.run(join_all(calls.iter().map(|call| get(call, accumulator()))));
    assert!(results.into_iter().all(|result| succeeded(result) == all(10)));
    assert_eq!(service.in_flight(), (0, 4));
}

#[test]
fn retries_transient_errors_and_counts_the_retries() {
    let service = service(3);
    service.respond(
        &path(1),
        [ScriptedResponse::new(500, ""), ScriptedResponse::broken(), ScriptedResponse::ok(partition_body(1))],
    );
    service.respond(
        &path(2),
        [ScriptedResponse::ok("").parts(vec![Part::Broken]), ScriptedResponse::ok(partition_body(2))],
    );
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(3));
    assert_eq!(service.reported_progress().last().unwrap().retries, 3);
    assert_eq!(service.times(&path(1)), [0.0, 150.0, 450.0]);
}

#[test]
fn shows_each_retry_at_once_and_each_partition_before_it_is_reported() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::broken(), ScriptedResponse::ok(counts_body(2, 4))]);
    service.respond(&path(1), [ScriptedResponse::broken(), ScriptedResponse::ok(partition_body(1))]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(2));
    let shown = service.shown_progress();
    let figures: Vec<_> = shown.iter().map(|one| (one.partitions, one.partitions_done, one.retries)).collect();
    assert_eq!(figures, [(0, 0, 1), (2, 0, 1), (2, 0, 2), (2, 1, 2), (2, 2, 2)]);
    let reported = service.reported_progress();
    assert_eq!(shown.into_iter().filter(|one| reported.contains(one)).collect::<Vec<_>>(), reported);
}

#[test]
fn shows_what_was_received_while_a_resumed_call_reads_the_counts() {
    let service = service(2);
    service.respond(&path(1), [ScriptedResponse::new(404, ""), ScriptedResponse::ok(partition_body(1))]);
    let accumulator = accumulator();
    let collect = Settings { failure_policy: FailurePolicy::Collect, ..SETTINGS };
    let get = || resume(&service, &accumulator, collect);
    assert!(matches!(error(get()).kind, ErrorKind::Partial { .. }));
    service.respond(COUNTS, [ScriptedResponse::broken(), ScriptedResponse::ok(counts_body(2, 4))]);
    succeeded(get());
    let figures: Vec<_> = service.shown_progress().iter().map(|one| (one.partitions_done, one.retries)).collect();
    assert_eq!(figures, [(0, 0), (1, 0), (1, 1), (1, 1), (2, 1)]);
}

#[test]
fn rejects_with_the_last_error_after_all_retries() {
    let service = service(3);
    service.respond(&path(1), [ScriptedResponse::broken(), ScriptedResponse::new(503, r#"{"errors":["busy"]}"#)]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind.clone(), error.subject.partition(), error.attempts), (ErrorKind::Http(503), Some(1), 4));
    assert_eq!(error.messages, ["busy"]);
    assert_eq!(service.times(&path(1)).len(), 4);
}

#[test]
fn doubts_the_url_of_counts_that_say_that_they_are_a_page() {
    let (doubted, html) = ("Check baseUrl", "perhaps it is of a firewall or proxy");
    for response in [
        ScriptedResponse::ok("Not found"),
        ScriptedResponse::ok(""),
        ScriptedResponse::ok("{}"),
        ScriptedResponse::new(400, "Bad request"),
    ] {
        for place in [COUNTS, &path(0)] {
            let message = |response| {
                let service = service(1);
                service.respond(place, [response]);
                error(findings(&service, SETTINGS)).to_string()
            };
            let plain = message(response.clone());
            assert!(!plain.contains(doubted) && !plain.contains(html), "{plain}");
            let page = message(response.clone().page());
            assert_eq!(page.matches(doubted).count(), usize::from(place == COUNTS), "{page}");
            assert_eq!(page.matches(html).count(), 1, "{page}");
        }
    }
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::ok(partition_body(0)).page()]);
    assert!(findings(&service, SETTINGS).is_ok());
}

#[test]
fn names_the_title_of_a_page_with_any_status_and_doubts_no_permission() {
    let page = "<!doctype html><title>Request rejected</title>";
    for (status, place, doubts) in
        [(200, COUNTS, true), (202, COUNTS, true), (400, COUNTS, true), (403, COUNTS, false), (503, COUNTS, false)]
            .into_iter()
            .chain([200, 202, 400, 403, 503].map(|status| (status, "Findings/42/Sentiment/0", false)))
    {
        let service = service(1);
        service.respond(place, [ScriptedResponse::new(status, page).page()]);
        let message = error(findings(&service, SETTINGS)).to_string();
        let expected = "an HTML page with the title \"Request rejected\", perhaps of a firewall or proxy";
        assert_eq!(message.matches(expected).count(), 1, "{message}");
        assert_eq!(message.contains("Check baseUrl"), doubts, "{message}");
        assert!(!message.contains("permission"), "{message}");
    }
}

#[test]
fn says_where_a_redirect_leads_and_that_the_session_may_have_ended() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::redirect()]);
    let message = error(findings(&service, SETTINGS)).to_string();
    assert!(
        message
            .contains(": it leads to https://login.example. If that is a page for signing in, the session has ended"),
        "{message}"
    );
}

#[test]
fn does_not_retry_final_errors() {
    let responses = [
        (ScriptedResponse::new(404, ""), "http"),
        (ScriptedResponse::new(400, ""), "http"),
        (ScriptedResponse::new(501, ""), "http"),
        (ScriptedResponse::redirect(), "http"),
        (ScriptedResponse::new(403, ""), "unauthorized"),
        (ScriptedResponse::new(401, ""), "unauthorized"),
        (ScriptedResponse::no_response(), "network"),
        (ScriptedResponse::ok(r#"{"errors":[]}"#), "service"),
        (ScriptedResponse::ok(r#"{"Findings":[{"i":?"#), "decode"),
        (ScriptedResponse::ok(r#"{"Findings":["#).announcing(13), "decode"),
        (ScriptedResponse::ok(vec![b' '; (1 << 20) + 1]), "too-large"),
    ];
    for (response, code) in responses {
        let service = service(1);
        service.respond(&path(0), [response]);
        let error = error(findings(&service, SETTINGS));
        assert_eq!((error.kind.code(), error.attempts), (code, 1), "{error}");
        assert_eq!(service.times(&path(0)).len(), 1, "{error}");
    }
}

#[test]
fn retries_every_transient_status() {
    for status in [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524] {
        let service = service(1);
        service.respond(&path(0), [ScriptedResponse::new(status, ""), ScriptedResponse::ok(partition_body(0))]);
        assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    }
}

#[test]
fn retries_a_body_that_is_cut_off_without_a_stated_length() {
    let cut_off = [
        ScriptedResponse::ok(r#"{"Findings":[{"i":0,"n":0}"#),
        ScriptedResponse::ok(r#"{"Findings":[{"i":0"#).announcing(900).encoded(),
        // Chromium hides the broken connection if the bytes after decompression are as many as stated.
        ScriptedResponse::ok(r#"{"Findings":[{"i":0"#).announcing(19).encoded(),
        ScriptedResponse::ok(""),
        ScriptedResponse::ok("").announcing(0),
        ScriptedResponse::ok("").announcing(20),
    ];
    for response in cut_off {
        let service = service(1);
        service.respond(&path(0), [response.clone(), ScriptedResponse::ok(partition_body(0))]);
        assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
        let retries: Vec<_> =
            service.changes().into_iter().filter(|(change, _)| change.state == PartitionState::Retrying).collect();
        assert!(matches!(retries.as_slice(), [(_, Some(ErrorKind::Broken))]), "{retries:?}");

        service.respond(&path(0), [response]);
        let error = error(findings(&service, SETTINGS));
        assert_eq!((error.kind.code(), error.attempts), ("decode", 4), "{error}");
    }
}

#[test]
fn counts_a_body_that_is_cut_off_as_no_success() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::ok("{")]);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    for _ in 0..40 {
        error(service.run(call_of(&client, &service, SETTINGS).partition(Kind::Sentiment, 0)));
    }
    assert_eq!(service.requests().len(), 40 + 100, "more retries than the client has");
}

#[test]
fn cancels_all_requests_after_an_error_and_starts_none() {
    let service = service(10);
    service.respond(&path(2), [ScriptedResponse::new(404, "").after(5.0)]);
    error(findings(&service, SETTINGS));
    assert_eq!(service.in_flight().0, 0);
    assert_eq!(service.requests().len(), 7);
    assert_eq!(service.alarms(), 0);
}

#[test]
fn leaves_other_calls_alone_after_an_error() {
    let service = service(4);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    service.respond(&path(3), [ScriptedResponse::new(404, ""), ScriptedResponse::ok(partition_body(3)).after(10.0)]);
    let (first, second) = (call_of(&client, &service, SETTINGS), call_of(&client, &service, SETTINGS));
    let results = service.run(join_all([get(&first, accumulator()), get(&second, accumulator())]));
    let succeeded: Vec<_> = results.into_iter().filter_map(Result::ok).collect();
    assert_eq!(succeeded, [all(4)]);
}

#[test]
fn retries_an_attempt_that_exceeds_its_timeout() {
    for slow in
        [ScriptedResponse::never(), ScriptedResponse::ok("").parts(vec![Part::Bytes(b"{".to_vec()), Part::Stall])]
    {
        let service = service(1);
        service.respond(&path(0), [slow, ScriptedResponse::ok(partition_body(0))]);
        assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
        assert_eq!(service.times(&path(0)), [0.0, 30_150.0]);
    }
}

#[test]
fn applies_the_timeout_to_headers_function_response_and_body_together() {
    let service = service(1);
    service.headers_from(|_, _| (40.0, Ok("token".into())));
    let slow =
        ScriptedResponse::ok("").after(40.0).parts(vec![Part::Wait(40.0), Part::Bytes(partition_body(0).into())]);
    service.respond(&path(0), [slow]);
    let settings = Settings { timeout: 100.0, policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS };
    assert_eq!(error(findings(&service, settings)).kind, ErrorKind::AttemptTimeout(100));
    assert!(findings(&service, Settings { timeout: 121.0, ..settings }).is_ok());
}

#[test]
fn times_out_when_the_headers_function_never_resolves_and_says_so() {
    let service = service(1);
    service.headers_from(|_, _| (1e9, Ok("token".into())));
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind.code(), error.attempts), ("timeout", 4));
    assert_eq!(error.hints, [Hint::SlowHeaders]);
}

#[test]
fn rejects_with_the_status_when_the_body_of_the_response_stalls() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::new(404, "").parts(vec![Part::Stall])]);
    assert_eq!(error(findings(&service, SETTINGS)).kind, ErrorKind::Http(404));
}

#[test]
fn ends_the_call_at_its_total_timeout_in_any_state() {
    let total = Settings { total_timeout: Some(1_000.0), ..SETTINGS };
    let stalled = service(1);
    stalled.respond(&path(0), [ScriptedResponse::never()]);
    let backing_off = service(1);
    backing_off.respond(&path(0), [ScriptedResponse::broken().after(900.0)]);
    for service in [stalled, backing_off] {
        let error = error(findings(&service, total));
        assert_eq!(error.kind, ErrorKind::TotalTimeout(1_000));
        assert_eq!((service.now(), service.in_flight().0), (1_000.0, 0));
    }
}

#[test]
fn counts_the_wait_for_a_permit_into_the_total_timeout() {
    let service = service(1);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(1, 2)).after(800.0)]);
    let client = Rc::new(Scheduler::new(1, 64 << 20));
    let total = Settings { total_timeout: Some(1_000.0), ..SETTINGS };
    let calls = [call_of(&client, &service, SETTINGS), call_of(&client, &service, total)];
    let results = service.run(join_all(calls.iter().map(|call| get(call, accumulator()))));
    let outcomes: Vec<_> = results.iter().map(Result::is_ok).collect();
    assert_eq!(outcomes, [true, false]);
}

#[test]
fn waits_for_retry_after_and_pauses_all_new_requests_of_the_client() {
    let service = service(8);
    service.respond(
        &path(0),
        [
            ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(7_000.0)),
            ScriptedResponse::ok(partition_body(0)),
        ],
    );
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(8));
    // With the jitter.
    assert_eq!(service.times(&path(0)), [0.0, 7_350.0]);
    assert_eq!(service.times(&path(5)), [0.0], "it was in flight already");
    // Sent after 10 ms, it waits for the rest.
    assert_eq!(service.times(&path(6)), [10.0 + 6_990.0 + 349.0]);
}

#[test]
fn postpones_an_attempt_that_waits_for_headers_when_a_pause_begins() {
    let service = service(2);
    service.headers_from(|attempt, _| (if attempt == 1 { 100.0 } else { 0.0 }, Ok("token".into())));
    service.respond(COUNTS, [ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(7_000.0))]);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    let never = Settings { policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS };
    let (refused, late) = (call_of(&client, &service, never), call_of(&client, &service, SETTINGS));
    service.run(async {
        let late = async {
            service.sleep(50.0).await;
            late.partition(Kind::Sentiment, 1).await
        };
        let (refused, late) = futures_util::future::join(refused.counts(), late).await;
        assert_eq!(error(refused).kind, ErrorKind::Http(429));
        succeeded(late);
    });
    let resumed = 7_100.0 + 347.0;
    assert_eq!(
        service.times(&path(1)),
        [resumed + 100.0],
        "the pause ends at 7100, and the headers function is called again"
    );
}

#[test]
fn begins_a_pause_before_the_body_of_the_response_arrives() {
    let service = service(2);
    service.respond(
        COUNTS,
        [ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(7_000.0)).parts(vec![Part::Stall])],
    );
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    let (refused, late) = (call_of(&client, &service, SETTINGS), call_of(&client, &service, SETTINGS));
    service.run(async {
        let late = async {
            service.sleep(50.0).await;
            late.partition(Kind::Sentiment, 1).await
        };
        let late = Box::pin(late);
        match select(Box::pin(refused.counts()), late).await {
            Either::Left(_) => panic!("the body of the 429 never ends"),
            Either::Right((findings, _)) => drop(succeeded(findings)),
        }
    });
    assert_eq!(service.times(&path(1)), [7_000.0 + 347.0]);
}

#[test]
fn waits_until_the_date_in_retry_after() {
    let service = service(1);
    let date = RetryAfter::Date(784_111_787_000.0); // ten seconds after the beginning
    service.respond(
        &path(0),
        [ScriptedResponse::new(503, "").retry_after(date).after(4_000.0), ScriptedResponse::ok(partition_body(0))],
    );
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 10_000.0 + 300.0]);
}

#[test]
fn waits_for_the_backoff_when_retry_after_is_0_or_has_passed() {
    for passed in [RetryAfter::Delay(0.0), RetryAfter::Date(784_111_000_000.0)] {
        let service = service(1);
        service.respond(&path(0), [ScriptedResponse::new(503, "").retry_after(passed)]);
        let error = error(findings(&service, SETTINGS));
        assert_eq!((error.kind, error.attempts, error.retry_after), (ErrorKind::Http(503), 4, Some(0.0)));
        assert_eq!(service.times(&path(0)), [0.0, 150.0, 450.0, 1_050.0]);
    }
}

#[test]
fn retries_a_403_only_with_a_retry_after() {
    let service = service(1);
    let refused = ScriptedResponse::new(403, "").retry_after(RetryAfter::Delay(1_000.0));
    service.respond(&path(0), [refused, ScriptedResponse::new(403, "")]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind, error.attempts), (ErrorKind::Unauthorized(403), 2));
}

#[test]
fn takes_no_content_and_partial_content_for_a_failure() {
    for status in [204, 205, 206] {
        let service = service(1);
        service.respond(&path(0), [ScriptedResponse::new(status, partition_body(0))]);
        let error = error(findings(&service, SETTINGS));
        assert_eq!((error.kind.clone(), error.attempts), (ErrorKind::Http(status), 1));
        assert!(error.to_string().contains("body"), "{error}");
    }
}

#[test]
fn rejects_at_once_when_retry_after_exceeds_its_limit_and_pauses_no_call() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(61_000.0))]);
    let client = Rc::new(Scheduler::new(6, 64 << 20));
    let first = call_of(&client, &service, SETTINGS);
    let error = error(service.run(get(&first, accumulator())));
    assert_eq!((error.kind, error.retry_after, service.now()), (ErrorKind::Http(429), Some(61_000.0), 0.0));
    service.respond(&path(0), [ScriptedResponse::ok(partition_body(0))]);
    let second = call_of(&client, &service, SETTINGS);
    assert!(service.run(get(&second, accumulator())).is_ok());
    assert_eq!(service.now(), 0.0);
}

#[test]
fn rejects_at_once_when_retry_after_exceeds_the_total_timeout() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(5_000.0))]);
    let error = error(findings(&service, Settings { total_timeout: Some(4_000.0), ..SETTINGS }));
    assert_eq!((error.kind, service.now()), (ErrorKind::Http(429), 0.0));
}

#[test]
fn keeps_the_permit_between_attempts() {
    let service = service(2);
    service.respond(&path(0), [ScriptedResponse::new(500, ""), ScriptedResponse::ok(partition_body(0))]);
    succeeded(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
    assert_eq!(service.times(&path(0)), [0.0, 150.0]);
    assert_eq!(service.times(&path(1)), [150.0]);
}

#[test]
fn calls_the_headers_function_before_each_attempt_with_the_last_status() {
    let service = service(1);
    service.headers_from(|attempt, _| (0.0, Ok(format!("token {attempt}"))));
    service.respond(
        &path(0),
        [ScriptedResponse::new(503, ""), ScriptedResponse::broken(), ScriptedResponse::ok(partition_body(0))],
    );
    succeeded(findings(&service, SETTINGS));
    assert_eq!(service.header_calls(), [(1, None), (1, None), (2, Some(503)), (3, None)]);
    assert_eq!(service.requests()[2].headers, "token 2");
}

#[test]
fn refreshes_expired_credentials_once_for_parallel_requests_without_counting_an_attempt() {
    let service = service(6);
    let token = Rc::new(Cell::new(1));
    let refreshed = Rc::clone(&token);
    service.headers_from(move |_, status| {
        if status == Some(401) {
            refreshed.set(refreshed.get() + 1);
            return (100.0, Ok(format!("token {}", refreshed.get())));
        }
        (0.0, Ok(format!("token {}", refreshed.get())))
    });
    for index in 0..6 {
        let expired = ScriptedResponse::new(401, "").after(10.0 + 50.0 * index as f64);
        service.respond(&path(index), [expired, ScriptedResponse::ok(partition_body(index))]);
    }
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(6));
    assert_eq!(token.get(), 2, "also for requests refused after the refresh");
    assert_eq!(service.reported_progress().last().unwrap().retries, 0);
    let repeated = &service.requests()[7..];
    assert!(repeated.iter().all(|request| request.headers == "token 2"));
    assert_eq!(service.header_calls().iter().filter(|(_, status)| *status == Some(401)).count(), 1);
}

#[test]
fn rejects_as_unauthorized_when_refreshed_credentials_are_refused() {
    let service = service(1);
    service.headers_from(|_, _| (0.0, Ok("token".into())));
    service.respond(&path(0), [ScriptedResponse::new(401, r#"{"errors":["expired"]}"#)]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind, error.attempts), (ErrorKind::Unauthorized(401), 1));
    assert_eq!(error.messages, ["expired"]);
    assert_eq!(service.times(&path(0)).len(), 2);
}

#[test]
fn gives_an_error_the_headers_of_all_attempts_of_its_request() {
    let responses: [&[ScriptedResponse]; 6] = [
        &[ScriptedResponse::new(410, "")],
        &[ScriptedResponse::new(401, ""), ScriptedResponse::new(401, "")],
        &[ScriptedResponse::broken()],
        &[ScriptedResponse::ok("{")],
        &[ScriptedResponse::ok(r#"{"errors":["token 1"]}"#)],
        &[ScriptedResponse::ok(partition_body(0)).after(1e9)],
    ];
    for of_counts in [true, false] {
        for responses in responses {
            let service = service(1);
            let asked = Rc::new(Cell::new(0));
            let given = Rc::clone(&asked);
            service.headers_from(move |_, _| {
                given.set(given.get() + 1);
                (0.0, Ok(format!("token {}", given.get())))
            });
            service.respond(if of_counts { COUNTS } else { "Findings/42/Sentiment/0" }, responses.to_vec());
            let error = error(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
            let requests = service.requests();
            let path = requests.last().map(|request| request.path.clone());
            let sent = requests.into_iter().filter(|request| Some(&request.path) == path.as_ref());
            let sent: Vec<_> = sent.map(|request| request.headers).collect();
            assert_eq!(error.reason, Some(format!("headers {sent:?}")), "{error}");
            assert_eq!(sent.last(), Some(&format!("token {}", asked.get())), "{error}");
        }
    }
}

#[test]
fn times_out_when_a_refresh_never_resolves_and_retries() {
    let service = service(1);
    service.headers_from(|_, status| (if status == Some(401) { 1e9 } else { 0.0 }, Ok("token".into())));
    service.respond(&path(0), [ScriptedResponse::new(401, ""), ScriptedResponse::ok(partition_body(0))]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 30_150.0]);
}

#[test]
fn refreshes_credentials_again_when_the_refresh_was_too_late() {
    let service = service(2);
    let begun = Cell::new(0);
    service.headers_from(move |_, status| {
        if status != Some(401) {
            return (0.0, Ok("old".into()));
        }
        begun.set(begun.get() + 1);
        (if begun.get() == 1 { 1e9 } else { 0.0 }, Ok("new".into()))
    });
    // The second partition still waits for the first refresh when the first one no longer does.
    for (index, delay) in [(0, 0.0), (1, 10_000.0)] {
        let expired = ScriptedResponse::new(401, "");
        let responses = [expired.clone().after(delay), expired, ScriptedResponse::ok(partition_body(index))];
        service.respond(&path(index), responses);
    }
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(2));
    let requests = service.requests();
    let sent: Vec<_> =
        requests.iter().filter(|request| request.path == path(0)).map(|request| &request.headers).collect();
    assert_eq!(sent, ["old", "old", "new"]);
    assert_eq!(service.times(&path(0)), [0.0, 30_150.0, 30_150.0]);
}

#[test]
fn ends_the_call_with_what_the_headers_function_throws() {
    let service = service(1);
    service.headers_from(|_, _| (0.0, Err("no token".into())));
    assert_eq!(thrown(findings(&service, SETTINGS)), "no token");
    assert_eq!(service.requests(), []);
}

#[test]
fn ends_the_call_with_what_a_refresh_throws() {
    let service = service(1);
    service.headers_from(|_, status| (0.0, if status.is_none() { Ok("old".into()) } else { Err("logged out".into()) }));
    service.respond(&path(0), [ScriptedResponse::new(401, "")]);
    assert_eq!(thrown(findings(&service, SETTINGS)), "logged out");
}

#[test]
fn reports_progress_at_the_beginning_and_after_each_partition() {
    let service = service(2);
    succeeded(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
    let reported: Vec<_> =
        service.reported_progress().iter().map(|at| (at.partitions_done, at.findings_done, at.bytes)).collect();
    let bytes = partition_body(0).len() as u64;
    assert_eq!(reported, [(0, 0, 0), (1, 2, bytes), (2, 4, 2 * bytes)]);
    assert!(service.reported_progress().iter().all(|at| (at.partitions, at.findings) == (2, Some(4))));
}

#[test]
fn ends_the_call_with_what_the_progress_function_throws() {
    let service = service(5);
    service.progress_throws("enough");
    assert_eq!(thrown(findings(&service, SETTINGS)), "enough");
    assert_eq!((service.requests().len(), service.in_flight().0), (1, 0));
}

#[test]
fn never_completes_without_every_partition_also_without_a_total() {
    let service = service(2);
    let accumulator = accumulator();
    accumulator.begin(KindCounts { partitions: 2, findings: None }, Trust::default()).unwrap();
    let call = call(&service, SETTINGS);
    let error = error(call.complete(Kind::Sentiment, &accumulator, FailureLog::default()));
    assert_eq!(error.kind, ErrorKind::Partial { missing: 2, partitions: 2 });
}

#[test]
fn a_stream_never_ends_without_every_partition_also_without_a_total() {
    let call = call(&service(2), SETTINGS);
    let mut tracker = PartitionTracker::new(KindCounts { partitions: 2, findings: None });
    for _ in 0..2 {
        let checked = call.check_delivered(Kind::Sentiment, &tracker).map_err(CallEnd::from);
        assert_eq!(error(checked).kind, ErrorKind::Undelivered(2));
        let ticket = tracker.next_ticket().unwrap();
        tracker.take(ticket, 2).unwrap();
    }
    assert!(call.check_delivered(Kind::Sentiment, &tracker).is_ok());
}

#[test]
fn rejects_as_incomplete_when_the_total_differs() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(2, 5))]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!(
        error.kind,
        ErrorKind::Incomplete(TotalMismatch { expected: 5, received: 4, partitions: 2, has_appended: false })
    );
}

#[test]
fn warns_of_a_wrong_total_or_ignores_it_as_the_option_says() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(2, 5))]);
    let off = Settings { completeness: Completeness::Off, ..SETTINGS };
    assert_eq!(succeeded(findings(&service, off)), all(2));
    assert!(service.warnings().is_empty());
    let warn = Settings { completeness: Completeness::Warn, ..SETTINGS };
    assert_eq!(succeeded(findings(&service, warn)), all(2));
    assert_eq!(service.warnings().len(), 1);
}

#[test]
fn rejects_with_the_messages_of_the_service_and_the_findings_beside_them() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::ok(r#"{"errors":["half"],"Findings":[{}]}"#)]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind, error.messages), (ErrorKind::Service, vec!["half".to_owned()]));
    assert_eq!(error.findings.map(json_of).unwrap(), "{}");
}

#[test]
fn rejects_wrong_counts_before_it_requests_a_partition() {
    for wrong in ["-1", "2.5", "null", "\"3\""] {
        let service = MockHost::default();
        service.respond(COUNTS, [ScriptedResponse::ok(format!(r#"{{"SentimentPartitions":{wrong}}}"#))]);
        assert_eq!(error(findings(&service, SETTINGS)).kind.code(), "decode");
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn rejects_at_the_first_absent_partition_of_four_billion() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::ok(r#"{"SentimentPartitions":4000000000}"#)]);
    for index in 2..10 {
        service.respond(&path(index), [ScriptedResponse::new(404, "")]);
    }
    assert_eq!(error(findings(&service, SETTINGS)).kind, ErrorKind::Http(404));
}

#[test]
fn uses_the_counts_that_the_caller_maps() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::ok("[2, 4]")]);
    let sentiment = Ok(KindCounts { partitions: 2, findings: Some(4) });
    service.counts_are_mapped_to(Counts { sentiment, topics: Err("topics is missing".into()) });
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(2));
    let counts = call(&service, SETTINGS);
    assert_eq!(error(service.run(counts.counts())).kind.code(), "decode", "a call for counts needs both kinds");
}

#[test]
fn requests_a_single_partition_once() {
    let service = service(3);
    let call = call(&service, SETTINGS);
    let findings = service.run(call.partition(Kind::Sentiment, 1)).map(|findings| json(&findings));
    assert_eq!(succeeded(findings), r#"{"i":1,"n":0},{"i":1,"n":1}"#);
    assert_eq!(service.requests().len(), 1);
}

/// A body of one finding and at least this many bytes.
fn long_body(length: usize) -> String {
    format!(r#"{{"Findings":[{{"text":"{}"}}]}}"#, "x".repeat(length))
}

/// Fetches a single partition; returns the number of its findings or its error, and the number of requests.
fn partition_of(
    response: impl IntoIterator<Item = ScriptedResponse>,
    settings: Settings,
) -> (Result<usize, ErrorKind>, usize) {
    let service = MockHost::default();
    service.respond(&path(0), response);
    let result = service.run(call(&service, settings).partition(Kind::Sentiment, 0));
    let result = match result {
        Ok(findings) => Ok(findings.len()),
        failed => Err(error(failed).kind),
    };
    assert_eq!(service.in_flight().0, 0);
    (result, service.requests().len())
}

#[test]
fn refuses_a_body_that_is_too_long_before_it_reads_a_byte_if_its_length_is_known() {
    let settings = Settings { max_partition_bytes: 1_000, ..SETTINGS };
    let unread = vec![Part::Broken];
    let (announced, _) = partition_of([ScriptedResponse::ok("").parts(unread).announcing(1_001)], settings);
    assert_eq!(announced.unwrap_err(), ErrorKind::TooLarge(1_000));
    let (unannounced, _) = partition_of([ScriptedResponse::ok(long_body(1_000))], settings);
    assert_eq!(unannounced.unwrap_err(), ErrorKind::TooLarge(1_000));
}

#[test]
fn ends_an_endless_body_at_the_timeout() {
    let endless = ScriptedResponse::ok("").parts(vec![Part::Bytes(b"{".to_vec()), Part::Stall]);
    let once = Settings { policy: Policy { retries: 1, max_retry_after: 0.0 }, ..SETTINGS };
    let (result, _) = partition_of([endless], once);
    assert_eq!(result.unwrap_err(), ErrorKind::AttemptTimeout(30_000));
}

#[test]
fn takes_the_findings_of_a_worker_and_decodes_in_the_page_what_it_gives_back() {
    let service = service(4);
    service.delegates([MockWork::Packed, MockWork::Junk, MockWork::Returned, MockWork::Packed]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(4));
    let places: Vec<_> = service.reported_progress().iter().map(|progress| progress.decoded_in).collect();
    assert_eq!(
        places,
        // The chunk of a worker does not wait until the page has decoded others.
        [
            None,
            Some(DecodingThread::Worker),
            Some(DecodingThread::Worker),
            Some(DecodingThread::Page),
            Some(DecodingThread::Page)
        ]
    );
    assert_eq!(service.requests().len(), 5);
    let counts = KindCounts { partitions: 4, findings: Some(8) };
    assert_eq!(service.prepared(), [None, Some(counts)]);
}

#[test]
fn lets_a_worker_send_what_the_page_can_still_repeat() {
    let service = service(2);
    succeeded(findings(&service, SETTINGS));
    assert_eq!(service.senders(), [Sender::Page, Sender::Any, Sender::Any]);
    let once = Settings { policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS };
    let service = self::service(1);
    succeeded(findings(&service, once));
    assert_eq!(service.senders(), [Sender::Page, Sender::Page]);
}

#[test]
fn repeats_in_the_page_what_gets_no_response_in_a_worker() {
    let service = service(1);
    service.sends_in_worker([MockRequest::Fails]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.senders(), [Sender::Page, Sender::Any, Sender::PageAfterWorker]);
}

#[test]
fn repeats_in_the_page_what_a_worker_loses() {
    let service = service(2);
    service.sends_in_worker([MockRequest::Ends, MockRequest::Keeps]);
    service.delegates([MockWork::Lost]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(2));
    let [Sender::Page, Sender::Any, Sender::Any, Sender::Page, Sender::Page] = service.senders()[..] else {
        panic!("{:?}", service.senders())
    };
}

#[test]
fn a_body_that_a_worker_keeps_is_not_longer_than_its_limit() {
    let service = service(1);
    service.sends_in_worker([MockRequest::Keeps]);
    let small = Settings { max_partition_bytes: 10, ..SETTINGS };
    assert_eq!(error(findings(&service, small)).kind, ErrorKind::TooLarge(10));
}

#[test]
fn objects_are_built_from_the_rows_of_a_worker_and_in_the_page_from_what_it_gives_back() {
    let service = service(4);
    service.build_objects();
    service.delegates([MockWork::Packed, MockWork::Junk, MockWork::Returned, MockWork::Packed]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(4));
    let places: Vec<_> = service.reported_progress().iter().filter_map(|progress| progress.decoded_in).collect();
    assert_eq!(places, [DecodingThread::Worker, DecodingThread::Page, DecodingThread::Page, DecodingThread::Worker]);
    assert_eq!(service.reported_progress().last().unwrap().findings_done, 8);
}

#[test]
fn a_resumed_call_builds_objects_of_the_missing_partitions_only() {
    let service = service(3);
    service.build_objects();
    service.respond(&path(1), [not_found(), ScriptedResponse::ok(partition_body(1))]);
    let accumulator = accumulator();
    assert_eq!(missing(&error(resume(&service, &accumulator, COLLECT))), [(1, ErrorKind::Http(404))]);
    assert_eq!(received(&accumulator), [rows_of(0), rows_of(2)]);
    let before = requested(&service).len();
    succeeded(resume(&service, &accumulator, COLLECT));
    assert_eq!(received(&accumulator).join(","), all(3));
    assert_eq!(requested(&service)[before..], [COUNTS.to_owned(), path(1)]);
}

#[test]
fn running_out_of_memory_while_objects_are_built_is_an_error_of_the_partition() {
    // The page decodes the body again when it cannot build objects from the rows of a worker.
    for (work, times) in [(MockWork::Packed, 2), (MockWork::Returned, 1)] {
        for settings in [SETTINGS, COLLECT] {
            let service = service(3);
            service.build_objects();
            service.build_throws("no memory", times);
            service.delegates([work]);
            let accumulator = accumulator();
            let mut failed = error(resume(&service, &accumulator, settings));
            if settings == COLLECT {
                assert_eq!(failed.kind, ErrorKind::Partial { missing: 1, partitions: 3 });
                assert_eq!(received(&accumulator), [rows_of(1), rows_of(2)]);
                failed = *failed.failures.remove(0).1;
            }
            assert_eq!((failed.kind.clone(), failed.subject.partition()), (ErrorKind::Memory, Some(0)), "{failed}");
            assert_eq!(failed.cause, Some("no memory".to_owned()));
        }
    }
}

#[test]
fn partitions_without_findings_share_a_chunk() {
    let service = service(4);
    for index in [0, 1, 3] {
        service.respond(&path(index), [ScriptedResponse::ok(r#"{"Findings":[]}"#)]);
    }
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(4, 2))]);
    service.delegates([MockWork::Packed]);
    let accumulator = accumulator();
    succeeded(resume(&service, &accumulator, SETTINGS));
    let partitions = accumulator.partitions();
    let chunks = partitions.iter().filter_map(|one| match &one.findings {
        Formed::Chunk(chunk) => Some(chunk),
        Formed::Rows(_) => None,
    });
    let empty: Vec<_> = chunks.filter(|chunk| chunk.is_empty()).collect();
    assert_eq!(empty.len(), 3);
    assert!(empty.iter().all(|chunk| Rc::ptr_eq(chunk, empty[0])));
}

#[test]
fn a_call_that_ends_before_it_adds_a_partition_keeps_no_objects_of_it() {
    let service = service(2);
    service.build_objects();
    service.respond(&path(1), [not_found(), ScriptedResponse::ok(partition_body(1)), not_found()]);
    let accumulator = accumulator();
    assert_eq!(missing(&error(resume(&service, &accumulator, COLLECT))), [(1, ErrorKind::Http(404))]);
    service.partition_throws(Some(1), PartitionState::Received, "enough");
    assert_eq!(thrown(resume(&service, &accumulator, COLLECT)), "enough");
    assert_eq!(missing(&error(resume(&service, &accumulator, COLLECT))), [(1, ErrorKind::Http(404))]);
    assert_eq!(received(&accumulator), [rows_of(0)]);
}

#[test]
fn a_body_that_a_worker_loses_costs_one_retry() {
    let service = service(2);
    service.delegates([MockWork::Lost]);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(2));
    assert_eq!((service.times(&path(0)).len(), service.times(&path(1)).len()), (2, 1));
    let policy = |retries| Settings { policy: Policy { retries, max_retry_after: 0.0 }, ..SETTINGS };
    // The page decodes the body that comes then.
    service.delegates([MockWork::Lost; 2]);
    assert_eq!(succeeded(findings(&service, policy(1))), all(2));
    let none = policy(0);
    service.delegates([MockWork::Lost]);
    assert_eq!(error(findings(&service, none)).kind, ErrorKind::WorkerLost);
}

#[test]
fn a_resumed_call_takes_findings_of_a_worker_too() {
    let service = service(2);
    service.respond(&path(1), [not_found(), ScriptedResponse::ok(partition_body(1))]);
    let accumulator = accumulator();
    let collecting = Settings { failure_policy: FailurePolicy::Collect, ..SETTINGS };
    service.delegates([MockWork::Returned]);
    assert!(resume(&service, &accumulator, collecting).is_err());
    service.delegates([MockWork::Packed]);
    assert_eq!(succeeded(resume(&service, &accumulator, collecting)), all(2));
    assert_eq!(service.reported_progress().last().unwrap().decoded_in, Some(DecodingThread::Worker));
}

#[test]
fn a_call_that_insists_on_a_worker_fails_without_one() {
    let service = service(1);
    service.delegates([MockWork::NoWorker]);
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.kind, error.cause), (ErrorKind::NoWorker, Some("no worker".to_owned())));
}

#[test]
fn the_error_of_a_body_is_that_of_the_page_wherever_it_is_decoded() {
    let bodies = [r#"{"Findings":[{"a":}]}"#, r#"{"Findings":[{"a":1}],"errors":["Broken."]}"#, "", "{}"];
    for body in bodies {
        let outcome = |work: &[MockWork]| {
            let service = MockHost::default();
            service.respond(&path(0), [ScriptedResponse::ok(body)]);
            service.delegates(work.iter().copied());
            let error = error(service.run(call(&service, SETTINGS).partition(Kind::Sentiment, 0)));
            (error.kind.clone(), error.messages.clone(), error.findings.map(json_of))
        };
        assert_eq!(outcome(&[MockWork::Packed]), outcome(&[]));
    }
}

#[test]
fn releases_everything_when_dropped_at_any_time() {
    for time in 0..60 {
        let service = service(12);
        service.respond(&path(3), [ScriptedResponse::broken(), ScriptedResponse::ok(partition_body(3))]);
        let client = Rc::new(Scheduler::new(2, 64 << 20));
        let aborted = call_of(&client, &service, SETTINGS);
        assert!(service.run_until(f64::from(time), get(&aborted, accumulator())).is_none());
        assert_eq!((service.in_flight().0, service.alarms()), (0, 0));
        let next = call_of(&client, &service, SETTINGS);
        assert_eq!(succeeded(service.run(get(&next, accumulator()))), all(12), "every permit is returned");
    }
}

const COLLECT: Settings = Settings { failure_policy: FailurePolicy::Collect, ..SETTINGS };

fn not_found() -> ScriptedResponse {
    ScriptedResponse::new(404, "")
}

/// Makes or resumes a call with an accumulator.
fn resume(
    service: &MockHost,
    accumulator: &Rc<MockAccumulator>,
    settings: Settings,
) -> Result<String, CallEnd<String>> {
    let call = call(service, settings);
    service.run(get(&call, Rc::clone(accumulator)))
}

fn missing(error: &Error<String>) -> Vec<(u64, ErrorKind)> {
    error.failures.iter().map(|(index, error)| (*index, error.kind.clone())).collect()
}

fn requested(service: &MockHost) -> Vec<String> {
    service.requests().into_iter().map(|request| request.path).collect()
}

#[test]
fn collects_all_other_partitions_and_lists_the_missing_ones() {
    let service = service(5);
    service.respond(&path(3), [not_found()]);
    service.respond(&path(1), [ScriptedResponse::ok("no JSON")]);
    let accumulator = accumulator();
    let error = error(resume(&service, &accumulator, COLLECT));
    assert_eq!(error.kind, ErrorKind::Partial { missing: 2, partitions: 5 });
    let missing = missing(&error);
    assert!(matches!(missing[..], [(1, ErrorKind::Decode(_)), (3, ErrorKind::Http(404))]), "{missing:?}");
    assert_eq!(received(&accumulator), [0, 2, 4].map(rows_of));
}

#[test]
fn resumes_with_the_missing_partitions_only_and_resolves_with_all_findings() {
    let service = service(5);
    service.respond(&path(3), [not_found(), ScriptedResponse::ok(partition_body(3))]);
    service.respond(&path(1), [not_found(), not_found(), ScriptedResponse::ok(partition_body(1))]);
    let accumulator = accumulator();
    error(resume(&service, &accumulator, COLLECT));
    let before = requested(&service).len();
    let again = error(resume(&service, &accumulator, COLLECT));
    assert_eq!(missing(&again), [(1, ErrorKind::Http(404))]);
    assert_eq!(succeeded(resume(&service, &accumulator, COLLECT)), all(5));
    assert_eq!(requested(&service)[before..], [COUNTS.to_owned(), path(1), path(3), COUNTS.to_owned(), path(1)]);
}

#[test]
fn reports_progress_of_a_resumed_call_from_where_it_ended() {
    let service = service(4);
    service.respond(&path(2), [not_found(), ScriptedResponse::ok(partition_body(2))]);
    let accumulator = accumulator();
    error(resume(&service, &accumulator, COLLECT));
    let before = service.reported_progress().len();
    succeeded(resume(&service, &accumulator, COLLECT));
    let reported: Vec<_> = service.reported_progress()[before..]
        .iter()
        .map(|progress| (progress.partitions_done, progress.findings_done))
        .collect();
    assert_eq!(reported, [(3, 6), (4, 8)]);
    assert_eq!(service.reported_progress().last().unwrap().bytes, 4 * partition_body(0).len() as u64);
}

#[test]
fn rejects_a_resumed_call_when_the_counts_changed() {
    let service = service(3);
    service.respond(&path(1), [not_found()]);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(3, 6)), ScriptedResponse::ok(counts_body(4, 8))]);
    let accumulator = accumulator();
    error(resume(&service, &accumulator, COLLECT));
    let error = error(resume(&service, &accumulator, COLLECT));
    let before = KindCounts { partitions: 3, findings: Some(6) };
    let now = KindCounts { partitions: 4, findings: Some(8) };
    assert_eq!(error.kind, ErrorKind::Changed { before, now, received: 4 });
    assert_eq!(requested(&service).last().unwrap(), COUNTS);
}

#[test]
fn rejects_with_the_received_partitions_when_a_collecting_call_times_out() {
    let service = service(4);
    service.respond(&path(1), [ScriptedResponse::never()]);
    service.respond(&path(2), [not_found()]);
    let accumulator = accumulator();
    let error = error(resume(&service, &accumulator, Settings { total_timeout: Some(1000.0), ..COLLECT }));
    assert_eq!(missing(&error), [(1, ErrorKind::TotalTimeout(1000)), (2, ErrorKind::Http(404))]);
    assert_eq!(service.in_flight().0, 0);
    service.respond(&path(1), [ScriptedResponse::ok(partition_body(1))]);
    service.respond(&path(2), [ScriptedResponse::ok(partition_body(2))]);
    assert_eq!(succeeded(resume(&service, &accumulator, COLLECT)), all(4));
}

#[test]
fn rejects_as_timeout_when_a_collecting_call_times_out_before_the_counts() {
    let service = service(4);
    service.respond(COUNTS, [ScriptedResponse::never()]);
    let error = error(resume(&service, &accumulator(), Settings { total_timeout: Some(1000.0), ..COLLECT }));
    assert_eq!(error.kind, ErrorKind::TotalTimeout(1000));
}

#[test]
fn rejects_as_timeout_when_a_whole_resumed_call_times_out_before_the_counts() {
    let service = service(2);
    let accumulator = accumulator();
    succeeded(resume(&service, &accumulator, COLLECT));
    service.respond(COUNTS, [ScriptedResponse::never(), ScriptedResponse::ok(counts_body(2, 4))]);
    let error = error(resume(&service, &accumulator, Settings { total_timeout: Some(1000.0), ..COLLECT }));
    assert_eq!(error.kind, ErrorKind::TotalTimeout(1000));
    assert_eq!(succeeded(resume(&service, &accumulator, COLLECT)), all(2));
}

#[test]
fn does_not_request_again_what_an_aborted_call_received() {
    let service = service(3);
    service.respond(&path(0), [ScriptedResponse::never()]);
    let accumulator = accumulator();
    let call = call(&service, SETTINGS);
    assert!(service.run_until(100.0, get(&call, Rc::clone(&accumulator))).is_none());
    service.respond(&path(0), [ScriptedResponse::ok(partition_body(0))]);
    let before = requested(&service).len();
    assert_eq!(succeeded(resume(&service, &accumulator, SETTINGS)), all(3));
    assert_eq!(requested(&service)[before..], [COUNTS.to_owned(), path(0)]);
}

#[test]
fn runs_two_calls_with_one_accumulator_one_after_the_other() {
    let service = service(3);
    service.respond(&path(1), [not_found(), ScriptedResponse::ok(partition_body(1)).after(50.0)]);
    let accumulator = accumulator();
    error(resume(&service, &accumulator, COLLECT));
    let calls = [call(&service, COLLECT), call(&service, COLLECT)];
    let results = service.run(join_all(calls.iter().map(|call| get(call, Rc::clone(&accumulator)))));
    for result in results {
        assert_eq!(succeeded(result), all(3));
    }
    assert_eq!(service.times(&path(1)).len(), 2);
}

/// Reads a stream to its end, with `pause` milliseconds after each partition.
fn read(
    service: &MockHost,
    call: &Retrieval<MockHost>,
    order: Order,
    pause: f64,
) -> (Vec<u64>, Result<(), CallEnd<String>>) {
    let buffer = ReorderBuffer::<Delivery<MockFindings>, CallEnd<String>>::new(order, call.settings.concurrency);
    let supplied = async { buffer.end(call.deliver(Kind::Sentiment, &buffer).await) };
    let read = async {
        let mut indexes = Vec::new();
        loop {
            match poll_fn(|context| buffer.poll_take(context)).await {
                Some(Ok(Delivery { index, findings, .. })) => {
                    assert_eq!(json(&findings), rows_of(index));
                    indexes.push(index);
                }
                Some(Err(ended)) => return (indexes, Err(ended)),
                None => return (indexes, Ok(())),
            }
            service.sleep(pause).await;
        }
    };
    service.run(join(supplied, read)).1
}

#[test]
fn streams_each_partition_in_the_requested_order() {
    for (order, expected) in [(Order::Index, [0, 1, 2, 3]), (Order::Completion, [3, 2, 1, 0])] {
        let service = service(4);
        for index in 0..4 {
            service
                .respond(&path(index), [ScriptedResponse::ok(partition_body(index)).after((100 - 10 * index) as f64)]);
        }
        let (indexes, end) = read(&service, &call(&service, SETTINGS), order, 0.0);
        succeeded(end);
        assert_eq!(indexes, expected);
    }
}

#[test]
fn requests_no_more_than_a_slow_reader_makes_room_for() {
    let service = service(10);
    let call = call(&service, Settings { concurrency: 2, ..SETTINGS });
    let (indexes, end) = read(&service, &call, Order::Index, 1000.0);
    succeeded(end);
    assert_eq!(indexes, (0..10).collect::<Vec<_>>());
    for index in 0..8u64 {
        let requested = service.times(&path(index + 2))[0];
        assert!(requested >= index as f64 * 1000.0, "partition {} was requested at {requested}", index + 2);
    }
}

#[test]
fn streams_an_error_in_order_and_cancels_later_partitions() {
    let service = service(6);
    service.respond(&path(1), [ScriptedResponse::ok(partition_body(1)).after(500.0)]);
    service.respond(&path(2), [not_found()]);
    service.respond(&path(3), [ScriptedResponse::never()]);
    let (indexes, end) = read(&service, &call(&service, SETTINGS), Order::Index, 0.0);
    assert_eq!(error(end).subject.partition(), Some(2));
    assert_eq!(indexes, [0, 1]);
    assert_eq!(service.in_flight().0, 0);
}

#[test]
fn checks_the_total_at_the_end_of_a_stream() {
    let service = service(2);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(2, 5))]);
    let (indexes, end) = read(&service, &call(&service, SETTINGS), Order::Index, 0.0);
    assert_eq!(
        error(end).kind,
        ErrorKind::Incomplete(TotalMismatch { expected: 5, received: 4, partitions: 2, has_appended: false })
    );
    assert_eq!(indexes, [0, 1]);
}

#[test]
fn a_stream_expects_eight_mebibytes_of_a_body_until_one_has_arrived() {
    for (budget, most) in [(24 << 20, 3), ((24 << 20) - 1, 2)] {
        let service = service(6);
        let call = call(&service, Settings { max_buffered_bytes: budget, ..SETTINGS });
        let buffer = ReorderBuffer::<Delivery<MockFindings>, CallEnd<String>>::new(Order::Index, 6);
        assert!(service.run_until(5.0, call.deliver(Kind::Sentiment, &buffer)).is_none());
        assert_eq!(service.requests().len(), 1 + most, "with a budget of {budget}");
    }
}

#[test]
fn keeps_unread_bytes_within_the_budget_once_a_body_has_arrived() {
    let service = service(20);
    let body = partition_body(10).len() as u64;
    let scheduler = Rc::new(Scheduler::new(6, 64 << 20));
    let call = call_of(&scheduler, &service, Settings { max_buffered_bytes: 3 * body, ..SETTINGS });
    let buffer = ReorderBuffer::<Delivery<MockFindings>, CallEnd<String>>::new(Order::Index, 6);
    let supplied = call.deliver(Kind::Sentiment, &buffer);
    let read = async {
        poll_fn(|context| buffer.poll_take(context))
            .await
            .unwrap()
            .unwrap_or_else(|_| panic!("the stream failed"))
            .reservation
            .resize(0);
        service.sleep(10_000.0).await;
    };
    service.run(select(pin!(supplied), pin!(read)));
    assert!(requested(&service).len() < 6, "{:?}", requested(&service));
}

#[test]
fn holds_no_bytes_for_calls_that_wait_for_a_permit() {
    let service = service(500);
    let scheduler = Rc::new(Scheduler::new(6, 64 << 20));
    let single = || call_of(&scheduler, &service, SETTINGS);
    let calls: Vec<_> = (0..500).map(|index| (single(), index)).collect();
    let most = Cell::new(0);
    let each = calls.iter().map(async |(call, index)| {
        let partition = call.partition(Kind::Sentiment, *index).await;
        most.set(scheduler.byte_budget.held().max(most.get()));
        partition
    });
    for (index, findings) in (0..).zip(service.run(join_all(each))) {
        assert_eq!(json(&succeeded(findings)), rows_of(index));
    }
    // Six requests are in flight and the bodies of six more are decoded, each expected to need a sixth of the limit.
    assert!(((64 << 19)..=(64 << 21)).contains(&most.get()), "{} bytes are held", most.get());
    assert_eq!((scheduler.byte_budget.held(), service.in_flight()), (0, (0, 6)));
}

#[test]
fn runs_at_full_concurrency_after_many_parallel_calls() {
    let service = service(50);
    let limit = 1 << 30;
    let scheduler = Rc::new(Scheduler::new(6, limit));
    let settings = Settings { max_buffered_bytes: limit, ..SETTINGS };
    let took = || {
        let begun = service.now();
        let call = call_of(&scheduler, &service, settings);
        assert_eq!(succeeded(service.run(get(&call, accumulator()))), all(50));
        service.now() - begun
    };
    let before = took();
    let calls: Vec<_> = (0..30).map(|_| call_of(&scheduler, &service, settings)).collect();
    for findings in service.run(join_all(calls.iter().map(|call| get(call, accumulator())))) {
        assert_eq!(succeeded(findings), all(50));
    }
    assert_eq!(took(), before);
}

#[test]
fn a_call_of_low_concurrency_leaves_the_others_their_part_of_the_bytes() {
    let service = service(12);
    let counts = r#"{"SentimentPartitions":12,"SentimentFindings":24,"TopicPartitions":3,"errors":null}"#;
    service.respond(COUNTS, [ScriptedResponse::ok(counts)]);
    for index in 0..3 {
        service.respond(&format!("Findings/42/Topics/{index}"), [ScriptedResponse::never()]);
    }
    let scheduler = Rc::new(Scheduler::new(6, 64 << 20));
    let narrow = call_of(&scheduler, &service, Settings { concurrency: 3, ..SETTINGS });
    let wide = call_of(&scheduler, &service, SETTINGS);
    let topics = accumulator();
    let hanging = pin!(narrow.findings(Kind::Topics, &topics));
    match service.run(select(hanging, pin!(get(&wide, accumulator())))) {
        Either::Left(_) => panic!("the call that gets no response ended first"),
        Either::Right((findings, _)) => assert_eq!(succeeded(findings), all(12)),
    }
    assert_eq!(service.in_flight().1, 6);
}

#[test]
fn does_not_block_a_stream_by_an_unread_one() {
    let service = service(5);
    let scheduler = Rc::new(Scheduler::new(6, 1));
    let (first, second) = (call_of(&scheduler, &service, SETTINGS), call_of(&scheduler, &service, SETTINGS));
    let idle = ReorderBuffer::<Delivery<MockFindings>, CallEnd<String>>::new(Order::Index, 6);
    let supplied = async { idle.end(first.deliver(Kind::Sentiment, &idle).await) };
    let begun = async {
        poll_fn(|context| idle.poll_take(context)).await;
    };
    let mut supplied = pin!(supplied);
    service.run(select(supplied.as_mut(), pin!(begun)));
    let buffer = ReorderBuffer::<Delivery<MockFindings>, CallEnd<String>>::new(Order::Index, 6);
    let all = async {
        let read = async { while let Some(Ok(_)) = poll_fn(|context| buffer.poll_take(context)).await {} };
        join(async { buffer.end(second.deliver(Kind::Sentiment, &buffer).await) }, read).await
    };
    service.run(select(supplied, pin!(all)));
    assert_eq!(service.times(&path(4)).len(), 1);
}

#[test]
fn rejects_with_a_hint_when_the_retry_budget_is_exhausted() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::new(503, "")]);
    let scheduler = Rc::new(Scheduler::new(6, 64 << 20));
    while scheduler.retries.take() {}
    let failed = error(service.run(get(&call_of(&scheduler, &service, SETTINGS), accumulator())));
    assert_eq!((failed.kind.clone(), failed.attempts), (ErrorKind::Http(503), 1));
    assert_eq!(failed.hints, [Hint::NoRetryLeft]);
}

#[test]
fn five_requests_that_succeed_give_back_a_retry() {
    let service = service(1);
    service.respond(COUNTS, [ScriptedResponse::ok(r#"{"SentimentPartitions":1,"TopicPartitions":1}"#)]);
    let scheduler = Rc::new(Scheduler::new(6, 64 << 20));
    let call = call_of(&scheduler, &service, SETTINGS);
    while scheduler.retries.take() {}
    for of_counts in [true, false] {
        for _ in 0..5 {
            assert!(!scheduler.retries.take());
            if of_counts {
                succeeded(service.run(call.counts()));
            } else {
                succeeded(service.run(call.partition(Kind::Sentiment, 0)));
            }
        }
        assert!(scheduler.retries.take());
    }
}

#[test]
fn hints_at_being_offline_and_ends_a_backoff_once_online() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::broken()]);
    service.offline_until(f64::INFINITY);
    assert_eq!(
        error(findings(&service, Settings { policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS })).hints,
        [Hint::Offline]
    );
    let service = self::service(1);
    service.respond(&path(0), [ScriptedResponse::broken(), ScriptedResponse::ok(partition_body(0))]);
    service.offline_until(20.0);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 20.0]);
}

#[test]
fn does_not_shorten_a_retry_after_once_online() {
    let service = service(1);
    service.respond(
        &path(0),
        [
            ScriptedResponse::new(503, "").retry_after(RetryAfter::Delay(2_000.0)),
            ScriptedResponse::ok(partition_body(0)),
        ],
    );
    service.offline_until(20.0);
    assert_eq!(succeeded(findings(&service, SETTINGS)), all(1));
    assert_eq!(service.times(&path(0)), [0.0, 2_100.0]);
}

#[test]
fn hints_once_at_a_hidden_retry_after() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(1_000.0))]);
    service.hide_headers();
    let error = error(findings(&service, SETTINGS));
    assert_eq!((error.attempts, error.hints), (4, vec![Hint::HiddenRetryAfter]));
}

#[test]
fn takes_an_empty_body_for_a_broken_connection_only_if_a_longer_one_was_announced() {
    let empty = |length| ScriptedResponse::ok("").announcing(length);
    for (response, code) in [
        (empty(0), "decode"),
        (empty(20), "decode"),
        (empty(20).encoded(), "decode"),
        (empty(900).encoded(), "network"),
    ] {
        let service = service(1);
        service.respond(&path(0), [response]);
        assert_eq!(error(findings(&service, SETTINGS)).kind.code(), code);
    }
}

#[test]
fn distinguishes_a_broken_body_from_no_response() {
    let service = service(1);
    service.respond(&path(0), [ScriptedResponse::ok("").parts(vec![Part::Bytes(b"{".to_vec()), Part::Broken])]);
    assert_eq!(error(findings(&service, SETTINGS)).kind, ErrorKind::Broken);
}

#[test]
fn reports_the_states_of_each_partition_in_order() {
    let service = service(2);
    service.respond(&path(1), [ScriptedResponse::broken(), not_found()]);
    error(resume(&service, &accumulator(), COLLECT));
    let bytes = partition_body(0).len() as u64;
    let changes_of =
        |index| service.changes().into_iter().filter(|(change, _)| change.index == Some(index)).collect::<Vec<_>>();
    let change = |index, state, attempt| PartitionChange::to(state, Some(index), attempt);
    assert_eq!(
        changes_of(0),
        [
            (change(0, PartitionState::Requested, 1), None),
            (PartitionChange { findings: 2, bytes, ..change(0, PartitionState::Received, 1) }, None)
        ]
    );
    let [requested, (retrying, unreachable), failed] = changes_of(1).try_into().unwrap();
    assert_eq!(requested, (change(1, PartitionState::Requested, 1), None));
    assert_eq!(PartitionChange { delay: None, ..retrying }, change(1, PartitionState::Retrying, 2));
    assert_eq!(unreachable, Some(ErrorKind::Unreachable));
    assert_eq!(failed, (change(1, PartitionState::Failed, 2), Some(ErrorKind::Http(404))));
}

#[test]
fn requests_the_next_partition_before_it_decodes_the_one_received() {
    let service = service(2);
    succeeded(findings(&service, Settings { concurrency: 1, ..SETTINGS }));
    let states: Vec<_> = service.changes().into_iter().map(|(change, _)| (change.index, change.state)).collect();
    let (requested, received) = (PartitionState::Requested, PartitionState::Received);
    let of_counts = [(None, requested), (None, received)];
    let of_partitions = [(Some(0), requested), (Some(1), requested), (Some(0), received), (Some(1), received)];
    assert_eq!(states, [&of_counts[..], &of_partitions].concat());
}

#[test]
fn ends_the_call_with_what_the_partition_function_throws() {
    let service = service(3);
    service.partition_throws(Some(1), PartitionState::Requested, "enough");
    assert_eq!(thrown(resume(&service, &accumulator(), COLLECT)), "enough");
}

#[test]
fn reports_the_counts_request_with_the_delay_before_its_next_attempt() {
    let service = service(0);
    service.respond(
        COUNTS,
        [
            ScriptedResponse::new(429, "").retry_after(RetryAfter::Delay(7_000.0)),
            ScriptedResponse::broken(),
            not_found(),
        ],
    );
    let failed = error(findings(&service, SETTINGS));
    let retry =
        |attempt, delay| PartitionChange { delay, ..PartitionChange::to(PartitionState::Retrying, None, attempt) };
    let [requested, postponed, (broken, unreachable), last] = service.changes().try_into().unwrap();
    assert_eq!(requested, (PartitionChange::to(PartitionState::Requested, None, 1), None));
    assert_eq!(postponed, (retry(2, Some(7_350.0)), Some(ErrorKind::Http(429))));
    assert_eq!((broken, unreachable), (retry(3, broken.delay), Some(ErrorKind::Unreachable)));
    assert_eq!(last, (PartitionChange::to(PartitionState::Failed, None, 3), Some(failed.kind)));
    let begins: Vec<f64> = service.requests().into_iter().map(|request| request.time).collect();
    assert_eq!(begins, [0.0, 7_350.0, 7_350.0 + broken.delay.unwrap()]);
}

#[test]
fn reports_nothing_for_a_call_that_fetches_the_counts_alone() {
    let service = MockHost::default();
    service.respond(
        COUNTS,
        [ScriptedResponse::broken(), ScriptedResponse::ok(r#"{"SentimentPartitions":0,"TopicPartitions":0}"#)],
    );
    let call = call(&service, SETTINGS);
    succeeded(service.run(call.counts()));
    assert_eq!(service.changes(), []);
}

/// An accumulator that begins with what another one has received.
fn grown_from(accumulator: &MockAccumulator) -> Rc<MockAccumulator> {
    with_counts(accumulator, accumulator.counts().unwrap())
}

/// The same, if the counts are these.
fn with_counts(accumulator: &MockAccumulator, counts: KindCounts) -> Rc<MockAccumulator> {
    let partitions = accumulator.partitions().iter().map(|one| (one.index, one.findings.clone())).collect();
    Rc::new(Accumulator::new(Some(EarlierPartitions { counts, partitions })))
}

/// Loads an inspection of six partitions, and returns an accumulator for a later call that begins with them.
fn begun_with_six() -> Rc<MockAccumulator> {
    let (service, accumulator) = (service(6), accumulator());
    succeeded(resume(&service, &accumulator, SETTINGS));
    grown_from(&accumulator)
}

fn each(partitions: u64) -> Vec<String> {
    (0..partitions).map(rows_of).collect()
}

const APPENDS: Settings = Settings { appends: true, ..SETTINGS };

/// How many times each partition was requested.
fn requests_of(service: &MockHost, partitions: u64) -> Vec<usize> {
    (0..partitions).map(|index| service.times(&path(index)).len()).collect()
}

fn last_growth(service: &MockHost) -> Option<Growth> {
    service.reported_progress().last().and_then(|progress| progress.growth)
}

#[test]
fn keeps_the_older_partitions_of_an_inspection_that_has_grown() {
    let (service, accumulator) = (service(8), begun_with_six());
    let three = r#"{"Findings":[{"i":5,"n":0},{"i":5,"n":1},{"i":5,"n":2}]}"#;
    service.respond(&path(5), [ScriptedResponse::ok(three)]);
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(8, 17))]);
    succeeded(resume(&service, &accumulator, APPENDS));
    assert!(accumulator.is_complete());
    let requests = requests_of(&service, 8);
    assert_eq!(requests[..5].iter().sum::<usize>(), 2, "two older ones are checked: {requests:?}");
    assert_eq!(requests[5..], [1, 1, 1]);
    assert_eq!(received(&accumulator)[..5], each(5));
    let shown = service.reported_progress();
    let done: Vec<_> = shown.iter().map(|progress| (progress.partitions_done, progress.growth)).collect();
    let append = Some(Growth::Append);
    assert_eq!(done, [(0, None), (1, None), (5, append), (6, append), (7, append), (8, append)]);
    assert_eq!(shown.last().unwrap().findings_done, 17);
}

#[test]
fn requests_nothing_else_until_two_older_partitions_have_decided() {
    let (service, accumulator) = (service(8), begun_with_six());
    succeeded(resume(&service, &accumulator, APPENDS));
    let begun: Vec<f64> = (0..8).flat_map(|index| service.times(&path(index))).collect();
    let first = begun.iter().copied().fold(f64::INFINITY, f64::min);
    // A response takes ten milliseconds.
    let deciding = begun.iter().filter(|time| **time < first + 10.0).count();
    assert_eq!((deciding, begun.len()), (2, 5), "{begun:?}");
}

#[test]
fn requests_every_partition_once_if_the_inspection_was_divided_anew() {
    let (service, accumulator) = (service(8), begun_with_six());
    let body = |index| format!(r#"{{"Findings":[{{"i":{index},"n":7}},{{"i":{index},"n":1}}],"errors":null}}"#);
    (0..8).for_each(|index| service.respond(&path(index), [ScriptedResponse::ok(body(index))]));
    succeeded(resume(&service, &accumulator, APPENDS));
    assert!(received(&accumulator).iter().all(|rows| rows.contains(r#""n":7"#)));
    assert_eq!((requests_of(&service, 8), last_growth(&service)), (vec![1; 8], Some(Growth::Reload)));
    let shown = service.reported_progress().into_iter().map(|progress| progress.partitions_done);
    assert!(shown.eq(0..=8), "once after each partition");
}

#[test]
fn checks_the_total_of_kept_partitions_as_that_of_others() {
    let (service, accumulator) = (service(8), begun_with_six());
    service.respond(COUNTS, [ScriptedResponse::ok(counts_body(8, 17))]);
    let failed = error(resume(&service, &accumulator, APPENDS));
    let mismatch = TotalMismatch { expected: 17, received: 16, partitions: 8, has_appended: true };
    assert_eq!(failed.kind, ErrorKind::Incomplete(mismatch));
    assert_eq!(last_growth(&service), Some(Growth::Append));
}

#[test]
fn begins_with_nothing_of_a_table_whose_total_was_wrong_unless_no_total_has_to_be_right() {
    for (settings, requests) in [(SETTINGS, 6), (Settings { completeness: Completeness::Off, ..SETTINGS }, 0)] {
        let (first, earlier) = (self::service(6), accumulator());
        succeeded(resume(&first, &earlier, SETTINGS));
        let counts = KindCounts { partitions: 6, findings: Some(13) };
        let accumulator = with_counts(&earlier, counts);
        let service = self::service(6);
        service.respond(COUNTS, [ScriptedResponse::ok(counts_body(6, 13))]);
        let _ = resume(&service, &accumulator, settings);
        assert_eq!(requests_of(&service, 6).iter().sum::<usize>(), requests);
    }
}

#[test]
fn requests_every_partition_if_nothing_was_appended_or_nothing_would_be_saved() {
    for partitions in [5, 8] {
        let (service, accumulator) = (service(partitions), begun_with_six());
        if partitions == 8 {
            // Fewer findings than before.
            service.respond(COUNTS, [ScriptedResponse::ok(counts_body(8, 11))]);
        }
        let _ = resume(&service, &accumulator, Settings { completeness: Completeness::Off, ..APPENDS });
        let requests = requests_of(&service, partitions);
        assert_eq!((requests, last_growth(&service)), (vec![1; partitions as usize], Some(Growth::Reload)));
    }
    let (earlier, accumulator) = (service(3), accumulator());
    succeeded(resume(&earlier, &accumulator, SETTINGS));
    let (service, accumulator) = (service(4), grown_from(&accumulator));
    succeeded(resume(&service, &accumulator, APPENDS));
    assert_eq!((requests_of(&service, 4), last_growth(&service)), (vec![1; 4], Some(Growth::Reload)));
}

#[test]
fn requests_everything_again_by_default_and_only_the_counts_if_they_are_equal() {
    let (first, accumulator) = (service(8), begun_with_six());
    succeeded(resume(&first, &accumulator, SETTINGS));
    assert_eq!((requests_of(&first, 8), last_growth(&first)), (vec![1; 8], None));
    let (second, accumulator) = (service(6), begun_with_six());
    succeeded(resume(&second, &accumulator, APPENDS));
    assert_eq!((second.requests().len(), last_growth(&second)), (1, None));
}

#[test]
fn keeps_what_has_arrived_to_decide_when_the_call_fails() {
    let (service, accumulator) = (service(8), begun_with_six());
    // One of the two older partitions fails, whichever they are.
    let fails = |index: u64| service.respond(&path(index), [not_found(), ScriptedResponse::ok(partition_body(index))]);
    (0..5).for_each(fails);
    let once = Settings { concurrency: 1, ..APPENDS };
    for _ in 0..2 {
        assert_eq!(error(resume(&service, &accumulator, once)).kind, ErrorKind::Http(404));
        assert!(accumulator.partitions().is_empty() && accumulator.is_behind(), "nothing is kept before it is decided");
    }
    succeeded(resume(&service, &accumulator, once));
    assert_eq!(received(&accumulator), each(8));
    let mut requests = requests_of(&service, 5);
    requests.sort_unstable();
    assert_eq!((requests, last_growth(&service)), (vec![0, 0, 0, 2, 2], Some(Growth::Append)));
}

#[test]
fn a_collecting_call_keeps_the_older_partitions_although_a_new_one_fails() {
    let (service, accumulator) = (service(8), begun_with_six());
    let collect = Settings { appends: true, ..COLLECT };
    service.respond(&path(7), [not_found(), ScriptedResponse::ok(partition_body(7))]);
    assert_eq!(missing(&error(resume(&service, &accumulator, collect))), [(7, ErrorKind::Http(404))]);
    assert_eq!((service.requests().len(), last_growth(&service)), (6, Some(Growth::Append)));
    succeeded(resume(&service, &accumulator, collect));
    assert_eq!((received(&accumulator), service.requests().len()), (each(8), 8));
}

#[test]
fn a_collecting_call_requests_everything_but_what_failed_if_nothing_can_be_compared() {
    let (service, accumulator) = (service(8), begun_with_six());
    let collect = Settings { appends: true, ..COLLECT };
    (0..5).for_each(|index| {
        let later = [not_found(), ScriptedResponse::ok(partition_body(index))];
        service.respond(&path(index), later);
    });
    assert_eq!(missing(&error(resume(&service, &accumulator, collect))).len(), 5);
    assert_eq!((requests_of(&service, 8), last_growth(&service)), (vec![1; 8], Some(Growth::Reload)));
    succeeded(resume(&service, &accumulator, collect));
    assert_eq!(received(&accumulator), each(8));
}

#[test]
fn the_last_earlier_partition_is_behind_until_it_has_arrived() {
    let (service, accumulator) = (service(8), begun_with_six());
    service.respond(&path(5), [not_found(), ScriptedResponse::ok(partition_body(5))]);
    let collect = Settings { appends: true, ..COLLECT };
    assert!(!accumulator.is_behind());
    assert_eq!(missing(&error(resume(&service, &accumulator, collect))), [(5, ErrorKind::Http(404))]);
    assert!(accumulator.is_behind());
    succeeded(resume(&service, &accumulator, collect));
    assert!(!accumulator.is_behind());
}

#[test]
fn a_partition_decoded_by_a_worker_is_the_same_as_one_decoded_by_the_page() {
    for work in [MockWork::Packed, MockWork::Returned] {
        let (service, accumulator) = (service(8), begun_with_six());
        service.delegates([work]);
        succeeded(resume(&service, &accumulator, APPENDS));
        assert_eq!(last_growth(&service), Some(Growth::Append));
    }
}
