//! A table of text: columns side by side, cut to the terminal's width where there is one.

use super::style::Style;
use super::text;

/// Columns below which a column is not cut.
const LEAST: usize = 8;
/// Columns a cell takes at most on a terminal.
const MOST: usize = 60;
/// Blanks between columns.
const GAP: usize = 2;

/// How a cell is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Stepping back.
    Dim,
    /// Standing out.
    Bold,
    /// Worth a look.
    Yellow,
    /// Good.
    Green,
    /// Bad.
    Red,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its text, visible characters only.
    pub text: String,
    /// How it is shown.
    pub tone: Tone,
}

impl Cell {
    /// A plain cell.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: Tone::Plain }
    }

    /// The same cell in another tone.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    headers: Vec<String>,
    right: Vec<bool>,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// A table whose columns are named, and right-aligned where it says so.
    pub fn new(columns: &[(String, bool)]) -> Self {
        let (headers, right) = columns.iter().cloned().unzip();
        Self { headers, right, rows: Vec::new() }
    }

    /// Adds a row with one cell per column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table's lines, each behind `indent` and ended by a line feed.
    pub fn render(&self, style: Style, indent: &str) -> String {
        let widths = self.widths(style.width.map(|width| width.saturating_sub(text::width(indent))));
        let mut shown = String::new();
        let header: Vec<Cell> = self.headers.iter().map(|name| Cell::new(name.clone()).tone(Tone::Dim)).collect();
        for cells in std::iter::once(&header).chain(&self.rows) {
            let mut line = indent.to_owned();
            for (index, cell) in cells.iter().enumerate() {
                let cut = text::cut(&cell.text, widths[index]);
                let pad = " ".repeat(widths[index].saturating_sub(text::width(&cut)));
                let painted = paint(style, cell.tone, &cut);
                let last = index + 1 == cells.len();
                match (self.right[index], last) {
                    (true, _) => line.extend([pad.as_str(), painted.as_str()]),
                    (false, true) => line.push_str(&painted),
                    (false, false) => line.extend([painted.as_str(), pad.as_str()]),
                }
                if !last {
                    line.push_str(&" ".repeat(GAP));
                }
            }
            shown.push_str(line.trim_end());
            shown.push('\n');
        }
        shown
    }

    /// The width of each column: as wide as its widest cell, then the widest ones are cut until the lines fit.
    fn widths(&self, available: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headers.iter().map(|name| text::width(name)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(text::width(&cell.text));
            }
        }
        let Some(available) = available else { return widths };
        for width in &mut widths {
            *width = (*width).min(MOST);
        }
        let gaps = GAP * widths.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > available {
            match widths.iter_mut().max().filter(|width| **width > LEAST) {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
        widths
    }
}

fn paint(style: Style, tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        Tone::Dim => style.dim(text),
        Tone::Bold => style.bold(text),
        Tone::Yellow => style.yellow(text),
        Tone::Green => style.green(text),
        Tone::Red => style.red(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(&[("name".into(), false), ("n".into(), true), ("what".into(), false)]);
        grid.row(vec![Cell::new("a"), Cell::new("1"), Cell::new("long words that go on")]);
        grid.row(vec![Cell::new("bcdef"), Cell::new("1,000"), Cell::new("")]);
        grid
    }

    #[test]
    fn without_a_terminal_nothing_is_cut_and_no_blank_ends_a_line() {
        let shown = grid().render(Style::default(), "  ");
        assert_eq!(shown, "  name       n  what\n  a          1  long words that go on\n  bcdef  1,000\n");
    }

    #[test]
    fn on_a_terminal_the_widest_column_gives_way() {
        let shown = grid().render(Style { colour: false, width: Some(30) }, "");
        assert!(shown.lines().all(|line| text::width(line) <= 30), "{shown}");
        assert!(shown.contains("long words that…"), "{shown}");
    }
}
