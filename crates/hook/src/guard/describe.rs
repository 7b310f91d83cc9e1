//! Describes what a call would do, in a few words for the log.

use stead_model::{Access, Coverage, Effects, Op, Target};
use stead_store::redact;

/// The maximum number of recorded effects of a call, and of bytes of each.
const MOST: usize = 12;
const BYTES: usize = 120;

/// Describes each effect in a few words, without secrets.
pub(super) fn describe_effects(effects: &Effects) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for effect in &effects.list {
        let text = describe_action(&effect.op);
        if !words.contains(&text) {
            words.push(text);
        }
    }
    let more = words.len().saturating_sub(MOST);
    words.truncate(MOST);
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    if effects.coverage != Coverage::Full {
        words.push(format!("known: {}", effects.coverage.name()));
    }
    words
}

/// One effect in a few words.
pub fn describe_action(op: &Op) -> String {
    let text = match op {
        Op::Read { target, access: Access::Used } => format!("use {}", path(target)),
        Op::Read { target, .. } => format!("read {}", path(target)),
        Op::Write { target, .. } => format!("write {}", path(target)),
        Op::Delete(target) => format!("delete {}", path(target)),
        Op::Rename { from, to } => format!("rename {} to {}", path(from), path(to)),
        Op::Run { argv, .. } => format!("run {}", argv.join(" ")),
        Op::Git(op) => format!("git {}", op.verb),
        Op::Network { program, host: Some(host) } => format!("network {program} {host}"),
        Op::Network { program, host: None } => format!("network {program}"),
        Op::RunDownload { program, host: Some(host) } => format!("run code from {host} with {program}"),
        Op::RunDownload { program, host: None } => format!("run downloaded code with {program}"),
        Op::Sql { program, words } => format!("sql {program}: {}", words.join(" ")),
        Op::Mcp { server, tool } => format!("mcp {server}/{tool}"),
        Op::Spawn { role } => format!("spawn {}", role.as_deref().unwrap_or("an agent")),
        Op::Stead(call) => {
            let words: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
            format!("stead {}", words.join(" "))
        }
    };
    cut(&redact(&text.split_whitespace().collect::<Vec<_>>().join(" ")), BYTES)
}

fn path(target: &Target) -> String {
    let shown = match target.inside.as_deref() {
        Some("") => ".",
        Some(inside) => inside,
        None => &target.path,
    };
    if target.tree { format!("{shown}/**") } else { shown.to_owned() }
}

/// Truncates a text for a line that is redacted as a whole; a long one is redacted before, so that no half of a secret is
/// left where it ends.
pub(crate) fn kept(text: &str, most: usize) -> String {
    if text.len() <= most { text.to_owned() } else { cut(&redact(text), most) }
}

/// Shortens a text at a character.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}
