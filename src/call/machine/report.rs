//! What a caller is told while a call runs.

use super::action::Action;
use super::calls::Calls;
use super::host::Host;
use super::numbered::CallId;
use crate::error::Error;
use crate::progress::{PartitionChange, Progress};

impl<H: Host> Calls<H> {
    /// Changes the progress of a call, but for its retries, and reports it.
    pub(super) fn progress(&mut self, id: CallId, received: Progress) {
        self.change_progress(id, true, received, 0);
    }

    /// Counts a retry. The next report has it; a live table shows it at once.
    pub(super) fn count_retry(&mut self, id: CallId) {
        let received = self.call(id).progress;
        self.change_progress(id, false, received, 1);
    }

    fn change_progress(&mut self, id: CallId, is_report: bool, received: Progress, retries: u64) {
        let call = self.call_mut(id);
        let progress = Progress { retries: call.progress.retries + retries, ..received };
        call.progress = progress;
        let is_report = is_report && call.wanted.reports_progress;
        if is_report || call.wanted.is_watched {
            let call = call.host();
            self.act(id, Action::Progress { call, progress, is_report });
        }
    }

    /// Reports the change of a partition or of the counts. A call for the counts alone has no reports.
    pub(super) fn report(&mut self, id: CallId, change: PartitionChange, error: Option<&Error<H::Value>>) {
        let call = self.call(id);
        if call.wanted.reports_partitions && call.kind().is_some() {
            let (call, error) = (call.host(), error.map(|error| Box::new(error.clone())));
            self.act(id, Action::Report { call, change, error });
        }
    }
}
