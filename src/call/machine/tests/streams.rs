//! Streams: a reader takes partitions one at a time, and no more are requested than it makes room for.

use crate::contract::Kind;
use crate::error::ErrorKind;
use crate::machine::testing::{COUNTS, Page, SETTINGS, counts, ok, status, two};
use crate::machine::{CallId, Event, Order, Work};
use crate::partition_tracker::TotalMismatch;
use crate::settings::Settings;

/// Begins a stream, which has the counts.
fn stream(page: &mut Page, order: Order, partitions: u64, settings: Settings) -> CallId {
    let begin = page.call(Work::Stream(Kind::Sentiment, page.last_call, order), settings);
    let stream = page.begin(begin);
    page.reply(COUNTS, counts(partitions, 2 * partitions));
    stream
}

fn read(page: &mut Page, stream: CallId, times: usize) -> Vec<u64> {
    let before = page.delivered.len();
    (0..times).for_each(|_| page.event(Event::Read(stream)));
    page.delivered[before..].iter().map(|(_, index)| *index).collect()
}

#[test]
fn a_reader_takes_partitions_by_index_or_as_they_arrive() {
    for (order, expected) in [(Order::Index, [0, 1, 2, 3]), (Order::Completion, [3, 2, 1, 0])] {
        let mut page = Page::new(6);
        let stream = stream(&mut page, order, 4, SETTINGS);
        for index in (0..4).rev() {
            page.reply(&index.to_string(), two());
        }
        assert_eq!(read(&mut page, stream, 5), expected);
        assert!(page.succeeded());
    }
}

#[test]
fn a_reader_that_waits_gets_a_partition_once_it_is_its_turn() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 2, SETTINGS);
    assert!(read(&mut page, stream, 1).is_empty());
    page.reply("1", two());
    assert!(page.delivered.is_empty());
    page.reply("0", two());
    assert_eq!(page.delivered, [(stream, 0)]);
}

#[test]
fn partitions_that_nobody_has_read_count_as_requested() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 10, Settings { concurrency: 2, ..SETTINGS });
    page.reply("0", two());
    page.reply("1", two());
    assert_eq!(page.paths(), [COUNTS, "0", "1"]);
    assert_eq!(read(&mut page, stream, 1), [0]);
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2"]);
}

#[test]
fn an_error_comes_behind_the_partitions_before_it_and_cancels_those_after_it() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 6, SETTINGS);
    page.reply("4", two());
    page.reply("2", status(404, ""));
    let in_flight: Vec<_> = page.outside.iter().map(|(_, path, _)| &**path).collect();
    assert_eq!(in_flight, ["0", "1", "4"]);
    assert!(read(&mut page, stream, 1).is_empty());
    page.reply("1", two());
    page.reply("0", two());
    assert_eq!(read(&mut page, stream, 2), [1]);
    assert_eq!(page.error().subject.partition(), Some(2));
    assert!(page.outside.is_empty(), "what nobody reads is forgotten");
}

#[test]
fn a_stream_that_exceeds_its_total_timeout_ends_with_it_behind_what_has_arrived() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 4, Settings { total_timeout: Some(1_000.0), ..SETTINGS });
    page.reply("0", two());
    page.reply("2", status(404, ""));
    page.wait();
    assert_eq!(read(&mut page, stream, 2), [0]);
    assert_eq!(page.error().kind, ErrorKind::TotalTimeout(1_000), "not the error of a partition behind it");
}

#[test]
fn the_total_is_checked_at_the_end_of_a_stream() {
    let mut page = Page::new(6);
    let begin = page.call(Work::Stream(Kind::Sentiment, 9, Order::Index), SETTINGS);
    let stream = page.begin(begin);
    page.reply(COUNTS, counts(1, 5));
    page.reply("0", two());
    assert_eq!(read(&mut page, stream, 2), [0]);
    assert_eq!(
        page.error().kind,
        ErrorKind::Incomplete(TotalMismatch { expected: 5, received: 2, partitions: 1, has_appended: false })
    );
}

#[test]
fn a_stream_that_is_aborted_forgets_what_nobody_has_read() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 3, SETTINGS);
    page.reply("0", two());
    page.reply("1", two());
    page.event(Event::Abort(stream));
    assert!(page.outside.is_empty());
    assert_eq!(page.calls.left(), [] as [&str; 0]);
}

#[test]
fn a_stream_expects_eight_mebibytes_of_a_body_until_one_has_arrived() {
    for (budget, most) in [(24 << 20, 3), ((24 << 20) - 1, 2)] {
        let mut page = Page::new(6);
        stream(&mut page, Order::Index, 6, Settings { max_buffered_bytes: budget, ..SETTINGS });
        assert_eq!(page.sent.len(), 1 + most, "with a budget of {budget}");
    }
}

#[test]
fn unread_bytes_stay_within_the_budget_once_a_body_has_arrived() {
    let mut page = Page::new(6);
    let body = two().body.len() as u64;
    let settings = Settings { max_buffered_bytes: 3 * body, ..SETTINGS };
    let stream = stream(&mut page, Order::Index, 20, settings);
    read(&mut page, stream, 1);
    page.reply("0", two());
    for index in 1..4 {
        page.reply(&index.to_string(), two());
    }
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2", "3"]);
}

#[test]
fn an_unread_stream_blocks_no_other() {
    let mut page = Page::with_budget(6, 1, || 0.5);
    let idle = stream(&mut page, Order::Index, 5, SETTINGS);
    read(&mut page, idle, 1);
    page.reply("0", two());
    let other = stream(&mut page, Order::Index, 2, SETTINGS);
    read(&mut page, other, 1);
    page.reply("0", two());
    read(&mut page, other, 1);
    page.reply("1", two());
    read(&mut page, other, 1);
    assert!(page.succeeded());
}

#[test]
fn a_value_that_no_stream_can_read_is_nothing() {
    let mut page = Page::new(6);
    let call = page.findings(SETTINGS);
    page.event(Event::Read(call));
    page.event(Event::Read(77));
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":0}"#));
    assert!(page.succeeded());
}
