//! The counts of an inspection: the request, and the caller's `readCounts`.

use futures_util::FutureExt;

use super::host::Host;
use super::progress::{PartitionChange, PartitionState};
use super::request::RequestState;
use super::retrieval::{OrEnd, Retrieval};
use crate::contract::{Kind, KindCounts, Operation};
use crate::counts::{Counts, CountsBody};
use crate::error::{CallEnd, Error, ErrorKind, Hint};
use crate::transport::body::Body;

impl<H: Host> Retrieval<H> {
    /// Fetches the counts of both kinds: sentiment, then topics.
    pub async fn counts(&self) -> OrEnd<(KindCounts, KindCounts), H> {
        let counts = async {
            let (Counts { sentiment, topics }, _) = self.read_counts(None).await?;
            Ok((sentiment?, topics?))
        };
        self.in_time(None, counts.boxed_local()).await
    }

    /// Fetches the counts of one kind, for a call about it, and reports whether they were received.
    pub(super) async fn counts_of(&self, kind: Kind) -> OrEnd<KindCounts, H> {
        let read = self.read_counts(Some(kind)).await;
        let (counts, change) = read
            .and_then(|(counts, change)| Ok((counts.of(kind)?, change)))
            .map_err(|end| self.report_failure(None, end))?;
        self.report(&change, None)?;
        Ok(counts)
    }

    /// Requests the counts for a call about one kind of findings, or both. An inner error is about the counts of one kind.
    async fn read_counts(&self, requested: Option<Kind>) -> OrEnd<(Counts<Box<Error<H::Value>>>, PartitionChange), H> {
        let mut attempted = RequestState::new(self.subject(requested).at(Operation::Counts));
        let mut lost = None;
        let (body, CountsBody { errors, counts }) = loop {
            // A worker keeps only the body of a partition.
            let Body::Bytes(body) = self.request(&mut attempted, lost.take(), None).await? else { continue };
            match CountsBody::decode(&body) {
                Ok(decoded) => break (body, decoded),
                Err(error) => lost = Some(self.decode_error(error, &attempted)),
            }
        };
        self.scheduler.retries.give_back(attempted.attempts);
        let received = PartitionChange::to(PartitionState::Received, None, attempted.attempts);
        let received = PartitionChange { bytes: body.len() as u64, ..received };
        if let Some(messages) = errors {
            return Err(self.error_with_messages(&attempted, ErrorKind::Service, messages).into());
        }
        let Some(mapped) = self.host.map_counts(&body).transpose().map_err(CallEnd::Thrown)? else {
            let Counts { sentiment, topics } = counts;
            let uncountable = |error| self.decode_error(error, &attempted).with_hint(Hint::OtherCounts);
            let counts = Counts { sentiment: sentiment.map_err(uncountable), topics: topics.map_err(uncountable) };
            return Ok((counts, received));
        };
        let unmapped = |flaw| self.error_of(&attempted, ErrorKind::Mapping(flaw));
        let counts = Counts { sentiment: mapped.sentiment.map_err(unmapped), topics: mapped.topics.map_err(unmapped) };
        Ok((counts, received))
    }
}
