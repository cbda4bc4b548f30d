//! One partition: its request, its decoding, and what is told of it.

use std::rc::Rc;

use columns::chunk::Chunk;
use columns::decode::{Body, DecodeError, Decoder};
use columns::dictionary::Dictionary;
use columns::memory::{OutOfMemory, check_reserve};
use columns::table::Table;

use super::request::Received;
use super::{Host, Outcome, PartitionChange, PartitionState, Retrieval, Span, undecodable};
use crate::accumulator::Accumulator;
use crate::contract::{Kind, Operation};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::scheduling::byte_budget::Reservation;

/// Bytes of a body that are decoded without asking whether others should have a turn.
const SLICE: usize = 128 * 1024;

impl<H: Host> Retrieval<H> {
    /// A partition in columns that belong to what has been gathered, and the bytes of its body.
    pub async fn read_partition(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
        accumulator: &Accumulator,
    ) -> Outcome<(Rc<Chunk>, usize), H> {
        let begun = self.host.now();
        let result = async {
            let (received, bytes) = self.receive(kind, index, reservation).await?;
            let attempts = received.attempts;
            let no_memory = |OutOfMemory| self.partition_error(kind, index, attempts, ErrorKind::Memory);
            let mut dictionary = accumulator.lock_dictionary().await;
            check_reserve().map_err(no_memory)?;
            let dictionary = dictionary.dictionary().map_err(no_memory)?;
            let chunk = self.chunk(kind, index, received, dictionary).await?;
            Ok((chunk, bytes, attempts))
        };
        self.settled(kind, index, begun, result.await)
    }

    /// A partition as a table of its own, and the bytes of its body.
    pub async fn read_partition_alone(
        &self,
        kind: Kind,
        index: u64,
        reservation: &Reservation,
    ) -> Outcome<(Table, usize), H> {
        let accumulator = Accumulator::new(H::read_number);
        let (chunk, bytes) = self.read_partition(kind, index, reservation, &accumulator).await?;
        let table = accumulator
            .table_of(chunk)
            .map_err(|OutOfMemory| self.partition_error(kind, index, 0, ErrorKind::Memory))?;
        reservation.settle(table.byte_length() as u64);
        Ok((table, bytes))
    }

    async fn receive(&self, kind: Kind, index: u64, reservation: &Reservation) -> Outcome<(Received, usize), H> {
        let received = self.request(Operation::Partition { kind, index }, Some(kind), Some(reservation)).await?;
        let bytes = received.body.len();
        reservation.received(bytes as u64);
        Ok((received, bytes))
    }

    /// The columns of a body, unless it says that the request failed.
    async fn chunk(
        &self,
        kind: Kind,
        index: u64,
        received: Received,
        dictionary: &mut Dictionary,
    ) -> Outcome<Rc<Chunk>, H> {
        let Received { body, attempts } = received;
        let error_of = |error_kind| self.partition_error(kind, index, attempts, error_kind);
        let undecodable = |error| error_of(undecodable(error));
        let body = self.decode(body, dictionary).await.map_err(undecodable)?;
        match (body.errors, body.findings) {
            (None, findings) => Ok(Rc::new(findings.map_err(undecodable)?)),
            (Some(messages), findings) => {
                let (error_kind, findings) = match findings {
                    // A dictionary of their own, because what they added to that of the call stays there.
                    Ok(_) => match self.detached(body.bytes).await {
                        Ok(findings) => (ErrorKind::Service, Some(findings)),
                        Err(OutOfMemory) => (ErrorKind::Memory, None),
                    },
                    Err(_) => (ErrorKind::Service, None),
                };
                Err(error_of(error_kind).with_messages(messages).with_findings(findings).into())
            }
        }
    }

    /// Decodes a body in slices, between which others have their turn.
    async fn decode(&self, body: Vec<u8>, dictionary: &mut Dictionary) -> Result<Body, DecodeError> {
        let mut decoder = Decoder::new(body);
        while !decoder.advance(dictionary, SLICE)? {
            self.host.yield_now().await;
        }
        self.host.yield_now().await;
        Ok(decoder.finish())
    }

    /// The findings of a body that came with errors. It has been decoded once, so that nothing but memory can be wanting.
    async fn detached(&self, body: Vec<u8>) -> Result<Table, OutOfMemory> {
        let mut dictionary = Dictionary::new(H::read_number);
        let decoded = self.decode(body, &mut dictionary).await.and_then(|body| body.findings);
        let chunk = decoded.map_err(|_| OutOfMemory)?;
        Table::new(Rc::new(dictionary), vec![Rc::new(chunk)])
    }

    /// A failure of a partition of which nothing else is known.
    pub fn partition_error(
        &self,
        kind: Kind,
        index: u64,
        attempts: u32,
        error_kind: ErrorKind,
    ) -> Box<Error<H::Value>> {
        Error::new(error_kind, self.subject(Some(kind)).at(Operation::Partition { kind, index }), attempts)
    }

    /// The result, after those who want to know have been told of it.
    fn settled(
        &self,
        kind: Kind,
        index: u64,
        begun: f64,
        result: Outcome<(Rc<Chunk>, usize, u32), H>,
    ) -> Outcome<(Rc<Chunk>, usize), H> {
        let subject = self.subject(Some(kind)).at(Operation::Partition { kind, index });
        self.host.measure(Span { subject, attempt: None, begun });
        let change = |state, attempt| PartitionChange { index, state, attempt, findings: 0, bytes: 0 };
        match result {
            Ok((chunk, bytes, attempts)) => {
                let change = change(PartitionState::Received, attempts);
                self.tell(&PartitionChange { findings: chunk.len() as u64, bytes: bytes as u64, ..change })?;
                Ok((chunk, bytes))
            }
            Err(CallEnd::Failed(error)) => {
                self.tell(&change(PartitionState::Failed, error.attempts))?;
                Err(CallEnd::Failed(error))
            }
            Err(thrown) => Err(thrown),
        }
    }

    /// Tells the caller what became of a partition.
    pub fn tell(&self, change: &PartitionChange) -> Outcome<(), H> {
        self.host.partition(change).map_err(CallEnd::Thrown)
    }
}
