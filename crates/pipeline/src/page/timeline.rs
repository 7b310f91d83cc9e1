//! The timeline of a run: a row per stage, a bar per attempt, marks for what was verified. Time without an engine is cut
//! out, so that a run that was resumed a day later is still readable.

use std::fmt::Write;

use super::history::millis;
use super::{Attempt, RunPage};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 264.0;
/// Room for half of the last label of the axis.
const RIGHT: f64 = 36.0;
const TOP: f64 = 88.0;
const ROW: f64 = 30.0;
const BAR: f64 = 16.0;
/// The width of a cut.
const CUT: f64 = 14.0;
/// A bar is never narrower, so that it can be seen.
const NARROWEST: f64 = 2.0;
const LABEL: usize = 22;
/// Labels of cuts closer than this would overlap.
const CUT_LABEL: f64 = 52.0;

/// Colours by class. Bars keep theirs on both backgrounds, dark enough for a white number.
const STYLE: &str = "<style>\
    text{font-family:system-ui,sans-serif}\
    .paper{fill:#ffffff}.ink{fill:#24292f}.faint{fill:#57606a}.grid{stroke:#d8dee4}.cut{stroke:#57606a}.number{fill:#ffffff}\
    @media (prefers-color-scheme:dark){\
    .paper{fill:#0d1117}.ink{fill:#e6edf3}.faint{fill:#9198a1}.grid{stroke:#30363d}.cut{stroke:#9198a1}}\
    </style>";
const RED: &str = "#cf222e";

/// What a bar means, and its colour.
const LEGEND: [(&str, &str); 6] = [
    ("continue", "#0969da"),
    ("stop", "#1a7f37"),
    ("failed", RED),
    ("blocked", "#8250df"),
    ("not counted", "#6e7781"),
    ("quota wait", "#9a6700"),
];

/// From the time of the wall to a place on the axis.
struct Axis {
    /// When an engine worked: from, until, and the place where it starts.
    spans: Vec<(i64, i64, f64)>,
    scale: f64,
}

impl Axis {
    fn of(page: &RunPage) -> Self {
        let mut spans: Vec<(i64, i64)> =
            page.engagements.iter().map(|one| (millis(&one.started_at), millis(&one.ended_at))).collect();
        // Clocks are set back now and then.
        spans.iter_mut().for_each(|(from, until)| *until = (*until).max(*from + 1));
        if spans.is_empty() {
            spans.push((0, 1));
        }
        let total: i64 = spans.iter().map(|(from, until)| until - from).sum();
        let room = WIDTH - LEFT - RIGHT - CUT * (spans.len() - 1) as f64;
        let scale = room.max(1.0) / total.max(1) as f64;
        let mut at = LEFT;
        let place = |(from, until): (i64, i64)| {
            let start = at;
            at += (until - from) as f64 * scale + CUT;
            (from, until, start)
        };
        Self { spans: spans.into_iter().map(place).collect(), scale }
    }

    fn place(&self, time: i64) -> f64 {
        // The last span that has begun.
        let span = self.spans.iter().rev().find(|(from, ..)| *from <= time).or(self.spans.first());
        span.map_or(LEFT, |(from, until, start)| start + (time.clamp(*from, *until) - from) as f64 * self.scale)
    }

    fn total(&self) -> i64 {
        self.spans.iter().map(|(from, until, _)| until - from).sum()
    }

    /// The place after this much working time.
    fn worked(&self, mut millis: i64) -> f64 {
        for (from, until, start) in &self.spans {
            if millis <= until - from {
                return start + millis as f64 * self.scale;
            }
            millis -= until - from;
        }
        WIDTH - RIGHT
    }

    fn cuts(&self) -> impl Iterator<Item = f64> {
        self.spans.iter().skip(1).map(|(.., start)| start - CUT / 2.0)
    }
}

