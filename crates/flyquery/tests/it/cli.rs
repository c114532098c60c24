//! Running the command line in a home of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Longest wait for a command.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// A home directory for commands, with a data directory inside. Removed when dropped.
pub struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// A fresh home.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The data directory of its commands.
    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Writes a file.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    }

    /// The environment of its commands: nothing but what a command needs.
    fn environment(&self) -> [(&'static str, PathBuf); 3] {
        [("PATH", "/usr/bin:/bin".into()), ("HOME", self.path().to_owned()), ("FLYQUERY_DATA_DIR", self.data())]
    }

    /// A command that is run to its end.
    pub fn flyquery<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_flyquery"));
        command.args(arguments).env_clear().envs(self.environment()).current_dir(self.path()).timeout(PATIENCE);
        command
    }

    /// A command that goes on in the background.
    pub fn background(&self, arguments: &[&str]) -> Background {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyquery"));
        command.args(arguments).env_clear().envs(self.environment()).current_dir(self.path());
        Background(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts"))
    }

    /// A server of this home on a free port, and its address.
    pub fn serve(&self) -> (Background, String) {
        let mut server = self.background(&["serve", "--port", "0"]);
        let line = server.first_line();
        let url = line.rsplit(' ').next().unwrap_or_default().trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line}");
        (server, url)
    }

    /// The rows of a statement.
    pub fn rows(&self, statement: &str) -> Value {
        json(&self.flyquery(&["sql", statement, "--format", "json"]).assert().success().get_output().stdout)
    }
}

/// A process that goes on beside the test. Killed when dropped.
pub struct Background(Child);

impl Background {
    /// Waits for its first line of output; none when it ends without one.
    pub fn first_line(&mut self) -> String {
        let mut line = String::new();
        let out = self.0.stdout.take().expect("piped");
        let mut out = std::io::BufReader::new(out);
        std::io::BufRead::read_line(&mut out, &mut line).expect("readable");
        self.0.stdout = Some(out.into_inner());
        line
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("/bin/sh").args(["-c", &format!("kill -{name} {}", self.0.id())]).status();
        assert!(sent.expect("a shell").success());
    }

    /// Waits for its end.
    pub fn status(mut self) -> ExitStatus {
        self.0.wait().expect("ends")
    }

    /// Waits for its end with all its output.
    pub fn output(mut self) -> Output {
        let mut all = Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: Vec::new() };
        let (mut out, mut err) = (self.0.stdout.take().expect("piped"), self.0.stderr.take().expect("piped"));
        std::thread::scope(|scope| {
            scope.spawn(|| std::io::Read::read_to_end(&mut err, &mut all.stderr).expect("readable"));
            std::io::Read::read_to_end(&mut out, &mut all.stdout).expect("readable");
        });
        all.status = self.0.wait().expect("ends");
        all
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // It has ended, or it is ended here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A file of `samples/`.
pub fn sample(name: &str) -> String {
    format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A JSON document.
pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|e| panic!("no JSON ({e}): {}", String::from_utf8_lossy(bytes)))
}

/// Text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
