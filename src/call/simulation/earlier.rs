//! The earlier table of a call, and how its inspection has changed since.

use super::inspection::{Finding, MAX_ROWS, Partition, draw_counts};
use super::rng::Rng;
use crate::contract::KindCounts;

/// An earlier table of the inspection of a call.
#[derive(Clone, Debug)]
pub(super) struct EarlierTable {
    /// The counts when it was loaded.
    pub(super) counts: KindCounts,
    /// The partitions that it has.
    pub(super) partitions: Vec<u64>,
    /// The findings of each partition of the inspection when it was loaded.
    pub(super) contents: Vec<Vec<Finding>>,
    /// What has become of the inspection since.
    pub(super) change: Change,
}

/// How an inspection has changed since an earlier table was loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// It is the same.
    None,
    /// Findings were appended.
    Appended,
    /// Findings were appended, and one was edited, added or removed in any partition.
    Edited,
    /// Findings were appended, and the partitions were cut anew from one of them on.
    CutAnew,
    /// The last findings were removed.
    Shrunk,
    /// Findings were appended, and the service still sends counts of a time in between.
    StaleCounts,
    /// Findings were appended or cut anew, and the service still sends some of the earlier partitions.
    StalePartitions,
}

impl Change {
    /// All changes but none.
    pub(super) const ALL: [Change; 6] = [
        Change::Appended,
        Change::Edited,
        Change::CutAnew,
        Change::Shrunk,
        Change::StaleCounts,
        Change::StalePartitions,
    ];

    /// Whether all but the last earlier partition are the same as before.
    pub(super) fn only_appends(self) -> bool {
        matches!(self, Change::None | Change::Appended | Change::StaleCounts)
    }
}

impl EarlierTable {
    /// Whether it has every partition, and another number of findings than its counts say.
    pub(super) fn contradicts_itself(&self) -> bool {
        let rows: usize = self.partitions.iter().map(|index| self.contents[*index as usize].len()).sum();
        let is_whole = self.partitions.len() as u64 == self.counts.partitions;
        is_whole && self.counts.findings.is_some_and(|total| total != rows as u64)
    }

    /// Draws an earlier table of an inspection that has not changed.
    pub(super) fn draw(rng: &Rng, counts: KindCounts, now: &[Partition]) -> Self {
        let counts = if rng.once_in(4) { draw_counts(rng, counts) } else { counts };
        let lacking = rng.one_of(&[0, 0, 30, 70, 100]);
        let partitions = (0..counts.partitions).filter(|_| rng.below(100) >= lacking).collect();
        EarlierTable { counts, partitions, contents: contents_of(now), change: Change::None }
    }

    /// Draws how the inspection has changed since, which may also change the counts that the service sends now, and its partitions.
    pub(super) fn draw_change(&mut self, rng: &Rng, counts: &mut [KindCounts], now: &mut [Partition]) {
        let (all, has_total) = (contents_of(now), counts[0].findings.is_some());
        self.change = rng.one_of(&Change::ALL);
        self.contents = match self.change {
            Change::None | Change::Appended => begin_of(rng, &all),
            Change::Edited => edited(rng, begin_of(rng, &all)),
            Change::CutAnew => cut_anew(rng, &begin_of(rng, &all)),
            Change::Shrunk => longer(rng, all),
            Change::StaleCounts => {
                let between = begin_of(rng, &all);
                counts.fill(counts_of(&between, has_total));
                begin_of(rng, &between)
            }
            Change::StalePartitions => {
                let before = begin_of(rng, &all);
                let before = if rng.once_in(2) { cut_anew(rng, &before) } else { edited(rng, before) };
                for (partition, stale) in now.iter_mut().zip(&before).filter(|_| rng.once_in(2)) {
                    partition.findings.clone_from(stale);
                }
                before
            }
        };
        self.counts = draw_counts(rng, counts_of(&self.contents, has_total));
        let lacking = rng.one_of(&[0, 0, 0, 30]);
        self.partitions = (0..self.counts.partitions).filter(|_| rng.below(100) >= lacking).collect();
    }
}

fn contents_of(partitions: &[Partition]) -> Vec<Vec<Finding>> {
    partitions.iter().map(|partition| partition.findings.clone()).collect()
}

fn counts_of(contents: &[Vec<Finding>], has_total: bool) -> KindCounts {
    let findings = contents.iter().map(|findings| findings.len() as u64).sum();
    KindCounts { partitions: contents.len() as u64, findings: has_total.then_some(findings) }
}

/// The inspection before its last findings were appended.
fn begin_of(rng: &Rng, all: &[Vec<Finding>]) -> Vec<Vec<Finding>> {
    let appended = rng.below(all.len().min(4) as u64 + 1) as usize;
    let mut begin = all[..all.len() - appended].to_vec();
    if let Some(last) = begin.last_mut() {
        last.truncate(rng.between(0, last.len() as u64) as usize);
    }
    begin
}

/// The inspection before a finding of any partition was edited, added or removed.
fn edited(rng: &Rng, mut contents: Vec<Vec<Finding>>) -> Vec<Vec<Finding>> {
    let findings =
        contents.iter().enumerate().flat_map(|(index, findings)| (0..findings.len()).map(move |at| (index, at)));
    let findings: Vec<_> = findings.collect();
    if findings.is_empty() {
        return contents;
    }
    let (index, at) = rng.one_of(&findings);
    let before = &mut contents[index];
    match rng.below(4) {
        0 => drop(before.remove(at)),
        1 => before.insert(at, Finding { id: "removed".to_owned(), length: 5 }),
        _ => before[at].id.push('b'),
    }
    contents
}

/// The inspection before its partitions were cut anew, from one of them on.
fn cut_anew(rng: &Rng, contents: &[Vec<Finding>]) -> Vec<Vec<Finding>> {
    let same = if rng.once_in(2) { 0 } else { rng.between(0, contents.len() as u64) as usize };
    let size = rng.between(1, MAX_ROWS) as usize;
    let rest = contents[same..].concat();
    contents[..same].iter().cloned().chain(rest.chunks(size).map(<[_]>::to_vec)).collect()
}

/// The inspection before its last findings were removed.
fn longer(rng: &Rng, mut contents: Vec<Vec<Finding>>) -> Vec<Vec<Finding>> {
    let removed = || Finding { id: "removed".to_owned(), length: 5 };
    if let Some(last) = contents.last_mut().filter(|_| rng.once_in(2)) {
        last.push(removed());
    }
    contents.extend((0..rng.below(3)).map(|_| vec![removed()]));
    contents
}
