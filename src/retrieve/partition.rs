//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::memory::{OutOfMemory, check_reserve};
use columns::parcel::UnpackError;
use columns::table::Table;
use futures_util::FutureExt;

use super::host::{Delegated, Host, Span};
use super::progress::{DecodingThread, PartitionChange, PartitionState, Progress};
use super::request::{Received, RequestState};
use super::retrieval::{Outcome, Retrieval, decode_error_kind};
use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts, Operation};
use crate::decode::{DecodeFailure, Thread, decode, unpack};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;
use crate::transport::body::{Body, BodyError};

/// A partition whose body is received.
pub(super) struct ReceivedPartition<H: Host> {
    index: u64,
    /// When its request began, on the host's clock.
    begun: f64,
    received: Received<H>,
}

/// A partition whose body was received, then lost.
pub(super) struct LostPartition<H: Host> {
    index: u64,
    begun: f64,
    attempted: RequestState<H::Headers>,
    error: Box<Error<H::Value>>,
}

/// Why a body cannot become columns.
enum ConversionError<Value> {
    /// The body itself, or memory.
    Failed(DecodeFailure),
    /// The browser keeps the body, and cannot read it.
    Unreadable(BodyError<Value>),
    /// The worker with the body has crashed.
    Lost,
    /// There is no worker, but the call requires one.
    NoWorker(Value),
}

impl<Value> From<OutOfMemory> for ConversionError<Value> {
    fn from(_: OutOfMemory) -> Self {
        ConversionError::Failed(DecodeFailure::Memory)
    }
}

