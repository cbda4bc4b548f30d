//! Attempts in the thread that asks for them.

use super::decode::Thread;
use super::{Body, Head, Request, Response};
use crate::transport::{Answer, BodyError, EXCERPT_LIMIT, SendError, Transport, read_body, read_piece};

/// A response whose body is read in this thread.
pub(crate) struct LocalResponse<A, T> {
    answer: A,
    thread: T,
    head: Head,
    limit: usize,
    excerpt: Vec<u8>,
}

/// Sends a request by a transport.
///
/// # Errors
///
/// There is no response.
pub(crate) async fn send<H: Transport, T: Thread>(
    transport: &H,
    thread: T,
    request: Request<'_>,
    headers: &H::Headers,
) -> Result<LocalResponse<H::Answer, T>, SendError<H::Value>> {
    let answer = transport.send(request.path, headers).await?;
    let head = Head {
        status: answer.status(),
        is_redirect: answer.is_redirect(),
        hides_headers: answer.hides_headers(),
        retry_after: answer.retry_after(),
        is_page: answer.is_page(),
    };
    Ok(LocalResponse { answer, thread, head, limit: request.limit, excerpt: Vec::new() })
}

impl<A: Answer, T: Thread> LocalResponse<A, T> {
    /// Reads one more piece of the excerpt; false at its end.
    pub(crate) async fn read_excerpt_piece(&mut self) -> bool {
        // However the read ends, the bytes received may contain messages.
        let is_read = read_piece(&mut self.answer, &mut self.excerpt, EXCERPT_LIMIT).await;
        self.thread.yield_now().await;
        matches!(is_read, Ok(true))
    }
}

impl<A: Answer, T: Thread> Response for LocalResponse<A, T> {
    type Value = A::Value;

    fn head(&self) -> &Head {
        &self.head
    }

    async fn read_excerpt(&mut self) {
        while self.read_excerpt_piece().await {}
    }

    fn excerpt(&self) -> &[u8] {
        &self.excerpt
    }

    async fn read(&mut self, at_least: &dyn Fn(usize)) -> Result<Body, BodyError<A::Value>> {
        let LocalResponse { answer, thread, limit, .. } = self;
        let at_least = async |bytes| {
            at_least(bytes);
            thread.yield_now().await;
        };
        let mut body = Vec::new();
        // One byte more than the limit shows that the body exceeds it.
        read_body(answer, &mut body, limit.saturating_add(1), at_least).await?;
        if body.len() > *limit {
            return Err(BodyError::TooLarge);
        }
        // Without TLS, browsers report a response that was cut in its headers as complete, with an empty body.
        if body.is_empty() && answer.announced_length().is_some_and(|announced| announced > 0) {
            return Err(BodyError::Empty);
        }
        Ok(Body::Bytes(body))
    }
}
