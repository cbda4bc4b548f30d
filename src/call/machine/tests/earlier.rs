//! An earlier table: what a call keeps of it.

use crate::machine::testing::*;

/// A table of six partitions, of two findings each, without the partition 3.
fn earlier() -> Earlier {
    let counts = KindCounts { partitions: 6, findings: Some(12) };
    Earlier { counts, partitions: [0, 1, 2, 4, 5].map(|index| (index, 2)).into() }
}

#[test]
fn only_what_is_missing_is_requested_if_the_counts_are_the_same() {
    let mut page = Page::new(6);
    page.accumulator = Accumulation::new(Some(earlier()));
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(6, 12));
    assert_eq!((page.paths(), page.keeps_earlier()), (vec![COUNTS, "3"], true));
    page.reply("3", two());
    assert!(page.succeeded());
}

#[test]
fn everything_is_requested_if_the_counts_have_changed() {
    let mut page = Page::new(6);
    page.accumulator = Accumulation::new(Some(earlier()));
    page.findings(SETTINGS);
    page.reply(COUNTS, counts(8, 16));
    assert_eq!((&page.paths()[1..], page.keeps_earlier()), (&["0", "1", "2", "3", "4", "5"][..], false));
}

#[test]
fn an_index_beyond_all_memory_keeps_nothing() {
    let counts_now = KindCounts { partitions: 1 << 53, findings: None };
    let forged = Earlier { counts: counts_now, partitions: vec![(0, 2), ((1 << 53) - 1, 2)] };
    let mut page = Page::new(2);
    page.accumulator = Accumulation::new(Some(forged));
    page.findings(SETTINGS);
    page.reply(COUNTS, ok(format!(r#"{{"SentimentPartitions":{}}}"#, 1_u64 << 53)));
    assert!(page.ends.len() == 1 || !page.keeps_earlier());
}
