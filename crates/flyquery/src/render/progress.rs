//! Progress on standard error while files are worked on: a line per stage for one file, a line per file for several.
//!
//! Nothing is drawn where standard error is no terminal.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::Stage;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::number;
use crate::client::StreamEvent;

const TICK: Duration = Duration::from_millis(100);

/// All progress of a command.
#[derive(Clone)]
pub struct Progress {
    bars: MultiProgress,
    drawn: bool,
}

impl Progress {
    /// Progress that is drawn when standard error is a terminal.
    pub fn new(wanted: bool) -> Self {
        let drawn = wanted && io::stderr().is_terminal();
        let target = if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bars: MultiProgress::with_draw_target(target), drawn }
    }

    /// Progress of one file: stage by stage when it is alone.
    pub fn file(&self, name: &str, size: u64, alone: bool) -> FileProgress {
        let lines = if alone {
            Lines::Stages(Stage::ALL.iter().map(|stage| self.line(stage.as_str(), Look::Waiting)).collect())
        } else {
            Lines::One(self.line(name, Look::Waiting))
        };
        let progress = FileProgress { lines, drawn: self.drawn, current: Stage::Receive, since: Instant::now() };
        progress.bar().set_length(size);
        progress
    }

    fn line(&self, name: &str, look: Look) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new(0));
        bar.set_style(look.style());
        bar.set_prefix(name.to_owned());
        bar
    }

    /// Writes something else without disturbing the bars.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bars.suspend(write)
    }

    /// Takes the bars away.
    pub fn clear(&self) {
        // A terminal that can't be cleared has nothing to clear.
        drop(self.bars.clear());
    }
}

#[derive(Clone, Copy)]
enum Look {
    Waiting,
    Busy,
    Measured,
    Done,
    Skipped,
}

impl Look {
    fn style(self) -> ProgressStyle {
        let template = match self {
            Self::Waiting => "  {prefix:.dim}",
            Self::Busy => "{spinner:.cyan} {prefix:<10} {wide_msg:.dim}",
            Self::Measured => "{spinner:.cyan} {prefix:<10} {bar:30.cyan/dim} {percent:>3} %  {wide_msg:.dim}",
            Self::Done => "{spinner:.green} {prefix:<10} {wide_msg:.dim}",
            Self::Skipped => "- {prefix:<10.dim} {wide_msg:.dim}",
        };
        ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("█▉▊▋▌▍▎▏ ")
            .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏✓")
    }
}

enum Lines {
    One(ProgressBar),
    Stages(Vec<ProgressBar>),
}

/// Progress of one file.
pub struct FileProgress {
    lines: Lines,
    drawn: bool,
    current: Stage,
    since: Instant,
}

impl FileProgress {
    /// The line that moves.
    fn bar(&self) -> &ProgressBar {
        match &self.lines {
            Lines::One(bar) => bar,
            Lines::Stages(bars) => &bars[usize::from(self.current.number()) - 1],
        }
    }

    fn look(&self, look: Look) {
        self.bar().set_style(look.style());
        if matches!(look, Look::Busy | Look::Measured) && self.drawn {
            self.bar().enable_steady_tick(TICK);
        }
    }

    /// Bytes are on their way; what is returned hears of each part that went out.
    pub fn uploading(&self) -> impl Fn(u64) + Send + Sync + 'static {
        self.look(Look::Measured);
        let bar = Arc::new(self.bar().clone());
        move |bytes| bar.inc(bytes)
    }

    /// Something happened in the job.
    pub fn event(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Progress(progress) => self.moved(progress),
            StreamEvent::Ledger { stage, payload, .. } => {
                if let Some(done) = Stage::ALL.iter().find(|known| known.event() == stage) {
                    let skipped = payload.get("skipped").and_then(serde_json::Value::as_bool).unwrap_or(false);
                    self.done(*done, skipped);
                }
            }
        }
    }

    fn moved(&mut self, progress: &domain::event::Progress) {
        if let Ok(stage) = progress.stage.parse::<Stage>()
            && stage > self.current
        {
            self.enter(stage);
        }
        let bar = self.bar();
        let mut words = Vec::new();
        if matches!(self.lines, Lines::One(_)) {
            words.push(progress.stage.clone());
        }
        words.extend(progress.table.clone());
        if progress.rows > 0 {
            words.push(number::count(progress.rows, "row"));
        }
        bar.set_message(words.join("  "));
        match progress.bytes_total {
            Some(total) if total > 0 => {
                bar.set_length(total);
                bar.set_position(progress.bytes.min(total));
                self.look(Look::Measured);
            }
            Some(_) | None => self.look(Look::Busy),
        }
    }

    /// A stage left its event; a stage with several tables leaves several.
    fn done(&mut self, stage: Stage, skipped: bool) {
        if stage >= self.current {
            self.enter(stage);
            if let Lines::Stages(_) = &self.lines {
                self.bar().set_message(if skipped { "skipped".to_owned() } else { number::span(self.since.elapsed()) });
                self.look(if skipped { Look::Skipped } else { Look::Done });
                self.bar().finish();
            }
            if let Some(next) = stage.next() {
                self.enter(next);
            }
        }
    }

    fn enter(&mut self, stage: Stage) {
        if stage == self.current {
            return;
        }
        self.current = stage;
        self.since = Instant::now();
        if let Lines::One(bar) = &self.lines {
            bar.set_message(stage.as_str());
        }
        self.look(Look::Busy);
    }

    /// Nothing follows.
    pub fn finish(&self) {
        match &self.lines {
            Lines::One(bar) => bar.finish_and_clear(),
            Lines::Stages(bars) => bars.iter().for_each(ProgressBar::finish_and_clear),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(stage: &str, payload: serde_json::Value) -> StreamEvent {
        StreamEvent::Ledger {
            id: 1,
            stage: stage.into(),
            status: "ok".into(),
            message: None,
            payload,
            created_at: None,
        }
    }

    #[test]
    fn events_move_the_stage_forward_and_never_back() {
        let mut file = Progress::new(false).file("a.csv", 10, true);
        for (event, current) in [
            (ledger("queued", serde_json::Value::Null), Stage::Receive),
            (ledger("received", serde_json::Value::Null), Stage::Parse),
            (ledger("parsed", serde_json::Value::Null), Stage::Reconcile),
            (ledger("received", serde_json::Value::Null), Stage::Reconcile),
            (ledger("sampled", serde_json::json!({"skipped": true})), Stage::Profile),
            (ledger("published", serde_json::Value::Null), Stage::Publish),
        ] {
            file.event(&event);
            assert_eq!(file.current, current, "{event:?}");
        }
    }

    #[test]
    fn every_look_is_a_sound_template() {
        for look in [Look::Waiting, Look::Busy, Look::Measured, Look::Done, Look::Skipped] {
            let bar = ProgressBar::hidden();
            bar.set_style(look.style());
            bar.tick();
        }
    }
}