pub(super) fn render(page: &RunPage) -> String {
    let axis = Axis::of(page);
    let bottom = TOP + ROW * page.stages.len() as f64;
    let height = bottom + 30.0;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&format!("What run {} did, and when", page.run)));
    let _ = writeln!(out, "{STYLE}\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>");
    let title = format!("{}: {}", page.run, page.status.name());
    let _ = writeln!(out, "{}", text(16.0, 26.0, "ink", "start", 15, &title));
    legend(&mut out);
    grid(&axis, bottom, &mut out);
    for (row, stage) in page.stages.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let _ = writeln!(out, "{}", text(16.0, y + 20.0, "ink", "start", 12, &shortened(&stage.id)));
        let _ = writeln!(out, "{}", text(LEFT - 12.0, y + 20.0, "faint", "end", 11, &stage.status));
        for pause in page.pauses.iter().filter(|pause| pause.node == stage.id) {
            let (from, until) = (axis.place(millis(&pause.started_at)), axis.place(millis(&pause.until)));
            bar(from, until, y + 11.0, 8.0, LEGEND[5].1, &format!("quota until {}", pause.until), &mut out);
        }
        for attempt in page.attempts.iter().filter(|attempt| attempt.node == stage.id) {
            draw(attempt, page, &axis, y, &mut out);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// What the colours mean, below the title, so that a long one does not run into it.
fn legend(out: &mut String) {
    let mut x = 16.0;
    for (name, colour) in LEGEND {
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"38\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{colour}\"/>");
        let _ = writeln!(out, "{}", text(x + 17.0, 48.0, "ink", "start", 12, name));
        x += 36.0 + 7.0 * name.len() as f64;
    }
    let _ = writeln!(out, "<circle cx=\"{}\" cy=\"44\" r=\"3.5\" fill=\"{RED}\"/>", x + 5.0);
    let _ = writeln!(out, "{}", text(x + 14.0, 48.0, "ink", "start", 12, "verify failed"));
}

/// Lines at round working times, and dashed ones where the run was resumed.
fn grid(axis: &Axis, bottom: f64, out: &mut String) {
    let total = axis.total();
    let step = step(total);
    for number in 0..=(total / step) {
        let x = axis.worked(number * step);
        let _ = writeln!(out, "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" class=\"grid\"/>");
        let _ = writeln!(out, "{}", text(x, bottom + 18.0, "faint", "middle", 11, &label(number * step)));
    }
    let mut labelled = 0.0;
    for x in axis.cuts() {
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{bottom}\" class=\"cut\" stroke-dasharray=\"3 3\"/>",
            TOP - 8.0
        );
        if x - labelled >= CUT_LABEL {
            let _ = writeln!(out, "{}", text(x, TOP - 12.0, "faint", "middle", 11, "resumed"));
            labelled = x;
        }
    }
}

fn draw(attempt: &Attempt, page: &RunPage, axis: &Axis, y: f64, out: &mut String) {
    let start = millis(&attempt.started_at);
    // An attempt whose engine was killed lasted until the engine's last word.
    let killed = || {
        let of_engine = page.engagements.iter().rev().find(|one| millis(&one.started_at) <= start);
        of_engine.map_or(start, |one| millis(&one.ended_at))
    };
    let end = attempt.ended_at.as_ref().map_or_else(killed, |end| millis(end));
    let colour = match attempt.result.as_str() {
        "continue" => LEGEND[0].1,
        "stop" => LEGEND[1].1,
        "blocked" => LEGEND[3].1,
        "" => LEGEND[4].1,
        _ => LEGEND[2].1,
    };
    let result = match attempt.result.as_str() {
        "" if page.is_running(attempt) => "running",
        "" => "not counted",
        result => result,
    };
    let words = if attempt.summary.is_empty() { &attempt.reason } else { &attempt.summary };
    let tip = format!("{} {}: {result}. {words}", attempt.node, attempt.iteration);
    let (from, until) = (axis.place(start), axis.place(end));
    bar(from, until, y + 7.0, BAR, colour, &tip, out);
    let number = attempt.iteration.to_string();
    if until - from > 8.0 + 8.0 * number.len() as f64 {
        let _ = writeln!(out, "{}", text((from + until) / 2.0, y + 19.0, "number", "middle", 11, &number));
    }
    if attempt.verified.iter().any(|one| !one.green) {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{}\" r=\"3.5\" fill=\"{RED}\" stroke=\"#ffffff\"/>",
            until.max(from + NARROWEST),
            y + 7.0
        );
    }
}

fn bar(from: f64, until: f64, y: f64, height: f64, colour: &str, tip: &str, out: &mut String) {
    let width = (until - from - 1.0).max(NARROWEST);
    let _ = writeln!(
        out,
        "<rect x=\"{from:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" rx=\"2\" fill=\"{colour}\"><title>{}</title></rect>",
        escape(tip.trim())
    );
}

fn text(x: f64, y: f64, class: &str, anchor: &str, size: u32, words: &str) -> String {
    let words = escape(words);
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{words}</text>"
    )
}

/// A round step with at most ten of them in this many milliseconds.
fn step(total: i64) -> i64 {
    const STEPS: [i64; 14] = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
    let seconds = STEPS.into_iter().find(|step| total / (step * 1000) <= 10);
    // A run of weeks.
    seconds.map_or_else(|| (total / 10).max(1), |step| step * 1000)
}

fn label(millis: i64) -> String {
    let seconds = millis / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours}:{minutes:02} h"),
    }
}

fn shortened(id: &str) -> String {
    match id.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", &id[..end]),
        None => id.to_owned(),
    }
}

/// A text in XML, without characters that XML does not allow.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}
