//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::memory::{OutOfMemory, check_reserve};
use columns::table::Table;
use futures_util::FutureExt;

use super::host::{Host, Span};
use super::progress::{PartitionChange, PartitionState, Progress};
use super::request::{Attempted, Received};
use super::retrieval::{Outcome, Retrieval, undecodable};
use crate::accumulator::Accumulator;
use crate::attempt::decode::{DecodeFailure, Thread, decode};
use crate::attempt::{Body, Form};
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;

/// A partition whose body is received.
pub(super) struct ReceivedPartition {
    index: u64,
    /// When its request began, on the host's clock.
    begun: f64,
    received: Received,
}

/// A partition whose body a worker has received and lost.
pub(super) struct LostPartition {
    index: u64,
    begun: f64,
    attempted: Attempted,
}

impl<H: Host> Retrieval<H> {
    /// Gets the findings of one partition, as a call of its own.
    pub(crate) async fn partition(&self, kind: Kind, index: u64) -> Outcome<Table, H> {
        let findings = async {
            self.begin(Progress::of(KindCounts { partitions: 1, findings: None }))?;
            let call_budget = self.call_budget(0);
            let reservation = poll_fn(|context| call_budget.poll_reserve(true, context.waker())).await;
            let (table, bytes) = self.read_partition_alone(kind, index, &reservation).await?;
            self.advance(table.len(), bytes)?;
            Ok(table)
        };
        self.in_time(Some(kind), findings.boxed_local()).await
    }

    /// Gets the body of a partition.
    pub(super) async fn receive_partition(
        &self,
        kind: Kind,
        index: u64,
        form: Form,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition, H> {
        let begun = self.host.now();
        let attempted = Attempted::new(Operation::Partition { kind, index }, Some(kind), form);
        let received = self.request(attempted, Some(reservation)).await;
        self.note_receipt(kind, index, begun, received, reservation)
    }

    /// Gets the body of a partition again, which a worker has lost.
    pub(super) async fn receive_again(
        &self,
        kind: Kind,
        LostPartition { index, begun, attempted }: LostPartition,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition, H> {
        let received = self.request_again(attempted, reservation).await;
        self.note_receipt(kind, index, begun, received, reservation)
    }

    /// Decodes a partition into columns that use the accumulator's dictionary, and returns them with the bytes of its body; an inner
    /// error if a worker has lost it.
    pub(super) async fn decode_partition(
        &self,
        kind: Kind,
        partition: ReceivedPartition,
        accumulator: &Accumulator,
    ) -> Outcome<Result<(Rc<Chunk>, usize), LostPartition>, H> {
        let ReceivedPartition { index, begun, received: Received { body, attempted } } = partition;
        let (bytes, attempt) = (body.len(), attempted.attempts());
        let chunk = match self.decode_body(body, accumulator).await {
            Ok(chunk) => chunk,
            Err(DecodeFailure::Lost) => return Ok(Err(LostPartition { index, begun, attempted })),
            Err(failure) => {
                let error = self.undecoded(kind, index, &attempted, failure);
                return Err(self.report_failure(kind, index, begun, error.into()));
            }
        };
        self.measure_partition(kind, index, begun);
        let (state, findings, bytes_received) = (PartitionState::Received, chunk.len() as u64, bytes as u64);
        self.report(&PartitionChange { index, state, attempt, findings, bytes: bytes_received })?;
        Ok(Ok((chunk, bytes)))
    }

    /// Gets a partition as a table with a dictionary of its own, and the bytes of its body.
    pub(super) async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<(Table, usize), H> {
        let accumulator = Accumulator::new(H::Thread::read_number);
        let mut received = self.receive_partition(kind, index, Form::Alone, reservation).await?;
        let (chunk, bytes) = loop {
            match self.decode_partition(kind, received, &accumulator).await? {
                Ok(decoded) => break decoded,
                Err(lost) => received = self.receive_again(kind, lost, reservation).await?,
            }
        };
        let table = accumulator.into_table(chunk);
        let table = table.map_err(|OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory))?;
        reservation.settle(table.byte_length() as u64);
        Ok((table, bytes))
    }

    /// Settles the reservation for a body that has been received, or reports why there is none.
    fn note_receipt(
        &self,
        kind: Kind,
        index: u64,
        begun: f64,
        received: Outcome<Received, H>,
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition, H> {
        let received = received.map_err(|end| self.report_failure(kind, index, begun, end))?;
        reservation.received(received.body.len() as u64);
        Ok(ReceivedPartition { index, begun, received })
    }

    /// Turns a body into columns that use the accumulator's dictionary.
    async fn decode_body(&self, body: Body, accumulator: &Accumulator) -> Result<Rc<Chunk>, DecodeFailure> {
        if let Body::Remote(remote) = &body {
            // Not while the dictionary is locked: the worker decodes in an order of its own. Boxed, so that engines do not compile it for
            // calls that use no worker.
            remote.decoded(H::Thread::read_number).boxed_local().await?;
        }
        let guard = accumulator.lock_dictionary().await;
        check_reserve().map_err(|OutOfMemory| DecodeFailure::Memory)?;
        let dictionary = guard.dictionary();
        let chunk = match body {
            Body::Bytes(bytes) => decode(&self.host.thread(), bytes, dictionary).await?,
            Body::Remote(remote) => remote.take(&mut dictionary.write())?,
        };
        Ok(Rc::new(chunk))
    }

    /// The error of a body that gives no columns. [`ErrorKind::Service`] carries the findings that came with the errors.
    fn undecoded(&self, kind: Kind, index: u64, attempted: &Attempted, failure: DecodeFailure) -> Box<Error<H::Value>> {
        let error_of = |error_kind| self.partition_error(kind, index, attempted.attempts(), error_kind);
        match failure {
            DecodeFailure::Undecodable(error) => attempted.undecodable(error_of(undecodable(error))),
            DecodeFailure::Service(messages, findings) => {
                let findings = findings
                    .and_then(|alone| alone.map(|alone| Table::new(alone.0, vec![Rc::new(alone.1)])).transpose());
                let error_kind = if findings.is_ok() { ErrorKind::Service } else { ErrorKind::Memory };
                error_of(error_kind).with_messages(messages).with_findings(findings.ok().flatten())
            }
            DecodeFailure::Memory => error_of(ErrorKind::Memory),
            DecodeFailure::Lost => error_of(ErrorKind::WorkerLost),
        }
    }

    /// Measures and reports the failure of a partition. Returns what the call ends with: a callback may throw.
    fn report_failure(&self, kind: Kind, index: u64, begun: f64, end: CallEnd<H::Value>) -> CallEnd<H::Value> {
        self.measure_partition(kind, index, begun);
        let CallEnd::Failed(error) = end else { return end };
        let (state, attempt) = (PartitionState::Failed, error.attempts);
        let reported = self.report(&PartitionChange { index, state, attempt, findings: 0, bytes: 0 });
        reported.err().unwrap_or(CallEnd::Failed(error))
    }

    fn measure_partition(&self, kind: Kind, index: u64, begun: f64) {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        self.host.measure(Span { subject, attempt: None, begun });
    }
}
