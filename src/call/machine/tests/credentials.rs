//! The `headers` function: asked before each attempt, and once for all requests that were refused.

use crate::machine::testing::*;

/// A page with a call that has sent its requests for this many partitions with the headers `"old"`.
fn page(partitions: u64, settings: Settings) -> Page {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, settings, |begin| begin.asks_headers = true);
    page.headers("old");
    page.reply(COUNTS, counts(partitions, 2 * partitions));
    while !page.asked.is_empty() {
        page.headers("old");
    }
    page
}

#[test]
fn the_function_is_asked_before_each_attempt_with_the_last_status() {
    let mut page = page(1, SETTINGS);
    page.reply("0", status(503, ""));
    page.wait();
    assert_eq!(page.asked.iter().map(|(_, attempt, status)| (*attempt, *status)).collect::<Vec<_>>(), [(2, Some(503))]);
    page.headers("new");
    page.break_off("0");
    page.wait();
    assert_eq!(page.asked.iter().map(|(_, attempt, status)| (*attempt, *status)).collect::<Vec<_>>(), [(3, None)]);
    page.headers("newer");
    let headers: Vec<_> = page.sent.iter().map(|(.., headers)| headers.unwrap()).collect();
    assert_eq!(headers, ["old", "old", "new", "newer"]);
}

// P20
#[test]
fn expired_credentials_are_refreshed_once_for_parallel_requests_without_counting_an_attempt() {
    let mut page = page(6, SETTINGS);
    for index in 0..3 {
        page.reply(&index.to_string(), status(401, ""));
    }
    assert_eq!(page.asked.len(), 1);
    assert_eq!(page.asked[0].2, Some(401));
    page.headers("new");
    for index in 3..6 {
        page.reply(&index.to_string(), status(401, ""));
    }
    assert_eq!(page.asked.len(), 0, "late refusals of the old headers take the new ones");
    let headers: Vec<_> = page.sent[7..].iter().map(|(.., headers)| headers.unwrap()).collect();
    assert_eq!(headers, ["new"; 6]);
    for index in 0..6 {
        page.reply(&index.to_string(), two());
    }
    assert!(page.succeeded());
    assert_eq!(page.last_progress().retries, 0);
}

#[test]
fn an_error_has_the_headers_of_all_attempts_of_its_request() {
    let mut page = page(1, SETTINGS);
    page.reply("0", status(503, ""));
    page.wait();
    page.headers("second");
    page.reply("0", status(401, ""));
    page.headers("third");
    page.reply("0", ok(r#"{"errors":["third"]}"#));
    assert_eq!(page.error().headers, ["old", "second", "third"]);
}

#[test]
fn headers_that_do_not_come_in_time_are_a_timeout_that_says_so() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, SETTINGS, |begin| begin.asks_headers = true);
    for _ in 0..7 {
        page.wait();
    }
    let error = page.error();
    assert_eq!((&error.kind, error.attempts), (&ErrorKind::AttemptTimeout(30_000), 4));
    assert_eq!(error.hints, [Hint::SlowHeaders]);
}

#[test]
fn a_refresh_that_came_too_late_for_one_request_serves_those_that_still_wait_and_no_later_refusal() {
    let mut page = page(2, SETTINGS);
    page.reply("0", status(401, ""));
    page.now = 10_000.0;
    page.reply("1", status(401, ""));
    let (refresh, ..) = page.asked.remove(0);
    assert_eq!(page.asked.len(), 0, "both wait for the same refresh");
    page.wait();
    assert_eq!(page.now, 30_000.0, "the first request no longer waits");
    page.wait();
    page.headers("old");
    page.reply("0", status(401, ""));
    assert_eq!(page.asked.len(), 1, "another refresh begins");
    page.event(Event::Headers(refresh, "late"));
    assert_eq!(page.sent.last().unwrap().3, Some("late"), "the second request has waited for it");
    page.headers("new");
    assert_eq!(page.sent.last().unwrap().3, Some("new"));
    page.reply("1", status(401, ""));
    assert_eq!(page.asked.len(), 0);
    assert_eq!(page.error().kind, ErrorKind::Unauthorized(401), "its credentials were refreshed once");
}

#[test]
fn headers_that_an_attempt_asks_for_itself_end_no_refresh() {
    let mut page = page(2, SETTINGS);
    page.reply("0", status(401, ""));
    let (refresh, ..) = page.asked.remove(0);
    page.begin_with(Task::Partition(Kind::Sentiment, 9), SETTINGS, |begin| begin.asks_headers = true);
    page.headers("old");
    page.reply("1", status(401, ""));
    page.event(Event::Headers(refresh, "new"));
    let headers: Vec<_> = page.sent.iter().rev().take(2).map(|(.., headers)| headers.unwrap()).collect();
    assert_eq!(headers, ["new", "new"], "both that were refused get those of the refresh");
}

#[test]
fn what_the_function_throws_ends_the_call_and_no_other() {
    let mut page = page(2, SETTINGS);
    let other = page.partition(7, SETTINGS);
    page.reply("0", status(401, ""));
    page.reply("1", status(401, ""));
    let (op, ..) = page.asked.remove(0);
    page.event(Event::Thrown(op, "logged out"));
    assert!(matches!(page.end(), Err(CallEnd::Thrown("logged out"))));
    assert_eq!(page.ends.len(), 1);
    page.reply("7", two());
    assert_eq!(page.ends.last().unwrap().0, other);
}

#[test]
fn a_refresh_serves_no_other_call() {
    let mut page = page(1, SETTINGS);
    page.begin_with(Task::Partition(Kind::Sentiment, 9), SETTINGS, |begin| begin.asks_headers = true);
    page.headers("old of another user");
    page.reply("0", status(401, ""));
    page.reply("9", status(401, ""));
    assert_eq!(page.asked.len(), 2, "each call asks for itself");
    page.headers("new");
    page.headers("new of another user");
    let sent: Vec<_> = page.sent.iter().rev().take(2).map(|(_, path, _, headers)| (&**path, *headers)).collect();
    assert_eq!(sent, [("9", Some("new of another user")), ("0", Some("new"))]);
}

#[test]
fn credentials_that_expire_again_are_refreshed_again_for_the_next_request() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, Settings { concurrency: 1, ..SETTINGS }, |begin| begin.asks_headers = true);
    page.headers("old");
    page.reply(COUNTS, counts(2, 4));
    page.headers("old");
    page.reply("0", status(401, ""));
    page.headers("new");
    page.reply("0", two());
    page.headers("new");
    page.reply("1", status(401, ""));
    page.headers("newest");
    page.reply("1", two());
    assert!(page.succeeded());
    assert_eq!(page.sent.last().unwrap().3, Some("newest"));
}
