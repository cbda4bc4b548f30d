//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::dictionary::Dictionary;
use columns::memory::{OutOfMemory, check_reserve};
use columns::table::Table;
use futures_util::FutureExt;

use super::host::{Host, Span};
use super::progress::{PartitionChange, PartitionState, Progress};
use super::request::{Attempted, Received};
use super::retrieval::{Outcome, Retrieval, undecodable};
use crate::accumulator::Accumulator;
use crate::attempt::decode::{DecodeFailure, decode};
use crate::attempt::{Body, Form};
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{CallEnd, ErrorKind};
use crate::scheduling::byte_budget::Reservation;

/// A partition whose body is received.
pub(super) struct ReceivedPartition {
    index: u64,
    /// When its request began, on the host's clock.
    begun: f64,
    received: Received,
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
        match self.request(attempted, Some(reservation)).await {
            Ok(received) => {
                reservation.received(received.body.len() as u64);
                Ok(ReceivedPartition { index, begun, received })
            }
            Err(end) => Err(self.report_failure(kind, index, begun, end)),
        }
    }

    /// Decodes a partition into columns that use the accumulator's dictionary, and returns them with the bytes of its body.
    pub(super) async fn decode_partition(
        &self,
        kind: Kind,
        partition: ReceivedPartition,
        accumulator: &Accumulator,
    ) -> Outcome<(Rc<Chunk>, usize), H> {
        let ReceivedPartition { index, begun, received } = partition;
        let (bytes, attempts) = (received.body.len(), received.attempted.attempts());
        let decoded = async {
            let out_of_memory = |OutOfMemory| self.partition_error(kind, index, attempts, ErrorKind::Memory);
            let mut guard = accumulator.lock_dictionary().await;
            check_reserve().map_err(out_of_memory)?;
            let dictionary = guard.dictionary().map_err(out_of_memory)?;
            self.chunk(kind, index, received, dictionary).await
        };
        let chunk = decoded.await.map_err(|end| self.report_failure(kind, index, begun, end))?;
        self.measure_partition(kind, index, begun);
        let (state, findings, bytes_received) = (PartitionState::Received, chunk.len() as u64, bytes as u64);
        self.report(&PartitionChange { index, state, attempt: attempts, findings, bytes: bytes_received })?;
        Ok((chunk, bytes))
    }

    /// Gets a partition as a table with a dictionary of its own, and the bytes of its body.
    pub(super) async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<(Table, usize), H> {
        let accumulator = Accumulator::new(H::read_number);
        let received = self.receive_partition(kind, index, Form::Alone, reservation).await?;
        let (chunk, bytes) = self.decode_partition(kind, received, &accumulator).await?;
        let table = accumulator.into_table(chunk);
        let table = table.map_err(|OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory))?;
        reservation.settle(table.byte_length() as u64);
        Ok((table, bytes))
    }

    /// Decodes a body into columns.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Service`] if the body reports errors, with the findings that it has besides them.
    async fn chunk(
        &self,
        kind: Kind,
        index: u64,
        received: Received,
        dictionary: &mut Dictionary,
    ) -> Outcome<Rc<Chunk>, H> {
        let Received { body: Body::Bytes(body), attempted } = received;
        let error_of = |error_kind| self.partition_error(kind, index, attempted.attempts(), error_kind);
        let decoded = decode(&self.host, body, dictionary).await;
        decoded.map(Rc::new).map_err(|failure| match failure {
            DecodeFailure::Undecodable(error) => error_of(undecodable(error)).into(),
            DecodeFailure::Service(messages, findings) => {
                let error_kind = if findings.is_ok() { ErrorKind::Service } else { ErrorKind::Memory };
                error_of(error_kind).with_messages(messages).with_findings(findings.ok().flatten()).into()
            }
        })
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
