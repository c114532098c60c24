//! A refused upload must see its status, not a reset: a server that answers and closes while the sender still sends
//! makes the sender's kernel throw the answer away. So the answer goes out at once, and what still arrives is read
//! and thrown away, within bounds, by a task of its own.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, EXPECT, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use domain::limits;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::state::App;

/// Bodies up to this size are read before the answer goes out, which keeps the connection.
const SMALL_BODY_BYTES: u64 = 64 << 10;

/// A request body that outlives its reader, with an allowance for readers that buffer.
#[derive(Clone, Default)]
pub struct Gauge(Arc<Mutex<Source>>);

#[derive(Default)]
struct Source {
    stream: Option<BodyDataStream>,
    touched: bool,
    ended: bool,
    allowance: Option<usize>,
}

impl Gauge {
    fn new(body: Body) -> Self {
        let stream = Some(body.into_data_stream());
        Self(Arc::new(Mutex::new(Source { stream, ..Source::default() })))
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on hands out about `bytes` more (a chunk may overshoot), then fails the reader.
    pub fn allow(&self, bytes: usize) {
        self.source().allowance = Some(bytes);
    }

    /// Lifts the allowance.
    pub fn allow_all(&self) {
        self.source().allowance = None;
    }

    fn is_unread(&self) -> bool {
        !self.source().ended
    }

    fn is_untouched(&self) -> bool {
        !self.source().touched
    }
}

impl Stream for Gauge {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut source = self.source();
        if source.ended {
            return Poll::Ready(None);
        }
        if source.allowance == Some(0) {
            return Poll::Ready(Some(Err(axum::Error::new("the header of a part does not end"))));
        }
        source.touched = true;
        let Some(stream) = source.stream.as_mut() else { return Poll::Ready(None) };
        let polled = stream.poll_next_unpin(cx);
        match &polled {
            Poll::Ready(Some(Ok(chunk))) => {
                source.allowance = source.allowance.map(|left| left.saturating_sub(chunk.len()));
            }
            Poll::Ready(Some(Err(_)) | None) => source.ended = true,
            Poll::Pending => {}
        }
        polled
    }
}

/// The layer: hands the handler a body that can be read on after the handler is gone.
pub async fn linger(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let waits_for_continue = parts.headers.contains_key(EXPECT);
    let length = parts.headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
    let gauge = Gauge::new(body);
    parts.extensions.insert(gauge.clone());
    let mut response = next.run(Request::from_parts(parts, Body::from_stream(gauge.clone()))).await;

    gauge.allow_all();
    if gauge.is_unread() && length.is_some_and(|length| length <= SMALL_BODY_BYTES) && !waits_for_continue {
        drop(timeout(limits::LINGER_IDLE, drain(gauge.clone())).await);
    }
    if gauge.is_unread() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        // A sender that waits for "100 Continue" and did not get it sends nothing.
        if !(waits_for_continue && gauge.is_untouched()) {
            let shutdown = app.shutdown.clone();
            app.tasks.spawn(async move {
                shutdown.run_until_cancelled_owned(drain(gauge)).await;
            });
        }
    }
    response
}

/// Reads and throws away, until the end or a bound.
async fn drain(mut gauge: Gauge) {
    let end = Instant::now() + limits::LINGER;
    let mut left = limits::LINGER_BYTES;
    while let Ok(Ok(Some(Ok(chunk)))) = timeout_at(end, timeout(limits::LINGER_IDLE, gauge.next())).await {
        left = left.saturating_sub(chunk.len() as u64);
        if left == 0 {
            return;
        }
    }
}
