//! An earlier table: what a call keeps of it, and what two of its partitions decide.

use crate::contract::KindCounts;
use crate::error::ErrorKind;
use crate::machine::testing::{COLLECT, COUNTS, Page, SETTINGS, counts, ok, status, two};
use crate::machine::{CallId, Earlier, Event};
use crate::progress::Growth;
use crate::settings::{Completeness, Settings};

/// A table with these partitions of six, of two findings each.
fn earlier(partitions: &[u64], appends: bool) -> Earlier {
    let counts = KindCounts { partitions: 6, findings: Some(12) };
    Earlier { counts, partitions: partitions.iter().map(|index| (*index, 2)).collect(), appends }
}

const ALL: [u64; 6] = [0, 1, 2, 3, 4, 5];

/// A page with a call for an inspection that has grown from six partitions to eight. With random numbers of 0.5, the partitions 2 and 3 decide.
fn grown(settings: Settings) -> (Page, CallId) {
    let mut page = Page::new(6);
    let call = page.findings_from(earlier(&ALL, true), settings);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths(), [COUNTS, "2", "3"]);
    (page, call)
}

/// What each report of the progress says.
fn reported(page: &Page) -> Vec<(u64, Option<Growth>)> {
    page.progress.iter().map(|progress| (progress.partitions_done, progress.growth)).collect()
}

#[test]
fn the_same_counts_keep_the_table_and_only_what_is_missing_is_requested() {
    let mut page = Page::new(6);
    page.findings_from(earlier(&[0, 1, 3, 5, 7], false), SETTINGS);
    page.reply(COUNTS, counts(6, 12));
    assert_eq!((page.notes.join(" "), &page.paths()[1..]), ("keep below 6".into(), &["2", "4"][..]));
    assert_eq!(reported(&page), [(4, None)], "the partition beyond the counts is ignored");
    page.reply("2", two());
    page.reply("4", two());
    assert!(page.succeeded());
}

#[test]
fn other_counts_drop_the_table_unless_the_service_appends() {
    let mut page = Page::new(6);
    page.findings_from(earlier(&ALL, false), SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!((page.notes.join(" "), page.sent.len()), ("drop".into(), 7));
    assert_eq!(reported(&page), [(0, None)]);
}

#[test]
fn two_older_partitions_decide_first_and_then_only_the_last_and_the_new_ones_are_requested() {
    let (mut page, _) = grown(SETTINGS);
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    assert_eq!((page.sent.len(), page.notes.len()), (3, 0), "nothing is decided yet");
    page.reply("3", two());
    assert_eq!((page.notes.join(" "), &page.paths()[3..]), ("keep below 5".into(), &["5", "6", "7"][..]));
    for index in [5, 6, 7] {
        page.reply(&index.to_string(), two());
    }
    assert!(page.succeeded());
    let append = Some(Growth::Append);
    let expected = [(0, None), (1, None), (5, append), (6, append), (7, append), (8, append)];
    assert_eq!(reported(&page), expected);
}

#[test]
fn one_partition_that_differs_lets_all_others_be_requested_once_both_have_arrived() {
    let (mut page, _) = grown(SETTINGS);
    page.as_kept = vec![2];
    page.reply("3", two());
    assert_eq!((page.notes.len(), page.sent.len()), (0, 3), "nothing is decided yet");
    page.reply("2", two());
    assert_eq!((page.notes.join(" "), &page.paths()[3..]), ("drop".into(), &["0", "1", "4", "5", "6", "7"][..]));
    for index in [0, 1, 4, 5, 6, 7] {
        page.reply(&index.to_string(), two());
    }
    assert!(page.succeeded());
    assert_eq!(page.sent.len(), 9, "each partition is requested once");
    assert_eq!(reported(&page)[..4], [(0, None), (1, None), (2, Some(Growth::Reload)), (3, Some(Growth::Reload))]);
}

#[test]
fn a_page_would_show_too_little_until_it_is_decided_and_the_last_earlier_partition_has_arrived_again() {
    let (mut page, _) = grown(SETTINGS);
    let is_behind = |page: &Page| page.calls.received_with(1).unwrap().is_behind;
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    assert!(is_behind(&page));
    page.reply("3", two());
    page.reply("6", two());
    assert!(is_behind(&page));
    page.reply("5", two());
    assert!(!is_behind(&page));
    let (mut page, _) = grown(SETTINGS);
    page.reply("2", two());
    page.reply("3", two());
    assert!(!is_behind(&page), "nothing is kept");
}

#[test]
fn a_whole_table_whose_total_was_wrong_is_no_beginning_where_totals_have_to_be_right() {
    let wrong =
        |appends| Earlier { counts: KindCounts { partitions: 6, findings: Some(11) }, ..earlier(&ALL, appends) };
    for now in [counts(6, 11), counts(8, 16)] {
        for (completeness, is_kept) in [(Completeness::Strict, false), (Completeness::Off, true)] {
            let mut page = Page::new(9);
            page.findings_from(wrong(true), Settings { concurrency: 9, completeness, ..SETTINGS });
            page.reply(COUNTS, now.clone());
            let is_dropped = page.notes == ["drop"];
            assert_eq!((is_dropped, page.sent.len() < 4), (!is_kept, is_kept));
        }
    }
}

#[test]
fn nothing_is_decided_when_a_call_fails_before_and_a_resumed_call_requests_what_is_missing_to_decide() {
    let (mut page, _) = grown(SETTINGS);
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    page.reply("3", status(404, ""));
    assert_eq!((&page.error().kind, page.notes.len()), (&ErrorKind::Http(404), 0));
    let sent = page.sent.len();
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths()[sent..], [COUNTS, "3"]);
    page.reply("3", two());
    assert_eq!(page.notes, ["keep below 5"]);
}

