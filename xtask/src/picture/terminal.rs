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
    let mut demo = program::cargo();
    demo.args(["run", "-q", "-p", "stead-cli", "--", "demo"]).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
    let output = program::read(&mut demo)?;
    fs::write(repository::path(FILE), svg(&screen("stead demo", &output))).context("write the picture")
}

/// The first steps of a story that fit on a screen below its command. A step starts with its number.
fn screen(command: &str, output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().take(ROWS).collect();
    let starts =
        |line: &&str| pieces(line).first().is_some_and(|piece| piece.text.starts_with(|c: char| c.is_ascii_digit()));
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
        let mut pieces = pieces(line);
        let whole: String = pieces.iter().map(|piece| piece.text).collect();
        let indent = whole.len() - whole.trim_start().len();
        let columns = whole.trim_start().chars().count();
        if columns == 0 {
            continue;
        }
        let (x, y) = (MARGIN + indent as f64 * CELL.0, MARGIN + row as f64 * CELL.1 + 14.0);
        let length = columns as f64 * CELL.0;
        if let Some(first) = pieces.first_mut() {
            first.text = first.text.trim_start();
        }
        let fill = if row == 0 { " fill=\"#7ee787\"" } else { "" };
        let words: String = pieces.iter().map(Piece::drawn).collect();
        let _ = writeln!(
            text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{fill}>{words}</text>"
        );
    }
    text + "</svg>\n"
}

/// A part of a line in one colour.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'l> {
    /// As the terminal is told: numbers with `;` between them.
    tone: &'l str,
    text: &'l str,
}

impl Piece<'_> {
    fn drawn(&self) -> String {
        let text = escape(self.text);
        let style: String =
            self.tone.split(';').filter_map(style).map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        if style.is_empty() { text } else { format!("<tspan{style}>{text}</tspan>") }
    }
}

/// How a number of a terminal's sequence is drawn.
fn style(code: &str) -> Option<(&'static str, &'static str)> {
    match code {
        "1" => Some(("font-weight", "bold")),
        "2" => Some(("fill", "#9198a1")),
        "31" => Some(("fill", "#ff7b72")),
        "32" => Some(("fill", "#7ee787")),
        "33" => Some(("fill", "#e3b341")),
        "36" => Some(("fill", "#79c0ff")),
        _ => None,
    }
}

/// Divides a line where its colour changes.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut parts = line.split("\u{1b}[");
    let first = Piece { tone: "", text: parts.next().unwrap_or_default() };
    let behind = parts.filter_map(|part| part.split_once('m')).map(|(tone, text)| Piece { tone, text });
    std::iter::once(first).chain(behind).filter(|piece| !piece.text.is_empty()).collect()
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

    #[test]
    fn colours_of_the_terminal_are_drawn() {
        let line = "\u{1b}[1;31m   No.\u{1b}[0m <x> \u{1b}[32mok\u{1b}[0m";
        let drawn = svg(&["$ a".into(), line.into()]);
        let expected = "<tspan font-weight=\"bold\" fill=\"#ff7b72\">No.</tspan> &lt;x&gt; <tspan fill=\"#7ee787\">ok</tspan></text>";
        assert!(
            drawn.contains(expected) && drawn.contains("x=\"43.2\"") && drawn.contains("textLength=\"84.0\""),
            "{drawn}"
        );
        let screen = screen("stead demo", "\u{1b}[1m1. step\u{1b}[0m\nx\n\u{1b}[1m2. step\u{1b}[0m\n");
        assert_eq!(screen.len(), 4);
    }
}
