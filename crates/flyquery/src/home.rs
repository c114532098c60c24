//! The data directory: made for its owner alone, held by one process at a time, with a note that says how to reach it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::CliError;

const LOCK: &str = "flyquery.lock";
const NOTE: &str = "server.json";

/// How to reach the process that holds a data directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerNote {
    /// Its process id.
    pub pid: u32,
    /// Where it listens.
    pub url: String,
    /// Its version.
    pub version: String,
    /// Whether it is a server that stays; a command's server goes with the command.
    pub stays: bool,
}

/// A data directory.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
}

impl DataDir {
    /// Opens the directory; makes it, readable by its owner alone, when it is missing.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        create_private(path)
            .map_err(|e| CliError::Home(format!("cannot make the data directory {}: {e}", path.display())))?;
        Ok(Self { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The embedded home's database.
    pub fn database(&self) -> PathBuf {
        self.path.join("flyquery.db")
    }

    /// Takes the directory for this process; `None` when another one holds it. The operating system gives it back
    /// when the process ends, however it ends.
    pub fn try_lock(&self) -> Result<Option<HomeLock>, CliError> {
        let path = self.path.join(LOCK);
        let failed = |e: io::Error| CliError::Home(format!("cannot lock {}: {e}", path.display()));
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {
                let lock = HomeLock { directory: self.path.clone(), _file: file };
                // A note that is still there is of a process that was killed.
                lock.remove_note();
                Ok(Some(lock))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(failed(e)),
        }
    }

    /// The holder's note, once it has written one.
    pub fn note(&self) -> Option<ServerNote> {
        serde_json::from_slice(&fs::read(self.path.join(NOTE)).ok()?).ok()
    }
}

/// The hold on a data directory; given back when dropped.
#[derive(Debug)]
pub struct HomeLock {
    directory: PathBuf,
    _file: File,
}

impl HomeLock {
    /// Leaves the note that says how to reach this process, whole or not at all.
    pub fn announce(&self, note: &ServerNote) -> io::Result<()> {
        let draft = self.directory.join(format!("{NOTE}.draft"));
        let mut file = File::create(&draft)?;
        file.write_all(&serde_json::to_vec_pretty(note)?)?;
        file.sync_all()?;
        fs::rename(&draft, self.directory.join(NOTE))
    }

    fn remove_note(&self) {
        // Without a note others wait for one: nothing is lost when it can't be removed.
        let _ = fs::remove_file(self.directory.join(NOTE));
    }
}

impl Drop for HomeLock {
    fn drop(&mut self) {
        self.remove_note();
    }
}

/// Makes a folder and its parents for their owner alone; what exists stays as it is.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_its_note_goes_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = DataDir::open(&folder.path().join("deep/home")).expect("made");
        let lock = home.try_lock().expect("no error").expect("free");
        assert!(home.try_lock().expect("no error").is_none(), "held");
        let note = ServerNote { pid: 1, url: "http://127.0.0.1:1".into(), version: "x".into(), stays: true };
        lock.announce(&note).expect("written");
        assert_eq!(home.note(), Some(note));
        drop(lock);
        assert_eq!(home.note(), None);
        assert!(home.try_lock().expect("no error").is_some(), "free again");
    }

    #[test]
    fn a_note_left_by_a_killed_process_is_not_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(NOTE), r#"{"pid":1,"url":"http://127.0.0.1:1","version":"x","stays":true}"#)
            .expect("written");
        let home = DataDir::open(folder.path()).expect("opened");
        let _lock = home.try_lock().expect("no error").expect("free");
        assert_eq!(home.note(), None);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look_inside() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let home = DataDir::open(&folder.path().join("home")).expect("made");
        let mode = fs::metadata(home.path()).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
