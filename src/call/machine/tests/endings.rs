//! How calls end: complete, incomplete, partial and resumed, too late, or aborted.

use crate::machine::testing::*;

/// A page with a collecting call that has received all of four partitions but the second, which is not found.
fn partial() -> Page {
    let mut page = Page::requesting(4, COLLECT);
    page.reply("1", status(404, ""));
    for index in [0, 2, 3] {
        page.reply(&index.to_string(), two());
    }
    page
}

#[test]
fn a_resumed_call_requests_the_missing_partitions_only_and_goes_on_from_their_progress() {
    let mut page = partial();
    assert_eq!((page.error().kind.code(), page.missing.len()), ("partial", 1));
    assert_eq!((page.missing[0].0, &page.missing[0].1.kind), (1, &ErrorKind::Http(404)));
    let (sent, reported) = (page.sent.len(), page.progress.len());
    let resumed = page.findings(COLLECT);
    page.reply(COUNTS, counts(4, 8));
    page.reply("1", two());
    assert_eq!(page.paths()[sent..], [COUNTS, "1"]);
    assert_eq!(page.delivered.last(), Some(&(resumed, 1)));
    assert!(page.succeeded());
    let done = page.progress[reported..].iter().map(|one| (one.partitions_done, one.findings_done));
    assert_eq!(done.collect::<Vec<_>>(), [(3, 6), (4, 8)]);
    assert_eq!(page.last_progress().bytes, 4 * two().body.len() as u64);
}

#[test]
fn two_calls_with_one_accumulator_run_one_after_the_other() {
    let mut page = partial();
    let (first, second) = (page.findings(COLLECT), page.findings(COLLECT));
    page.reply(COUNTS, counts(4, 8));
    page.reply("1", two());
    assert_eq!(page.ends.last().unwrap().0, first);
    page.reply(COUNTS, counts(4, 8));
    assert_eq!(page.ends.last().unwrap().0, second);
    assert!(page.succeeded());
    assert_eq!(page.times("1").len(), 2);
}

#[test]
fn a_collecting_call_that_waits_for_another_one_and_exceeds_its_total_timeout_is_partial() {
    let mut page = partial();
    page.findings(COLLECT);
    let late = page.findings(Settings { total_timeout: 1_000.0, ..COLLECT });
    page.wait();
    assert_eq!(page.ends.last().unwrap().0, late);
    assert_eq!(page.error().kind, ErrorKind::Partial { missing: 1, partitions: 4 });
}

#[test]
fn a_collecting_call_that_exceeds_its_total_timeout_before_the_counts_or_lacks_nothing_is_a_timeout() {
    let late = Settings { total_timeout: 1_000.0, ..COLLECT };
    let mut page = Page::new(6);
    page.findings(late);
    page.wait();
    assert_eq!(page.error().kind, ErrorKind::TotalTimeout(1_000));
    let mut page = Page::requesting(0, COLLECT);
    page.findings(late);
    page.wait();
    assert_eq!(page.error().kind, ErrorKind::TotalTimeout(1_000));
}

#[test]
fn the_errors_of_partitions_that_a_late_call_lacks_are_made_up_to_a_limit() {
    let mut page = Page::new(6);
    let call = page.findings(Settings { total_timeout: 1_000.0, ..COLLECT });
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":9007199254740991}"#));
    page.calls.handle(1_000.0, Event::Tick);
    let mut missing = 0;
    while let Some(action) = page.calls.next_action() {
        match action {
            Action::Missing { index, .. } => {
                assert_eq!(index, missing);
                missing += 1;
            }
            Action::End { call: ended, .. } => assert_eq!((ended, missing), (call, 1000)),
            _ => {}
        }
    }
}

#[test]
fn a_call_that_is_aborted_gets_no_further_errors_of_the_partitions_that_it_lacks() {
    let mut page = Page::requesting(9, Settings { total_timeout: 1_000.0, ..COLLECT });
    let call = page.last_call;
    page.calls.handle(1_000.0, Event::Tick);
    while !matches!(page.calls.next_action(), Some(Action::Missing { .. })) {}
    page.calls.handle(1_000.0, Event::Abort(call));
    let left: Vec<_> = std::iter::from_fn(|| page.calls.next_action()).collect();
    assert!(left.iter().all(|action| matches!(action, Action::Cancel { .. })), "{left:?}");
}

#[test]
fn the_requests_of_a_call_that_ends_are_cancelled_last_first() {
    let mut page = Page::requesting(3, SETTINGS);
    let call = page.last_call;
    let ops: Vec<_> = ["2", "1", "0"].map(|path| page.op(path)).into();
    page.calls.handle(0.0, Event::Abort(call));
    let cancelled = std::iter::from_fn(|| page.calls.next_action()).filter_map(|action| match action {
        Action::Cancel { attempt } => Some(attempt),
        _ => None,
    });
    assert_eq!(cancelled.collect::<Vec<_>>(), ops);
}

