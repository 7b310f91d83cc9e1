//! Draws the pictures of the docs. `docs/orchestrator.svg` is what happens to a feature: boxes and arrows are the data below.

mod terminal;

use std::fs;

use anyhow::{Context, Result};

use crate::repository;

const FILE: &str = "docs/orchestrator.svg";

const WIDTH: u32 = 760;
const HEIGHT: u32 = 330;
const BOX: (i32, i32) = (120, 44);

/// A status: its name, what it means, the centre of its box, and its colour.
struct State(&'static str, &'static str, i32, i32, &'static str);

const STATES: &[State] = &[
    State("no list", "initializer writes it", 90, 60, "#f3f4f6"),
    State("pending", "waits for its turn", 90, 170, "#dbeafe"),
    State("claimed", "coding agent", 290, 170, "#fef3c7"),
    State("implemented", "tester, verifiers", 490, 170, "#fef3c7"),
    State("tested", "proven", 680, 170, "#dcfce7"),
    State("blocked", "waits for a person", 390, 285, "#fee2e2"),
    State("skipped", "by a person", 90, 285, "#f3f4f6"),
];

/// An arrow: its path, what it means, and where that is written.
struct Arrow(&'static str, &'static str, i32, i32);

const ARROWS: &[Arrow] = &[
    Arrow("M90 82 V146", "valid list", 58, 118),
    Arrow("M150 170 H228", "claim", 190, 163),
    Arrow("M350 170 H428", "implemented", 390, 163),
    Arrow("M550 170 H618", "proven", 585, 163),
    Arrow("M490 148 C490 70 110 70 104 145", "test failed: again, with the failure", 330, 84),
    Arrow("M280 148 C270 112 140 112 128 145", "died, quota", 205, 138),
    Arrow("M505 192 C505 250 480 285 452 285", "failed twice, or conflict", 570, 240),
    Arrow("M300 192 C310 230 340 262 352 262", "asks a person", 268, 232),
    Arrow("M330 290 C230 300 130 250 110 195", "answer, unblock", 230, 308),
    Arrow("M76 192 V260", "skip", 58, 230),
];

/// Writes the pictures.
pub(crate) fn run() -> Result<()> {
    fs::write(repository::path(FILE), svg()).context("write the picture")?;
    terminal::run()
}

fn svg() -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\" text-anchor=\"middle\" role=\"img\">\n\
         <title>What happens to a feature</title>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#374151\"/></marker></defs>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    for Arrow(path, label, x, y) in ARROWS {
        text.push_str(&format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"#374151\" stroke-width=\"1.5\" marker-end=\"url(#head)\"/>\n\
             <text x=\"{x}\" y=\"{y}\" fill=\"#374151\" font-size=\"11\" stroke=\"#ffffff\" stroke-width=\"4\" \
             paint-order=\"stroke\">{label}</text>\n"
        ));
    }
    for State(name, about, x, y, colour) in STATES {
        let (left, top) = (x - BOX.0 / 2, y - BOX.1 / 2);
        text.push_str(&format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{colour}\" stroke=\"#374151\"/>\n\
             <text x=\"{x}\" y=\"{}\" font-weight=\"600\" fill=\"#111827\">{name}</text>\n\
             <text x=\"{x}\" y=\"{}\" fill=\"#374151\" font-size=\"11\">{about}</text>\n",
            BOX.0,
            BOX.1,
            y - 3,
            y + 13
        ));
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_in_docs_is_the_one_that_is_drawn() {
        let drawn = fs::read_to_string(repository::path(FILE)).unwrap_or_default();
        assert_eq!(drawn, svg(), "run `cargo xtask picture`");
    }
}
