//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::{Chunk, UnpackError};
use columns::memory::{OutOfMemory, check_reserve, push};
use columns::table::{Arrived, Table};
use futures_util::FutureExt;

use super::host::{Delegated, Host, Parcel, Rows, Span};
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::request::RequestState;
use super::retrieval::{Outcome, Retrieval};
use crate::contract::{Kind, KindCounts, Operation};
use crate::decode::{DecodeFailure, decode, new_catalog, take_chunk};
use crate::error::{CallEnd, Error, ErrorKind};
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
            self.host.prepare_worker(None);
            self.begin(Progress::of(KindCounts { partitions: 1, findings: None }))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let (table, Decoded { length, bytes, .. }) = self.read_partition_alone(kind, index, &reservation).await?;
            self.advance(length, bytes)?;
            Ok(table)
        };
        self.in_time(Some(kind), findings.boxed_local()).await
    }

    /// A request for a partition.
    pub(super) fn partition_request(&self, kind: Kind, index: u64) -> RequestState<H::Headers> {
        RequestState::new(self.subject(Some(kind)).at(Operation::Partition { kind, index }), self.host.now())
    }

    /// Fetches the body of a partition, again if it was lost with an error.
    pub(super) async fn receive(
        &self,
        attempted: &mut RequestState<H::Headers>,
        lost: Option<Box<Error<H::Value>>>,
        reservation: &Reservation,
    ) -> Outcome<Body<H::Blob>, H> {
        let received = self.request(attempted, lost, Some(reservation)).await;
        let body = received.map_err(|end| self.partition_failed(attempted, end))?;
        reservation.received(body.length());
        Ok(body)
    }

    /// Decodes a partition, into objects or into columns. An inner error means that the body was lost.
    pub(super) async fn decode_partition(
        &self,
        index: u64,
        attempted: &RequestState<H::Headers>,
        body: Body<H::Blob>,
    ) -> Outcome<Result<Decoded, Box<Error<H::Value>>>, H> {
        let bytes = body.length();
        let (length, chunk) = match self.convert(index, body, attempted).await {
            Ok(converted) => converted,
            Err(error) if error.kind.is_transient() => return Ok(Err(error)),
            Err(error) => return Err(self.partition_failed(attempted, error.into())),
        };
        self.scheduler.retries.give_back(attempted.attempts);
        self.measure_partition(attempted);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempted.attempts);
        let reported = self.report(&PartitionChange { findings: length as u64, bytes, ..change }, None);
        // The partition is missing if the callback throws.
        reported.inspect_err(|_| self.host.forget(index))?;
        Ok(Ok(Decoded { length, chunk, bytes: bytes as usize }))
    }

    /// Fetches a partition. Its table is empty if the host has built objects.
    pub(super) async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<(Table, Decoded), H> {
        let no_memory = |OutOfMemory| self.partition_error(kind, index, ErrorKind::Memory);
        let (mut attempted, mut lost) = (self.partition_request(kind, index), None);
        let decoded = loop {
            let body = self.receive(&mut attempted, lost.take(), reservation).await?;
            match self.decode_partition(index, &attempted, body).await? {
                Ok(decoded) => break decoded,
                Err(error) => lost = Some(error),
            }
        };
        let table = self.table_of(index, decoded.chunk.clone()).map_err(no_memory)?;
        // Objects are about as large as the body.
        reservation.settle(if decoded.chunk.is_some() { table.byte_length() } else { decoded.bytes } as u64);
        Ok((table, decoded))
    }

    /// Turns a body into findings, and returns their number and their columns. If a worker has lost the body once, the calling thread decodes
    /// it.
    async fn convert(
        &self,
        index: u64,
        body: Body<H::Blob>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Findings, Box<Error<H::Value>>> {
        let Delegated { parcel, body } = if attempted.is_lost {
            Delegated { parcel: None, body: Some(body) }
        } else {
            let delegated = self.host.delegate(body).await;
            delegated.map_err(|cause| self.disconnected(attempted.error(ErrorKind::NoWorker).with_cause(cause)))?
        };
        if let Some(parcel) = parcel
            && let Some(converted) = self.unpack(index, parcel, attempted).await?
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

    /// Takes the parcel of a worker; `None` if it is malformed.
    async fn unpack(
        &self,
        index: u64,
        parcel: Parcel<H::RowParcel>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<Findings>, Box<Error<H::Value>>> {
        match parcel {
            Parcel::Rows(rows) => {
                let _decoding = self.decoding.lock().await;
                let built = self.build(index, Rows::Parcel(rows), attempted).await?;
                Ok(built.map(|length| (length, None)))
            }
            Parcel::Columns(parcel) => {
                check_reserve().map_err(|OutOfMemory| attempted.error(ErrorKind::Memory))?;
                match take_chunk(&self.host.thread(), parcel).await {
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
        let decoded = decode(&self.host.thread(), body, self.host.columns()).await;
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
        rows: Rows<H::RowParcel>,
        attempted: &RequestState<H::Headers>,
    ) -> Result<Option<usize>, Box<Error<H::Value>>> {
        let built = self.host.build(index, rows).await;
        built.map_err(|cause| attempted.error(ErrorKind::Memory).with_cause(cause))
    }

    /// Measures and reports the failure of a partition. Returns the error that ends the call.
    fn partition_failed(&self, attempted: &RequestState<H::Headers>, end: CallEnd<H::Value>) -> CallEnd<H::Value> {
        self.measure_partition(attempted);
        self.report_failure(attempted.subject.partition(), end)
    }

    fn measure_partition(&self, attempted: &RequestState<H::Headers>) {
        let RequestState { subject, begun, .. } = *attempted;
        self.host.measure(Span { subject, attempt: None, begun });
    }

    /// A table of one partition, or of none.
    fn table_of(&self, index: u64, chunk: Option<Rc<Chunk>>) -> Result<Table, OutOfMemory> {
        let catalog = Rc::new(new_catalog::<H::Thread>(self.host.columns())?);
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
