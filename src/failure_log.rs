//! The failures of partitions that a call goes on in spite of, as many as there is memory for.

use columns::memory::{OutOfMemory, check_reserve, reserve};

use crate::error::{Error, ErrorKind, Failures};

/// Partitions that could not be had, each with why.
pub(crate) struct FailureLog<Value> {
    failures: Failures<Value>,
}

impl<Value> Default for FailureLog<Value> {
    fn default() -> Self {
        FailureLog { failures: Failures::new() }
    }
}

impl<Value> FailureLog<Value> {
    /// Whether no partition has failed.
    pub(crate) fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    /// Notes the failure of a partition. Where memory runs out, that is the failure, and what came along is let go.
    ///
    /// # Errors
    ///
    /// There is not even memory left for that: this failure is the last that is noted, if it is.
    pub(crate) fn note(&mut self, index: u64, mut error: Box<Error<Value>>) -> Result<(), OutOfMemory> {
        let is_short = check_reserve().is_err();
        if is_short {
            error.kind = ErrorKind::Memory;
            error.messages = Vec::new();
            error.findings = None;
            error.cause = None;
        }
        reserve(&mut self.failures, 1)?;
        self.failures.push((index, error));
        if is_short { check_reserve() } else { Ok(()) }
    }

    /// The failures in the order of the indexes.
    pub(crate) fn in_order(mut self) -> Failures<Value> {
        self.failures.sort_unstable_by_key(|(index, _)| *index);
        self.failures
    }

    /// Gives the indexes of `missing` that have not failed themselves the failure that `fail` makes, at most `most` of them, as far
    /// as there is memory.
    pub(crate) fn add_missing(
        self,
        missing: impl Iterator<Item = u64>,
        most: usize,
        fail: impl Fn(u64) -> Box<Error<Value>>,
    ) -> Failures<Value> {
        let mut failures = self.in_order();
        let known = failures.len();
        let is_known = |failures: &Failures<Value>, index| {
            let failed = failures.get(..known).unwrap_or_default();
            failed.binary_search_by_key(&index, |(index, _)| *index).is_ok()
        };
        for index in missing {
            if is_known(&failures, index) {
                continue;
            }
            if failures.len() - known == most || check_reserve().is_err() || reserve(&mut failures, 1).is_err() {
                break;
            }
            failures.push((index, fail(index)));
        }
        FailureLog { failures }.in_order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Subject;

    fn failure(status: u16) -> Box<Error<()>> {
        Error::new(ErrorKind::Http(status), Subject::of_call(7, None), 1)
    }

    fn indexes(failures: &Failures<()>) -> Vec<u64> {
        failures.iter().map(|(index, _)| *index).collect()
    }

    fn log(failed: &[u64]) -> FailureLog<()> {
        let mut log = FailureLog::default();
        failed.iter().for_each(|index| log.note(*index, failure(404)).unwrap());
        log
    }

    #[test]
    fn failures_come_in_the_order_of_the_indexes() {
        assert!(log(&[]).is_empty());
        assert_eq!(indexes(&log(&[5, 1, 3]).in_order()), [1, 3, 5]);
    }

    #[test]
    fn what_is_missing_is_added_where_it_belongs_and_what_has_failed_itself_keeps_its_failure() {
        let all = log(&[5, 1]).add_missing([0, 1, 2, 5, 6].into_iter(), 10, |_| failure(500));
        let statuses: Vec<_> = all.iter().map(|(index, error)| (*index, error.kind.status())).collect();
        assert_eq!(statuses, [(0, Some(500)), (1, Some(404)), (2, Some(500)), (5, Some(404)), (6, Some(500))]);
    }

    #[test]
    fn no_more_are_added_than_are_asked_for_besides_those_that_failed() {
        let all = log(&[3, 70]).add_missing((0..100).filter(|index| *index != 50), 4, |_| failure(500));
        assert_eq!(indexes(&all), [0, 1, 2, 3, 4, 70]);
    }
}
