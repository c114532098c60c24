//! Reads server-sent events from bytes as they arrive (WHATWG HTML, "Server-sent events").

/// Bytes of one event at most; a server that sends more is not ours.
const EVENT_BYTES: usize = 4 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its id, when it has one.
    pub id: Option<String>,
    /// Its name; `message` when none is given.
    pub event: String,
    /// Its data, lines joined.
    pub data: String,
}

/// An event that is larger than any of ours.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream carries an event of more than {EVENT_BYTES} bytes")]
pub struct TooLarge;

/// Cuts bytes into events.
#[derive(Debug, Default)]
pub struct Parser {
    buffer: Vec<u8>,
    frame: Frame,
    has_data: bool,
}

impl Parser {
    /// Takes the next bytes and gives the events they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLarge> {
        self.buffer.extend_from_slice(bytes);
        let mut frames = Vec::new();
        let mut start = 0;
        // A lone CR at the end of what arrived may be the first half of a CR LF: it waits.
        while let Some((end, next)) = line_end(&self.buffer, start) {
            let line = String::from_utf8_lossy(&self.buffer[start..end]).into_owned();
            start = next;
            frames.extend(self.line(&line));
        }
        self.buffer.drain(..start);
        if self.buffer.len() + self.frame.data.len() > EVENT_BYTES { Err(TooLarge) } else { Ok(frames) }
    }

    fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then(|| Frame {
                event: if frame.event.is_empty() { "message".to_owned() } else { frame.event },
                ..frame
            });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.frame.event),
            "id" => self.frame.id = Some(value.to_owned()),
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.has_data = true;
                self.frame.data.push_str(value);
            }
            // A comment (its field is empty) or a field we have no use for.
            _ => {}
        }
        None
    }
}

/// End of the line that starts at `start`, and where the next one begins.
fn line_end(buffer: &[u8], start: usize) -> Option<(usize, usize)> {
    let at = start + buffer[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    match (buffer[at], buffer.get(at + 1)) {
        (b'\r', Some(b'\n')) => Some((at, at + 2)),
        (b'\r', None) => None,
        _ => Some((at, at + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(id: Option<&str>, event: &str, data: &str) -> Frame {
        Frame { id: id.map(str::to_owned), event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let text =
            ": connected\n\nid: 7\nevent: parsed\ndata: {\"a\":\ndata: 1}\n\n: ping\r\n\r\ndata:é\r\n\r\nevent: x\n\n";
        let whole = [frame(Some("7"), "parsed", "{\"a\":\n1}"), frame(None, "message", "é")];
        for size in 1..text.len() {
            let mut parser = Parser::default();
            let frames: Vec<Frame> =
                text.as_bytes().chunks(size).flat_map(|part| parser.feed(part).expect("small")).collect();
            assert_eq!(frames, whole, "cut every {size} bytes");
        }
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut parser = Parser::default();
        let chunk = vec![b'x'; EVENT_BYTES];
        assert_eq!(parser.feed(&chunk), Ok(vec![]));
        assert_eq!(parser.feed(b"x"), Err(TooLarge));
    }
}
