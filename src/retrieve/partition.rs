//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::memory::{OutOfMemory, check_reserve};
use columns::parcel::UnpackError;
use columns::table::Table;
use futures_util::FutureExt;

use super::host::{Delegated, Host, Parcel, Rows, Span};
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

/// A partition that is independent of others.
pub(super) struct AlonePartition {
    /// Its findings; empty if the host has built objects.
    pub(super) table: Table,
    /// The number of its findings.
    pub(super) length: usize,
    /// The bytes of the body.
    pub(super) bytes: usize,
}

/// Why a body cannot become findings.
enum ConversionError<Value> {
    /// The body itself, or memory.
    Failed(DecodeFailure),
    /// The browser keeps the body, and cannot read it.
    Unreadable(BodyError<Value>),
    /// The worker with the body has crashed.
    Lost,
    /// There is no worker, but the call requires one.
    NoWorker(Value),
    /// The host threw this while it built objects.
    Thrown(Value),
}

impl<Value> From<OutOfMemory> for ConversionError<Value> {
    fn from(_: OutOfMemory) -> Self {
        ConversionError::Failed(DecodeFailure::Memory)
    }
}

impl<H: Host> Retrieval<H> {
    /// Fetches the findings of one partition, as a separate call. If the host [builds objects](Host::builds_objects), the table is empty.
    pub(crate) async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        let findings = async {
            self.host.prepare_worker(None);
            self.begin(Progress::of(KindCounts { partitions: 1, findings: None }))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let AlonePartition { table, length, bytes } = self.read_partition_alone(kind, index, &reservation).await?;
            self.advance(length, bytes)?;
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

    /// Decodes a partition, into objects or into columns that use the accumulator's dictionary. An inner error means that the body was lost.
    pub(super) async fn decode_partition(
        &self,
        kind: Kind,
        partition: ReceivedPartition<H>,
        accumulator: &Accumulator,
    ) -> Outcome<Result<Decoded, LostPartition<H>>, H> {
        let ReceivedPartition { index, begun, received: Received { body, attempted } } = partition;
        let (bytes, attempt) = (body.length(), attempted.attempts());
        let (length, chunk) = match self.convert(index, body, attempted.is_lost, accumulator).await {
            Ok(converted) => converted,
            Err(error) => match self.conversion_error(kind, index, &attempted, error) {
                CallEnd::Failed(error) if error.kind.is_transient() => {
                    return Ok(Err(LostPartition { index, begun, attempted, error }));
                }
                end => return Err(self.partition_failed(kind, index, begun, end)),
            },
        };
        self.measure_partition(kind, index, begun);
        let change = PartitionChange::to(PartitionState::Received, Some(index), attempt);
        self.report(&PartitionChange { findings: length as u64, bytes, ..change }, None)?;
        Ok(Ok(Decoded { length, chunk, bytes: bytes as usize }))
    }

    /// Fetches a partition whose table, if it gets one, has a new dictionary.
    pub(super) async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<AlonePartition, H> {
        let no_memory = |OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory);
        let accumulator = self.accumulator_alone().map_err(no_memory)?;
        let mut received = self.receive_partition(kind, index, reservation).await?;
        let Decoded { length, chunk, bytes } = loop {
            match self.decode_partition(kind, received, &accumulator).await? {
                Ok(decoded) => break decoded,
                Err(lost) => received = self.receive_again(kind, lost, reservation).await?,
            }
        };
        let has_columns = chunk.is_some();
        let table = accumulator.into_table(index, chunk.unwrap_or_default()).map_err(no_memory)?;
        // Objects are about as large as the body.
        reservation.settle(if has_columns { table.byte_length() } else { bytes } as u64);
        Ok(AlonePartition { table, length, bytes })
    }

