use proptest::prelude::*;
use std::path::Path;

use super::layout::{BOX_HEIGHT, Layout};
use super::*;

/// A graph of `id: needs` lines.
fn graph(lines: &[(&str, &[&str])]) -> Graph {
    let entries: Vec<_> = lines
        .iter()
        .map(|(id, needs)| serde_json::json!({"id": id, "title": format!("The {id}"), "depends_on": needs}))
        .collect();
    let text = serde_json::json!(entries).to_string();
    Graph::of(&FeatureList::parse(text.as_bytes(), Path::new("")).unwrap())
}

fn sample() -> Graph {
    graph(&[("d", &["b", "a"]), ("a", &[]), ("b", &["a"]), ("c", &[])])
}

#[test]
fn the_text_has_a_line_per_feature() {
    let expected = " 0  pending      a  The a\n 0  pending      c  The c\n 1  pending      b  The b  <- a\n 2  pending      d  The d  <- b, a\n";
    assert_eq!(sample().text(), expected);
}

#[test]
fn names_are_escaped() {
    let mut graph = sample();
    graph.nodes[0].title = "a \"b\" <c> & \u{1b}\\".into();
    assert!(graph.dot().contains(r#"[label="d\na \"b\" <c> & "#), "{}", graph.dot());
    assert!(graph.dot().contains(r#""a" -> "b";"#));
    assert!(graph.svg().contains("a &quot;b&quot; &lt;c&gt; &amp; \\</text>"), "{}", graph.svg());
}

#[test]
fn an_empty_list_is_a_picture_too() {
    assert!(graph(&[]).svg().ends_with("</svg>\n"));
    assert_eq!(graph(&[]).text(), "");
}

/// Where a curve between two points is, in a few places.
fn along(points: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut places = Vec::new();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            let half = (x0 as f64 + x1 as f64) / 2.0;
            let (u, v, w, z) = ((1.0 - t).powi(3), 3.0 * (1.0 - t).powi(2) * t, 3.0 * (1.0 - t) * t * t, t.powi(3));
            let x = u * x0 as f64 + (v + w) * half + z * x1 as f64;
            let y = (u + v) * y0 as f64 + (w + z) * y1 as f64;
            places.push((x.round() as i64, y.round() as i64));
        }
    }
    places
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn boxes_and_lines_keep_apart(edges in prop::collection::vec((0..12_usize, 0..12_usize), 0..30)) {
        let ids: Vec<String> = (0..12).map(|at| format!("n{at}")).collect();
        let mut lines: Vec<(&str, Vec<&str>)> = ids.iter().map(|id| (id.as_str(), Vec::new())).collect();
        for (from, to) in edges {
            if from < to && !lines[to].1.contains(&ids[from].as_str()) {
                lines[to].1.push(&ids[from]);
            }
        }
        let lines: Vec<(&str, &[&str])> = lines.iter().map(|(id, needs)| (*id, needs.as_slice())).collect();
        let graph = graph(&lines);
        let layout = Layout::of(&graph);
        for (at, one) in layout.boxes.iter().enumerate() {
            prop_assert!(one.x >= 0 && one.y >= 0);
            prop_assert!(one.x + one.width <= layout.width && one.y + BOX_HEIGHT <= layout.height);
            for other in &layout.boxes[at + 1..] {
                let apart = one.x + one.width < other.x || other.x + other.width < one.x
                    || one.y + BOX_HEIGHT < other.y || other.y + BOX_HEIGHT < one.y;
                prop_assert!(apart, "{one:?} {other:?}");
            }
            for (x, y) in layout.lines.iter().flat_map(|line| along(line)) {
                let inside = one.x < x && x < one.x + one.width && one.y < y && y < one.y + BOX_HEIGHT;
                prop_assert!(!inside, "a line at {x},{y} crosses {one:?}");
            }
        }
    }
}
