//! A refused upload must see its status, not a reset: a server that answers and closes while the sender still sends
//! makes the sender's kernel throw the answer away. So the answer goes out at once, and what still arrives is read
//! and thrown away, within bounds, by a task of its own.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, EXPECT, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use domain::limits;
use futures::{Stream, StreamExt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::state::App;

/// What is left of a body is read before the answer goes out if it is no more than this and arrives in this time,
/// which keeps the connection: a small body nobody asked for, or the blank line after a form.
const SMALL: Bounds = Bounds { bytes: 64 << 10, time: Duration::from_millis(250), idle: Duration::from_millis(250) };
/// What is read after the answer has gone out.
const LARGE: Bounds = Bounds { bytes: limits::LINGER_BYTES, time: limits::LINGER, idle: limits::LINGER_IDLE };

/// How long an unread body is read.
#[derive(Clone, Copy)]
struct Bounds {
    bytes: u64,
    time: Duration,
    idle: Duration,
}

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

    /// Whether a reader used its allowance up.
    pub fn is_used_up(&self) -> bool {
        self.source().allowance == Some(0)
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
    let gauge = Gauge::new(body);
    parts.extensions.insert(gauge.clone());
    let mut response = next.run(Request::from_parts(parts, Body::from_stream(gauge.clone()))).await;

    gauge.allow_all();
    // A sender that waits for "100 Continue" and did not get it sends nothing.
    let sends = !(waits_for_continue && gauge.is_untouched());
    if sends && gauge.is_unread() {
        drain(gauge.clone(), SMALL).await;
    }
    if gauge.is_unread() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        if sends {
            let shutdown = app.shutdown.clone();
            app.tasks.spawn(async move {
                shutdown.run_until_cancelled_owned(drain(gauge, LARGE)).await;
            });
        }
    }
    response
}

/// Reads and throws away, until the end or a bound.
async fn drain(mut gauge: Gauge, bounds: Bounds) {
    let end = Instant::now() + bounds.time;
    let mut left = bounds.bytes;
    while let Ok(Ok(Some(Ok(chunk)))) = timeout_at(end, timeout(bounds.idle, gauge.next())).await {
        left = left.saturating_sub(chunk.len() as u64);
        if left == 0 {
            return;
        }
    }
}
