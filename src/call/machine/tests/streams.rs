//! Streams: a reader takes partitions one at a time, and no more are requested than it makes room for.

use crate::machine::testing::*;

/// Begins a stream, which has the counts.
fn stream(page: &mut Page, order: Order, partitions: u64, settings: Settings) -> CallId {
    let stream = page.begin(Task::Stream(Kind::Sentiment, order), settings);
    page.reply(COUNTS, counts(partitions, 2 * partitions));
    stream
}

fn read(page: &mut Page, stream: CallId, times: usize) -> Vec<u64> {
    let before = page.delivered.len();
    (0..times).for_each(|_| page.event(Event::Read(stream)));
    page.delivered[before..].iter().map(|(_, index)| *index).collect()
}

// P5
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
fn a_stream_expects_eight_mebibytes_of_a_body_until_one_has_arrived() {
    for (budget, most) in [(24 << 20, 3), ((24 << 20) - 1, 2)] {
        let mut page = Page::new(6);
        stream(&mut page, Order::Index, 6, Settings { max_buffered_bytes: budget, ..SETTINGS });
        assert_eq!(page.sent.len(), 1 + most, "with a budget of {budget}");
    }
}

// P12
#[test]
fn an_unread_stream_sends_no_more_and_blocks_no_other() {
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
    assert_eq!(page.paths(), [COUNTS, "0", COUNTS, "0", "1"], "the idle one sends no more");
}

#[test]
fn a_value_that_no_stream_can_read_is_nothing() {
    let mut page = Page::new(6);
    let call = page.findings(SETTINGS);
    page.event(Event::Read(call));
    page.event(Event::Read(CallId(77)));
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":0}"#));
    assert!(page.succeeded());
}

#[test]
fn a_stream_expects_the_next_findings_to_need_as_many_bytes_as_those_before() {
    let mut page = Page::new(6);
    let stream = stream(&mut page, Order::Index, 6, Settings { max_buffered_bytes: 24 << 20, ..SETTINGS });
    page.holds_bodies = true;
    page.reply("0", two());
    let decoded = Decoded { findings: 2, bytes: 10 << 20 };
    page.event(Event::Decoded(page.op("0"), Ok(decoded)));
    assert_eq!(read(&mut page, stream, 1), [0]);
    assert_eq!(page.paths(), [COUNTS, "0", "1", "2"], "the two in flight leave room for less");
}