    /// An accumulator for one partition.
    fn accumulator_alone(&self) -> Result<Accumulator, OutOfMemory> {
        let accumulator = Accumulator::new(H::Thread::JSON, H::Thread::hash_seed());
        accumulator.keep_only(self.host.columns())?;
        Ok(accumulator)
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

    /// Turns a body into findings, and returns their number and their columns. If a worker has lost the body once, the calling thread decodes
    /// it.
    async fn convert(
        &self,
        index: u64,
        body: Body<H::Blob>,
        is_lost: bool,
        accumulator: &Accumulator,
    ) -> Result<Findings, ConversionError<H::Value>> {
        let Delegated { parcel, body } = if is_lost {
            Delegated { parcel: None, body: Some(body) }
        } else {
            self.host.delegate(body).await.map_err(ConversionError::NoWorker)?
        };
        if let Some(parcel) = parcel
            && let Some(converted) = self.unpack(index, parcel, accumulator).await?
        {
            self.decoded_in(DecodingThread::Worker);
            return Ok(converted);
        }
        let bytes = body.ok_or(ConversionError::Lost)?.into_bytes().await.map_err(ConversionError::Unreadable)?;
        let converted = if self.host.builds_objects() {
            self.decode_objects(index, bytes, accumulator).await?
        } else {
            let chunk = self.decode_columns(bytes, accumulator).await?;
            (chunk.len(), Some(chunk))
        };
        self.decoded_in(DecodingThread::Page);
        Ok(converted)
    }

    /// Takes the parcel of a worker; `None` if it is malformed.
    async fn unpack(
        &self,
        index: u64,
        parcel: Parcel<H::RowParcel>,
        accumulator: &Accumulator,
    ) -> Result<Option<Findings>, ConversionError<H::Value>> {
        let dictionary = accumulator.dictionary();
        let _decoding = dictionary.lock().await;
        match parcel {
            Parcel::Rows(rows) => {
                let built = self.host.build(index, Rows::Parcel(rows)).await.map_err(ConversionError::Thrown)?;
                Ok(built.map(|length| (length, None)))
            }
            Parcel::Columns(parcel) => {
                check_reserve()?;
                match unpack(&self.host.thread(), parcel, &dictionary).await {
                    Ok(chunk) => Ok(Some((chunk.len(), Some(Rc::new(chunk))))),
                    Err(UnpackError::OutOfMemory(no_memory)) => Err(no_memory.into()),
                    // Findings that do not fit into the call's dictionary stay raw JSON; only the decoder can do that.
                    Err(UnpackError::Malformed | UnpackError::Truncated) => Ok(None),
                }
            }
        }
    }

    /// Decodes a body on the calling thread into columns that use the accumulator's dictionary.
    async fn decode_columns(
        &self,
        body: Vec<u8>,
        accumulator: &Accumulator,
    ) -> Result<Rc<Chunk>, ConversionError<H::Value>> {
        let dictionary = accumulator.dictionary();
        let _decoding = dictionary.lock().await;
        check_reserve()?;
        let decoded = decode(&self.host.thread(), body, &dictionary, self.host.columns()).await;
        Ok(Rc::new(decoded.map_err(ConversionError::Failed)?))
    }

    /// Decodes a body on the calling thread into objects. Their columns exist only meanwhile.
    async fn decode_objects(
        &self,
        index: u64,
        body: Vec<u8>,
        accumulator: &Accumulator,
    ) -> Result<Findings, ConversionError<H::Value>> {
        // One partition after the other, which needs the least memory.
        let dictionary = accumulator.dictionary();
        let _decoding = dictionary.lock().await;
        let alone = self.accumulator_alone()?;
        let chunk = self.decode_columns(body, &alone).await?;
        let table = alone.into_table(index, chunk)?;
        let built = self.host.build(index, Rows::Table(table)).await.map_err(ConversionError::Thrown)?;
        Ok((built.unwrap_or_default(), None))
    }

    /// How a body ends the call that cannot become findings. [`ErrorKind::Service`] carries the findings that came with the errors.
    fn conversion_error(
        &self,
        kind: Kind,
        index: u64,
        attempted: &RequestState<H::Headers>,
        error: ConversionError<H::Value>,
    ) -> CallEnd<H::Value> {
        let error_of =
            |error_kind| attempted.failed(self.partition_error(kind, index, attempted.attempts(), error_kind));
        let failure = match error {
            ConversionError::Failed(failure) => failure,
            ConversionError::Unreadable(error) => return self.body_error(error, error_of).into(),
            ConversionError::Lost => return error_of(ErrorKind::WorkerLost).into(),
            ConversionError::NoWorker(cause) => return error_of(ErrorKind::NoWorker).with_cause(cause).into(),
            ConversionError::Thrown(value) => return CallEnd::Thrown(value),
        };
        let error = match failure {
            DecodeFailure::Undecodable(error) => attempted.decode_error(error_of(decode_error_kind(error))),
            DecodeFailure::Service(messages, findings) => {
                let findings = findings
                    .and_then(|alone| alone.map(|alone| Table::new(alone.0, vec![Rc::new(alone.1)])).transpose());
                let error_kind = if findings.is_ok() { ErrorKind::Service } else { ErrorKind::Memory };
                error_of(error_kind).with_messages(messages).with_findings(findings.ok().flatten())
            }
            DecodeFailure::Memory => error_of(ErrorKind::Memory),
        };
        error.into()
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
