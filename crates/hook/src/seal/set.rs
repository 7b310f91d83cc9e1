//! Which files are sealed.

use std::fs;
use std::path::{Path, PathBuf};

use stead_client::{Harness, VARIABLES};
use stead_feature::AgentVerifiers;
use stead_ledger::intent::{IGNORE, INTENTS};
use stead_model::{Base, Shape};
use stead_settings::{Watch, has_our_lines};
use stead_store::{CONFIG, CONFIG_LOCAL, FolderLook, MARKER, Room, read_text};

use super::kind::Kind;
use crate::file_facts::resolve;
use crate::guard::{GUARDS, Override, is_guard_file};
use crate::intent;
use crate::location::Env;
use crate::policy::{POLICY, PolicyText};

/// The feature list, below its room.
pub(super) const FEATURES: &str = "feature-list.json";

/// The session log, below the project's context.
pub(crate) const SESSIONS: &str = "indexes/sessions.jsonl";

/// Logs that may only grow, by their rooms.
const LOGS: &[(Room, &str)] = &[
    (Room::Context, SESSIONS),
    (Room::Context, "indexes/evidence.jsonl"),
    (Room::Intents, "agent_trace.jsonl"),
    (Room::Intents, "agent_trace.stead.jsonl"),
    (Room::Intents, "requests.jsonl"),
    (Room::Features, AgentVerifiers::FILE),
    (Room::Graph, "traces.jsonl"),
];

/// The compiled texts.
pub(super) const CACHES: [&str; 3] = [POLICY, GUARDS, intent::CACHE];

/// What is sealed in one place.
#[derive(Default)]
pub(super) struct SealedSet {
    pub(super) files: Vec<(PathBuf, Kind)>,
    pub(super) logs: Vec<PathBuf>,
    /// Folders in which a new file matters.
    pub(super) folders: Vec<PathBuf>,
}

impl SealedSet {
    /// The files of a project.
    pub(super) fn of_project(root: &Path, policy: &PolicyText, env: &Env) -> Self {
        let room = |room: Room| policy.room(root, room);
        let mut set = Self::default();
        set.file(root.join(MARKER), Kind::Marker);
        set.file(root.join(CONFIG), Kind::Config);
        set.file(root.join(CONFIG_LOCAL), Kind::Config);
        set.guards(Self::guards_of(root, policy));
        set.file(room(Room::Intents).join(INTENTS), Kind::Intents);
        set.file(room(Room::Intents).join(IGNORE), Kind::IntentIgnore);
        set.file(room(Room::Features).join(FEATURES), Kind::Features);
        set.file(Override::path(&policy.indexes(root)), Kind::Overrides);
        CACHES.iter().for_each(|cache| set.file(root.join(cache), Kind::Cache));
        set.settings(root, env, &|base| base == Base::Project);
        set.logs = Self::logs_of(root, policy);
        set
    }

    /// The logs of a project.
    pub(super) fn logs_of(root: &Path, policy: &PolicyText) -> Vec<PathBuf> {
        LOGS.iter().map(|(place, name)| policy.room(root, *place).join(name)).collect()
    }

    /// The folder of a project's guards, in which a new file matters.
    pub(super) fn guards_of(root: &Path, policy: &PolicyText) -> PathBuf {
        policy.room(root, Room::Guards)
    }

    /// The person's own files, which all projects share.
    pub(super) fn of_person(folders: &[PathBuf], root: &Path, env: &Env) -> Self {
        let mut set = Self::default();
        for config in folders {
            set.file(config.join("config.toml"), Kind::Config);
            set.guards(config.join("guards"));
        }
        set.settings(root, env, &|base| base != Base::Project);
        set
    }

    fn file(&mut self, path: PathBuf, kind: Kind) {
        if !self.files.iter().any(|(known, _)| *known == path) {
            self.files.push((path, kind));
        }
    }

    fn guards(&mut self, folder: PathBuf) {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_guard_file(name));
        for name in names.take(FolderLook::LIMIT) {
            self.file(folder.join(name), Kind::Guard);
        }
        self.folders.push(folder);
    }

    /// The settings files of the clients in which Stead was installed. A file that is not there counts, too: it could be
    /// created with a switch that turns hooks off.
    fn settings(&mut self, root: &Path, env: &Env, counts: &dyn Fn(Base<'_>) -> bool) {
        for harness in Harness::ALL {
            let files = settings_files(harness, root, env);
            let is_installed =
                files.iter().any(|file| read_text(&file.path).is_ok_and(|text| has_our_lines(file.shape, &text)));
            if is_installed {
                let own = files.into_iter().filter(|file| counts(file.base));
                own.for_each(|file| self.file(file.path, Kind::Settings));
            }
        }
    }
}

/// A settings file of a client.
pub(super) struct SettingsPlace {
    pub(super) path: PathBuf,
    base: Base<'static>,
    shape: Shape,
    watch: &'static str,
}

impl SettingsPlace {
    /// Returns true if it is not the project's: all of it is the person's, and of the client that keeps notes in it.
    pub(super) fn is_persons(&self) -> bool {
        self.base != Base::Project
    }

    /// Asks what must survive in the file.
    pub(super) fn watching<R>(&self, root: &Path, ask: impl FnOnce(&Watch<'_>) -> R) -> R {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let project = [root, real.as_path()];
        let Self { shape, watch: clauses, path: file, .. } = self;
        ask(&Watch { shape: *shape, clauses, variables: &watched_variables(), project: &project, file })
    }
}

/// The variables that a settings file may not set.
pub(crate) fn watched_variables() -> Vec<&'static str> {
    let own = Harness::ALL.iter().flat_map(|harness| harness.client().facts.switches.variables);
    VARIABLES.iter().chain(own).map(|variable| variable.name).collect()
}

/// Where a client reads settings. If it reads a whole folder, ours is the file with our name.
pub(super) fn settings_files(harness: Harness, root: &Path, env: &Env) -> Vec<SettingsPlace> {
    let files = harness.client().facts.settings.iter().filter_map(|file| {
        let path = resolve(file.spot, root, env)?;
        let path = path.to_string_lossy().trim_end_matches("/**").replace('*', "stead");
        Some(SettingsPlace { path: path.into(), base: file.spot.base, shape: file.shape, watch: file.watch })
    });
    files.collect()
}
