//! The callers of a schedule: they make, resume and abort calls and read streams.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{Either, select};

use super::executor::Executor;
use super::host::{Caller, SimulatedHost};
use super::oracle;
use super::outcome::{CallResult, Found, RunEnd, StreamEnd};
use super::schedule::{Interruption, Reader, Task};
use crate::accumulator::{Accumulator, EarlierPartitions};
use crate::error::{CallEnd, ErrorKind};
use crate::mock_host::MockFindings;
use crate::retrieve::host::Host;
use crate::retrieve::retrieval::{OrEnd, Retrieval};
use crate::retrieve::stream::Delivery;
use crate::scheduling::reorder_buffer::{Order, ReorderBuffer};
use chunk::form::{Form, Formed};
use table::tables::Tables;

/// A task of the executor, with the number of its call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// Makes a call and resumes it.
    Caller(usize),
    /// Fills the buffer of a stream.
    Supplier(usize),
    /// Reads a stream.
    Reader(usize),
    /// Aborts a call.
    Aborter(usize),
}

/// The reorder buffer of a stream.
pub(super) type StreamBuffer = Rc<ReorderBuffer<Delivery<MockFindings>, StreamEnd>>;

/// Spawns the tasks of a schedule, and returns the buffers of its streams too.
pub(super) fn spawn(host: &Rc<SimulatedHost>) -> (Executor<Role>, Vec<StreamBuffer>) {
    let (mut executor, mut buffers) = (Executor::new(), Vec::new());
    for (number, call) in host.schedule.calls.iter().enumerate() {
        let caller = Caller::new(Rc::clone(host), number);
        if let Some(time) = call.aborted_after {
            executor.add(Role::Aborter(number), abort(caller.clone(), call.begins + time));
        }
        match &call.task {
            Task::Stream(order, reader) => {
                let buffer = Rc::new(ReorderBuffer::new(*order, call.runs[0].concurrency));
                buffers.push(Rc::clone(&buffer));
                executor.add(Role::Supplier(number), supply(caller.clone(), Rc::clone(&buffer)));
                executor.add(Role::Reader(number), read(caller, buffer, *order, reader.clone()));
            }
            _ => executor.add(Role::Caller(number), make_call(caller)),
        }
    }
    (executor, buffers)
}

async fn abort(caller: Caller, time: f64) {
    caller.host.wait(time).await;
    caller.record().over.give();
}

/// Makes a call, and resumes it for each further run of the schedule.
async fn make_call(caller: Caller) {
    let call = caller.host.schedule.calls[caller.call].clone();
    caller.host.wait(call.begins).await;
    let begin_with = call
        .from
        .as_ref()
        .and_then(|from| EarlierPartitions::of_chunks(from.counts, caller.earlier_table(from).partitions()?));
    let (accumulator, tables) = (Rc::new(Accumulator::new(begin_with)), Rc::new(Tables::live()));
    tables.keep_only(caller.columns().map(Rc::from));
    if matches!(call.task, Task::Findings) && call.form == Form::Chunk {
        caller.record().snapshots.begin(&accumulator, &tables);
    }
    let mut is_resumable = false;
    for run in 0..call.runs.len() {
        if run > 0 {
            caller.host.wait(call.pause).await;
        }
        if caller.record().over.is_given() {
            break;
        }
        let retrieval = begin(&caller, run);
        let work = async {
            match call.task {
                Task::Counts => retrieval.counts().await.map(CallResult::Counts),
                Task::Partition(index) => {
                    let findings = retrieval.partition(call.kind, index).await;
                    findings.map(|findings| CallResult::Partition(Found::of(&caller, index, findings)))
                }
                _ => retrieval.findings(call.kind, &accumulator).await.map(|()| CallResult::All),
            }
        };
        let end = until_over(&caller, work).await;
        drop(retrieval);
        caller.record().end_run();
        is_resumable |= matches!(&end, RunEnd::Ended(Err(CallEnd::Failed(error)))
            if matches!(error.kind, ErrorKind::Partial { .. }));
        let is_whole = matches!(end, RunEnd::Ended(Ok(_)));
        caller.record().snapshots.check(&caller);
        oracle::check_call(&caller, &end, &Found::all(&caller, &tables, &accumulator));
        if is_whole || !is_resumable {
            break;
        }
    }
    caller.record().snapshots.check_kept(&caller);
    caller.record().finished.give();
}

