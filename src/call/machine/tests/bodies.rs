//! What responses and bodies become: counts, findings, and errors that say what was wrong with them.

use crate::machine::testing::*;

/// The message of the error of a call to which the service responds so, at the counts or at its only partition.
fn message(place: &str, reply: Reply) -> String {
    let mut page = Page::new(6);
    page.findings(ONCE);
    if place != COUNTS {
        page.reply(COUNTS, counts(1, 2));
    }
    page.reply(place, reply);
    page.error().to_string()
}

#[test]
fn a_call_requests_the_counts_once_and_then_each_partition_once_in_index_order() {
    let mut page = Page::requesting(9, SETTINGS);
    let call = page.last_call;
    for index in [3, 5, 1, 0, 2, 4, 8, 7, 6] {
        page.reply(&index.to_string(), two());
    }
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    assert_eq!(page.delivered, [3, 5, 1, 0, 2, 4, 8, 7, 6].map(|index| (call, index)));
    assert!(page.succeeded());
}

#[test]
fn the_page_decodes_the_bodies_that_wait_in_index_order() {
    let mut page = Page::requesting(4, SETTINGS);
    page.holds_bodies = true;
    for index in [2, 3, 1, 0] {
        page.reply(&index.to_string(), two());
    }
    for index in [2, 0, 1, 3] {
        page.decode_held(index);
    }
    assert!(page.succeeded());
}

#[test]
fn a_page_of_html_makes_the_url_of_the_counts_doubtful() {
    let (doubted, html) = ("Check baseUrl", "perhaps it is of a firewall or proxy");
    for reply in [ok("Not found"), ok(""), ok("{}"), status(400, "Bad request")] {
        for place in [COUNTS, "0"] {
            let plain = message(place, reply.clone());
            assert!(!plain.contains(doubted) && !plain.contains(html), "{plain}");
            let page = message(place, reply.clone().page());
            assert_eq!(page.matches(doubted).count(), usize::from(place == COUNTS), "{page}");
            assert_eq!(page.matches(html).count(), 1, "{page}");
        }
    }
}

#[test]
fn the_title_of_a_page_is_named_with_any_status_and_no_permission_is_doubted() {
    let page = "<!doctype html><title>Request rejected</title>";
    let of_counts = [(200, true), (400, true), (403, false), (503, false)];
    let of_partition = [200, 400, 403, 503].map(|status| (status, false));
    let cases = of_counts.map(|case| (COUNTS, case)).into_iter().chain(of_partition.map(|case| ("0", case)));
    for (place, (code, doubts)) in cases {
        let message = message(place, status(code, page).page());
        let expected = "an HTML page with the title \"Request rejected\", perhaps of a firewall or proxy";
        assert_eq!(message.matches(expected).count(), 1, "{message}");
        assert_eq!(message.contains("Check baseUrl"), doubts, "{message}");
        assert!(!message.contains("permission"), "{message}");
    }
}

#[test]
fn a_redirect_is_an_error_that_says_where_it_leads() {
    let mut redirect = status(0, "");
    redirect.head.is_redirect = true;
    redirect.head.destination = Some("https://login.example".into());
    let message = message("0", redirect);
    let expected = ": it leads to https://login.example. If that is a page for signing in, the session has ended";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_success_without_a_whole_body_is_an_error() {
    for code in [204, 205, 206] {
        let message = message("0", status(code, two().body));
        assert!(message.contains(&format!("HTTP status {code}, which means that ")), "{message}");
    }
}

#[test]
fn the_first_absent_partition_of_four_billion_ends_the_call() {
    let mut page = Page::new(6);
    page.findings(SETTINGS);
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":4000000000}"#));
    page.reply("0", two());
    page.reply("1", status(404, ""));
    assert_eq!(page.error().kind, ErrorKind::Http(404));
    assert!(page.outside.is_empty() && page.calls.requests.values().next().is_none());
}

#[test]
fn the_counts_that_the_caller_maps_are_used_and_a_call_for_counts_needs_both_kinds() {
    for task in [FINDINGS, Task::Counts] {
        let mut page = Page::new(6);
        page.begin_with(task, SETTINGS, |begin| begin.maps_counts = true);
        let op = page.op(COUNTS);
        page.reply(COUNTS, ok("[2, 4]"));
        assert_eq!(page.notes, [format!("map {op:?}")]);
        let sentiment = Ok(KindCounts { partitions: 2, findings: Some(4) });
        page.event(Event::Mapped(op, Counts { sentiment, topics: Err("topics is missing".into()) }));
        if let Task::Counts = task {
            assert_eq!(page.error().kind, ErrorKind::Mapping("topics is missing".into()));
            continue;
        }
        page.reply("0", two());
        page.reply("1", two());
        assert!(page.succeeded());
    }
}

#[test]
fn a_body_that_is_too_long_is_refused_before_it_is_read_if_its_length_is_stated_and_else_while_it_is_read() {
    let settings = Settings { max_partition_bytes: 1_000, ..SETTINGS };
    for reply in [ok("").length(1_001), ok(vec![b' '; 1_001]).ending(End::Stalls)] {
        let mut page = Page::new(6);
        page.partition(0, settings);
        page.reply("0", reply);
        assert_eq!(page.error().kind, ErrorKind::TooLarge(1_000));
        assert!(page.outside.is_empty(), "the request is cancelled");
    }
}

#[test]
fn a_body_for_which_there_is_no_memory_is_an_error_of_its_request() {
    let mut page = Page::new(6);
    page.partition(0, SETTINGS);
    page.holds_bodies = true;
    page.reply("0", two());
    page.fail(page.op("0"), Why::Memory);
    assert_eq!((&page.error().kind, page.error().cause), (&ErrorKind::Memory, None));
    page.partition(0, SETTINGS);
    page.reply("0", two());
    page.event(Event::Decoded(page.op("0"), Err(Undecoded::Unbuilt("no memory"))));
    assert_eq!((&page.error().kind, page.error().cause), (&ErrorKind::Memory, Some("no memory")));
}
