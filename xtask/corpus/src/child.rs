//! Reads a file in a process of its own, within bounds on time and memory.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::outcome::Outcome;

/// First argument of a child.
pub const MARK: &str = "--one";
/// Time that one file may take.
const TIME: Duration = Duration::from_mins(1);
/// Address space that one file may take, in KiB: the reader's own bounds lie far below.
const MEMORY_KIB: u64 = 4 << 20;

/// Reads one file with this program as the child.
pub fn read(own: &Path, file: &Path) -> Outcome {
    let limited = format!("ulimit -v {MEMORY_KIB} && exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, "sh"]).arg(own).arg(MARK).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match command.spawn() {
        Ok(child) => wait(child, TIME),
        Err(error) => Outcome::Crashed(format!("could not be started: {error}")),
    }
}

fn wait(mut child: Child, time: Duration) -> Outcome {
    let stdout = listen(child.stdout.take().expect("the child's output is piped"));
    let stderr = listen(child.stderr.take().expect("the child's errors are piped"));
    let Ok(said) = stdout.recv_timeout(time) else {
        let _ = child.kill();
        let _ = child.wait();
        return Outcome::Crashed(format!("not done after {time:?}"));
    };
    let status = child.wait();
    match (status, Outcome::from_line(&said)) {
        (Ok(status), Some(outcome)) if status.success() => outcome,
        (Ok(status), _) => {
            let why = stderr.recv().unwrap_or_default();
            Outcome::Crashed(format!("{status}: {}", why.lines().take(2).collect::<Vec<_>>().join(" ")))
        }
        (Err(error), _) => Outcome::Crashed(error.to_string()),
    }
}

/// Everything that a pipe gives until its other end is closed.
fn listen(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Shape;

    fn outcome_of(script: &str, time: Duration) -> Outcome {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        wait(command.spawn().expect("there is a shell"), time)
    }

    #[test]
    fn what_a_child_says_counts_when_it_ends_well() {
        assert_eq!(outcome_of("printf 'read\\t1x2\\n'", TIME), Outcome::Read(vec![Shape { rows: 1, columns: 2 }]));
    }

    #[test]
    fn a_child_that_dies_crashed_whatever_it_said_before() {
        for script in ["printf 'read\\t1x2\\n'; exit 101", "kill -9 $$", "exit 0"] {
            assert!(matches!(outcome_of(script, TIME), Outcome::Crashed(_)), "{script}");
        }
    }

    #[test]
    fn a_child_that_does_not_end_is_stopped() {
        let outcome = outcome_of("exec cat", Duration::from_millis(50));
        assert_eq!(outcome, Outcome::Crashed("not done after 50ms".into()));
    }
}
