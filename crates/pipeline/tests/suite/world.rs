//! A project folder, plans to run in it, and what was seen of them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use stead_evidence::Ground;
use stead_model::Effects;
use stead_pipeline::custody::Cancel;
use stead_pipeline::orchestrate::FeatureSupport;
use stead_pipeline::{
    Change, Engine, EngineError, EventLine, Guardrails, Node, Observer, Plan, Provider, RunEnd, RunEvent, RunFolder,
    Surroundings,
};

pub(crate) struct World {
    _folder: Option<tempfile::TempDir>,
    pub(crate) root: PathBuf,
    pub(crate) seen: Seen,
    pub(crate) cancel: Cancel,
    /// In front of the real PATH.
    pub(crate) programs: Option<PathBuf>,
    pub(crate) clock: &'static (dyn Fn() -> i64 + Sync),
}

#[derive(Default)]
pub(crate) struct Seen(Mutex<Vec<EventLine>>);

impl Observer for Seen {
    fn event(&self, line: &EventLine) {
        self.0.lock().unwrap().push(line.clone());
    }
}

impl World {
    pub(crate) fn new() -> Self {
        // The usual random name now and then looks like a secret, which is not kept.
        let folder = tempfile::Builder::new().prefix("stead-test-").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        Self { _folder: Some(folder), ..Self::at(&root) }
    }

    /// A folder that somebody else keeps.
    pub(crate) fn at(root: &Path) -> Self {
        fs::create_dir_all(root.join("runs")).unwrap();
        Self {
            _folder: None,
            root: root.to_owned(),
            seen: Seen::default(),
            cancel: Cancel::new(),
            programs: None,
            clock: &now,
        }
    }

