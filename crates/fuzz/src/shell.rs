use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use stead_guard::protection::{Policy, judge};
use stead_hook::rules_text;
use stead_model::{Action, Event, EventKind, Level, ToolCall, Verdict};
use stead_shell::{Place, effects};
use stead_store::Layout;

use crate::no_files::NoFiles;

/// The gate judges any command and any tool input without failing, and nothing that is written after a forbidden
/// command makes it a harmless one.
pub fn shell(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = verdict(&text, Action::Run { command: Cow::Borrowed(&text), dir: None });
    let _ = verdict(&text, Action::Other);
    let after = format!("rm -rf .agent/guards\n{text}");
    let denied = verdict(&after, Action::Run { command: Cow::Borrowed(&after), dir: None });
    assert_eq!(denied.level, Level::Deny, "a forbidden command passed with this after it: {text:?}");
}

static POLICY: LazyLock<String> = LazyLock::new(|| rules_text(&Layout::default()));

fn verdict(input: &str, action: Action<'_>) -> Verdict {
    let mut event = Event::new(EventKind::BeforeTool, "PreToolUse");
    let call = ToolCall { tool: "Fuzz".into(), id: None, action, input: input.into() };
    let env = |name: &str| (name == "HOME").then(|| OsString::from("/home/dev"));
    let root = Path::new("/home/dev/project");
    let place = Place { root: Some(root), tree: None, others: &[], cwd: root, env: &env };
    let effects = effects(&call, &place, &NoFiles);
    event.call = Some(call);
    judge(&Policy::parse(&POLICY), &event, &|| &effects, &place, &NoFiles)
}
