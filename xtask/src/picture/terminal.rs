//! Draws `docs/demo.svg`: a terminal in which the real program has just run `stead demo`. The tests of `cli` compare its text
//! with what the program prints.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

use crate::program;
use crate::repository;

const FILE: &str = "docs/demo.svg";
const COLUMNS: usize = 80;
const ROWS: usize = 24;

/// The size of a character, and the space around the text.
const CELL: (f64, f64) = (8.4, 19.0);
const MARGIN: f64 = 18.0;

/// Runs the demo and draws the beginning of what it tells.
pub(crate) fn run() -> Result<()> {
    let output = program::read(program::cargo().args(["run", "-q", "-p", "stead-cli", "--", "demo"]))?;
    fs::write(repository::path(FILE), svg(&screen("stead demo", &output))).context("write the picture")
}

/// The first steps of a story that fit on a screen below its command. A step starts with its number.
fn screen(command: &str, output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().take(ROWS).collect();
    let starts = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    let whole = match lines.len() < ROWS {
        true => lines.len(),
        false => (0..ROWS).rev().find(|at| starts(&lines[*at])).unwrap_or(ROWS - 1),
    };
    let shown = lines[..whole].iter().map(|line| line.trim_end().to_owned());
    std::iter::once(format!("$ {command}")).chain(shown).collect()
}

/// Draws lines as a dark terminal, which is readable on a light and on a dark page. Each line has a fixed length, so that
/// columns stay columns in any monospace font.
fn svg(lines: &[String]) -> String {
    let width = COLUMNS as f64 * CELL.0 + 2.0 * MARGIN;
    let height = ROWS as f64 * CELL.1 + 2.0 * MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" \
         fill=\"#e6edf3\" role=\"img\">\n\
         <title>{}</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#161b22\" stroke=\"#6e7681\"/>\n",
        escape(&lines[0]),
        width - 1.0,
        height - 1.0
    );
    for (row, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim_start();
        if words.is_empty() {
            continue;
        }
        let (x, y) = (MARGIN + indent as f64 * CELL.0, MARGIN + row as f64 * CELL.1 + 14.0);
        let length = words.chars().count() as f64 * CELL.0;
        let fill = if row == 0 { " fill=\"#7ee787\"" } else { "" };
        let _ = writeln!(
            text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{fill}>{}</text>",
            escape(words)
        );
    }
    text + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_has_whole_steps_below_the_command() {
        let step = |number: usize, rows: usize| format!("{number}. step\n{}", "   Stead   ok\n".repeat(rows - 1));
        let check = |rows: &[usize], expected: usize| {
            let output: String = rows.iter().enumerate().map(|(at, rows)| step(at + 1, *rows)).collect();
            let screen = screen("stead demo", &output);
            assert_eq!((screen.len(), screen[0].as_str()), (expected, "$ stead demo"), "{rows:?}");
            assert!(screen.len() <= ROWS);
        };
        check(&[10, 13, 5], 24);
        check(&[10, 14, 5], 11);
        check(&[20, 3, 3], 24);
        check(&[3, 3], 7);
    }

    #[test]
    fn nothing_in_a_line_breaks_the_picture() {
        let drawn = svg(&["$ a".into(), "   <b> && c".into()]);
        assert!(drawn.contains(">&lt;b&gt; &amp;&amp; c</text>") && drawn.contains("x=\"43.2\""), "{drawn}");
    }
}
