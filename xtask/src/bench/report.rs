use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::measured::Spread;

/// The figures of a benchmark, printed as a Markdown table or as JSON.
pub(super) struct Report {
    /// How it was measured, in a line.
    pub(super) head: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    pub(super) targets: Vec<Target>,
    /// A note, in a line.
    pub(super) note: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) title: &'static str,
    /// Its name in JSON.
    pub(super) key: &'static str,
    /// How many decimal places the table shows.
    pub(super) digits: usize,
}

pub(super) const fn column(title: &'static str, key: &'static str, digits: usize) -> Column {
    Column { title, key, digits }
}

/// A name, and a figure for each column; not every row has every figure.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) figures: Vec<Option<f64>>,
}

/// A figure and its maximum.
pub(super) struct Target {
    pub(super) says: String,
    pub(super) figure: f64,
    pub(super) most: f64,
}

impl Target {
    /// How much longer something takes than a program that does nothing.
    pub(super) fn times_no_op(ratio: Spread, most: f64) -> Self {
        let Spread { median, least } = ratio;
        let says = format!("{median:.2}x the static no-op, {least:.2}x by the least times (at most {most}x)");
        Self { says, figure: median, most }
    }

    /// A missing figure counts as a failure.
    pub(super) fn met(&self) -> bool {
        self.figure <= self.most
    }
}

impl Report {
    pub(super) fn table(&self) -> String {
        let mut text = format!("{}\n\n| |", self.head);
        for column in &self.columns {
            let _ = write!(text, " {} |", column.title);
        }
        let _ = writeln!(text, "\n|---|{}", "---:|".repeat(self.columns.len()));
        for row in &self.rows {
            let _ = write!(text, "| {} |", row.name);
            for (column, figure) in self.columns.iter().zip(&row.figures) {
                let _ = match figure {
                    Some(figure) => write!(text, " {figure:.*} |", column.digits),
                    None => write!(text, " - |"),
                };
            }
            text.push('\n');
        }
        text.push('\n');
        for target in &self.targets {
            let _ = writeln!(text, "{} {}", if target.met() { "PASS" } else { "OVER" }, target.says);
        }
        if let Some(note) = &self.note {
            let _ = writeln!(text, "     {note}");
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let row = |row: &Row| {
            let figures = self.columns.iter().zip(&row.figures).map(|(column, figure)| (column.key, json!(figure)));
            let members = [("name", json!(row.name))].into_iter().chain(figures);
            Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
        };
        let target = |target: &Target| json!({"target": target.says, "figure": target.figure, "most": target.most, "met": target.met()});
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let targets: Vec<Value> = self.targets.iter().map(target).collect();
        format!("{:#}\n", json!({"about": self.head, "rows": rows, "targets": targets, "note": self.note}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_json_show_the_same_figures() {
        let target = |figure| Target { says: format!("{figure} apples (at most 3)"), figure, most: 3.0 };
        let report = Report {
            head: "two rounds".to_owned(),
            columns: vec![column("CPU p50", "cpu", 1), column("faults", "faults", 0)],
            rows: vec![Row { name: "no-op".to_owned(), figures: vec![Some(1.25), None] }],
            targets: vec![target(3.0), target(3.5), target(f64::NAN)],
            note: Some("all ripe".to_owned()),
        };
        assert_eq!(
            report.table(),
            "two rounds\n\n| | CPU p50 | faults |\n|---|---:|---:|\n| no-op | 1.2 | - |\n\n\
             PASS 3 apples (at most 3)\nOVER 3.5 apples (at most 3)\nOVER NaN apples (at most 3)\n     all ripe\n"
        );
        let json: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json["rows"], json!([{"name": "no-op", "cpu": 1.25, "faults": null}]));
        assert_eq!(json["targets"][1]["met"], false);
    }
}
