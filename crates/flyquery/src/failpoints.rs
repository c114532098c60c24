//! Fail points for tests: a process announces that it has reached a named place, and waits there for a gate to open.
//!
//! Without the feature `failpoints` of the crate `fail`, which only tests switch on, all of this is compiled to nothing.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::RuntimeFlavor;

use crate::settings::Environment;

/// Names of the places, separated by commas.
const POINTS: &str = "FLYQUERY_TEST_FAILPOINTS";
/// The folder whose files are open gates: one of the place's name lets it pass.
const GATE: &str = "FLYQUERY_TEST_GATE";
/// Time between two looks at a gate.
const LOOK: Duration = Duration::from_millis(10);

/// Arms the places that the environment names.
pub fn arm(environment: &Environment) {
    if !fail::has_failpoints() {
        return;
    }
    let gate = PathBuf::from(environment.get(GATE).unwrap_or_default());
    for name in environment.get(POINTS).unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let open = gate.join(name);
        let place = name.to_owned();
        let announced = AtomicBool::new(false);
        let armed = fail::cfg_callback(name, move || {
            if !announced.swap(true, Ordering::SeqCst) {
                drop(writeln!(std::io::stderr(), "failpoint {place}"));
            }
            wait_for(&open);
        });
        if let Err(wrong) = armed {
            drop(writeln!(std::io::stderr(), "failpoint {name} can't be armed: {wrong}"));
        }
    }
}

/// A task that waits on a thread of the runtime first hands that thread's other tasks to another one.
fn wait_for(gate: &Path) {
    let wait = || {
        while !gate.exists() {
            std::thread::sleep(LOOK);
        }
    };
    match tokio::runtime::Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        _ => wait(),
    }
}
