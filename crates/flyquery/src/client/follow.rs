//! Follows a job's stream to its end: a cut is mended by asking for what came after the last event that was seen.

use std::time::Duration;

use domain::JobId;
use futures::StreamExt as _;
use reqwest::{Method, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sse::{Frame, Parser};
use super::{Problem, Server, Session};
use crate::error::CliError;

/// Silence after which a stream counts as cut; the server breaks it three times as often.
const SILENCE: Duration = domain::limits::STREAM_KEEP_ALIVE.saturating_mul(3);
/// Cuts in a row, without an event in between, after which the server counts as gone.
const CUTS: u32 = 10;
/// Pause before the stream is opened again.
const PAUSE: Duration = Duration::from_millis(200);

/// What a stream tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StreamEvent {
    /// A line of the ledger.
    Ledger {
        /// Its place.
        id: i64,
        /// Stage word.
        stage: String,
        /// `ok` or `error`.
        status: String,
        /// A sentence.
        message: Option<String>,
        /// Facts.
        payload: Value,
        /// When.
        created_at: Option<String>,
    },
    /// Progress inside a stage.
    Progress(domain::event::Progress),
}

impl StreamEvent {
    fn read(frame: &Frame) -> Option<Self> {
        if frame.event == "progress" {
            serde_json::from_str(&frame.data).ok().map(Self::Progress)
        } else {
            serde_json::from_str(&frame.data).ok().filter(|event| matches!(event, Self::Ledger { .. }))
        }
    }

    /// Whether nothing follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Ledger { stage, .. } if stage == "final" || stage == "error")
    }
}

/// Why a stream ended before its job did.
enum Cut {
    /// It can be opened again.
    Again(CliError),
    /// It can't.
    Over(CliError),
}

/// Hands every event of a job to `on`, each once, until the job has ended.
pub async fn follow(session: &Session, job: JobId, on: &mut dyn FnMut(&StreamEvent)) -> Result<(), CliError> {
    let mut last: Option<i64> = None;
    let mut cuts = 0;
    let mut server = session.server().await;
    loop {
        let before = last;
        match stream(&server, job, &mut last, on).await {
            Ok(()) => return Ok(()),
            Err(Cut::Over(error)) => return Err(error),
            Err(Cut::Again(error)) => {
                cuts = if last == before { cuts + 1 } else { 1 };
                if cuts > CUTS {
                    return Err(error);
                }
                tokio::time::sleep(PAUSE * cuts).await;
                server = session.reconnect(&server).await?;
            }
        }
    }
}

async fn stream(
    server: &Server,
    job: JobId,
    last: &mut Option<i64>,
    on: &mut dyn FnMut(&StreamEvent),
) -> Result<(), Cut> {
    let mut request =
        server.request(Method::GET, &format!("/ingest-jobs/{job}/stream")).header(header::ACCEPT, "text/event-stream");
    if let Some(id) = last {
        request = request.header("last-event-id", id.to_string());
    }
    let broken = |error: &reqwest::Error| Cut::Again(server.unreachable(error));
    let response = request.send().await.map_err(|e| broken(&e))?;
    let status = response.status();
    if !status.is_success() {
        let bytes = response.bytes().await.map_err(|e| broken(&e))?;
        let refused = CliError::Refused(Box::new(Problem::read(status, &bytes)));
        let busy = matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS);
        return Err(if busy { Cut::Again(refused) } else { Cut::Over(refused) });
    }
    let mut bytes = response.bytes_stream();
    let mut parser = Parser::default();
    let silent = || Cut::Again(CliError::Unreachable(format!("the server at {} fell silent", server.url())));
    while let Some(chunk) = tokio::time::timeout(SILENCE, bytes.next()).await.map_err(|_| silent())? {
        let chunk = chunk.map_err(|e| broken(&e))?;
        let frames = parser.feed(&chunk).map_err(|e| Cut::Over(CliError::Strange(e.to_string())))?;
        for event in frames.iter().filter_map(StreamEvent::read) {
            if is_news(&event, last) {
                on(&event);
            }
            if event.is_last() {
                return Ok(());
            }
        }
    }
    Err(Cut::Again(CliError::Unreachable(format!("the server at {} ended the stream", server.url()))))
}

/// Whether an event was not seen before; remembers it. A replay from the start repeats what was seen.
fn is_news(event: &StreamEvent, last: &mut Option<i64>) -> bool {
    match event {
        StreamEvent::Ledger { id, .. } => {
            let news = last.is_none_or(|seen| *id > seen);
            if news {
                *last = Some(*id);
            }
            news
        }
        StreamEvent::Progress(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(event: &str, data: &str) -> Frame {
        Frame { id: None, event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn ledger_events_progress_and_strangers_are_told_apart() {
        let parsed = StreamEvent::read(&frame(
            "parsed",
            r#"{"id":3,"stage":"parsed","status":"ok","message":null,"payload":{"n_tables":1},"created_at":"t"}"#,
        ));
        assert!(matches!(parsed, Some(StreamEvent::Ledger { id: 3, .. })));
        let progress = StreamEvent::read(&frame(
            "progress",
            r#"{"stage":"parse","table":null,"rows":10,"bytes":20,"bytes_total":40}"#,
        ));
        assert!(matches!(progress, Some(StreamEvent::Progress(_))));
        assert_eq!(StreamEvent::read(&frame("reset", r#"{"reason":"x"}"#)), None);
        assert_eq!(StreamEvent::read(&frame("final", "nonsense")), None);
    }

    #[test]
    fn a_replayed_event_is_no_news() {
        let event = |id| StreamEvent::Ledger {
            id,
            stage: "parsed".into(),
            status: "ok".into(),
            message: None,
            payload: Value::Null,
            created_at: None,
        };
        let mut last = None;
        let news: Vec<bool> = [1, 2, 1, 2, 3].map(|id| is_news(&event(id), &mut last)).into();
        assert_eq!(news, [true, true, false, false, true]);
    }
}