/// Fills the buffer of a stream from the moment its reader begins.
async fn supply(caller: Caller, buffer: StreamBuffer) {
    caller.record().begun.given().await;
    let retrieval = begin(&caller, 0);
    let kind = caller.host.schedule.calls[caller.call].kind;
    let end = until_over(&caller, retrieval.deliver(kind, &buffer)).await;
    drop(retrieval);
    caller.record().end_run();
    match end {
        RunEnd::Ended(Ok(())) => buffer.end(Ok(())),
        RunEnd::Ended(Err(CallEnd::Failed(error))) => buffer.end(Err(StreamEnd::Failed(error))),
        RunEnd::Ended(Err(CallEnd::Thrown(value))) => buffer.clear(Err(StreamEnd::Thrown(value))),
        RunEnd::Aborted => buffer.clear(Err(StreamEnd::Aborted)),
    }
    let (over, finished) = (caller.record().over.given(), caller.record().finished.given());
    if let Either::Left(_) = select(pin!(over), pin!(finished)).await {
        buffer.clear(Err(StreamEnd::Aborted));
    }
}

/// Reads a stream as the schedule says.
async fn read(caller: Caller, buffer: StreamBuffer, order: Order, reader: Reader) {
    let record = caller.record();
    let call = &caller.host.schedule.calls[caller.call];
    caller.host.wait(call.begins).await;
    let mut read = Vec::new();
    let end = loop {
        match reader.interruption.filter(|(after, _)| *after == record.delivered()) {
            Some((_, Interruption::Breaks)) => {
                record.over.give();
                buffer.clear(Ok(()));
            }
            Some((_, Interruption::Idles)) => record.idle_until(&record.over).await,
            Some((_, Interruption::WaitsFor(other))) => record.idle_until(&caller.host.records[other].finished).await,
            None => {}
        }
        record.begun.give();
        match poll_fn(|context| buffer.poll_take(context)).await {
            Some(Ok(Delivery { index, findings, reservation })) => {
                let bytes = match &findings {
                    Formed::Chunk(chunk) => chunk.byte_length(),
                    Formed::Rows(_) => caller.contents(Some(index)).len(),
                };
                assert_eq!(reservation.bytes(), bytes as u64, "the reservation of a partition is not its size");
                drop(reservation);
                record.note_delivery();
                oracle::check_found(&caller, &[index], &Found::of(&caller, index, findings));
                read.push(index);
                caller.host.wait(reader.pause).await;
            }
            Some(Err(end)) => break Some(end),
            None => break None,
        }
    };
    let after_the_end = poll_fn(|context| buffer.poll_take(context)).now_or_never();
    assert!(matches!(after_the_end, Some(None)), "a stream continues after its end");
    oracle::check_stream(&caller, order, &read, end);
    record.finished.give();
}

fn begin(caller: &Caller, run: usize) -> Retrieval<Caller> {
    caller.record().begin_run(run);
    let host = &caller.host;
    let settings = host.schedule.calls[caller.call].runs[run];
    let (scheduler, refresh) = (Rc::clone(&host.scheduler), Rc::clone(&host.refresh));
    caller.record().begun_at.set(caller.now());
    Retrieval::new(caller.of_run(), scheduler, refresh, caller.inspection(), settings, caller.now())
}

/// Runs a call until it ends or the caller aborts it.
async fn until_over<T>(caller: &Caller, work: impl Future<Output = OrEnd<T, Caller>>) -> RunEnd<T> {
    let over = caller.record().over.given();
    match select(pin!(over), Box::pin(work)).await {
        Either::Left(_) => RunEnd::Aborted,
        Either::Right((result, _)) => RunEnd::Ended(result),
    }
}
