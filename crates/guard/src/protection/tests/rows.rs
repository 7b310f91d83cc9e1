//! What must hold for every row of every effects table, its target replaced by something protected: a change of it is
//! denied, and a call that is known to the end and changes nothing protected passes.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_model::{
    Action, Content, Coverage, Effects, Event, EventKind, How, Level, Op, ProjectTree, Target, ToolCall,
};
use stead_shell::{Facts, Place, effects};

use super::World;
use crate::protection::{Policy, judge};

#[path = "../../../../shell/tests/effect/scene.rs"]
#[expect(dead_code, reason = "the tables have their own tests; only the files are taken from here")]
mod scene;

/// One of each class of protected path. The rows are about `infra/main.tf`.
const CLASSES: &[&str] = &[
    ".agent/config.toml",
    ".agent/guards/a.yaml",
    ".agent/context/root.json",
    ".agent/context/indexes/sessions.jsonl",
    ".agent/features/evidence/login/a.json",
    ".tool/settings.json",
    "../.config/stead/config.toml",
];

/// The files of the tables' project, with the target replaced in their texts, too.
struct Swapped {
    class: &'static str,
    within: Within,
    files: Vec<(String, String)>,
}

/// The tree that a row runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Root,
    /// A work tree or copy of the project beside it.
    OtherTree,
    /// Somebody else's project.
    OtherProject,
}

impl Within {
    fn dir(self) -> &'static str {
        match self {
            Self::Root => World::ROOT,
            Self::OtherTree | Self::OtherProject => "/home/ann/twin",
        }
    }
}

impl Swapped {
    fn new(class: &'static str, within: Within) -> Self {
        let swap = |text: &str| swap(text, class, within);
        let files = scene::FILES.iter().map(|(name, text)| (swap(name), swap(text))).collect();
        Self { class, within, files }
    }

    /// The name of a file as the project has it.
    fn below(&self, path: &Path) -> Option<String> {
        Some(path.strip_prefix(self.within.dir()).ok()?.to_string_lossy().into_owned())
    }
}

impl Facts for Swapped {
    fn read(&self, path: &Path) -> Option<String> {
        let below = self.below(path)?;
        if below == ".tool/settings.json" {
            return Some(World::OURS.to_owned());
        }
        self.files.iter().find(|(name, _)| *name == below).map(|(_, text)| text.clone())
    }

    fn real(&self, path: &Path) -> PathBuf {
        let dir = self.within.dir();
        match path.strip_prefix(format!("{dir}/link")) {
            Ok(rest) => Path::new(dir).join(folder(self.class)).join(rest),
            Err(_) => path.to_path_buf(),
        }
    }

    fn had_lines(&self, _: &Path) -> bool {
        false
    }

    fn tree_of(&self, path: &Path) -> Option<ProjectTree> {
        let dir = PathBuf::from(self.within.dir());
        match self.within {
            Within::OtherTree if path.starts_with(&dir) => Some(ProjectTree::Same(dir)),
            Within::OtherProject if path.starts_with(&dir) => Some(ProjectTree::Other(dir)),
            _ => None,
        }
    }

    fn started_loop(&self, _: &str) -> bool {
        false
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        let below = self.below(path)?;
        let is_folder = scene::FOLDERS.iter().any(|folder| swap(folder, self.class, self.within) == below);
        let is_file = self.files.iter().any(|(name, _)| *name == below);
        (is_folder || is_file).then_some(is_folder)
    }
}

fn folder(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Puts a protected path where the tables have their target.
fn swap(text: &str, class: &str, within: Within) -> String {
    let name = class.rsplit('/').next().unwrap_or_default();
    let text = text.replace("infra/main.tf", class).replace("infra", folder(class)).replace("main.tf", name);
    match within.dir().strip_prefix("/home/ann/") {
        Some(dir) if within != Within::Root => ["ann/", "../", "rm -rf "]
            .iter()
            .fold(text, |text, before| text.replace(&format!("{before}proj"), &format!("{before}{dir}"))),
        _ => text,
    }
}

/// The commands of all tables: every line with ` =>` in it between the signs of a raw text.
fn commands() -> Vec<String> {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shell/tests/effect");
    let mut rows = Vec::new();
    for file in std::fs::read_dir(tables).expect("the tables are there") {
        let text = std::fs::read_to_string(file.expect("a table").path()).expect("a table");
        for table in text.split("r##\"").skip(1).filter_map(|rest| rest.split("\"##").next()) {
            let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
            let command = |line: &str| line.split_once(" =>").map_or(line, |(command, _)| command).replace('⏎', "\n");
            rows.extend(lines.map(command));
        }
    }
    rows
}

/// What an effect means for the path in question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    Not,
    /// A pattern, a guess or a wide folder: it depends.
    Perhaps,
    Surely,
}

