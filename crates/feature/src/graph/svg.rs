use super::layout::{BOX_HEIGHT, Layout, MOST_CHARACTERS};
use super::{Graph, fill, one_line};

pub(super) fn render(graph: &Graph, layout: &Layout) -> String {
    let (width, height) = (layout.width, layout.height);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, monospace\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#868e96\"/></marker></defs>\n"
    );
    for line in &layout.lines {
        text += &format!("<path d=\"{}\" fill=\"none\" stroke=\"#868e96\" marker-end=\"url(#end)\"/>\n", path(line));
    }
    for (node, place) in graph.nodes.iter().zip(&layout.boxes) {
        let (x, y) = (place.x, place.y);
        let middle = x + place.width / 2;
        text += &format!(
            "<g><title>{}: {}</title><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{BOX_HEIGHT}\" rx=\"6\" \
             fill=\"{}\" stroke=\"#495057\"/><text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" \
             font-weight=\"bold\">{}</text><text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>\n",
            escaped(&node.id),
            node.status,
            place.width,
            fill(node.status),
            y + 18,
            escaped(&shortened(&node.id)),
            y + 35,
            escaped(&shortened(&one_line(&node.title))),
        );
    }
    text + "</svg>\n"
}

/// Straight within a column, a curve between two.
fn path(points: &[(i64, i64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        match at.checked_sub(1).map(|at| points[at]) {
            None => path += &format!("M{x} {y}"),
            Some((_, before)) if before == *y => path += &format!("L{x} {y}"),
            Some((from, before)) => {
                let half = from.midpoint(*x);
                path += &format!("C{half} {before} {half} {y} {x} {y}");
            }
        }
    }
    path
}

fn shortened(text: &str) -> String {
    match text.chars().count() > MOST_CHARACTERS {
        true => text.chars().take(MOST_CHARACTERS - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    let is_fit = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(is_fit).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
