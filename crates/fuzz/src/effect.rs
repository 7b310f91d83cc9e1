use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use stead_model::{Action, Coverage, Effects, Op, ToolCall};
use stead_shell::{Place, effects};

use crate::no_files::NoFiles;

/// Any command and any tool input has a record, and nothing written after a deletion hides it.
pub fn effect(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    sound(&record(&text, Action::Run { command: Cow::Borrowed(&text), dir: None }));
    sound(&record(&text, Action::Other));
    let after = format!("rm -rf infra\n{text}");
    let found = record(&after, Action::Run { command: Cow::Borrowed(&after), dir: None });
    let gone = |op: &Op| matches!(op, Op::Delete(target) if target.inside.as_deref() == Some("infra"));
    assert!(found.list.iter().any(|effect| gone(&effect.op)), "a deletion is hidden by this after it: {text:?}");
}

const PROGRAMS: [&str; 7] = ["python3 -c", "node -e", "ruby -e", "perl -e", "php -r", "lua -e", "awk"];

/// Any program text in another language has a record.
pub fn code(data: &[u8]) {
    let (choice, data) = data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest));
    let quoted = String::from_utf8_lossy(data).replace('\'', r"'\''");
    let command = format!("{} '{quoted}'", PROGRAMS[choice % PROGRAMS.len()]);
    sound(&record(&command, Action::Run { command: Cow::Borrowed(&command), dir: None }));
}

fn record(input: &str, action: Action<'_>) -> Effects {
    let call = ToolCall { tool: "Fuzz".into(), id: None, action, input: input.into() };
    let env = |name: &str| (name == "HOME").then(|| OsString::from("/home/dev"));
    let root = Path::new("/home/dev/project");
    effects(&call, &Place { root: Some(root), tree: None, others: &[], cwd: root, env: &env }, &NoFiles)
}

fn sound(effects: &Effects) {
    assert_eq!(effects.gaps.is_empty(), effects.coverage == Coverage::Full, "{effects:?}");
    for effect in &effects.list {
        let targets: Vec<_> = match &effect.op {
            Op::Read { target, .. } | Op::Delete(target) | Op::Write { target, .. } => vec![target],
            Op::Rename { from, to } => vec![from, to],
            _ => Vec::new(),
        };
        assert!(targets.iter().all(|target| target.path.starts_with('/')), "{effect:?}");
    }
}
