//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::UnpackError;
use columns::memory::{OutOfMemory, check_reserve};
use futures_util::FutureExt;

use super::host::{Decoded, Delegated, Host, Packed, Span};
use super::prefetch::StageCell;
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::request::RequestState;
use super::retrieval::{Outcome, Retrieval};
use crate::accumulator::Findings;
use crate::contract::{Kind, KindCounts, Operation};
use crate::decode::{DecodeFailure, decode, take_chunk};
use crate::error::{Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;
use crate::transport::body::Body;

/// The findings of a decoded partition, and the bytes of its body.
type Received<F> = (F, usize);

impl<H: Host> Retrieval<H> {
    /// Fetches the findings of one partition, as a separate call.
    pub(crate) async fn partition(&self, kind: Kind, index: u64) -> Outcome<H::Findings, H> {
        let findings = async {
            let counts = KindCounts { partitions: 1, findings: None };
            self.host.prepare_worker(Some(counts));
            self.begin(Progress::of(counts))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let (findings, bytes) = self.receive(kind, index, &reservation, None).await?;
            self.advance(findings.len(), bytes)?;
            Ok(findings)
        };
        self.in_time(Some(kind), findings.boxed_local()).await
    }

    /// Fetches a partition and decodes it, and reports how that ends.
    pub(super) async fn receive(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
        stage: Option<&StageCell>,
    ) -> Outcome<Received<H::Findings>, H> {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        let mut attempted = RequestState::new(subject, self.host.now());
        let received = self.findings_of(&mut attempted, reservation, stage).await;
        let RequestState { subject, begun, attempts, .. } = attempted;
        self.host.measure(Span { subject, attempt: None, begun });
        let (findings, bytes) = received.map_err(|end| self.report_failure(Some(index), end))?;
        self.scheduler.retries.give_back(attempts);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempts);
        self.report(&PartitionChange { findings: findings.len() as u64, bytes: bytes as u64, ..change }, None)?;
        Ok((findings, bytes))
    }

    /// Requests a partition and decodes its body, again while an error allows it.
    async fn findings_of(
        &self,
        attempted: &mut RequestState<H::Headers>,
        reservation: &Reservation,
        stage: Option<&StageCell>,
    ) -> Outcome<Received<H::Findings>, H> {
        let mut failed = None;
        loop {
            let body = self.request(attempted, failed.take(), Some(reservation)).await?;
            let bytes = body.length();
            reservation.received(bytes);
            if let Some(stage) = stage {
                stage.received().await;
            }
            match self.convert(body, attempted).await {
                Ok(findings) => return Ok((findings, bytes as usize)),
                Err(error) if error.kind.is_transient() => failed = Some(error),
                Err(error) => return Err(error.into()),
            }
            if let Some(stage) = stage {
                stage.lost().await;
            }
        }
    }

    /// Turns a body into findings. If a worker has lost the body once, the calling thread decodes it.
    async fn convert(
        &self,
        body: Body<H::Blob>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<H::Findings, Box<Error<H::Value>>> {
        let Delegated { packed, body } = if attempted.is_lost {
            Delegated { packed: None, body: Some(body) }
        } else {
            let delegated = self.host.delegate(body).await;
            delegated.map_err(|cause| self.error_caused(attempted, ErrorKind::NoWorker, cause))?
        };
        if let Some(packed) = packed
            && let Some(findings) = self.unpack(packed, attempted).await?
        {
            self.decoded_in(DecodingThread::Worker);
            return Ok(findings);
        }
        let body = body.ok_or_else(|| self.error_of(attempted, ErrorKind::WorkerLost))?;
        let bytes = body.into_bytes().await.map_err(|error| self.body_error(error, attempted))?;
        let findings = self.decode(bytes, attempted).await?;
        self.decoded_in(DecodingThread::Page);
        Ok(findings)
    }

    /// Takes the packed findings of a worker; `None` if they are malformed.
    async fn unpack(
        &self,
        packed: Packed<H::PackedRows>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<H::Findings>, Box<Error<H::Value>>> {
        match packed {
            Packed::Rows(rows) => {
                let _decoding = self.decoding.lock().await;
                self.keep(Decoded::Rows(rows), attempted).await
            }
            Packed::Chunk(packed) => {
                let no_memory = || self.error_of(attempted, ErrorKind::Memory);
                check_reserve().map_err(|OutOfMemory| no_memory())?;
                match take_chunk(&self.host.runtime(), packed).await {
                    Ok(chunk) => self.keep(Decoded::Columns(Rc::new(chunk)), attempted).await,
                    Err(UnpackError::OutOfMemory(_)) => Err(no_memory()),
                    Err(UnpackError::Malformed) => Ok(None),
                }
            }
        }
    }

    /// Decodes a body on the calling thread.
    async fn decode(
        &self,
        body: Vec<u8>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<H::Findings, Box<Error<H::Value>>> {
        let no_memory = || self.error_of(attempted, ErrorKind::Memory);
        let _decoding = self.decoding.lock().await;
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        let decoded = decode(&self.host.runtime(), body, self.host.columns()).await;
        let chunk = decoded.map_err(|failure| self.undecoded(attempted, failure))?;
        self.keep(Decoded::Columns(Rc::new(chunk)), attempted).await?.ok_or_else(no_memory)
    }

    /// Gives findings the form that the call keeps; `None` if they are malformed.
    async fn keep(
        &self,
        decoded: Decoded<H::PackedRows>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<H::Findings>, Box<Error<H::Value>>> {
        let kept = self.host.keep(decoded).await;
        kept.map_err(|cause| self.error_caused(attempted, ErrorKind::Memory, cause))
    }

    /// The error of a body that is no partition. [`ErrorKind::Service`] carries the findings that came with the errors.
    #[cold]
    fn undecoded(&self, attempted: &RequestState<H::Headers>, failure: DecodeFailure) -> Box<Error<H::Value>> {
        match failure {
            DecodeFailure::Undecodable(error) => self.decode_error(error, attempted),
            DecodeFailure::Service(messages, findings) => {
                let mut error = self.error_with_messages(attempted, ErrorKind::Service, messages);
                error.findings = findings;
                error
            }
        }
    }
}