impl<H: Host> Retrieval<H> {
    /// Fetches the findings of one partition, as a separate call.
    pub(crate) async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        let findings = async {
            self.host.prepare_worker(None);
            self.begin(Progress::of(KindCounts { partitions: 1, findings: None }))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let (table, bytes) = self.read_partition_alone(kind, index, &reservation).await?;
            self.advance(table.len(), bytes)?;
            Ok(table)
        };
        self.in_time(Some(kind), findings.boxed_local()).await
    }

    /// Fetches the body of a partition.
    pub(super) async fn receive_partition(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition<H>, H> {
        let begun = self.host.now();
        let attempted = RequestState::new(Operation::Partition { kind, index }, Some(kind));
        let received = self.request(attempted, Some(reservation)).await;
        self.note_receipt(kind, index, begun, received, reservation)
    }

    /// Fetches a lost body of a partition again.
    pub(super) async fn receive_again(
        &self,
        kind: Kind,
        LostPartition { index, begun, attempted, error }: LostPartition<H>,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition<H>, H> {
        let received = self.request_again(attempted, error, reservation).await;
        self.note_receipt(kind, index, begun, received, reservation)
    }

    /// Decodes a partition into columns that use the accumulator's dictionary. Returns them with the length of the body; an inner error if
    /// the body was lost.
    pub(super) async fn decode_partition(
        &self,
        kind: Kind,
        partition: ReceivedPartition<H>,
        accumulator: &Accumulator,
    ) -> Outcome<Result<(Rc<Chunk>, usize), LostPartition<H>>, H> {
        let ReceivedPartition { index, begun, received: Received { body, attempted } } = partition;
        let (bytes, attempt) = (body.length(), attempted.attempts());
        let chunk = match self.columns_of(body, attempted.is_lost, accumulator).await {
            Ok(chunk) => chunk,
            Err(error) => {
                let error = self.conversion_error(kind, index, &attempted, error);
                if error.kind.is_transient() {
                    return Ok(Err(LostPartition { index, begun, attempted, error }));
                }
                return Err(self.partition_failed(kind, index, begun, error.into()));
            }
        };
        self.measure_partition(kind, index, begun);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempt);
        self.report(&PartitionChange { findings: chunk.len() as u64, bytes, ..change }, None)?;
        Ok(Ok((chunk, bytes as usize)))
    }

    /// Fetches a partition as a table with a new dictionary, and the bytes of its body.
    pub(super) async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<(Table, usize), H> {
        let accumulator = Accumulator::new(H::Thread::JSON, H::Thread::hash_seed());
        let no_memory = |OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory);
        accumulator.keep_only(self.host.columns()).map_err(no_memory)?;
        let mut received = self.receive_partition(kind, index, reservation).await?;
        let (chunk, bytes) = loop {
            match self.decode_partition(kind, received, &accumulator).await? {
                Ok(decoded) => break decoded,
                Err(lost) => received = self.receive_again(kind, lost, reservation).await?,
            }
        };
        let table = accumulator.into_table(index, chunk).map_err(no_memory)?;
        reservation.settle(table.byte_length() as u64);
        Ok((table, bytes))
    }

    /// Settles the reservation for a received body, or reports why there is no body.
    fn note_receipt(
        &self,
        kind: Kind,
        index: u64,
        begun: f64,
        received: Outcome<Received<H>, H>,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition<H>, H> {
        let received = received.map_err(|end| self.partition_failed(kind, index, begun, end))?;
        reservation.received(received.body.length());
        Ok(ReceivedPartition { index, begun, received })
    }

    /// Turns a body into columns that use the accumulator's dictionary. If a worker has lost the body once, the calling thread decodes it.
    async fn columns_of(
        &self,
        body: Body<H::Blob>,
        is_lost: bool,
        accumulator: &Accumulator,
    ) -> Result<Rc<Chunk>, ConversionError<H::Value>> {
        let Delegated { parcel, body } = if is_lost {
            Delegated { parcel: None, body: Some(body) }
        } else {
            self.host.delegate(body).await.map_err(ConversionError::NoWorker)?
        };
        if let Some(parcel) = parcel {
            let guard = accumulator.lock_dictionary().await;
            check_reserve()?;
            match unpack(&self.host.thread(), parcel, guard.dictionary()).await {
                Ok(chunk) => {
                    self.decoded_in(DecodingThread::Worker);
                    return Ok(Rc::new(chunk));
                }
                Err(UnpackError::OutOfMemory(no_memory)) => return Err(no_memory.into()),
                // Findings that do not fit into the call's dictionary stay raw JSON; only the decoder can do that.
                Err(UnpackError::Malformed | UnpackError::Truncated) => {}
            }
        }
        let bytes = body.ok_or(ConversionError::Lost)?.into_bytes().await.map_err(ConversionError::Unreadable)?;
        let guard = accumulator.lock_dictionary().await;
        check_reserve()?;
        let decoded = decode(&self.host.thread(), bytes, guard.dictionary(), self.host.columns()).await;
        let chunk = decoded.map_err(ConversionError::Failed)?;
        self.decoded_in(DecodingThread::Page);
        Ok(Rc::new(chunk))
    }

    /// The error of a body that cannot become columns. [`ErrorKind::Service`] carries the findings that came with the errors.
    fn conversion_error(
        &self,
        kind: Kind,
        index: u64,
        attempted: &RequestState<H::Headers>,
        error: ConversionError<H::Value>,
    ) -> Box<Error<H::Value>> {
        let error_of =
            |error_kind| attempted.failed(self.partition_error(kind, index, attempted.attempts(), error_kind));
        let failure = match error {
            ConversionError::Failed(failure) => failure,
            ConversionError::Unreadable(error) => return self.body_error(error, error_of),
            ConversionError::Lost => return error_of(ErrorKind::WorkerLost),
            ConversionError::NoWorker(cause) => return error_of(ErrorKind::NoWorker).with_cause(cause),
        };
        match failure {
            DecodeFailure::Undecodable(error) => attempted.decode_error(error_of(decode_error_kind(error))),
            DecodeFailure::Service(messages, findings) => {
                let findings = findings
                    .and_then(|alone| alone.map(|alone| Table::new(alone.0, vec![Rc::new(alone.1)])).transpose());
                let error_kind = if findings.is_ok() { ErrorKind::Service } else { ErrorKind::Memory };
                error_of(error_kind).with_messages(messages).with_findings(findings.ok().flatten())
            }
            DecodeFailure::Memory => error_of(ErrorKind::Memory),
        }
    }

    /// Measures and reports the failure of a partition. Returns the error that ends the call.
    fn partition_failed(&self, kind: Kind, index: u64, begun: f64, end: CallEnd<H::Value>) -> CallEnd<H::Value> {
        self.measure_partition(kind, index, begun);
        self.report_failure(Some(index), end)
    }

    fn measure_partition(&self, kind: Kind, index: u64, begun: f64) {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        self.host.measure(Span { subject, attempt: None, begun });
    }
}
