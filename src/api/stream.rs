//! A stream of partitions, each of which becomes rows when it is read.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

use super::client::{Call, Stop};
use super::rows;
use crate::failure::Ended;
use crate::retrieve::Delivery;
use crate::shelf::Shelf;

/// What is on its way from the call to the reader.
pub type Deliveries = Shelf<Delivery, JsValue>;

/// The reader's end of a stream; ends the call when it is dropped.
#[wasm_bindgen]
pub struct Stream {
    shelf: Rc<Deliveries>,
    _call: oneshot::Sender<()>,
}

impl Stream {
    /// Lets the call run, which fills the shelf.
    pub fn new(shelf: Rc<Deliveries>, call: Call<()>) -> Self {
        let (sender, dropped) = oneshot::channel();
        spawn_local(run(Rc::clone(&shelf), call, dropped));
        Stream { shelf, _call: sender }
    }
}

#[wasm_bindgen]
impl Stream {
    /// The next partition, or undefined at the end.
    pub fn next(&self) -> Promise {
        let shelf = Rc::clone(&self.shelf);
        future_to_promise(async move {
            let Some(delivery) = poll_fn(|context| shelf.poll_take(context)).await else {
                return Ok(JsValue::UNDEFINED);
            };
            let Delivery { index, findings, room } = delivery?;
            drop(room);
            let findings = rows::findings(findings, || Ok(())).await.map_err(|ended| match ended {
                Ended::Thrown(value) => value,
                Ended::Failed(failure) => failure.to_string().into(),
            })?;
            match shelf.take_reason() {
                Some(reason) => Err(reason),
                None => partition(index, &findings),
            }
        })
    }
}

async fn run(shelf: Rc<Deliveries>, call: Call<()>, dropped: oneshot::Receiver<()>) {
    match select(pin!(call.outcome()), dropped).await {
        Either::Left((Ok(()), _)) => shelf.end(Ok(())),
        Either::Left((Err(Stop::Failed(error)), _)) => shelf.end(Err(error)),
        Either::Left((Err(Stop::Ended(reason)), _)) => shelf.clear(Err(reason)),
        Either::Right(_) => shelf.clear(Ok(())),
    }
}

fn partition(index: u64, findings: &JsValue) -> Result<JsValue, JsValue> {
    let partition = Object::new();
    Reflect::set(&partition, &"index".into(), &(index as f64).into())?;
    Reflect::set(&partition, &"findings".into(), findings)?;
    Ok(partition.into())
}
