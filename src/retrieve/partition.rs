//! One partition: its request, its decoding and the reports about it.

use std::future::poll_fn;
use std::rc::Rc;

use columns::chunk::Chunk;
use columns::decode::{Body, DecodeError, Decoder};
use columns::dictionary::Dictionary;
use columns::memory::{OutOfMemory, check_reserve};
use columns::shared_dictionary::SharedDictionary;
use columns::table::Table;
use futures_util::FutureExt;

use super::host::{Host, Span};
use super::progress::{PartitionChange, PartitionState, Progress};
use super::request::Received;
use super::retrieval::{Outcome, Retrieval, undecodable};
use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{CallEnd, ErrorKind};
use crate::scheduling::byte_budget::Reservation;

/// Bytes of a body that are decoded between two checks of the time slice.
const SLICE: usize = 128 * 1024;

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
        reservation: &Reservation,
    ) -> Outcome<ReceivedPartition, H> {
        let begun = self.host.now();
        match self.request(Operation::Partition { kind, index }, Some(kind), Some(reservation)).await {
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
        let (bytes, attempts) = (received.body.len(), received.attempts);
        let decoded = async {
            let out_of_memory = |OutOfMemory| self.partition_error(kind, index, attempts, ErrorKind::Memory);
            let guard = accumulator.lock_dictionary().await;
            check_reserve().map_err(out_of_memory)?;
            self.chunk(kind, index, received, guard.dictionary()).await
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
        let received = self.receive_partition(kind, index, reservation).await?;
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
        dictionary: &SharedDictionary,
    ) -> Outcome<Rc<Chunk>, H> {
        let Received { body, attempts } = received;
        let error_of = |error_kind| self.partition_error(kind, index, attempts, error_kind);
        let undecodable = |error| error_of(undecodable(error));
        let body = self.decode(body, dictionary).await.map_err(undecodable)?;
        match (body.errors, body.findings) {
            (None, findings) => Ok(Rc::new(findings.map_err(undecodable)?)),
            (Some(messages), findings) => {
                let (error_kind, findings) = match findings {
                    // Decoded again with a dictionary of its own: this one belongs to the call, which fails.
                    Ok(_) => match self.decode_alone(body.bytes).await {
                        Ok(findings) => (ErrorKind::Service, Some(findings)),
                        Err(OutOfMemory) => (ErrorKind::Memory, None),
                    },
                    Err(_) => (ErrorKind::Service, None),
                };
                Err(error_of(error_kind).with_messages(messages).with_findings(findings).into())
            }
        }
    }

    /// Decodes a body in slices, and yields between them.
    async fn decode(&self, body: Vec<u8>, dictionary: &SharedDictionary) -> Result<Body, DecodeError> {
        let mut decoder = Decoder::new(body);
        while !decoder.advance(&mut dictionary.write(), SLICE)? {
            self.host.yield_now().await;
        }
        self.host.yield_now().await;
        Ok(decoder.finish())
    }

    /// Decodes a body into a table with a dictionary of its own. The body has been decoded before, so that only an allocation
    /// can fail.
    async fn decode_alone(&self, body: Vec<u8>) -> Result<Table, OutOfMemory> {
        let dictionary = SharedDictionary::from(Dictionary::new(H::read_number));
        let decoded = self.decode(body, &dictionary).await.and_then(|body| body.findings);
        let chunk = decoded.map_err(|_| OutOfMemory)?;
        Table::new(dictionary, vec![Rc::new(chunk)])
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
