//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::{Chunk, UnpackError};
use columns::memory::{OutOfMemory, check_reserve, push};
use columns::table::{Arrived, Table};
use futures_util::FutureExt;

use super::host::{Delegated, Host, Packed, Rows, Span};
use super::prefetch::StageCell;
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::request::RequestState;
use super::retrieval::{Outcome, Retrieval};
use crate::contract::{Kind, KindCounts, Operation};
use crate::decode::{DecodeFailure, decode, new_catalog, take_chunk};
use crate::error::{Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;
use crate::transport::body::Body;

/// The number of findings, and their columns unless the host has built objects.
type Findings = (usize, Option<Rc<Chunk>>);

/// The findings of a decoded partition.
pub(super) struct Decoded {
    /// Their number.
    pub(super) length: usize,
    /// Their columns; `None` if the host has built objects.
    pub(super) chunk: Option<Rc<Chunk>>,
    /// The bytes of the body.
    pub(super) bytes: usize,
}

impl<H: Host> Retrieval<H> {
    /// Fetches the findings of one partition, as a separate call. If the host [builds objects](Host::builds_objects), the table is empty.
    pub(crate) async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        let findings = async {
            let counts = KindCounts { partitions: 1, findings: None };
            self.host.prepare_worker(Some(counts));
            self.begin(Progress::of(counts))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let Decoded { length, chunk, bytes } = self.receive(kind, index, &reservation, None).await?;
            let table = self.table_alone(kind, index, chunk)?;
            self.advance(length, bytes)?;
            Ok(table)
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
    ) -> Outcome<Decoded, H> {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        let mut attempted = RequestState::new(subject, self.host.now());
        let received = self.findings_of(index, &mut attempted, reservation, stage).await;
        let RequestState { subject, begun, attempts, .. } = attempted;
        self.host.measure(Span { subject, attempt: None, begun });
        let decoded = received.map_err(|end| self.report_failure(Some(index), end))?;
        self.scheduler.retries.give_back(attempts);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempts);
        let (findings, bytes) = (decoded.length as u64, decoded.bytes as u64);
        let reported = self.report(&PartitionChange { findings, bytes, ..change }, None);
        // The partition is missing if the callback throws.
        reported.inspect_err(|_| self.host.forget(index))?;
        Ok(decoded)
    }

    /// Requests a partition and decodes its body, again while an error allows it.
    async fn findings_of(
        &self,
        index: u64,
        attempted: &mut RequestState<H::Headers>,
        reservation: &Reservation,
        stage: Option<&StageCell>,
    ) -> Outcome<Decoded, H> {
        let mut failed = None;
        loop {
            let body = self.request(attempted, failed.take(), Some(reservation)).await?;
            let bytes = body.length();
            reservation.received(bytes);
            if let Some(stage) = stage {
                stage.received().await;
            }
            match self.convert(index, body, attempted).await {
                Ok((length, chunk)) => return Ok(Decoded { length, chunk, bytes: bytes as usize }),
                Err(error) if error.kind.is_transient() => failed = Some(error),
                Err(error) => return Err(error.into()),
            }
            if let Some(stage) = stage {
                stage.lost().await;
            }
        }
    }

    /// The table of a partition; an empty one if the host has built objects.
    pub(super) fn table_alone(&self, kind: Kind, index: u64, chunk: Option<Rc<Chunk>>) -> Outcome<Table, H> {
        let table = self.table_of(index, chunk);
        Ok(table.map_err(|OutOfMemory| self.partition_error(kind, index, ErrorKind::Memory))?)
    }

    /// Turns a body into findings, and returns their number and their columns. If a worker has lost the body once, the calling thread decodes
    /// it.
    async fn convert(
        &self,
        index: u64,
        body: Body<H::Blob>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Findings, Box<Error<H::Value>>> {
        let Delegated { packed, body } = if attempted.is_lost {
            Delegated { packed: None, body: Some(body) }
        } else {
            let delegated = self.host.delegate(body).await;
            delegated.map_err(|cause| self.disconnected(attempted.error(ErrorKind::NoWorker).with_cause(cause)))?
        };
        if let Some(packed) = packed
            && let Some(converted) = self.unpack(index, packed, attempted).await?
        {
            self.decoded_in(DecodingThread::Worker);
            return Ok(converted);
        }
        let body = body.ok_or_else(|| attempted.error(ErrorKind::WorkerLost))?;
        let bytes = body.into_bytes().await.map_err(|error| self.body_error(error, attempted))?;
        let converted = self.decode(index, bytes, attempted).await?;
        self.decoded_in(DecodingThread::Page);
        Ok(converted)
    }

    /// Takes the packed findings of a worker; `None` if they are malformed.
    async fn unpack(
        &self,
        index: u64,
        packed: Packed<H::PackedRows>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<Findings>, Box<Error<H::Value>>> {
        match packed {
            Packed::Rows(rows) => {
                let _decoding = self.decoding.lock().await;
                let built = self.build(index, Rows::Packed(rows), attempted).await?;
                Ok(built.map(|length| (length, None)))
            }
            Packed::Chunk(packed) => {
                check_reserve().map_err(|OutOfMemory| attempted.error(ErrorKind::Memory))?;
                match take_chunk(&self.host.runtime(), packed).await {
                    Ok(chunk) => Ok(Some((chunk.len(), Some(Rc::new(chunk))))),
                    Err(UnpackError::OutOfMemory(_)) => Err(attempted.error(ErrorKind::Memory)),
                    Err(UnpackError::Malformed) => Ok(None),
                }
            }
        }
    }

    /// Decodes a body on the calling thread: into objects, or into columns.
    async fn decode(
        &self,
        index: u64,
        body: Vec<u8>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Findings, Box<Error<H::Value>>> {
        let no_memory = |OutOfMemory| attempted.error(ErrorKind::Memory);
        let _decoding = self.decoding.lock().await;
        check_reserve().map_err(no_memory)?;
        let decoded = decode(&self.host.runtime(), body, self.host.columns()).await;
        let chunk = Rc::new(decoded.map_err(|failure| self.undecoded(attempted, failure))?);
        if !self.host.builds_objects() {
            return Ok((chunk.len(), Some(chunk)));
        }
        let rows = Rows::Table(self.table_of(index, Some(chunk)).map_err(no_memory)?);
        Ok((self.build(index, rows, attempted).await?.unwrap_or_default(), None))
    }

    /// Builds objects, and returns their number; `None` if the rows are malformed.
    async fn build(
        &self,
        index: u64,
        rows: Rows<H::PackedRows>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<usize>, Box<Error<H::Value>>> {
        let built = self.host.build(index, rows).await;
        built.map_err(|cause| attempted.error(ErrorKind::Memory).with_cause(cause))
    }

    /// A table of one partition, or of none.
    fn table_of(&self, index: u64, chunk: Option<Rc<Chunk>>) -> Result<Table, OutOfMemory> {
        let catalog = Rc::new(new_catalog::<H::Runtime>(self.host.columns())?);
        let mut arrived = Vec::new();
        if let Some(chunk) = chunk {
            push(&mut arrived, Arrived { index, before: 0, member: catalog.add(chunk)? })?;
        }
        Table::arrived(catalog, &arrived, None, true)
    }

    /// The error of a body that is no partition. [`ErrorKind::Service`] carries the findings that came with the errors.
    #[cold]
    fn undecoded(&self, attempted: &RequestState<H::Headers>, failure: DecodeFailure) -> Box<Error<H::Value>> {
        match failure {
            DecodeFailure::Undecodable(error) => attempted.decode_error(error),
            DecodeFailure::Service(messages, findings) => {
                let findings = findings.map(|chunk| self.table_of(0, Some(Rc::from(chunk)))).transpose();
                let kind = if findings.is_ok() { ErrorKind::Service } else { ErrorKind::Memory };
                attempted.error(kind).with_messages(messages).with_findings(findings.ok().flatten())
            }
        }
    }
}
