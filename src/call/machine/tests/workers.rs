//! Who sends requests and decodes bodies: a worker where one is worth it and gets responses, otherwise the page.

use crate::machine::testing::*;

/// A page with a call that uses a worker, and has sent the requests for this many partitions.
fn page(partitions: u64) -> Page {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, SETTINGS, |begin| begin.worker = WorkerOption::Worker);
    page.reply(COUNTS, counts(partitions, 2 * partitions));
    page
}

fn senders(page: &Page) -> Vec<Sender> {
    page.sent.iter().map(|(_, _, sender, _)| *sender).collect()
}

/// Lets a worker respond to the request in flight with this path.
fn reply_in_worker(page: &mut Page, path: &str, reply: Reply) {
    let op = page.op(path);
    page.event(Event::Head(op, reply.head, true, ""));
    page.piece(op, &reply.body);
    page.event(Event::BodyEnd(op));
}

#[test]
fn a_worker_sends_what_the_page_can_still_repeat() {
    let mut page = page(2);
    assert_eq!(senders(&page), [Sender::Page, Sender::Any, Sender::Any]);
    for (retries, expected) in [(1, Sender::Any), (0, Sender::Page)] {
        let settings = Settings { policy: Policy { retries, ..SETTINGS.policy }, ..SETTINGS };
        page.begin_with(Task::Partition(Kind::Sentiment, 9), settings, |begin| begin.worker = WorkerOption::Worker);
        assert_eq!(senders(&page).last(), Some(&expected));
    }
}

#[test]
fn the_page_repeats_what_got_no_response_in_a_worker_and_sends_all_once_it_gets_one() {
    let mut page = page(3);
    page.fail(page.op("0"), Why::InWorker);
    page.wait();
    assert_eq!(senders(&page).last(), Some(&Sender::Page));
    page.reply("0", two());
    page.reply("1", two());
    page.reply("2", two());
    let send = |page: &mut Page| {
        page.begin_with(Task::Partition(Kind::Sentiment, 9), SETTINGS, |begin| begin.worker = WorkerOption::Worker);
        page.reply("9", two());
        *senders(page).last().unwrap()
    };
    assert_eq!(send(&mut page), Sender::Page, "a policy probably refuses the worker");
    page.now += 60_000.0;
    assert_eq!(send(&mut page), Sender::Any, "after a rest, the worker may try again");
}

#[test]
fn a_worker_that_ends_before_a_response_is_no_worker_that_a_policy_refuses() {
    let mut page = page(2);
    page.fail(page.op("0"), Why::Lost);
    page.wait();
    assert_eq!(senders(&page).last(), Some(&Sender::Any));
    reply_in_worker(&mut page, "0", two());
    reply_in_worker(&mut page, "1", two());
    assert!(page.succeeded());
}

#[test]
fn the_page_repeats_and_decodes_what_a_worker_loses() {
    let mut page = page(2);
    let op = page.op("0");
    page.event(Event::Head(op, two().head, true, ""));
    page.fail(op, Why::Lost);
    page.delegates.push_back(Undecoded::Lost);
    reply_in_worker(&mut page, "1", two());
    page.wait();
    assert_eq!(senders(&page)[3..], [Sender::Page, Sender::Page]);
    page.reply("0", two());
    page.reply("1", two());
    assert!(page.succeeded());
}

#[test]
fn a_body_that_a_worker_loses_costs_a_retry() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, ONCE, |begin| begin.worker = WorkerOption::Worker);
    page.reply(COUNTS, counts(1, 2));
    page.delegates.push_back(Undecoded::Lost);
    page.reply("0", two());
    assert_eq!(page.error().kind, ErrorKind::WorkerLost);
}

#[test]
fn a_partition_that_is_lost_is_requested_again_once_there_is_room() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, Settings { concurrency: 1, ..SETTINGS }, |begin| begin.worker = WorkerOption::Worker);
    page.reply(COUNTS, counts(2, 4));
    page.delegates.push_back(Undecoded::Lost);
    page.reply("0", two());
    assert_eq!(page.paths(), [COUNTS, "0", "1"]);
    assert_eq!(page.calls.next_wake(), 30_000.0, "the next partition is requested instead");
    page.reply("1", two());
    page.wait();
    page.reply("0", two());
    assert!(page.succeeded());
}