#[test]
fn nothing_is_decided_when_a_call_is_aborted_before() {
    let (mut page, call) = grown(SETTINGS);
    page.event(Event::Abort(call));
    assert_eq!(page.notes, [format!("forget {call}")]);
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths()[4..], ["2", "3"]);
}

#[test]
fn a_decision_comes_although_a_report_ends_the_call_before_it_is_performed() {
    let (mut page, call) = grown(SETTINGS);
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    page.throws_at = Some((call, Some(3), "received"));
    page.reply("3", two());
    assert_eq!(page.notes, ["keep below 5".to_owned(), format!("forget {call}")]);
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths()[4..], ["5", "6", "7"]);
}

#[test]
fn a_collecting_call_that_lacks_a_partition_that_decides_requests_all_others_and_not_that_one_again() {
    let (mut page, _) = grown(COLLECT);
    page.reply("3", status(404, ""));
    assert_eq!(page.notes.len(), 0);
    page.reply("2", two());
    assert_eq!((page.notes.join(" "), page.sent.len()), ("drop".into(), 9));
    for index in [0, 1, 4, 5, 6, 7] {
        page.reply(&index.to_string(), two());
    }
    assert_eq!(page.error().kind, ErrorKind::Partial { missing: 1, partitions: 8 });
    assert_eq!(page.times("3").len(), 1);
}

#[test]
fn a_new_partition_that_fails_changes_nothing_about_the_decision() {
    let (mut page, _) = grown(COLLECT);
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    page.reply("3", two());
    page.reply("7", status(404, ""));
    page.reply("5", two());
    page.reply("6", two());
    assert_eq!(page.error().kind, ErrorKind::Partial { missing: 1, partitions: 8 });
    assert_eq!((page.notes.join(" "), page.sent.len()), ("keep below 5".into(), 6));
    page.findings(COLLECT);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths()[7..], ["7"]);
}

#[test]
fn all_are_requested_if_the_inspection_has_shrunk_or_nothing_would_be_saved_or_nothing_can_decide() {
    let without_findings =
        Earlier { partitions: ALL.map(|index| (index, u64::from(index == 3))).into(), ..earlier(&[], true) };
    for (earlier, now) in [
        (earlier(&ALL, true), counts(5, 12)),
        (earlier(&ALL, true), counts(8, 11)),
        (earlier(&[0, 4, 5], true), counts(8, 16)),
        (without_findings, counts(8, 16)),
    ] {
        let mut page = Page::new(9);
        page.findings_from(earlier, Settings { concurrency: 9, completeness: Completeness::Off, ..SETTINGS });
        page.reply(COUNTS, now);
        assert_eq!(page.notes, ["drop"]);
        assert_eq!(reported(&page), [(0, Some(Growth::Reload))]);
        assert_eq!(page.sent.len() as u64, 1 + page.last_progress().partitions.unwrap());
    }
}

#[test]
fn partitions_without_findings_do_not_decide_and_are_kept() {
    let mut page = Page::new(6);
    let partitions = ALL.map(|index| (index, if [1, 4].contains(&index) { 2 } else { 0 })).into();
    page.findings_from(
        Earlier { partitions, ..earlier(&[], true) },
        Settings { completeness: Completeness::Off, ..SETTINGS },
    );
    page.reply(COUNTS, counts(7, 16));
    assert_eq!(page.paths()[1..], ["1", "4"]);
    page.as_kept = vec![1, 4];
    page.reply("1", two());
    page.reply("4", two());
    assert_eq!((page.notes.join(" "), &page.paths()[3..]), ("keep below 5".into(), &["5", "6"][..]));
}

#[test]
fn the_total_holds_for_kept_partitions_too() {
    let (mut page, _) = grown(SETTINGS);
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    page.reply("3", two());
    page.reply("5", ok(r#"{"Findings":[{}]}"#));
    page.reply("6", two());
    page.reply("7", two());
    assert_eq!(page.error().kind.code(), "incomplete");
}

#[test]
fn an_index_beyond_all_memory_keeps_nothing() {
    let counts_now = KindCounts { partitions: 1 << 53, findings: None };
    let forged = Earlier { counts: counts_now, partitions: vec![(0, 2), ((1 << 53) - 1, 2)], appends: false };
    let mut page = Page::new(2);
    page.findings_from(forged, SETTINGS);
    page.reply(COUNTS, ok(format!(r#"{{"SentimentPartitions":{}}}"#, 1_u64 << 53)));
    assert!(page.ends.len() == 1 || page.notes == ["drop"]);
}

#[test]
fn each_pair_of_older_partitions_decides_equally_often() {
    let mut pairs = Vec::new();
    for (first, second) in (0..5).flat_map(|first| (0..4).map(move |second| (first, second))) {
        // A function pointer has no state of its own.
        thread_local! {
            static DRAWS: std::cell::RefCell<Vec<f64>> = const { std::cell::RefCell::new(Vec::new()) };
        }
        DRAWS.set(vec![f64::from(second) / 4.0, f64::from(first) / 5.0]);
        let mut page = Page::with_budget(6, 64 << 20, || DRAWS.with_borrow_mut(Vec::pop).unwrap());
        page.findings_from(earlier(&ALL, true), SETTINGS);
        page.reply(COUNTS, counts(7, 14));
        pairs.push([page.sent[1].1.clone(), page.sent[2].1.clone()]);
    }
    pairs.sort();
    let expected = (0..5_u64).flat_map(|first| (first + 1..5).flat_map(move |second| [[first, second]; 2]));
    let expected: Vec<_> = expected.map(|pair| pair.map(|index| index.to_string())).collect();
    assert_eq!(pairs, expected);
}
