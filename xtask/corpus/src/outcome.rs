//! What reading one file came to, and the line by which the child process tells its parent.

use std::fmt;
use std::str::FromStr;

/// Rows and columns of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shape {
    /// Rows, the header not counted.
    pub rows: u64,
    /// Columns.
    pub columns: u64,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl FromStr for Shape {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (rows, columns) = text.split_once('x').ok_or(())?;
        Ok(Self { rows: rows.parse().map_err(|_| ())?, columns: columns.parse().map_err(|_| ())? })
    }
}

/// What came of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Tables, in the file's order.
    Read(Vec<Shape>),
    /// Refused with a code and a detail.
    Refused {
        /// Code as on the wire.
        code: String,
        /// Detail for people.
        detail: String,
    },
    /// The process died, ran past its bounds, or met a defect; why.
    Crashed(String),
}

impl Outcome {
    /// One line, fields separated by tabs.
    pub fn to_line(&self) -> String {
        let flat = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        match self {
            Self::Read(shapes) => {
                let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
                format!("read\t{}", shapes.join(";"))
            }
            Self::Refused { code, detail } => format!("refused\t{code}\t{}", flat(detail)),
            Self::Crashed(why) => format!("crashed\t{}", flat(why)),
        }
    }

    /// The outcome of a line; `None` when it is none, as when the process died before it wrote one.
    pub fn from_line(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
        match fields.as_slice() {
            ["read", ""] => Some(Self::Read(Vec::new())),
            ["read", shapes] => {
                let shapes: Result<Vec<Shape>, ()> = shapes.split(';').map(str::parse).collect();
                Some(Self::Read(shapes.ok()?))
            }
            ["refused", code, detail] => Some(Self::Refused { code: (*code).to_owned(), detail: (*detail).to_owned() }),
            ["crashed", why] => Some(Self::Crashed((*why).to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_cross_the_border_between_processes() {
        let outcomes = [
            Outcome::Read(vec![]),
            Outcome::Read(vec![Shape { rows: 3, columns: 6 }, Shape { rows: 0, columns: 1 }]),
            Outcome::Refused { code: "EMPTY_FILE".into(), detail: "0 bytes".into() },
            Outcome::Crashed("panicked".into()),
        ];
        for outcome in outcomes {
            assert_eq!(Outcome::from_line(&outcome.to_line()), Some(outcome));
        }
        assert_eq!(Outcome::from_line(""), None);
    }
}
