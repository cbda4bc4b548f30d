//! What a caller is told while a call runs.

use super::action::Action;
use super::calls::Calls;
use super::event::CallId;
use crate::error::Error;
use crate::progress::{PartitionChange, Progress};

impl<V: Clone> Calls<V> {
    /// Changes the progress of a call, and reports it.
    pub(super) fn progress(&mut self, id: CallId, change: impl FnOnce(Progress) -> Progress) {
        self.change_progress(id, true, change);
    }

    /// Counts a retry. The next report has it; a live table shows it at once.
    pub(super) fn count_retry(&mut self, id: CallId) {
        self.change_progress(id, false, |progress| Progress { retries: progress.retries + 1, ..progress });
    }

    fn change_progress(&mut self, id: CallId, is_report: bool, change: impl FnOnce(Progress) -> Progress) {
        let Some(call) = self.call_mut(id) else { return };
        let progress = change(call.progress);
        call.progress = progress;
        let is_report = is_report && call.reports_progress;
        if is_report || call.is_watched {
            self.act(Action::Progress { call: id, progress, is_report });
        }
    }

    /// Reports the change of a partition or of the counts. A call for the counts alone has no reports.
    pub(super) fn report(&mut self, id: CallId, change: PartitionChange, error: Option<&Error<V>>) {
        if self.call(id).is_some_and(|call| call.reports_partitions && call.kind().is_some()) {
            let error = error.map(|error| Box::new(error.clone()));
            self.act(Action::Report { call: id, change, error });
        }
    }
}
