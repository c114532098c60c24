//! Compares what came of a file with what was expected of it.

use domain::{ErrorCode, FailureClass};

use crate::manifest::{Entry, Expected};
use crate::outcome::{Outcome, Shape};

/// The judgement on one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Read as expected.
    Right,
    /// Read, and not as expected; how.
    Wrong(String),
    /// Refused, which was expected or allowed.
    RefusedRightly,
    /// Refused although it is sound; why.
    RefusedWrongly(String),
    /// Refused because the readers don't know the format.
    NotRead,
    /// Died, hung, or met a defect; how.
    Crashed(String),
}

/// Judges one file.
pub fn of(entry: &Entry, outcome: &Outcome) -> Verdict {
    match outcome {
        Outcome::Read(shapes) => read(entry, shapes),
        Outcome::Refused { code, detail } => refused(entry, code, detail),
        Outcome::Crashed(why) => Verdict::Crashed(why.clone()),
    }
}

fn read(entry: &Entry, shapes: &[Shape]) -> Verdict {
    match entry.expected {
        Expected::Refuse => Verdict::Wrong(format!("read as {} although it is broken", list(shapes))),
        Expected::Either => Verdict::Right,
        Expected::Read if entry.shapes.is_empty() || sorted(&entry.shapes) == sorted(shapes) => Verdict::Right,
        Expected::Read => Verdict::Wrong(format!("read as {}, not {}", list(shapes), list(&entry.shapes))),
    }
}

fn refused(entry: &Entry, code: &str, detail: &str) -> Verdict {
    let rejected = code.parse::<ErrorCode>().is_ok_and(|code| code.class() == FailureClass::Rejected);
    if !rejected {
        return Verdict::Crashed(format!("{code}: {detail}"));
    }
    match entry.expected {
        Expected::Refuse => Verdict::RefusedRightly,
        _ if code == ErrorCode::UnsupportedFormat.as_str() && !entry.is_delimited() => Verdict::NotRead,
        Expected::Either => Verdict::RefusedRightly,
        Expected::Read => Verdict::RefusedWrongly(format!("{code}: {detail}")),
    }
}

fn sorted(shapes: &[Shape]) -> Vec<Shape> {
    let mut shapes = shapes.to_vec();
    shapes.sort();
    shapes
}

fn list(shapes: &[Shape]) -> String {
    if shapes.is_empty() {
        return "nothing".to_owned();
    }
    shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(format: &str, expected: Expected, outcome: &Outcome) -> Verdict {
        let shapes = vec![Shape { rows: 3, columns: 6 }];
        of(&Entry { path: "a".into(), format: format.into(), expected, shapes }, outcome)
    }

    fn refused_with(code: &str) -> Outcome {
        Outcome::Refused { code: code.into(), detail: "why".into() }
    }

    #[test]
    fn a_sound_file_must_be_read_in_its_shape() {
        let right = Outcome::Read(vec![Shape { rows: 3, columns: 6 }]);
        let wrong = Outcome::Read(vec![Shape { rows: 4, columns: 6 }]);
        assert_eq!(judged("csv", Expected::Read, &right), Verdict::Right);
        assert_eq!(judged("csv", Expected::Read, &wrong), Verdict::Wrong("read as 4x6, not 3x6".into()));
        assert_eq!(
            judged("csv", Expected::Read, &refused_with("PARSE_ERROR")),
            Verdict::RefusedWrongly("PARSE_ERROR: why".into())
        );
        assert_eq!(judged("csv", Expected::Either, &wrong), Verdict::Right);
    }

    #[test]
    fn a_broken_file_must_be_refused_with_a_code_that_blames_it() {
        assert_eq!(judged("csv", Expected::Refuse, &refused_with("PARSE_ERROR")), Verdict::RefusedRightly);
        assert!(matches!(judged("csv", Expected::Refuse, &refused_with("internal_error")), Verdict::Crashed(_)));
        assert!(matches!(judged("csv", Expected::Refuse, &refused_with("STORAGE_FULL")), Verdict::Crashed(_)));
        assert!(matches!(judged("csv", Expected::Refuse, &Outcome::Read(vec![])), Verdict::Wrong(_)));
    }

    #[test]
    fn only_formats_without_a_reader_count_as_not_read() {
        assert_eq!(judged("orc", Expected::Read, &refused_with("UNSUPPORTED_FORMAT")), Verdict::NotRead);
        assert!(matches!(
            judged("csv", Expected::Read, &refused_with("UNSUPPORTED_FORMAT")),
            Verdict::RefusedWrongly(_)
        ));
    }

    #[test]
    fn a_crash_is_never_right() {
        assert!(matches!(judged("csv", Expected::Either, &Outcome::Crashed("x".into())), Verdict::Crashed(_)));
    }
}
