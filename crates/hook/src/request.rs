//! One request of a client: the caller, the location, the event, and the effects of its call. All judges and recorders
//! use this value, so that files and commands are read at most once per call.

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stead_client::{Harness, Outcome, Powers};
use stead_evidence::{Ground, could_be_evidence};
use stead_guard::ReadEffects;
use stead_guard::protection::{self, Policy};
use stead_model::{Action, Effects, Event, FileId, Level, ToolCall, Verdict};
use stead_shell::Place;
use stead_store::{ProjectState, Room};

use crate::agent_sign::is_by_doctor;
use crate::file_facts::FileFacts;
use crate::glance::{Glance, glance};
use crate::grant::{self, Grant};
use crate::location::{Env, Location};
use crate::policy::PolicyText;
use crate::record;

pub(crate) struct Request<'a> {
    pub(crate) harness: Harness,
    pub(crate) event: &'a Event<'a>,
    pub(crate) location: &'a Location,
    pub(crate) policy: &'a PolicyText,
    pub(crate) env: &'a Env<'a>,
    pub(crate) facts: Rc<FileFacts>,
    effects: OnceCell<Effects>,
    glance: Cell<Option<Glance>>,
    grant: OnceCell<Option<Grant>>,
    could_be_evidence: OnceCell<bool>,
    outcome: OnceCell<Outcome>,
    /// Folders that the look after the event found as they were, with the sum over their files.
    seen: RefCell<Vec<(PathBuf, u64)>>,
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        harness: Harness,
        event: &'a Event<'a>,
        location: &'a Location,
        policy: &'a PolicyText,
        env: &'a Env<'a>,
    ) -> Self {
        let facts = Rc::new(FileFacts::new(&location.found, policy.indexes(location.found.dir()), harness, event));
        Self {
            harness,
            event,
            location,
            policy,
            env,
            facts,
            effects: OnceCell::new(),
            glance: Cell::new(None),
            grant: OnceCell::new(),
            could_be_evidence: OnceCell::new(),
            outcome: OnceCell::new(),
            seen: RefCell::default(),
        }
    }

    /// The same request about another event: a rewritten call is another call, with its own effects.
    pub(crate) fn with_event<'b>(&'b self, event: &'b Event<'b>) -> Request<'b> {
        Request {
            event,
            facts: Rc::clone(&self.facts),
            effects: OnceCell::new(),
            glance: Cell::new(None),
            grant: OnceCell::new(),
            could_be_evidence: OnceCell::new(),
            outcome: OnceCell::new(),
            seen: RefCell::default(),
            ..*self
        }
    }

    /// Returns true for a call that is known to change no file, without reading its effects.
    pub(crate) fn changes_nothing(&self, call: &ToolCall<'_>) -> bool {
        match &call.action {
            Action::Read(_) | Action::Inert => true,
            Action::Run { command, .. } => self.glance(command) < Glance::Builds,
            _ => false,
        }
    }

    /// What the first words of the call's command tell.
    pub(crate) fn glance(&self, command: &str) -> Glance {
        let glance = self.glance.get().unwrap_or_else(|| glance(command));
        self.glance.set(Some(glance));
        glance
    }

    /// Returns true if the call's command may be a test or a build.
    pub(crate) fn could_be_evidence(&self, command: &str) -> bool {
        *self.could_be_evidence.get_or_init(|| could_be_evidence(command))
    }

    /// Notes that a folder is as it was.
    pub(crate) fn note_seen(&self, folder: &Path, sum: u64) {
        self.seen.borrow_mut().push((folder.to_owned(), sum));
    }

    /// Returns true if this call has found that the sum over the files of a folder is this.
    pub(crate) fn has_seen(&self, folder: &Path, sum: u64) -> bool {
        self.seen.borrow().iter().any(|(known, found)| *found == sum && known == folder)
    }

    /// How the call's command ended.
    pub(crate) fn outcome(&self) -> &Outcome {
        self.outcome.get_or_init(|| (self.harness.client().outcome)(self.event))
    }

    /// The effects of the call, if they were computed, which they are not for a plain call.
    pub(crate) fn known_effects(&self) -> Option<&Effects> {
        self.effects.get()
    }

    /// Judges by self-protection, if it is on. A command that the person typed is the person's.
    pub(crate) fn self_protection(&self) -> Verdict {
        if !self.policy.gates("gate.self_protection") {
            return Verdict::allow();
        }
        let policy = Policy::lazy(self.policy.values(), self.policy);
        let verdict = protection::judge(&policy, self.event, &|| self.effects(), &self.place(), &*self.facts);
        if verdict.level > Level::Allow && self.grant().is_some() { Verdict::allow() } else { verdict }
    }

    /// The grant for this call, if a person typed exactly this command in this turn. Reads a file.
    pub(crate) fn grant(&self) -> Option<&Grant> {
        self.grant.get_or_init(|| grant::for_call(self)).as_ref()
    }

    fn place(&self) -> Place<'_> {
        let Location { found, cwd, .. } = self.location;
        Place { root: Some(found.dir()), tree: found.tree(), others: &[], cwd, env: self.env }
    }

    /// The folder of the project, with or without the marker.
    pub(crate) fn dir(&self) -> &'a Path {
        self.location.found.dir()
    }

    /// The project in the checkout where the work is done.
    pub(crate) fn work(&self) -> &'a Path {
        self.location.found.work()
    }

    /// The project root, if this version may write there: it has a marker that this version supports.
    pub(crate) fn writable_root(&self) -> Option<&'a Path> {
        let note = |name: &str| self.policy.value("note", name);
        self.location.root().filter(|_| note("marker").is_none() || note("sealed").is_some())
    }

    /// The folder of the project's records.
    pub(crate) fn indexes(&self) -> &Path {
        &self.facts.indexes
    }

    pub(crate) fn session_log(&self) -> PathBuf {
        self.indexes().join("sessions.jsonl")
    }

    pub(crate) fn room(&self, room: Room) -> PathBuf {
        self.policy.room(self.dir(), room)
    }

    /// Where evidence is read and written.
    pub(crate) fn evidence_ground(&self) -> Ground {
        Ground {
            root: self.work().to_owned(),
            features: self.room(Room::Features),
            indexes: self.indexes().to_owned(),
            cache: self.dir().join(Room::Cache.default_path()),
            state: self.project_state(),
        }
    }

    /// What the person's state folder keeps about this checkout.
    pub(crate) fn project_state(&self) -> Option<ProjectState> {
        self.policy.project_state(self.dir())
    }

    /// The session's id, if it can be a file name.
    pub(crate) fn session(&self) -> Option<&FileId> {
        self.facts.session.as_ref()
    }

    /// The client's id for the calling sub-agent.
    pub(crate) fn agent_id(&self) -> Option<&'a str> {
        self.event.agent.as_ref()?.id.as_deref()
    }

    /// What the client supports at this event.
    pub(crate) fn powers(&self) -> Powers {
        self.harness.client().event(&self.event.native).map_or(Powers::NONE, |fact| fact.powers)
    }

    /// Returns true if a recorder is on.
    pub(crate) fn records(&self, switch: &str, variable: &str) -> bool {
        self.policy.records(switch, variable, self.env)
    }

    /// Returns true if `stead doctor` makes the call, which must not be recorded.
    pub(crate) fn is_by_doctor(&self) -> bool {
        is_by_doctor(self.env)
    }

    /// Writes a note about a failure, for `stead doctor`.
    pub(crate) fn note(&self, error: &dyn std::fmt::Display) {
        record::note(self.dir(), self.env, error);
    }
}

