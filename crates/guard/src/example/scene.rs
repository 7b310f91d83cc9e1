use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_shell::Facts;

use crate::exec::{ExecAnswer, ExecCall};
use crate::guard_facts::{
    Caller, EvidenceState, FeatureState, FileSort, FileText, GuardFacts, Looked, Measure, TestRuns,
};

/// The path of the made-up project, which no real project has.
pub(crate) const ROOT: &str = "/srv/project";
pub(crate) const HOME: &str = "/home/person";

/// The circumstances of an example.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) caller: Caller,
    pub(crate) harness: String,
    /// Below the root.
    pub(crate) cwd: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) lines: Vec<(String, u64)>,
    pub(crate) flags: Vec<String>,
    /// By feature; without one, of the whole tree.
    pub(crate) evidence: Vec<(Option<String>, EvidenceState)>,
    pub(crate) features: Vec<(String, FeatureState)>,
    pub(crate) tests: TestRuns,
    pub(crate) intent: Option<String>,
    pub(crate) counters: Vec<(String, u64)>,
    pub(crate) holds: u64,
    pub(crate) waiting: usize,
    pub(crate) exec: ExecAnswer,
    /// Files that `exists` names do not exist.
    pub(crate) absent: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            caller: Caller::Main { role: None },
            harness: Harness::DEFAULT.name().into(),
            cwd: String::new(),
            files: Vec::new(),
            lines: Vec::new(),
            flags: Vec::new(),
            evidence: Vec::new(),
            features: Vec::new(),
            tests: TestRuns::default(),
            intent: None,
            counters: Vec::new(),
            holds: 0,
            waiting: 0,
            exec: ExecAnswer::Deny { reason: String::new() },
            absent: false,
        }
    }
}

impl Scene {
    pub(crate) fn cwd(&self) -> String {
        absolute(&self.cwd)
    }

    fn file(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|(name, _)| absolute(name) == path).map(|(_, text)| text.as_str())
    }
}

fn absolute(path: &str) -> String {
    match path {
        "" => ROOT.to_owned(),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{ROOT}/{path}"),
    }
}

impl Facts for Scene {
    fn read(&self, path: &Path) -> Option<String> {
        self.file(&path.to_string_lossy()).map(str::to_owned)
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn had_lines(&self, _path: &Path) -> bool {
        false
    }

    fn started_loop(&self, _id: &str) -> bool {
        false
    }

    fn is_folder(&self, path: &Path) -> Option<bool> {
        let path = path.to_string_lossy();
        if self.file(&path).is_some() {
            return Some(false);
        }
        let below = format!("{path}/");
        (path == ROOT || self.files.iter().any(|(name, _)| absolute(name).starts_with(&below))).then_some(true)
    }
}

impl GuardFacts for Scene {
    fn text(&self, path: &str) -> FileText {
        self.file(path).map_or(FileText::Missing, |text| FileText::Is(text.to_owned()))
    }

    /// Unless an example says otherwise, files that `exists` names are assumed to exist.
    fn exists(&self, path: &str) -> bool {
        !self.absent || self.file(path).is_some()
    }

    fn is_folder(&self, path: &str) -> bool {
        Facts::is_folder(self, Path::new(path)) == Some(true)
    }

    /// Only an example that lists its files can be searched.
    fn find_file(&self, folder: &str, fits: &dyn Fn(&str, FileSort) -> bool) -> Looked {
        let told = || self.files.iter().map(|(name, _)| name).chain(self.lines.iter().map(|(name, _)| name));
        if told().next().is_none() {
            return Looked::Unknown;
        }
        let below = format!("{}/", folder.trim_end_matches('/'));
        let mut paths = told().map(|name| absolute(name)).filter(|path| path.starts_with(&below));
        paths.find(|path| fits(path, FileSort::File)).map_or(Looked::Nothing, Looked::Found)
    }

    fn measure(&self, path: &str, _enough: u64) -> Option<Measure> {
        let lines = self.lines.iter().find(|(name, _)| absolute(name) == path).map(|(_, lines)| *lines);
        let text = self.file(path);
        let lines = lines.or_else(|| text.map(|text| text.lines().count() as u64))?;
        Some(Measure { lines, bytes: text.map_or(lines * 80, |text| text.len() as u64) })
    }

    fn caller(&self) -> Caller {
        self.caller.clone()
    }

    fn evidence(&self, feature: Option<&str>) -> Result<EvidenceState, String> {
        let found = self.evidence.iter().find(|(known, _)| known.as_deref() == feature);
        let any = self.evidence.iter().find(|(known, _)| known.is_none());
        Ok(found.or(any).map_or_else(|| EvidenceState::None { why: String::new() }, |(_, standing)| standing.clone()))
    }

    fn feature(&self, id: &str) -> Result<Option<FeatureState>, String> {
        Ok(self.features.iter().find(|(known, _)| known == id).map(|(_, state)| state.clone()))
    }

    fn test_runs(&self) -> Result<TestRuns, String> {
        Ok(self.tests)
    }

    fn intent(&self) -> Result<Option<String>, String> {
        Ok(self.intent.clone())
    }

    fn has_flag(&self, flag: &str) -> Result<bool, String> {
        Ok(self.flags.iter().any(|known| known == flag))
    }

    fn counter(&self, name: &str) -> Result<u64, String> {
        Ok(self.counters.iter().find(|(known, _)| known == name).map_or(0, |(_, number)| *number))
    }

    fn holds(&self, _guard: &str) -> Result<u64, String> {
        Ok(self.holds)
    }

    fn run(&self, _call: &ExecCall<'_>) -> Result<ExecAnswer, String> {
        Ok(self.exec.clone())
    }

    fn now(&self) -> i64 {
        0
    }
}
