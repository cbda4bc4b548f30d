//! The limits that the calls of a client share: permits and bytes.

use crate::contract::Kind;
use crate::machine::Work;
use crate::machine::testing::{COUNTS, Page, SETTINGS, counts, two};
use crate::settings::Settings;

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
    let begin = page.call(Work::Findings(Kind::Topics, 9), Settings { concurrency: 3, ..SETTINGS });
    page.begin(begin);
    page.reply(COUNTS, crate::machine::testing::ok(r#"{"TopicPartitions":3}"#));
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
    let begin = page.call(Work::Findings(Kind::Sentiment, 2), SETTINGS);
    let second = page.begin(begin);
    page.reply(COUNTS, counts(9, 18));
    assert_eq!((page.times("1").len(), page.times("2").len()), (2, 1), "two more bodies fit");
    assert_eq!(page.calls.waiting_for_bytes, [second]);
    page.event(crate::machine::Event::Abort(second));
    assert!(page.calls.waiting_for_bytes.is_empty());
}

#[test]
fn bytes_are_counted_beyond_32_bits() {
    let limit = 1_u64 << 40;
    let mut page = Page::with_budget(6, limit, || 0.5);
    let begin = page.call(Work::Findings(Kind::Sentiment, 1), Settings { max_buffered_bytes: limit, ..SETTINGS });
    page.begin(begin);
    page.reply(COUNTS, counts(6, 12));
    assert_eq!(page.calls.bytes_held, 6 * (limit / 6));
}
