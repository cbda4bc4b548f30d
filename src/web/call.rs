//! One call of a client: its work, and the signals that end it early.

use std::future::{Future, pending};
use std::pin::pin;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::abort::AbortListener;
use super::error::{ErrorContext, error_of};
use super::host::Interrupt;
use super::resume::ResumeState;
use super::yield_now::next_task;
use call::error::CallEnd;

/// What ends a call early.
pub(super) struct Ended {
    /// Resolves with the reason when a signal, the client or a callback ends the call.
    reason: LocalBoxFuture<'static, JsValue>,
    /// The promises that callbacks have returned; `None` without callbacks.
    interrupt: Option<Interrupt>,
}

/// A call whose arguments have been checked.
pub(super) struct Call {
    /// The work, which resolves with the result unless the call ends early.
    pub(super) work: LocalBoxFuture<'static, Result<JsValue, CallEnd<JsValue>>>,
    /// The context that the call's errors contain.
    pub(super) context: ErrorContext,
    /// For a call for all findings: the state that an error's findings and `resume()` come from.
    pub(super) resume_state: Option<ResumeState>,
    /// Ends it early.
    pub(super) ended: Ended,
}

impl Call {
    /// Runs the call, and settles the promise with its outcome.
    pub(super) fn promise(self) -> Promise {
        future_to_promise(self.outcome().boxed_local())
    }

    /// Runs the call until it succeeds, fails, or is ended.
    pub(super) async fn outcome(self) -> Result<JsValue, JsValue> {
        let Call { work, context, resume_state, ended: Ended { reason, interrupt } } = self;
        let worked = async {
            match work.await {
                Ok(result) => Ok(result),
                Err(CallEnd::Thrown(value)) => Err(value),
                Err(CallEnd::Failed(failure)) => Err(error_of(failure, &context, resume_state).await),
            }
        };
        match select(reason, pin!(worked)).await {
            Either::Left((reason, _)) => Err(reason),
            Either::Right((result, reason)) => {
                // The last callback may have ended the call, or returned a promise whose rejection is not yet known.
                if interrupt.is_some_and(|interrupt| interrupt.is_waiting()) {
                    next_task().await;
                }
                reason.now_or_never().map_or(result, Err)
            }
        }
    }
}

impl Ended {
    /// The caller's signal, `free()` of the client or a callback ends the call.
    pub(super) fn new(signals: &[Rc<AbortListener>], interrupt: Option<Interrupt>) -> Self {
        let none = Ended { reason: pending().boxed_local(), interrupt: interrupt.clone() };
        let aborted = signals.iter().fold(none, Ended::or);
        match interrupt {
            Some(interrupt) => Ended { reason: race(aborted.reason, interrupt.value()).boxed_local(), ..aborted },
            None => aborted,
        }
    }

    /// Another signal ends the call, too.
    pub(super) fn or(self, signal: &Rc<AbortListener>) -> Self {
        let aborted = Rc::clone(signal).reason();
        Ended { reason: race(self.reason, aborted).boxed_local(), ..self }
    }
}

/// Resolves with the result of the future that ends first.
pub(super) async fn race<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    select(pin!(one), pin!(other)).await.factor_first().0
}
