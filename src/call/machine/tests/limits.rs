//! The limits that the calls of a client share: permits and bytes.

use crate::machine::testing::*;

// P11
#[test]
fn requests_get_permits_first_in_first_out() {
    let mut page = Page::new(1);
    for index in 0..3 {
        page.partition(index, SETTINGS);
    }
    assert_eq!(page.paths(), ["0"]);
    page.reply("0", two());
    page.reply("1", two());
    assert_eq!(page.paths(), ["0", "1", "2"]);
}

#[test]
fn calls_that_wait_for_a_permit_hold_no_bytes() {
    let mut page = Page::new(6);
    for index in 0..500 {
        page.partition(index, SETTINGS);
    }
    assert_eq!(page.calls.bytes_held, 6 * ((64 << 20) / 6));
    for index in 0..500 {
        page.reply(&index.to_string(), two());
    }
    assert_eq!(page.calls.left(), [] as [&str; 0]);
}

#[test]
fn a_call_of_low_concurrency_leaves_the_others_their_part_of_the_bytes() {
    let mut page = Page::new(6);
    page.begin_with(Task::Findings(Kind::Topics), Settings { concurrency: 3, ..SETTINGS }, |begin| {
        begin.accumulator = Some(Accumulation::default());
    });
    page.reply(COUNTS, ok(r#"{"TopicPartitions":3}"#));
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(12, 24));
    assert_eq!(page.outside.len(), 6);
}

#[test]
fn as_many_again_are_requested_while_those_received_wait_for_the_decoder() {
    let mut page = Page::new(6);
    page.holds_bodies = true;
    page.findings(Settings { concurrency: 2, ..SETTINGS });
    page.reply(COUNTS, counts(9, 18));
    for index in 0..4 {
        page.reply(&index.to_string(), two());
    }
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2", "3"]);
}

#[test]
fn a_call_that_waits_for_bytes_lets_no_later_one_pass_and_one_that_needs_none_leaves_the_queue() {
    let body = two().body.len() as u64;
    let mut page = Page::with_budget(8, 8 * body, || 0.5);
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(9, 18));
    assert_eq!(page.calls.bytes_held, 6 * body);
    let second = page.other_findings(SETTINGS);
    page.reply(COUNTS, counts(9, 18));
    assert_eq!((page.times("1").len(), page.times("2").len()), (2, 1), "two more bodies fit");
    assert_eq!(page.calls.waiting_for_bytes, [second]);
    page.event(Event::Abort(second));
    assert!(page.calls.waiting_for_bytes.is_empty());
}

#[test]
fn bytes_are_counted_beyond_32_bits() {
    let limit = 1_u64 << 40;
    let mut page = Page::with_budget(6, limit, || 0.5);
    page.findings(Settings { max_buffered_bytes: limit, ..SETTINGS });
    page.reply(COUNTS, counts(6, 12));
    assert_eq!(page.calls.bytes_held, 6 * (limit / 6));
}

#[test]
fn a_call_that_needs_few_bytes_passes_none_that_waits_for_more() {
    let mut page = Page::with_budget(9, 900, || 0.5);
    let first = page.findings(SETTINGS);
    page.calls.bytes_held = 900;
    page.reply(COUNTS, counts(9, 18));
    let second = page.other_findings(Settings { max_buffered_bytes: 60, ..SETTINGS });
    page.calls.bytes_held = 900;
    page.reply(COUNTS, counts(9, 18));
    assert_eq!(page.calls.waiting_for_bytes, [first, second]);
    let expected = [first, second].map(|call| page.calls.call(call).bytes.expected);
    assert!(expected[1] < expected[0], "{expected:?}");
    let requested = page.paths().len();
    page.calls.bytes_held = 900 - expected[1];
    page.calls.call_mut(second);
    page.event(Event::Online);
    assert_eq!(page.paths().len(), requested);
    page.calls.bytes_held = 0;
    page.event(Event::Online);
    assert!(page.paths().len() > requested);
}

#[test]
fn bytes_that_a_lost_partition_gives_back_go_to_a_call_that_waits_for_them() {
    let mut page = Page::with_budget(9, 900, || 0.5);
    let first = page.findings(SETTINGS);
    let counts_of_first = page.op(COUNTS);
    let once = Settings { policy: ONCE.policy, ..COLLECT };
    page.begin_with(Task::Findings(Kind::Topics), once, |begin| {
        (begin.worker, begin.accumulator) = (WorkerOption::Worker, Some(Accumulation::default()));
    });
    let counts_of_second = page.outside.last().unwrap().0;
    page.reply_to(counts_of_second, ok(r#"{"TopicPartitions":2}"#));
    page.calls.bytes_held = 900;
    page.reply_to(counts_of_first, counts(9, 18));
    assert_eq!(page.calls.waiting_for_bytes, [first]);
    page.calls.bytes_held = 900;
    page.delegates.push_back(Undecoded::Lost);
    page.reply("/Topics/0", two());
    assert_eq!(page.missing[0].1.kind, ErrorKind::WorkerLost);
    assert_eq!(page.paths(), [COUNTS, COUNTS, "/Topics/0", "/Topics/1", "0", "1"]);
}