#[test]
fn an_aborted_call_keeps_what_was_delivered_and_a_resumed_one_does_not_request_it_again() {
    let mut page = Page::requesting(3, SETTINGS);
    let call = page.last_call;
    page.reply("1", two());
    page.event(Event::Abort(call));
    assert!(page.outside.is_empty());
    let sent = page.sent.len();
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(3, 6));
    assert_eq!(page.paths()[sent..], [COUNTS, "0", "2"]);
}

#[test]
fn a_call_that_is_aborted_before_its_actions_are_performed_still_delivers_and_does_nothing_else() {
    let mut page = Page::requesting(1, SETTINGS);
    let call = page.last_call;
    page.holds_bodies = true;
    page.reply("0", two());
    let (op, bytes) = (page.op("0"), 33);
    let decoded = Decoded { findings: 2, bytes };
    page.calls.handle(0.0, Event::Decoded(op, Ok(decoded)));
    page.calls.handle(0.0, Event::Abort(call));
    let actions: Vec<_> = std::iter::from_fn(|| page.calls.next_action()).collect();
    assert!(matches!(actions[..], [Action::Deliver { index: 0, .. }]), "{actions:?}");
}

#[test]
fn a_request_that_is_not_sent_yet_when_its_call_ends_is_not_sent() {
    let mut page = Page::requesting(2, SETTINGS);
    let call = page.last_call;
    page.reply("0", status(503, ""));
    page.reply("1", status(503, ""));
    page.calls.handle(150.0, Event::Tick);
    page.calls.handle(150.0, Event::Abort(call));
    let actions: Vec<_> = std::iter::from_fn(|| page.calls.next_action()).collect();
    assert!(actions.is_empty(), "{actions:?}");
}

#[test]
fn a_partition_whose_report_ends_the_call_is_kept() {
    let mut page = Page::requesting(2, SETTINGS);
    let call = page.last_call;
    page.throws_at = Some((call, Some(1), "received"));
    page.reply("1", two());
    assert_eq!((&page.delivered[..], page.ends.len()), (&[(call, 1)][..], 0));
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(2, 4));
    assert_eq!(page.paths().last(), Some(&"0"));
}

#[test]
fn what_is_received_with_an_accumulator_is_complete_once_the_total_is_right() {
    for (total, is_complete) in [(2, true), (3, false)] {
        let mut page = Page::new(6);
        page.findings(Settings { completeness: Completeness::Off, ..SETTINGS });
        assert_eq!(page.accumulator.coverage(), None);
        page.reply(COUNTS, counts(1, total));
        page.reply("0", two());
        let received = page.accumulator.coverage().unwrap();
        assert_eq!(
            (received.counts.findings, received.is_whole, received.is_complete),
            (Some(total), true, is_complete)
        );
    }
}

#[test]
fn a_call_is_never_complete_without_every_partition_also_without_a_total() {
    let mut page = Page::new(6);
    page.findings(SETTINGS);
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":2}"#));
    page.calls.call_mut(page.last_call).next = None;
    page.reply("0", two());
    page.lose_request("1");
    assert_eq!(page.error().kind, ErrorKind::Partial { missing: 1, partitions: 2 });
    let stream = page.begin(Task::Stream(Kind::Sentiment, Order::Index), SETTINGS);
    page.reply(COUNTS, ok(r#"{"SentimentPartitions":2}"#));
    page.calls.call_mut(stream).next = None;
    page.lose_request("0");
    page.lose_request("1");
    page.event(Event::Read(stream));
    assert_eq!(page.error().kind, ErrorKind::Undelivered(2));
}

#[test]
fn a_call_that_is_aborted_while_it_waits_for_another_one_leaves_that_alone_and_the_next_follows() {
    let mut page = partial();
    let (first, second) = (page.findings(COLLECT), page.findings(COLLECT));
    let sent = page.sent.len();
    page.event(Event::Abort(second));
    assert_eq!(page.sent.len(), sent);
    let third = page.findings(COLLECT);
    for call in [first, third] {
        page.reply(COUNTS, counts(4, 8));
        if call == first {
            page.reply("1", two());
        }
        assert_eq!(page.ends.last().unwrap().0, call);
    }
    assert_eq!(page.ends.len(), 3, "that of the partial call, and these");
}

#[test]
fn a_call_that_is_aborted_before_its_first_action_sends_nothing_and_leaves_nothing() {
    let mut page = Page::new(6);
    let call = page.calls.begin(0.0, page.new_call(FINDINGS, SETTINGS));
    page.event(Event::Abort(call));
    assert!(page.sent.is_empty() && page.notes.is_empty() && page.ends.is_empty());
    assert_eq!(page.calls.left(), [] as [&str; 0]);
}
