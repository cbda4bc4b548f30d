//! The failed partitions of a collecting call, as many as memory allows.

use chunk::memory::{OutOfMemory, check_reserve, reserve};

use crate::error::{Error, ErrorKind, Failures};

/// The failed partitions, each with its error, in index order.
pub(crate) struct FailureLog<Value> {
    failures: Failures<Value>,
}

impl<Value> Default for FailureLog<Value> {
    fn default() -> Self {
        FailureLog { failures: Failures::new() }
    }
}

impl<Value> FailureLog<Value> {
    /// Adds the error of a partition. When memory runs short, drops the details of the error and sets its kind to [`ErrorKind::Memory`].
    ///
    /// # Errors
    ///
    /// Memory is still short. No further error fits, and perhaps not this one.
    pub(crate) fn note(&mut self, index: u64, mut error: Box<Error<Value>>) -> Result<(), OutOfMemory> {
        let is_short = check_reserve().is_err();
        if is_short {
            error.kind = ErrorKind::Memory;
            error.messages = Vec::new();
            error.findings = None;
            error.cause = None;
        }
        reserve(&mut self.failures, 1)?;
        // Partitions are requested in index order, so an error usually belongs near the end.
        let place = self.failures.partition_point(|(other, _)| *other < index);
        self.failures.insert(place, (index, error));
        if is_short { check_reserve() } else { Ok(()) }
    }

    /// The failures in index order.
    pub(crate) fn in_order(self) -> Failures<Value> {
        self.failures
    }

    /// The failures in index order. Adds errors made by `fail` for the first `most` indexes in `missing` that are not failures
    /// already; fewer if memory runs short.
    pub(crate) fn add_missing(
        mut self,
        missing: impl Iterator<Item = u64>,
        most: usize,
        fail: impl Fn(u64) -> Box<Error<Value>>,
    ) -> Failures<Value> {
        let enough = self.failures.len() + most;
        for index in missing {
            // Most of the missing partitions are behind all failures.
            let place = self.failures.partition_point(|(other, _)| *other < index);
            if self.failures.get(place).is_some_and(|(other, _)| *other == index) {
                continue;
            }
            if self.failures.len() == enough || check_reserve().is_err() || reserve(&mut self.failures, 1).is_err() {
                break;
            }
            self.failures.insert(place, (index, fail(index)));
        }
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Subject;

    fn error(status: u16) -> Box<Error<()>> {
        Error::new(ErrorKind::Http(status), Subject::of_call(7, None), 1)
    }

    fn indexes(failures: &Failures<()>) -> Vec<u64> {
        failures.iter().map(|(index, _)| *index).collect()
    }

    fn log(failed: &[u64]) -> FailureLog<()> {
        let mut log = FailureLog::default();
        failed.iter().for_each(|index| log.note(*index, error(404)).unwrap());
        log
    }

    #[test]
    fn lists_failures_in_index_order() {
        assert!(indexes(&log(&[]).in_order()).is_empty());
        assert_eq!(indexes(&log(&[5, 1, 3]).in_order()), [1, 3, 5]);
    }

    #[test]
    fn adds_missing_partitions_in_index_order_and_keeps_the_errors_of_failed_ones() {
        let all = log(&[5, 1]).add_missing([0, 1, 2, 5, 6].into_iter(), 10, |_| error(500));
        let statuses: Vec<_> = all.iter().map(|(index, error)| (*index, error.kind.status())).collect();
        assert_eq!(statuses, [(0, Some(500)), (1, Some(404)), (2, Some(500)), (5, Some(404)), (6, Some(500))]);
    }

    #[test]
    fn adds_at_most_the_given_number_of_missing_partitions() {
        let all = log(&[3, 70]).add_missing((0..100).filter(|index| *index != 50), 4, |_| error(500));
        assert_eq!(indexes(&all), [0, 1, 2, 3, 4, 70]);
    }
}
