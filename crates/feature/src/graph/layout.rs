//! Places the features of a graph in columns, one per level. A dependency that skips columns gets a free row in each of
//! them, so that no line crosses a box.

use std::collections::HashMap;

use super::Graph;

pub(super) const BOX_HEIGHT: i64 = 44;
/// The height of the free row of a line.
const PASS_HEIGHT: i64 = 10;
const ROW_GAP: i64 = 16;
const COLUMN_GAP: i64 = 72;
pub(super) const MARGIN: i64 = 16;
const CHARACTER: i64 = 8;
const PADDING: i64 = 12;
pub(super) const MOST_CHARACTERS: usize = 28;

/// So often the columns are sorted by their neighbours.
const SWEEPS: usize = 4;

/// A graph with more free rows than this gets straight lines.
const MOST_PASSES: usize = 20_000;

/// What is in a column: a feature, or a line on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Cell {
    Node(usize),
    Pass { line: usize, column: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
}

pub(super) struct Layout {
    /// By the index of the node.
    pub(super) boxes: Vec<Place>,
    /// The points of each line.
    pub(super) lines: Vec<Vec<(i64, i64)>>,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl Layout {
    pub(super) fn of(graph: &Graph) -> Self {
        let nodes = &graph.nodes;
        let count = nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
        let mut columns: Vec<Vec<Cell>> = vec![Vec::new(); count];
        nodes.iter().enumerate().for_each(|(at, node)| columns[node.level].push(Cell::Node(at)));
        let lines: Vec<(usize, usize)> =
            nodes.iter().enumerate().flat_map(|(to, node)| node.needs.iter().map(move |from| (*from, to))).collect();
        let span = |(from, to): &(usize, usize)| nodes[*to].level.saturating_sub(nodes[*from].level + 1);
        let has_passes = lines.iter().map(span).sum::<usize>() <= MOST_PASSES;
        let mut chains: Vec<Vec<Cell>> = Vec::with_capacity(lines.len());
        for (at, (from, to)) in lines.iter().enumerate() {
            let between = nodes[*from].level + 1..nodes[*to].level.max(nodes[*from].level + 1);
            let passes = between.filter(|_| has_passes).map(|column| Cell::Pass { line: at, column });
            let chain: Vec<Cell> = std::iter::once(Cell::Node(*from)).chain(passes).chain([Cell::Node(*to)]).collect();
            for cell in &chain {
                if let Cell::Pass { column, .. } = cell {
                    columns[*column].push(*cell);
                }
            }
            chains.push(chain);
        }
        sort(&mut columns, &chains);
        place(graph, &columns, &chains)
    }
}

/// Sorts each column by where the neighbours of its cells are, to the left and to the right in turn.
fn sort(columns: &mut [Vec<Cell>], chains: &[Vec<Cell>]) {
    let (mut left, mut right): (HashMap<Cell, Vec<Cell>>, HashMap<Cell, Vec<Cell>>) = (HashMap::new(), HashMap::new());
    for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
        left.entry(pair[1]).or_default().push(pair[0]);
        right.entry(pair[0]).or_default().push(pair[1]);
    }
    let mut rows: HashMap<Cell, usize> = HashMap::new();
    let number = |column: &[Cell], rows: &mut HashMap<Cell, usize>| {
        rows.extend(column.iter().enumerate().map(|(row, cell)| (*cell, row)));
    };
    columns.iter().for_each(|column| number(column, &mut rows));
    for sweep in 0..SWEEPS {
        let from_left = sweep % 2 == 0;
        let neighbours = if from_left { &left } else { &right };
        let order: Vec<usize> =
            if from_left { (0..columns.len()).collect() } else { (0..columns.len()).rev().collect() };
        for at in order {
            let mean = |cell: &Cell| match neighbours.get(cell) {
                // Thousandths, so that the order is the same everywhere.
                Some(found) => found.iter().map(|other| rows[other] * 1000).sum::<usize>() / found.len(),
                None => rows[cell] * 1000,
            };
            let mut sorted: Vec<(usize, Cell)> = columns[at].iter().map(|cell| (mean(cell), *cell)).collect();
            sorted.sort_by_key(|(mean, _)| *mean);
            columns[at] = sorted.into_iter().map(|(_, cell)| cell).collect();
            number(&columns[at], &mut rows);
        }
    }
}

fn place(graph: &Graph, columns: &[Vec<Cell>], chains: &[Vec<Cell>]) -> Layout {
    let mut places: HashMap<Cell, Place> = HashMap::new();
    let (mut x, mut height) = (MARGIN, 0);
    for column in columns {
        let widths = column.iter().map(|cell| match cell {
            Cell::Node(at) => box_width(&graph.nodes[*at]),
            Cell::Pass { .. } => 0,
        });
        let width = widths.max().unwrap_or(0);
        let mut y = MARGIN;
        for cell in column {
            let own = if matches!(cell, Cell::Node(_)) { BOX_HEIGHT } else { PASS_HEIGHT };
            places.insert(*cell, Place { x, y, width });
            y += own + ROW_GAP;
        }
        height = height.max(y - ROW_GAP + MARGIN);
        x += width + COLUMN_GAP;
    }
    let point = |cell: &Cell, is_end: bool| {
        let place = places[cell];
        match cell {
            Cell::Node(_) if is_end => vec![(place.x, place.y + BOX_HEIGHT / 2)],
            Cell::Node(_) => vec![(place.x + place.width, place.y + BOX_HEIGHT / 2)],
            Cell::Pass { .. } => {
                let y = place.y + PASS_HEIGHT / 2;
                vec![(place.x, y), (place.x + place.width, y)]
            }
        }
    };
    let lines =
        chains.iter().map(|chain| chain.iter().enumerate().flat_map(|(at, cell)| point(cell, at > 0)).collect());
    let boxes = (0..graph.nodes.len()).map(|at| places[&Cell::Node(at)]).collect();
    Layout {
        boxes,
        lines: lines.collect(),
        width: (x - COLUMN_GAP + MARGIN).max(2 * MARGIN),
        height: height.max(2 * MARGIN),
    }
}

/// The width of a box: its longer line. Letters that are wide count twice.
fn box_width(node: &super::Node) -> i64 {
    let columns =
        |text: &str| text.chars().take(MOST_CHARACTERS).map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<i64>();
    columns(&node.id).max(columns(&super::one_line(&node.title))).max(6) * CHARACTER + 2 * PADDING
}
