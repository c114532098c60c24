//! Tests wait for what they wait for: a pause by the clock is too short on a slow machine and too long on a fast one.
//!
//! A loop that polls something outside the process up to a deadline may pause when its line says so:
//! `// bounded poll: <what it waits for>`.

use crate::offence::Offence;
use crate::source::Source;
use crate::text;
use crate::tree::{Tree, is_test_file};

const EXCUSE: &str = "// bounded poll:";

/// Looks for pauses in test files and inline test modules.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.rust_files().flat_map(|path| in_file(path, &tree.text(path).unwrap_or_default())).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let source = Source::parse(text);
    let all = is_test_file(path);
    let lines = source.code().iter().enumerate();
    let pauses = lines.filter(|(index, line)| (all || source.is_test(*index)) && pauses(line));
    let unexcused = pauses.filter(|(index, _)| !excused(&source.raw()[*index]));
    unexcused.map(|(index, _)| Offence::line(path, index, "wait for the event itself, not for a time")).collect()
}

fn pauses(line: &str) -> bool {
    text::word_positions(line, "sleep").any(|at| {
        let called = line[at + "sleep".len()..].starts_with('(');
        called && !line[..at].trim_end().ends_with("fn")
    })
}

fn excused(line: &str) -> bool {
    line.split_once(EXCUSE).is_some_and(|(_, reason)| reason.trim().len() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    fn offences(path: &str, line: &str) -> usize {
        check(&Planted::new().file(path, line).tree()).len()
    }

    #[test]
    fn a_pause_in_a_test_is_refused() {
        assert_eq!(offences("tests/it/a.rs", "std::thread::sleep(d);"), 1);
        assert_eq!(offences("tests/it/a.rs", "tokio::time::sleep(d).await;"), 1);
        assert_eq!(offences("src/a.rs", "#[cfg(test)]\nmod tests {\n    fn a() { sleep(d) }\n}\n"), 1);
    }

    #[test]
    fn a_poll_that_names_what_it_waits_for_passes() {
        assert_eq!(offences("tests/it/a.rs", "sleep(d); // bounded poll: the child has bound its port"), 0);
        assert_eq!(offences("tests/it/a.rs", "sleep(d); // bounded poll:"), 1);
    }

    #[test]
    fn what_is_shipped_may_pause() {
        assert_eq!(offences("src/a.rs", "tokio::time::sleep(d).await;"), 0);
        assert_eq!(offences("tests/it/a.rs", "clock.sleep_until(d); // sleep(1)"), 0);
    }
}
