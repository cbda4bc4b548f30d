//! An earlier table: what a call keeps of it, and what two of its partitions decide.

use crate::machine::testing::*;

/// A table of six partitions, of two findings each.
fn earlier() -> Earlier {
    let counts = KindCounts { partitions: 6, findings: Some(12) };
    Earlier { counts, partitions: (0..6).map(|index| (index, 2)).collect(), appends: true }
}

/// A page with a call for an inspection that has grown from six partitions to eight. With random numbers of 0.5, the partitions 2 and 3 decide.
fn grown() -> (Page, CallId) {
    let mut page = Page::new(6);
    let call = page.begin_with(FINDINGS, SETTINGS, |begin| begin.earlier = Some(earlier()));
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths(), [COUNTS, "2", "3"]);
    (page, call)
}

#[test]
fn two_older_partitions_decide_first_and_then_only_the_last_and_the_new_ones_are_requested() {
    let (mut page, _) = grown();
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    assert_eq!((page.sent.len(), page.notes.len()), (3, 0), "nothing is decided yet");
    page.reply("3", two());
    assert_eq!((page.notes.join(" "), &page.paths()[3..]), ("Keep(5)".into(), &["5", "6", "7"][..]));
    for index in [5, 6, 7] {
        page.reply(&index.to_string(), two());
    }
    assert!(page.succeeded());
    let append = Some(Growth::Append);
    let expected = [(0, None), (1, None), (5, append), (6, append), (7, append), (8, append)];
    let reported = page.progress.iter().map(|progress| (progress.partitions_done, progress.growth));
    assert_eq!(reported.collect::<Vec<_>>(), expected);
}

#[test]
fn a_decision_comes_although_a_report_ends_the_call_before_it_is_performed() {
    let (mut page, call) = grown();
    page.as_kept = vec![2, 3];
    page.reply("2", two());
    page.throws_at = Some((call, Some(3), "received"));
    page.reply("3", two());
    assert_eq!(page.notes, ["Keep(5)"]);
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!(page.paths()[4..], ["5", "6", "7"]);
}

#[test]
fn an_index_beyond_all_memory_keeps_nothing() {
    let counts_now = KindCounts { partitions: 1 << 53, findings: None };
    let forged = Earlier { counts: counts_now, partitions: vec![(0, 2), ((1 << 53) - 1, 2)], appends: false };
    let mut page = Page::new(2);
    page.begin_with(FINDINGS, SETTINGS, |begin| begin.earlier = Some(forged));
    page.reply(COUNTS, ok(format!(r#"{{"SentimentPartitions":{}}}"#, 1_u64 << 53)));
    assert!(page.ends.len() == 1 || page.notes == ["Drop"]);
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
        page.begin_with(FINDINGS, SETTINGS, |begin| begin.earlier = Some(earlier()));
        page.reply(COUNTS, counts(7, 14));
        pairs.push([page.sent[1].1.clone(), page.sent[2].1.clone()]);
    }
    pairs.sort();
    let expected = (0..5_u64).flat_map(|first| (first + 1..5).flat_map(move |second| [[first, second]; 2]));
    let expected: Vec<_> = expected.map(|pair| pair.map(|index| index.to_string())).collect();
    assert_eq!(pairs, expected);
}
