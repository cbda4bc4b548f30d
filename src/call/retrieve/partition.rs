//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use chunk::memory::{OutOfMemory, check_reserve};
use chunk::{Chunk, UnpackError};
use futures_util::FutureExt;

use super::host::{Delegated, FindingsOf, Host};
use super::prefetch::StageCell;
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::request::RequestState;
use super::retrieval::{OrEnd, Retrieval};
use crate::accumulator::Findings;
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;
use crate::transport::body::Body;
#[cfg(feature = "tables")]
use chunk::decoding::take_chunk;
use chunk::decoding::{DecodeFailure, decode};
use chunk::form::{Form, Formed};

impl<H: Host> Retrieval<H> {
    /// Fetches the findings of one partition, as a separate call.
    pub async fn partition(&self, kind: Kind, index: u64) -> OrEnd<FindingsOf<H>, H> {
        let findings = async {
            let counts = KindCounts { partitions: 1, findings: None };
            self.host.prepare_worker(Some(counts));
            self.show(Progress::of(counts))?;
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
    ) -> OrEnd<(FindingsOf<H>, usize), H> {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        let mut attempted = RequestState::new(subject);
        let received = self.findings_of(&mut attempted, reservation, stage).await;
        let (findings, bytes) = received.map_err(|end| self.report_failure(Some(index), end))?;
        self.scheduler.retries.give_back(attempted.attempts);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempted.attempts);
        self.report(&PartitionChange { findings: findings.len() as u64, bytes: bytes as u64, ..change }, None)?;
        Ok((findings, bytes))
    }

    /// Requests a partition and decodes its body, again while an error allows it.
    async fn findings_of(
        &self,
        attempted: &mut RequestState<H::Headers>,
        reservation: &Reservation,
        stage: Option<&StageCell>,
    ) -> OrEnd<(FindingsOf<H>, usize), H> {
        let mut failed = None;
        loop {
            let body = self.request(attempted, failed.take(), Some(reservation)).await?;
            let bytes = body.length();
            reservation.received(bytes);
            if let Some(stage) = stage {
                stage.received().await;
            }
            match self.convert(body, attempted).boxed_local().await {
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
        body: Body<H::Kept>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<FindingsOf<H>, Box<Error<H::Value>>> {
        let Delegated { packed, body } = if attempted.way.may_delegate() {
            let delegated = self.host.delegate(body).await;
            delegated.map_err(|cause| self.error_caused(attempted, ErrorKind::NoWorker, cause))?
        } else {
            Delegated { packed: None, body: Some(body) }
        };
        if let Some(packed) = packed
            && let Some(findings) = self.unpack(packed, attempted).await?
        {
            self.decoded_in(DecodingThread::Worker);
            return Ok(findings);
        }
        let body = body.ok_or_else(|| self.error_of(attempted, ErrorKind::WorkerLost))?;
        let bytes = body.into_bytes().await.map_err(|error| self.body_error(error, attempted))?;
        // Boxed, because the future of a conversion would be one of the largest functions otherwise.
        let findings = self.decode(bytes, attempted).boxed_local().await?;
        self.decoded_in(DecodingThread::Page);
        Ok(findings)
    }

    /// Takes the findings of a worker; `None` if the calling thread has to decode the body, because they are malformed or there was no memory for
    /// them.
    async fn unpack(
        &self,
        packed: H::Packed,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<FindingsOf<H>>, Box<Error<H::Value>>> {
        match self.host.form() {
            Form::Rows => {
                let _decoding = self.decoding.lock().await;
                Ok(self.host.build(&packed).await.ok().map(Formed::Rows))
            }
            #[cfg(feature = "tables")]
            Form::Chunk => {
                let no_memory = || self.error_of(attempted, ErrorKind::Memory);
                let Some(copy) = self.host.copied(&packed) else { return Ok(None) };
                drop(packed);
                check_reserve().map_err(|OutOfMemory| no_memory())?;
                match take_chunk(&self.host.runtime(), copy).await {
                    Ok(chunk) => Ok(Some(self.kept(Rc::new(chunk)))),
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
    ) -> Result<FindingsOf<H>, Box<Error<H::Value>>> {
        let no_memory = |OutOfMemory| self.error_of(attempted, ErrorKind::Memory);
        let _decoding = self.decoding.lock().await;
        check_reserve().map_err(no_memory)?;
        let decoded = decode(&self.host.runtime(), body, self.host.columns(), self.host.form()).await;
        match decoded.map_err(|failure| self.undecoded(attempted, failure))? {
            #[cfg(feature = "tables")]
            Formed::Chunk(chunk) => Ok(self.kept(chunk)),
            Formed::Rows(rows) => {
                let packed = self.host.handed_over(&rows).map_err(no_memory)?;
                drop(rows);
                let built = self.host.build(&packed).await;
                built.map(Formed::Rows).map_err(|cause| self.error_caused(attempted, ErrorKind::Memory, cause))
            }
        }
    }

    /// Returns the chunk, or an equal one without findings, because an inspection may have many such partitions.
    #[cfg(feature = "tables")]
    fn kept(&self, chunk: Rc<Chunk>) -> FindingsOf<H> {
        if !chunk.is_empty() {
            return Formed::Chunk(chunk);
        }
        let mut empty_chunk = self.empty_chunk.borrow_mut();
        let empty = empty_chunk.get_or_insert_with(|| Rc::clone(&chunk));
        // The hashes of their bodies may differ.
        Formed::Chunk(if empty.bytes() == chunk.bytes() { Rc::clone(empty) } else { chunk })
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
