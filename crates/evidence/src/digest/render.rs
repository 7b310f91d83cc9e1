use stead_model::BYTES_PER_TOKEN;

use super::{Digest, Group};
use crate::Severity;

impl Digest {
    /// How many lines have a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.groups.iter().filter(|group| group.severity == severity).map(|group| group.count).sum()
    }

    /// Formats the digest within a budget: a heading, then the most important lines, in order.
    pub fn render(&self, tokens: usize) -> String {
        let budget = tokens.saturating_mul(BYTES_PER_TOKEN);
        let mut text = self.heading();
        let edges = self.edges(budget.saturating_sub(text.len()) / 4);
        let cost = |lines: &[(u64, String)]| lines.iter().map(|(_, line)| line.len() + 12).sum::<usize>();
        let mut room = budget.saturating_sub(text.len() + cost(&edges));
        let mut ranked: Vec<&Group> = self.groups.iter().collect();
        // The first error is often the cause; lines that occur once often matter more than frequent ones.
        ranked.sort_by_key(|group| (std::cmp::Reverse(group.severity), group.first));
        let mut shown: Vec<(u64, String)> = edges;
        let mut left_out = self.dropped;
        for group in ranked {
            let Some(lines) = fitting(group, room) else {
                left_out += 1;
                continue;
            };
            room -= cost(&lines);
            shown.extend(lines);
        }
        shown.sort_by_key(|(number, line)| (*number, std::cmp::Reverse(line.len())));
        shown.dedup_by_key(|(number, _)| *number);
        let mut last = 0;
        for (number, line) in shown {
            if number > last + 1 && last > 0 {
                text.push_str("   …\n");
            }
            text.push_str(&format!("{number:>8}  {line}\n"));
            last = number;
        }
        if left_out > 0 {
            let kinds = if left_out == 1 { "kind" } else { "kinds" };
            text.push_str(&format!("{left_out} more {kinds} of lines did not fit\n"));
        }
        text
    }

    fn heading(&self) -> String {
        let counted = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let mut text = format!("{}, {}", counted(self.lines, "line", "lines"), counted(self.bytes, "byte", "bytes"));
        for (severity, one, many) in [
            (Severity::Fatal, "fatal", "fatal"),
            (Severity::Error, "error", "errors"),
            (Severity::Warning, "warning", "warnings"),
            (Severity::Asked, "other match", "other matches"),
        ] {
            let count = self.count(severity);
            if count > 0 {
                text.push_str(&format!(", {}", counted(count, one, many)));
            }
        }
        text.push('\n');
        text
    }

    /// The first and the last lines, as many as fit.
    fn edges(&self, room: usize) -> Vec<(u64, String)> {
        let mut edges: Vec<(u64, String)> = Vec::new();
        let mut used = 0;
        let both = self.tail.iter().rev().map(Some).zip(self.head.iter().map(Some).chain(std::iter::repeat(None)));
        for line in both.flat_map(|(tail, head)| [tail, head]).flatten() {
            used += line.1.len() + 12;
            if used > room {
                break;
            }
            edges.push(line.clone());
        }
        edges
    }
}

/// The lines of a group that fit: with the lines around it, else alone, else none.
fn fitting(group: &Group, room: usize) -> Option<Vec<(u64, String)>> {
    let counted = |(number, line): &(u64, String)| match (*number == group.first, group.count) {
        (true, 2..) => (*number, format!("{line}  (×{}, last in line {})", group.count, group.last)),
        _ => (*number, line.clone()),
    };
    let all: Vec<_> = group.lines.iter().map(counted).collect();
    let own: Vec<_> = all.iter().filter(|(number, _)| *number == group.first).cloned().collect();
    let cost = |lines: &[(u64, String)]| lines.iter().map(|(_, line)| line.len() + 12).sum::<usize>();
    [all, own].into_iter().find(|lines| cost(lines) <= room)
}