#[test]
fn partitions_that_are_lost_are_requested_again_in_index_order() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, Settings { concurrency: 2, ..SETTINGS }, |begin| begin.worker = WorkerOption::Worker);
    page.reply(COUNTS, counts(4, 8));
    page.holds_bodies = true;
    page.delegates.extend([Undecoded::Lost, Undecoded::Lost]);
    page.reply("0", two());
    page.reply("1", two());
    page.decode_held(1);
    page.decode_held(0);
    page.reply("2", two());
    page.wait();
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2", "3", "0"], "there is room for one");
}

#[test]
fn the_page_decodes_what_a_worker_gives_back_and_finds_the_error() {
    for body in [r#"{"Findings":[{"a":}]}"#, r#"{"Findings":[{"a":1}],"errors":["Broken."]}"#, "{}"] {
        let outcome = |worker| {
            let mut page = Page::new(6);
            page.begin_with(Task::Partition(Kind::Sentiment, 0), SETTINGS, |begin| begin.worker = worker);
            page.reply("0", ok(body));
            let error = page.error();
            (error.kind.clone(), error.messages.clone(), error.objects)
        };
        assert_eq!(outcome(WorkerOption::Worker), outcome(WorkerOption::Page));
    }
}

#[test]
fn bodies_are_decoded_in_workers_at_once_and_in_the_page_one_after_the_other() {
    let mut page = page(4);
    page.holds_bodies = true;
    page.delegates.extend([Undecoded::PageDecodes, Undecoded::PageDecodes]);
    for index in 0..4 {
        page.reply(&index.to_string(), two());
    }
    page.decode_held(0);
    page.decode_held(1);
    page.decode_held(3);
    page.decode_held(2);
    assert_eq!(page.delivered.iter().map(|(_, index)| *index).collect::<Vec<_>>(), [3, 2], "the page still decodes 0");
    page.decode_held(0);
    page.decode_held(1);
    assert_eq!(page.delivered.iter().map(|(_, index)| *index).collect::<Vec<_>>(), [3, 2, 0, 1]);
}

#[test]
fn a_call_that_insists_on_a_worker_fails_without_one() {
    let mut page = page(1);
    page.delegates.push_back(Undecoded::NoWorker { cause: "no worker", is_offline: true });
    page.reply("0", two());
    let error = page.error();
    assert_eq!((&error.kind, error.cause), (&ErrorKind::NoWorker, Some("no worker")));
    assert_eq!(error.hints, [Hint::Offline]);
}

#[test]
fn auto_uses_a_worker_for_large_inspections_and_for_the_call_after_one() {
    for (partitions, findings, is_used) in
        [(3, None, false), (4, None, true), (99, Some(4_999), false), (1, Some(5_000), true)]
    {
        let mut page = Page::new(6);
        let begin = |page: &mut Page| {
            page.begin_with(FINDINGS, SETTINGS, |begin| {
                (begin.worker, begin.accumulator) = (WorkerOption::Auto, Some(Accumulation::default()));
            })
        };
        let first = begin(&mut page);
        let total = findings.map_or("null".to_owned(), |findings: u64| findings.to_string());
        assert!(page.notes.is_empty());
        page.reply(COUNTS, ok(format!(r#"{{"SentimentPartitions":{partitions},"SentimentFindings":{total}}}"#)));
        let second = begin(&mut page);
        let used = [format!("{first:?} uses a worker"), format!("{second:?} uses a worker")];
        assert_eq!(page.notes, if is_used { &used[..] } else { &[] });
    }
}

#[test]
fn a_worker_whose_request_the_service_refuses_has_got_a_response() {
    let mut page = page(2);
    reply_in_worker(&mut page, "0", status(503, ""));
    page.fail(page.op("1"), Why::InWorker);
    while page.outside.len() < 2 {
        page.wait();
    }
    for path in ["0", "1"] {
        page.reply(path, two());
    }
    page.begin_with(Task::Partition(Kind::Sentiment, 9), SETTINGS, |begin| begin.worker = WorkerOption::Worker);
    assert_eq!(senders(&page).last(), Some(&Sender::Any), "no policy refuses it");
}
