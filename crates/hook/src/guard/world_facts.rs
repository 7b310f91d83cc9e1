//! The facts that guards need, from files: lazily, within limits, each at most once.

use std::cell::{Cell, OnceCell, RefCell};
use std::fs::{self, File};
use std::io::Read;
use std::time::Duration;

use serde::Deserialize;
use stead_guard::{
    self as guard, Excuse, ExecAnswer, ExecCall, FileSort, FileText, GuardFacts, Looked, Measure, SourceTrust,
};
use stead_model::Target;
use stead_store::{CheckEnd, LONGEST, Tail, Trust, extend_alarm, run_program};

use super::caller::Caller;
use super::consent::ProgramConsent;
use super::listing::Listings;
use super::override_::Override;
use super::proof::Proof;
use super::verdict::about;
use crate::intent;
use crate::record;
use crate::request::Request;
use crate::seal::SealedProject;
use crate::session::SessionState;
use crate::trust::Trusted;

/// The largest file whose text is read.
const TEXT: u64 = 4 * 1024 * 1024;

/// Where counting the lines of a file ends.
const COUNTED: u64 = 64 * 1024 * 1024;

/// The largest program that is checked and run, and how much of its answer is read.
const PROGRAM: u64 = 64 * 1024 * 1024;
const ANSWER: usize = 64 * 1024;

/// The time reserved after the longest program, in seconds.
const AFTERWARDS: u32 = 3;

/// How many lines of the session log a counter reads.
const LINES: usize = 2_000;

pub(crate) struct WorldFacts<'a> {
    pub(crate) request: &'a Request<'a>,
    /// The caller, if the command line gives it.
    pub(crate) given_caller: Option<Caller>,
    /// The folder of overrides; without it they are not read.
    pub(crate) excused: Option<RefCell<Vec<(String, String)>>>,
    overrides: OnceCell<Vec<Override>>,
    caller: OnceCell<Caller>,
    /// The caller counts with the role that it claims.
    with_claim: Cell<bool>,
    listings: Listings,
}

impl<'a> WorldFacts<'a> {
    pub(crate) fn new(request: &'a Request<'a>) -> Self {
        Self {
            request,
            given_caller: None,
            excused: None,
            overrides: OnceCell::new(),
            caller: OnceCell::new(),
            with_claim: Cell::new(false),
            listings: Listings::default(),
        }
    }

    /// Guards that a person overrode in this judgement, and their subjects.
    pub(crate) fn overridden(&self) -> Vec<(String, String)> {
        self.excused.as_ref().map(|excused| excused.take()).unwrap_or_default()
    }

    fn session(&self) -> Option<&str> {
        self.request.event.session.as_deref()
    }

    fn state(&self) -> Option<&SessionState> {
        self.request.facts.state()
    }

    /// The caller, determined once.
    pub(crate) fn who(&self) -> &Caller {
        self.caller.get_or_init(|| match &self.given_caller {
            Some(caller) => caller.clone(),
            None => Caller::find(self.request),
        })
    }

    /// Judges for the caller as it is and, if a guard asked who it is, again for the role that it claims.
    pub(crate) fn for_each_role<T>(&self, judge: impl Fn() -> T) -> (T, Option<T>) {
        let without = judge();
        // A caller that no guard asked for is not looked up.
        if self.caller.get().is_none_or(|caller| caller.claimed.is_none()) {
            return (without, None);
        }
        self.with_claim.set(true);
        let with = judge();
        self.with_claim.set(false);
        (without, Some(with))
    }

    /// The key under which a guard's blocked stops are counted for the calling agent.
    pub(crate) fn hold_key(&self, guard: &str) -> String {
        let whose = match (self.request.agent_id(), self.who()) {
            (Some(id), _) => id,
            (None, Caller { is_main: true, .. }) => "main",
            (None, Caller { role, .. }) => role.as_deref().unwrap_or("sub"),
        };
        format!("{guard} {whose}")
    }

    fn proof(&self) -> Proof {
        Proof { ground: self.request.evidence_ground() }
    }
}

