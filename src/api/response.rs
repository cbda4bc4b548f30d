//! A response to an attempt that is made in the page or in a worker.

use wasm_bindgen::prelude::*;

use super::yield_now::ThisThread;
use crate::attempt::local::LocalResponse;
use crate::attempt::remote::RemoteResponse;
use crate::attempt::{Body, Head, Response};
use crate::transport::{BodyError, fetch};

/// A response whose body is read where its request was sent.
pub(super) enum AnyResponse {
    /// In the page.
    Page(LocalResponse<fetch::Response, ThisThread>),
    /// In a worker.
    Worker(RemoteResponse),
}

impl Response for AnyResponse {
    type Value = JsValue;

    fn head(&self) -> &Head {
        match self {
            AnyResponse::Page(response) => response.head(),
            AnyResponse::Worker(response) => response.head(),
        }
    }

    async fn read_excerpt(&mut self) {
        match self {
            AnyResponse::Page(response) => response.read_excerpt().await,
            AnyResponse::Worker(response) => response.read_excerpt().await,
        }
    }

    fn excerpt(&self) -> &[u8] {
        match self {
            AnyResponse::Page(response) => response.excerpt(),
            AnyResponse::Worker(response) => response.excerpt(),
        }
    }

    async fn read(&mut self, at_least: &dyn Fn(usize)) -> Result<Body, BodyError<JsValue>> {
        match self {
            AnyResponse::Page(response) => response.read(at_least).await,
            AnyResponse::Worker(response) => response.read(at_least).await.map_err(BodyError::described),
        }
    }
}
