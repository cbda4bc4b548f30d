//! What an error means for the next attempt.

use crate::machine::testing::*;

#[test]
fn a_transient_error_is_retried_after_a_backoff_and_counted() {
    let mut page = Page::requesting(1, SETTINGS);
    page.reply("0", status(500, ""));
    page.wait();
    page.break_off("0");
    page.wait();
    page.reply("0", ok("{").ending(End::Broken));
    page.wait();
    page.reply("0", two());
    assert!(page.succeeded());
    assert_eq!(page.last_progress().retries, 3);
    assert_eq!(page.times("0"), [0.0, 150.0, 450.0, 1_050.0]);
}

#[test]
fn a_body_that_is_cut_off_without_a_stated_length_is_a_broken_connection_until_no_retry_is_left() {
    for cut_off in [
        ok(r#"{"Findings":[{"i":0,"n":0}"#),
        ok(r#"{"Findings":[{"i":0"#).length(900).encoded(),
        // Chromium hides the broken connection if the bytes after decompression are as many as stated.
        ok(r#"{"Findings":[{"i":0"#).length(19).encoded(),
        ok(""),
        ok("").length(0),
        ok("").length(20),
        ok("").length(20).encoded(),
    ] {
        let mut page = Page::requesting(1, SETTINGS);
        page.reply("0", cut_off.clone());
        let retried: Vec<_> = page.changes.iter().filter_map(|(_, error)| error.as_ref()).collect();
        assert!(matches!(retried[..], [error] if error.kind == ErrorKind::Broken), "{retried:?}");
        for _ in 0..3 {
            page.wait();
            page.reply("0", cut_off.clone());
        }
        assert_eq!((page.error().kind.code(), page.error().attempts), ("decode", 4), "{}", page.error());
    }
}

#[test]
fn an_empty_body_whose_length_was_stated_as_longer_is_a_broken_connection() {
    let mut page = Page::new(6);
    page.partition(0, ONCE);
    page.reply("0", ok("").length(900).encoded());
    assert_eq!(page.error().kind, ErrorKind::Broken);
}

#[test]
fn a_body_that_is_cut_off_gives_no_retry_back() {
    let mut page = Page::new(6);
    for _ in 0..40 {
        page.partition(0, SETTINGS);
        page.reply("0", ok("{"));
        while page.calls.next_wake().is_finite() {
            page.wait();
            page.reply("0", ok("{"));
        }
    }
    assert_eq!(page.sent.len(), 40 + 100, "more retries than the client has");
    assert_eq!(page.error().hints.last(), Some(&Hint::NoRetryLeft));
}

#[test]
fn five_first_successes_of_counts_or_partitions_give_a_retry_back() {
    let mut page = Page::new(6);
    while page.calls.retries.take() {}
    let both = r#"{"SentimentPartitions":1,"TopicPartitions":1}"#;
    for of_counts in [true, false] {
        for _ in 0..5 {
            assert!(!page.calls.retries.take());
            if of_counts {
                page.begin(Task::Counts, SETTINGS);
                page.reply(COUNTS, ok(both));
            } else {
                page.partition(0, SETTINGS);
                page.reply("0", two());
            }
        }
        assert!(page.calls.retries.take());
    }
}

#[test]
fn an_attempt_that_exceeds_its_timeout_is_retried() {
    let mut silent = Page::requesting(1, SETTINGS);
    silent.wait();
    let mut stalled = Page::requesting(1, SETTINGS);
    stalled.reply("0", ok("{").ending(End::Stalls));
    stalled.wait();
    for page in [&mut silent, &mut stalled] {
        assert_eq!(page.now, 30_000.0);
        assert!(page.outside.is_empty(), "the request is cancelled");
        page.wait();
        page.reply("0", two());
        assert_eq!(page.times("0"), [0.0, 30_150.0]);
        assert!(page.succeeded());
    }
}

// P14
#[test]
fn the_timeout_is_one_for_headers_function_response_and_body() {
    let mut page = Page::new(6);
    let settings = Settings { timeout: 100.0, ..ONCE };
    page.begin_with(FINDINGS, settings, |begin| begin.asks_headers = true);
    page.now = 40.0;
    page.headers("token");
    page.now = 80.0;
    page.reply(COUNTS, counts(1, 2).ending(End::Stalls));
    assert_eq!(page.calls.next_wake(), 100.0);
    page.wait();
    assert_eq!(page.error().kind, ErrorKind::AttemptTimeout(100));
}

#[test]
fn a_refusal_whose_body_stalls_or_breaks_off_is_an_error_with_what_has_arrived() {
    let mut stalled = Page::requesting(1, SETTINGS);
    stalled.reply("0", status(404, r#"{"errors":["gone"]}"#).ending(End::Stalls));
    stalled.wait();
    let mut broken = Page::requesting(1, SETTINGS);
    broken.reply("0", status(404, r#"{"errors":["gone"]}"#).ending(End::Broken));
    let mut endless = Page::requesting(1, SETTINGS);
    let long = [r#"{"errors":["gone"]}"#.as_bytes(), &[b' '; 20_000]].concat();
    endless.reply("0", status(404, long).ending(End::Stalls));
    for page in [stalled, broken, endless] {
        assert_eq!(page.error().kind, ErrorKind::Http(404));
        assert_eq!(page.error().messages, ["gone"]);
        assert!(page.outside.is_empty());
    }
}

// P18
#[test]
fn a_retry_after_pauses_all_new_requests_of_the_client() {
    let mut page = Page::requesting(8, SETTINGS);
    page.reply("0", status(429, "").retry_after(7_000.0));
    page.now = 10.0;
    page.reply("1", two());
    assert_eq!(page.times("5"), [0.0], "it was in flight already");
    for index in [2, 3, 4, 5] {
        page.reply(&index.to_string(), two());
    }
    while page.calls.next_wake().is_finite() {
        page.wait();
        let waiting: Vec<_> = page.outside.iter().map(|(_, path, _)| path.clone()).collect();
        waiting.iter().for_each(|path| page.reply(path, two()));
    }
    assert_eq!(page.times("0"), [0.0, 7_350.0], "with the jitter");
    assert_eq!(page.times("6"), [10.0 + 6_990.0 + 349.0], "it waits for the rest");
    assert!(page.succeeded());
}

#[test]
fn an_attempt_that_waits_for_headers_when_a_pause_begins_starts_over_after_it() {
    let mut page = Page::requesting(1, SETTINGS);
    page.begin_with(Task::Partition(Kind::Sentiment, 1), SETTINGS, |begin| begin.asks_headers = true);
    page.reply("0", status(429, "").retry_after(7_000.0));
    page.now = 100.0;
    page.headers("token");
    assert_eq!((page.times("1"), page.asked.len()), (vec![], 0));
    page.now = 7_000.0 + 345.0;
    page.event(Event::Tick);
    assert_eq!(page.asked.len(), 1, "the function is called again");
    page.headers("token");
    assert_eq!(page.times("1").len(), 1);
}

#[test]
fn a_retry_after_beyond_its_limit_ends_the_call_at_once_and_pauses_no_other() {
    let mut page = Page::requesting(1, SETTINGS);
    page.reply("0", status(429, "").retry_after(61_000.0));
    assert_eq!(page.error().retry_after, Some(61_000.0));
    assert_eq!(page.error().hints, [Hint::LongRetryAfter { asked: 61_000, most: 60_000 }]);
    page.partition(0, SETTINGS);
    assert_eq!(page.times("0"), [0.0, 0.0]);
    page.begin(Task::Counts, Settings { total_timeout: 4_000.0, ..SETTINGS });
    page.reply(COUNTS, status(429, "").retry_after(5_000.0));
    assert_eq!(page.error().hints, [Hint::LateRetryAfter { asked: 5_000, total: 4_000 }]);
}

#[test]
fn a_request_keeps_its_permit_between_attempts() {
    let mut page = Page::new(1);
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(2, 4));
    page.reply("0", status(500, ""));
    page.wait();
    page.reply("0", two());
    assert_eq!((page.times("0"), page.times("1")), (vec![0.0, 150.0], vec![150.0]));
}

// P21
#[test]
fn a_host_that_is_offline_explains_the_error_and_a_backoff_ends_once_it_is_online() {
    let mut page = Page::requesting(1, SETTINGS);
    page.is_offline = true;
    page.break_off("0");
    assert_eq!(page.changes.last().unwrap().1.as_ref().unwrap().hints, [Hint::Offline]);
    page.now = 20.0;
    page.event(Event::Online);
    assert_eq!(page.times("0"), [0.0, 20.0]);
    page.reply("0", status(503, "").retry_after(2_000.0));
    page.event(Event::Online);
    page.wait();
    assert_eq!(page.times("0"), [0.0, 20.0, 2_120.0], "a Retry-After is not shortened");
    page.reply("0", status(503, "").retry_after(0.0));
    page.event(Event::Online);
    assert_eq!(page.times("0").len(), 3, "nor is the wait of a service that asks for none");
}

#[test]
fn what_the_host_knows_of_a_failed_connection_is_in_the_error() {
    for (advice, is_offline, hints, kind) in [
        (Advice::None, false, vec![], ErrorKind::Unreachable),
        (Advice::Hint(Hint::Insecure), false, vec![Hint::Insecure], ErrorKind::Unreachable),
        (Advice::Untrusted, false, vec![], ErrorKind::Untrusted),
        (Advice::Hint(Hint::HiddenReason), true, vec![Hint::Offline], ErrorKind::Unreachable),
    ] {
        let mut page = Page::new(6);
        page.partition(0, ONCE);
        let reason = String::from("ECONNRESET");
        let failure = Failure { why: Why::Connection, cause: "cause", reason, advice, is_offline };
        page.event(Event::Failed(page.op("0"), failure));
        let error = page.error();
        assert_eq!((&error.kind, &error.hints, error.cause), (&kind, &hints, Some("cause")));
        assert_eq!(error.reason.as_deref(), Some("ECONNRESET"));
    }
}
