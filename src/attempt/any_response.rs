//! A response whose body is read where its request was sent: in this thread or in a worker.

use futures_util::FutureExt;

use super::message::Cause;
use super::remote::RemoteResponse;
use super::{Body, Head, Response};
use crate::transport::BodyError;

/// A response of either place.
pub(crate) enum AnyResponse<Local> {
    /// In this thread.
    Local(Local),
    /// In a worker.
    Remote(RemoteResponse),
}

impl<Local: Response<Value: From<Cause>>> Response for AnyResponse<Local> {
    type Value = Local::Value;

    fn head(&self) -> &Head {
        match self {
            AnyResponse::Local(response) => response.head(),
            AnyResponse::Remote(response) => response.head(),
        }
    }

    async fn read_excerpt(&mut self) {
        match self {
            AnyResponse::Local(response) => response.read_excerpt().await,
            AnyResponse::Remote(response) => response.read_excerpt().await,
        }
    }

    fn excerpt(&self) -> &[u8] {
        match self {
            AnyResponse::Local(response) => response.excerpt(),
            AnyResponse::Remote(response) => response.excerpt(),
        }
    }

    async fn read(&mut self, at_least: &dyn Fn(usize)) -> Result<Body, BodyError<Local::Value>> {
        match self {
            AnyResponse::Local(response) => response.read(at_least).await,
            // Boxed, so that engines do not compile it for calls that use no worker.
            AnyResponse::Remote(response) => response.read(at_least).boxed_local().await.map_err(BodyError::described),
        }
    }
}
