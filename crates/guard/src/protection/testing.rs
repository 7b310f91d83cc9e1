//! A small world for tests: a project, a home, two clients, files and symlinks in memory.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_model::{Effects, Event, EventKind, Level, ToolCall, Verdict};
use stead_shell::{Facts, Place, effects};

use super::shield::{Shield, Standing, Width};
use super::{OwnRoom, Policy, Rule, builtin_rules, judge, render_needles};

pub(crate) struct World {
    pub(crate) policy: String,
    pub(crate) files: BTreeMap<PathBuf, String>,
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    pub(crate) had: Vec<PathBuf>,
    /// What is known not to be there, below the root.
    pub(crate) missing: Vec<&'static str>,
    /// The loops that this session started.
    pub(crate) own_loops: Vec<&'static str>,
    pub(crate) cwd: PathBuf,
    /// The files are all there are.
    pub(crate) listed: bool,
    /// Git tracks `.agent`.
    pub(crate) tracked: bool,
    /// No project was found.
    pub(crate) rootless: bool,
}

impl World {
    pub(crate) const ROOT: &str = "/home/ann/proj";
    pub(crate) const HOME: &str = "/home/ann";
    /// A settings text with one of our lines.
    pub(crate) const OURS: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"stead hook sometool PreToolUse"}]}]},"theme":"dark"}"#;

    pub(crate) fn new() -> Self {
        let mut rules = builtin_rules(&|room| {
            let name = match room {
                OwnRoom::Context => "context",
                OwnRoom::Intents => "intents",
                OwnRoom::Runs => "runs",
                OwnRoom::Features => "features",
                OwnRoom::Guards => "guards",
                OwnRoom::Graph => "graph",
                OwnRoom::Cache => "cache",
            };
            format!(".agent/{name}")
        });
        let settings = [
            "settings\tproject\t.tool/settings.json\tSome Tool\tgroups\toff:/disableAllHooks=true",
            "settings\tproject\t.tool/settings.local.json\tSome Tool\tgroups\toff:/disableAllHooks=true",
            "settings\tvar:TOOL_HOME:.usertool\tsettings.json\tSome Tool\tgroups\toff:/disableAllHooks=true",
            "settings\tproject\t.github/hooks/*.json\tOther Tool\tflat\t",
        ];
        rules.extend(settings.iter().filter_map(|line| Rule::parse(line)));
        let mut lines = vec![render_needles(&rules).trim_end().to_owned()];
        lines.extend(rules.iter().map(Rule::render));
        let root = Path::new(Self::ROOT);
        let files = BTreeMap::from([(root.join(".tool/settings.json"), Self::OURS.to_owned())]);
        Self {
            policy: lines.join("\n"),
            files,
            links: BTreeMap::new(),
            had: vec![root.join(".tool/settings.json")],
            missing: Vec::new(),
            own_loops: vec!["20261115T194530Z-mine"],
            cwd: root.to_path_buf(),
            listed: false,
            tracked: false,
            rootless: false,
        }
    }

    pub(crate) fn at(cwd: &str) -> Self {
        Self { cwd: PathBuf::from(cwd), ..Self::new() }
    }

    pub(crate) fn judge(&self, event: &Event<'_>) -> Verdict {
        let env = |name: &str| (name == "HOME").then(|| OsString::from(Self::HOME));
        let root = (!self.rootless).then_some(Path::new(Self::ROOT));
        let place = Place { root, tree: None, others: &[], cwd: &self.cwd, env: &env };
        let made: OnceCell<Effects> = OnceCell::new();
        let make = || event.call.as_ref().map(|call| effects(call, &place, self)).unwrap_or_default();
        judge(&Policy::parse(&self.policy), event, &|| made.get_or_init(make), &place, self)
    }

    /// Judges a tool call that is about to happen.
    pub(crate) fn before(&self, call: ToolCall<'_>) -> Verdict {
        let mut event = Event::new(EventKind::BeforeTool, "PreToolUse");
        event.call = Some(call);
        self.judge(&event)
    }

    pub(crate) fn with_shield(&self, test: impl FnOnce(&Shield<'_>, &Place<'_>)) {
        let env = |name: &str| (name == "HOME").then(|| OsString::from(Self::HOME));
        let place = Place { root: Some(Path::new(Self::ROOT)), tree: None, others: &[], cwd: &self.cwd, env: &env };
        let policy = Policy::parse(&self.policy);
        test(&Shield::raise(&policy, &place, self), &place);
    }
}

impl Facts for World {
    fn read(&self, path: &Path) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn real(&self, path: &Path) -> PathBuf {
        for (link, target) in &self.links {
            if let Ok(rest) = path.strip_prefix(link) {
                return target.join(rest);
            }
        }
        path.to_path_buf()
    }

    fn had_lines(&self, path: &Path) -> bool {
        self.had.iter().any(|had| had == path)
    }

    fn is_missing(&self, path: &Path) -> bool {
        self.listed && !self.files.keys().any(|file| file.starts_with(path))
            || self.missing.iter().any(|missing| path.starts_with(Path::new(Self::ROOT).join(missing)))
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        const FOLDERS: &[&str] =
            &[".agent", ".agent/context", ".agent/guards", ".agent/runs", ".agent/context/packets", ".tool", ".github"];
        FOLDERS.iter().any(|folder| path == Path::new(Self::ROOT).join(folder)).then_some(true)
    }

    fn files_below(&self, path: &Path) -> Option<Vec<PathBuf>> {
        self.listed.then(|| self.files.keys().filter(|file| file.starts_with(path)).cloned().collect())
    }

    fn is_tracked(&self, path: &Path) -> Option<bool> {
        self.tracked.then(|| path.ends_with(".agent"))
    }

    fn started_loop(&self, id: &str) -> bool {
        self.own_loops.contains(&id)
    }

    fn stored_trace(&self, id: &str) -> bool {
        id.ends_with("-mine")
    }
}

/// Shows a standing in a word or two.
pub(crate) fn show(standing: Option<Standing<'_>>) -> String {
    match standing {
        Some(Standing::In(entry)) => format!("in {}", entry.shown()),
        Some(Standing::Above(_, Width::Narrow)) => "above, narrow".to_owned(),
        Some(Standing::Above(_, Width::Tree)) => "above, tree".to_owned(),
        Some(Standing::Above(_, Width::Wide)) => "above, wide".to_owned(),
        None => "apart".to_owned(),
    }
}

#[track_caller]
pub(crate) fn expect(verdict: &Verdict, level: Level, about: &str) {
    assert_eq!(verdict.level, level, "{about}\n{}", verdict.reason_text());
    if level == Level::Deny {
        let text = verdict.reason_text();
        assert!(text.starts_with("Stead stopped ") && text.contains("\nInstead: "), "{about}\n{text}");
        assert!(text.lines().count() == 2 && text.len() < 700, "{about}\n{text}");
    }
}
