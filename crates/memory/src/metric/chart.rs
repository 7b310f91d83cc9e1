use super::{Metric, Period, Statistics};

/// The size of the picture's parts, in pixels.
const PANEL: (f64, f64) = (360.0, 150.0);
const MARGIN: f64 = 20.0;
const HEAD: f64 = 48.0;
/// Above and below the bars of a panel.
const ABOVE: f64 = 26.0;
const BELOW: f64 = 18.0;

const BAR: &str = "#4c6ef5";
const LINE: &str = "#ced4da";
const QUIET: &str = "#868e96";

/// Draws the metrics as an SVG picture: a panel for each, and a bar for each period.
pub fn chart(statistics: &Statistics) -> String {
    let (width, height) = (MARGIN * 3.0 + PANEL.0 * 2.0, HEAD + (PANEL.1 + MARGIN) * 2.0);
    let size = &statistics.prompt_size;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-sans-serif, system-ui, sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"{MARGIN}\" y=\"28\" font-size=\"14\" font-weight=\"bold\">Since {}, by {}</text>\n\
         <text x=\"{}\" y=\"28\" text-anchor=\"end\" fill=\"{QUIET}\">agent prompts now: {} tokens in {} definitions</text>\n",
        &statistics.since[..10],
        statistics.step,
        width - MARGIN,
        size.tokens,
        size.definitions,
    );
    for (at, metric) in Metric::ALL.into_iter().enumerate() {
        let x = MARGIN + (PANEL.0 + MARGIN) * (at % 2) as f64;
        let y = HEAD + (PANEL.1 + MARGIN) * (at / 2) as f64;
        text += &panel(metric, statistics, x, y);
    }
    text + "</svg>\n"
}

fn panel(metric: Metric, statistics: &Statistics, x: f64, y: f64) -> String {
    let periods = &statistics.periods;
    let value = |period: &Period| period.tally.value(metric);
    let highest = periods.iter().filter_map(value).fold(0.0, f64::max);
    let most = metric.most().unwrap_or(highest);
    let total = statistics.total.value(metric).map_or_else(|| "not measured".to_owned(), |value| metric.show(value));
    let (right, floor) = (x + PANEL.0, y + PANEL.1 - BELOW);
    let mut text = format!(
        "<g><text x=\"{x}\" y=\"{}\" font-weight=\"bold\">{}</text>\
         <text x=\"{right}\" y=\"{}\" text-anchor=\"end\">{total}</text>\n",
        y + 12.0,
        metric.title(),
        y + 12.0,
    );
    let step = PANEL.0 / periods.len().max(1) as f64;
    for (at, period) in periods.iter().enumerate() {
        let Some(value) = value(period) else { continue };
        let share = if most > 0.0 { value / most } else { 0.0 };
        let height = ((floor - y - ABOVE) * share).max(1.0);
        let width = (step * 0.8).min(40.0);
        text += &format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"1\" fill=\"{BAR}\">\
             <title>{}: {}</title></rect>\n",
            x + step * at as f64 + (step - width) / 2.0,
            floor - height,
            period.start,
            metric.show(value),
        );
    }
    text += &format!("<path d=\"M{x} {floor}H{right}\" stroke=\"{LINE}\"/>\n");
    let label = |x: f64, anchor: &str, period: &Period| {
        let y = floor + 14.0;
        format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{QUIET}\">{}</text>", period.start)
    };
    if let [first, .., last] = periods.as_slice() {
        text += &(label(x, "start", first) + &label(right, "end", last));
    } else if let [only] = periods.as_slice() {
        text += &label(x + PANEL.0 / 2.0, "middle", only);
    }
    text + "</g>\n"
}
