//! What callbacks and live tables are told.

use crate::machine::testing::*;

#[test]
fn a_live_table_shows_what_was_received_while_a_resumed_call_reads_the_counts() {
    let mut page = Page::requesting(2, COLLECT);
    page.reply("1", status(404, ""));
    page.reply("0", two());
    page.findings(COLLECT);
    page.break_off(COUNTS);
    let shown = page.shown.last().unwrap();
    assert_eq!((shown.partitions_done, shown.partitions, shown.retries), (1, Some(2), 1));
}

#[test]
fn nothing_is_reported_to_a_caller_without_callbacks() {
    let mut page = Page::new(6);
    page.begin_with(FINDINGS, SETTINGS, |begin| {
        begin.reports_progress = false;
        begin.reports_partitions = false;
        begin.is_watched = false;
    });
    page.break_off(COUNTS);
    page.wait();
    page.reply(COUNTS, counts(1, 2));
    page.reply("0", two());
    assert!(page.succeeded());
    assert!(page.shown.is_empty() && page.changes.is_empty());
}

#[test]
fn the_states_of_each_partition_are_reported_in_order_with_the_error_of_each_attempt() {
    let mut page = Page::requesting(2, COLLECT);
    page.reply("0", two());
    page.break_off("1");
    page.wait();
    page.reply("1", status(404, ""));
    let changes_of = |index| {
        let of = page.changes.iter().filter(move |(change, _)| change.index == Some(index));
        of.map(|(change, error)| (*change, error.as_ref().map(|error| error.kind.clone()))).collect::<Vec<_>>()
    };
    let bytes = two().body.len() as u64;
    let change = |index, state, attempt| PartitionChange::to(state, Some(index), attempt);
    let received = PartitionChange { findings: 2, bytes, ..change(0, PartitionState::Received, 1) };
    assert_eq!(changes_of(0), [(change(0, PartitionState::Requested, 1), None), (received, None)]);
    let retrying = PartitionChange { delay: Some(150.0), ..change(1, PartitionState::Retrying, 2) };
    assert_eq!(
        changes_of(1),
        [
            (change(1, PartitionState::Requested, 1), None),
            (retrying, Some(ErrorKind::Unreachable)),
            (change(1, PartitionState::Failed, 2), Some(ErrorKind::Http(404)))
        ]
    );
}

#[test]
fn the_next_partition_is_requested_before_the_one_received_is_decoded() {
    let mut page = Page::requesting(2, Settings { concurrency: 1, ..SETTINGS });
    page.reply("0", two());
    page.reply("1", two());
    let states: Vec<_> = page.changes.iter().map(|(change, _)| (change.index, change.state)).collect();
    let (requested, received) = (PartitionState::Requested, PartitionState::Received);
    let of_counts = [(None, requested), (None, received)];
    let of_partitions = [(Some(0), requested), (Some(1), requested), (Some(0), received), (Some(1), received)];
    assert_eq!(states, [&of_counts[..], &of_partitions].concat());
}

#[test]
fn the_request_for_the_counts_is_reported_with_the_delay_before_its_next_attempt() {
    let mut page = Page::new(6);
    page.findings(SETTINGS);
    page.reply(COUNTS, status(429, "").retry_after(7_000.0));
    page.wait();
    page.break_off(COUNTS);
    page.wait();
    page.reply(COUNTS, status(404, ""));
    let changes = page.changes.iter().map(|(change, error)| (*change, error.as_ref().map(|error| error.kind.clone())));
    let change = |state, attempt, delay| PartitionChange { delay, ..PartitionChange::to(state, None, attempt) };
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            (change(PartitionState::Requested, 1, None), None),
            (change(PartitionState::Retrying, 2, Some(7_350.0)), Some(ErrorKind::Http(429))),
            (change(PartitionState::Retrying, 3, Some(300.0)), Some(ErrorKind::Unreachable)),
            (change(PartitionState::Failed, 3, None), Some(ErrorKind::Http(404)))
        ]
    );
    assert_eq!(page.times(COUNTS), [0.0, 7_350.0, 7_650.0]);
}

#[test]
fn nothing_is_reported_for_a_call_for_the_counts_alone() {
    let mut page = Page::new(6);
    page.begin(Task::Counts, SETTINGS);
    page.break_off(COUNTS);
    page.wait();
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":0,"TopicPartitions":0}"#));
    assert!(page.succeeded() && page.changes.is_empty());
}