impl ReadEffects for Request<'_> {
    fn effects(&self) -> &Effects {
        self.effects.get_or_init(|| match &self.event.call {
            Some(call) => stead_shell::effects(call, &self.place(), &*self.facts),
            None => Effects::default(),
        })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use stead_model::{Action, EventKind, ToolCall};
    use stead_store::find_root;

    use super::*;

    #[test]
    fn a_call_is_read_once_and_each_path_resolved_once() {
        let world = tempfile::tempdir().unwrap();
        let project = fs::canonicalize(world.path()).unwrap().join("project");
        fs::create_dir_all(project.join("real/deep")).unwrap();
        fs::write(project.join("real/deep/x"), "a").unwrap();
        std::os::unix::fs::symlink("real", project.join("link")).unwrap();
        let home: OsString = world.path().join("home").into();
        let env = move |name: &str| (name == "HOME").then(|| home.clone());
        let location = Location { found: find_root(&project), cwd: project.clone(), rival: None };
        let policy = PolicyText::outside(&env);
        let commands = [
            "sed -i s/a/b/ x && cp x y > log.txt",
            "cat link/deep/x real/deep/x; sed -i s/a/b/ link/deep/x; rm -rf link/deep/ real",
            "cd real && cp -r deep ../copy && mv ../copy deep/x ../link/",
        ];
        for command in commands {
            let mut event = Event::new(EventKind::BeforeTool, "");
            let action = Action::Run { command: command.into(), dir: None };
            event.call = Some(ToolCall { tool: "Bash".into(), id: None, action, input: "{}".into() });
            let request = Request::new(Harness::ALL[0], &event, &location, &policy, &env);
            assert!(request.known_effects().is_none());
            assert_eq!(request.self_protection().level, Level::Allow, "{command}");
            let effects: *const Effects = request.effects();
            // Guards, records and relevant files get the same value.
            assert!(std::ptr::eq(effects, request.known_effects().unwrap()));
            assert!(std::ptr::eq(effects, request.effects()));
            let mut asked = request.facts.asked.take();
            assert!(asked.iter().any(|path| path.starts_with(&project)), "{command}");
            asked.sort();
            let twice = asked.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(twice, None, "{command}");
            // A rewritten call is another call, about the same files.
            let moved = request.with_event(&event);
            assert!(moved.known_effects().is_none());
            assert_eq!(moved.effects(), request.effects());
            assert!(request.facts.asked.take().is_empty(), "{command}");
        }
    }
}