    /// The same folder, for the next engine.
    pub(crate) fn again(&self) -> Self {
        Self { programs: self.programs.clone(), clock: self.clock, ..Self::at(&self.root) }
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    pub(crate) fn folder(&self) -> RunFolder {
        RunFolder::at(&self.runs(), "night").unwrap()
    }

    pub(crate) fn start(&self, plan: &Plan) -> Result<RunEnd, EngineError> {
        self.engine(|around| Engine::start(plan, &self.folder(), around))
    }

    pub(crate) fn start_named(&self, run: &str, plan: &Plan) -> Result<RunEnd, EngineError> {
        self.engine(|around| Engine::start(plan, &RunFolder::at(&self.runs(), run).unwrap(), around))
    }

    /// The feature list.
    pub(crate) fn list(&self) -> PathBuf {
        self.root.join("features/feature-list.json")
    }

    pub(crate) fn resume(&self) -> Result<RunEnd, EngineError> {
        self.engine(|around| Engine::resume(&self.folder(), around))
    }

    pub(crate) fn resume_with(&self, change: &Change) -> Result<RunEnd, EngineError> {
        self.engine(|around| Engine::resume_changed(&self.folder(), change, around))
    }

    /// Starts a run, and once `ready` holds, does something and cancels it.
    pub(crate) fn start_and_cancel(
        &self,
        plan: &Plan,
        ready: impl Fn() -> bool + Send,
        then: impl FnOnce() + Send,
    ) -> RunEnd {
        self.cancelling(ready, then, || self.start(plan).unwrap())
    }

    pub(crate) fn resume_and_cancel(&self, ready: impl Fn() -> bool + Send) -> RunEnd {
        self.cancelling(ready, || (), || self.resume().unwrap())
    }

    fn cancelling(
        &self,
        ready: impl Fn() -> bool + Send,
        then: impl FnOnce() + Send,
        run: impl FnOnce() -> RunEnd,
    ) -> RunEnd {
        /// Also when an assertion fails, so that no test waits for its agents.
        struct AtLast<'a>(&'a Cancel);
        impl Drop for AtLast<'_> {
            fn drop(&mut self) {
                self.0.ask();
            }
        }
        thread::scope(|scope| {
            scope.spawn(move || {
                let _at_last = AtLast(&self.cancel);
                while !ready() {
                    thread::sleep(Duration::from_millis(5));
                }
                then();
            });
            run()
        })
    }

    /// Says whether the run waits for a quota.
    pub(crate) fn waits(&self) -> bool {
        self.events().iter().any(|event| matches!(event, RunEvent::Waiting { .. }))
    }

    fn engine<T>(&self, work: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let env = |name: &str| -> Option<OsString> {
            let real = std::env::var_os(name)?;
            match &self.programs {
                Some(first) if name == "PATH" => {
                    let all = [first.clone()].into_iter().chain(std::env::split_paths(&real));
                    Some(std::env::join_paths(all).unwrap())
                }
                _ => Some(real),
            }
        };
        let (root, features) = (self.root.clone(), self.root.join("features"));
        let (indexes, cache) = (self.root.join("indexes"), self.root.join("cache"));
        let state = stead_store::ProjectState::of(Path::new(env!("CARGO_TARGET_TMPDIR")), "test", &self.root);
        let support = FeatureSupport {
            ground: Ground { root, features, indexes, cache, state },
            config: None,
            effects: &|_, _| Effects::default(),
            wrote: &|_, _| Vec::new(),
            untrusted: &|_| None,
            refusal: &|_| None,
            add_precedents: &|_| {},
        };
        work(&Surroundings {
            root: &self.root,
            env: &env,
            now: self.clock,
            provider_args: &|_| Vec::new(),
            bind_intent: &|_| Ok(()),
            unheard: &|_| None,
            features: Some(&support),
            observer: &self.seen,
            cancel: self.cancel.clone(),
        })
    }

    /// Puts a program in front of all others.
    pub(crate) fn program(&mut self, name: &str, script: &str) {
        let dir = self.root.join("programs");
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
        self.programs = Some(dir);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join("runs/night").join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<RunEvent> {
        self.seen.0.lock().unwrap().iter().map(|line| line.event.clone()).collect()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let warning = |event| if let RunEvent::Warning { message, .. } = event { Some(message) } else { None };
        self.events().into_iter().filter_map(warning).collect()
    }

    /// What agents noted in the file `calls` of the project.
    pub(crate) fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.root.join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// How every agent begins.
const NOTE: &str = r#"
say() { echo "{\"decision\": \"$1\", \"summary\": \"$STEAD_STAGE $STEAD_ITERATION\"}" > "$STEAD_STATUS"; }
echo "$STEAD_STAGE $STEAD_ITERATION" >> calls
"#;

/// An agent that notes its call, and then does this.
pub(crate) fn agent(script: &str) -> Provider {
    let script = format!("{NOTE}\n{script}");
    Provider::Command(vec!["sh".into(), "-c".into(), script])
}

/// A stage that does `max_iterations` iterations with this agent.
pub(crate) fn node(id: &str, max_iterations: u32, script: &str) -> Node {
    let stage = id.split('.').next().unwrap();
    Node {
        id: id.into(),
        stage: stage.into(),
        template: stage.into(),
        dir: format!("stage-00-{id}"),
        prompt: "do it".into(),
        guardrails: Guardrails { max_iterations, ..Guardrails::default() },
        provider: agent(script),
        ..Node::default()
    }
}

/// A chain: each stage needs the one before.
pub(crate) fn chain(mut nodes: Vec<Node>) -> Plan {
    for index in 0..nodes.len() {
        nodes[index].index = index as u32;
        nodes[index].dir = format!("stage-{index:02}-{}", nodes[index].id);
        if index > 0 {
            nodes[index].needs = vec![nodes[index - 1].stage.clone()];
        }
    }
    plan(nodes)
}

pub(crate) fn plan(nodes: Vec<Node>) -> Plan {
    Plan {
        schema: 1,
        run: "night".into(),
        pipeline: Some("test".into()),
        created_at: "2026-11-15T20:00:00.000Z".into(),
        max_parallel: 4,
        nodes,
        ..Plan::default()
    }
}