fn touch(target: &Target, path: &str, takes_all: bool, within: Within) -> Touch {
    let wide = target.tree && within.dir().starts_with(target.path.as_str());
    let holds = target.tree && path.starts_with(&format!("{}/", target.path.trim_end_matches('/')));
    match () {
        () if target.glob || target.guessed || !target.except.is_empty() || wide && !takes_all => Touch::Perhaps,
        () if target.path == path || holds || wide => Touch::Surely,
        // Everything else that lies where protected files do is another question.
        () if path.starts_with(&format!("{}/", target.path)) || is_protected(&target.path) => Touch::Perhaps,
        () => Touch::Not,
    }
}

fn is_protected(path: &str) -> bool {
    [".agent/", ".tool/", ".config/stead"].iter().any(|folder| path.contains(folder))
}

fn touches(effects: &Effects, path: &str, within: Within) -> Touch {
    let touch = |target: &Target, path: &str, takes_all: bool| touch(target, path, takes_all, within);
    let ops = effects.list.iter().map(|effect| match &effect.op {
        Op::Write { target, how: How::Somewhere, .. } => touch(target, path, false).min(Touch::Perhaps),
        // Replacing known text may change nothing.
        Op::Write { target, content: Content::Replacements(_), .. } => touch(target, path, false).min(Touch::Perhaps),
        Op::Write { target, .. } => touch(target, path, false),
        Op::Delete(target) => touch(target, path, true),
        Op::Rename { from, to } => touch(from, path, true).max(touch(to, path, false)),
        Op::Git(git) if git.untracked.is_some() => Touch::Perhaps,
        Op::Stead(_) => Touch::Perhaps,
        _ => Touch::Not,
    });
    ops.max().unwrap_or(Touch::Not)
}

#[test]
fn a_change_of_something_protected_is_denied_and_what_changes_nothing_passes() {
    let commands = commands();
    let world = World::new();
    let policy = Policy::parse(&world.policy);
    let (changes, passes, open) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut wrong = Vec::new();
    let grounds = [Within::Root, Within::OtherTree, Within::OtherProject];
    for (class, within) in CLASSES.iter().flat_map(|class| grounds.map(|within| (class, within))) {
        let facts = Swapped::new(class, within);
        let env = |name: &str| (name == "HOME").then(|| OsString::from(World::HOME));
        let root = Path::new(World::ROOT);
        let cwd = Path::new(within.dir());
        let place = Place { root: Some(root), tree: None, others: &[], cwd, env: &env };
        let path = stead_shell::absolute(class, cwd, None).to_string_lossy().into_owned();
        for row in &commands {
            let command = swap(row, class, within);
            let action = Action::Run { command: command.as_str().into(), dir: None };
            let call = ToolCall { tool: "Bash".into(), id: None, action, input: "".into() };
            let effects = effects(&call, &place, &facts);
            let mut event = Event::new(EventKind::BeforeTool, "PreToolUse");
            event.call = Some(call);
            let verdict = judge(&policy, &event, &|| &effects, &place, &facts);
            let (expected, counter) = match touches(&effects, &path, within) {
                Touch::Surely => (Level::Deny, &changes),
                Touch::Not if effects.coverage == Coverage::Full => (Level::Allow, &passes),
                _ => {
                    open.set(open.get() + 1);
                    continue;
                }
            };
            counter.set(counter.get() + 1);
            if verdict.level != expected {
                wrong.push(format!("{within:?}, not {}: {command}\n    {}", expected.name(), verdict.reason_text()));
            }
        }
    }
    let (rows, classes) = (commands.len(), CLASSES.len());
    let counts = format!(
        "{rows} rows x {classes} classes x 3 trees: {} changes denied, {} without one pass, {} neither",
        changes.get(),
        passes.get(),
        open.get()
    );
    println!("{counts}");
    assert!(wrong.is_empty(), "{counts}; {} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 1_400 && changes.get() > 9_000 && passes.get() > 9_000, "{counts}");
}