impl GuardFacts for WorldFacts<'_> {
    fn text(&self, path: &str) -> FileText {
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => FileText::Missing,
            Ok(data) if data.is_file() && data.len() <= TEXT => match read_text(path) {
                Some(text) => FileText::Is(text),
                None => FileText::Unreadable,
            },
            _ => FileText::Unreadable,
        }
    }

    fn exists(&self, path: &str) -> bool {
        fs::symlink_metadata(path).is_ok()
    }

    fn is_folder(&self, path: &str) -> bool {
        fs::metadata(path).is_ok_and(|data| data.is_dir())
    }

    fn find_file(&self, folder: &str, fits: &dyn Fn(&str, FileSort) -> bool) -> Looked {
        self.listings.look_through(folder, fits)
    }

    fn measure(&self, path: &str, enough: u64) -> Option<Measure> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let mut file = File::open(path).ok()?.take(COUNTED);
        let (mut lines, mut block, mut last) = (0, vec![0; 64 * 1024], b'\n');
        while lines <= enough {
            match file.read(&mut block) {
                Ok(0) | Err(_) => break,
                Ok(count) => {
                    lines += block[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
                    last = block[count - 1];
                }
            }
        }
        Some(Measure { lines: lines + u64::from(last != b'\n'), bytes: data.len() })
    }

    fn caller(&self) -> guard::Caller {
        let claimed = self.with_claim.get().then(|| self.who().as_claimed()).flatten();
        let Caller { is_main, role, .. } = claimed.unwrap_or_else(|| self.who().clone());
        if is_main { guard::Caller::Main { role } } else { guard::Caller::Sub { role } }
    }

    fn evidence(&self, feature: Option<&str>) -> Result<guard::EvidenceState, String> {
        self.proof().standing(feature)
    }

    fn outdates(&self, feature: Option<&str>, changes: &[&Target]) -> bool {
        self.proof().is_about(feature, changes)
    }

    fn feature(&self, id: &str) -> Result<Option<guard::FeatureState>, String> {
        self.proof().feature(id)
    }

    fn test_runs(&self) -> Result<guard::TestRuns, String> {
        self.proof().test_runs(self.session(), self.request.agent_id())
    }

    fn intent(&self) -> Result<Option<String>, String> {
        Ok(intent::selected(self.request).map(|selected| selected.intent))
    }

    fn has_flag(&self, flag: &str) -> Result<bool, String> {
        Ok(self.state().is_some_and(|state| state.flags.iter().any(|known| known == flag)))
    }

    /// Events of the session by their names, and its denials as `denied`.
    fn counter(&self, name: &str) -> Result<u64, String> {
        #[derive(Deserialize)]
        struct Line {
            session: Option<String>,
            event: String,
            verdict: String,
        }
        let session = self.session().ok_or("the session is unknown")?;
        let lines = Tail::open(&self.request.session_log()).map_err(|error| error.to_string())?;
        let own = lines.take(LINES).flatten().filter(|line| line.text.contains(session));
        let own = own.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
        let own = own.filter(|line| line.session.as_deref() == Some(session));
        Ok(own.filter(|line| line.event == name || (name == "denied" && line.verdict == "deny")).count() as u64)
    }

    fn holds(&self, guard: &str) -> Result<u64, String> {
        if self.request.session().is_none() {
            return Err("blocked stops of a session without an id cannot be counted".to_owned());
        }
        let key = self.hold_key(guard);
        Ok(self.state().and_then(|state| state.holds.get(&key)).copied().unwrap_or(0).into())
    }

    fn run(&self, call: &ExecCall<'_>) -> Result<ExecAnswer, String> {
        let request = self.request;
        let may_run = call.trust == SourceTrust::Trusted
            || ProgramConsent::holds(request.env, request.dir(), call.guard, call.origin, call.exec);
        match (may_run, call.trust) {
            (true, _) => {}
            // A session is told at its start that this guard does not judge. Without a record of what is trusted, it may
            // be the person's own guard, which must not fall silent because a variable leads elsewhere.
            (false, SourceTrust::Untrusted) if Trust::of(request.dir(), request.env).is_known() => {
                return Ok(ExecAnswer::Abstain);
            }
            (false, _) => return Err(ProgramConsent::missing(call.guard, call.exec)),
        }
        let path = self.request.dir().join(&call.exec.path);
        let size = fs::metadata(&path).map_err(|error| format!("`{}`: {error}", call.exec.path))?.len();
        if size > PROGRAM {
            return Err(format!("`{}` is larger than {PROGRAM} bytes", call.exec.path));
        }
        let bytes = stead_store::read_file(&path).map_err(|error| format!("`{}`: {error}", call.exec.path))?;
        if !call.exec.is_pinned(&bytes) {
            return Err(format!("`{}` does not have the hash in the guard", call.exec.path));
        }
        let deadline = Duration::from_millis(call.exec.timeout_ms);
        let longest = (deadline * LONGEST).as_secs() + 1;
        extend_alarm(u32::try_from(longest).unwrap_or(1) + AFTERWARDS);
        let env = [("STEAD_GUARD", call.guard)];
        let ran = run_program(&path, call.input.clone().into_bytes(), self.request.work(), &env, deadline, ANSWER)
            .map_err(|error| format!("`{}` could not be started: {error}", call.exec.path))?;
        match ran.end {
            CheckEnd::Exit(0) => ExecAnswer::parse(&ran.output).map_err(|why| format!("`{}`: {why}", call.exec.path)),
            // The same convention as in hook scripts of agent programs.
            CheckEnd::Exit(2) => Ok(ExecAnswer::Deny { reason: ran.errors.trim().to_owned() }),
            CheckEnd::Exit(code) => Err(format!("`{}` exited with {code}", call.exec.path)),
            CheckEnd::Signal(signal) => Err(format!("`{}` was killed by signal {signal}", call.exec.path)),
            CheckEnd::Deadline => {
                Err(format!("`{}` took longer than {} ms and was killed", call.exec.path, call.exec.timeout_ms))
            }
        }
    }

    fn now(&self) -> i64 {
        record::now_millis()
    }

    fn is_excused(&self, guard: &str, what: &Excuse<'_>) -> bool {
        let Some(excused) = &self.excused else { return false };
        let about = about(guard, self.request.event, what);
        let overrides = self.overrides.get_or_init(|| {
            let (request, trusted) = (self.request, OnceCell::new());
            let path = Override::path(request.indexes());
            let is_trusted = |line: &str| {
                let trusted = trusted.get_or_init(|| Trusted::of(request));
                trusted.trusts_override(&path, line)
            };
            let sealed = SealedProject::of(request.dir(), request.policy, request.env);
            match sealed.and_then(|sealed| sealed.sealed_text(&path)) {
                Some(text) => Override::in_force_of(&text, record::now_millis(), &is_trusted),
                None => Override::trusted_in_force(request.indexes(), record::now_millis(), &is_trusted),
            }
        });
        let found = overrides.iter().find(|one| one.guard == guard && one.about == about);
        if let Some(found) = found {
            excused.borrow_mut().push((guard.to_owned(), found.part.clone()));
        }
        found.is_some()
    }
}

fn read_text(path: &str) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(TEXT).read_to_string(&mut text).ok()?;
    Some(text)
}
