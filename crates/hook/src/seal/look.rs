//! One look: what changed, whether it weakens, whose change it was, and what becomes of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_model::{EventKind, rfc3339};
use stead_store::seal::{Announced, LogLook, Look, OpenSeal, OpenSession, Present, Seal, Sealed, SealedLog};
use stead_store::{
    Durability, MARKER, OWN, ProjectEnd, ProjectState, StoreError, UserDirs, ask_git, complete, create, extend_alarm,
    remove, sha256,
};

use super::cause::{Cause, counted_quickly, still_open};
use super::kind::Kind;
use super::project::{ALARM, Reach, SealedProject, leave_in_force, seal_anew};
use super::set::{SESSIONS, SealedSet};
use super::tampering::{CallInFlight, Outcome, Tampering};
use crate::agent_sign::{AgentSign, lineage};
use crate::record::now_millis;
use crate::removal::chained_rooms;
use crate::request::Request;

/// How long git may take, and its longest answer.
const GIT: Duration = Duration::from_millis(1_000);
const ANSWER: usize = 16 * 1024 * 1024;

/// Who looks.
pub(crate) enum Looker<'r, 'a> {
    /// A hook, after an event.
    Event(&'r Request<'a>),
    /// A command of Stead, and a way to ask whether a person at a terminal runs it.
    Command(&'r dyn Fn() -> bool),
}

impl Looker<'_, '_> {
    /// Compares stamps. What follows in the same call need not look at the same folder again.
    fn look(&self, seal: &Seal, reach: Reach) -> Look {
        match self {
            Self::Event(request) => {
                let goes_on = self.session().filter(|_| reach == Reach::Project);
                let goes_on = goes_on.map(|session| (session, now_millis() - NOTED));
                seal.look_and_tell(goes_on, &mut |folder, sum| request.note_seen(folder, sum))
            }
            Self::Command(_) => seal.look(),
        }
    }

    /// A session that goes on, so that it was open before.
    fn session(&self) -> Option<&str> {
        match self {
            Self::Event(request) if request.event.kind != EventKind::SessionStart => request.event.session.as_deref(),
            _ => None,
        }
    }

    /// The session and its client, if it is open after this event or ends with it.
    fn noted_session(&self) -> Option<(OpenSession, bool)> {
        let Self::Event(request) = self else { return None };
        let session = request.event.session.as_deref()?.to_owned();
        let harness = request.harness.name().to_owned();
        let is_open = request.event.kind != EventKind::SessionEnd;
        Some((OpenSession { harness, session, seen: now_millis() }, is_open))
    }
}

/// How old the time may be at which a session that goes on was noted as open, in milliseconds.
const NOTED: i64 = 3600 * 1000;

/// How many open sessions are noted.
const SESSIONS_NOTED: usize = 256;

/// What a look found, and why it could not look at all, if so.
type Found = (Vec<Tampering>, Option<String>);

impl SealedProject<'_> {
    /// Looks for a command of Stead that a person or the engine started. `is_person` says whether a person at a terminal
    /// runs it.
    pub fn look_for_command(&self, is_person: &dyn Fn() -> bool) -> Found {
        self.look(&Looker::Command(is_person))
    }

    pub(super) fn look(&self, looker: &Looker<'_, '_>) -> Found {
        let (mut found, mut problem) = (Vec::new(), None);
        for (seal, reach) in self.seals() {
            let (look, turn) = (looker.look(seal, reach), turn(looker));
            let may_begin = look == Look::Unsealed || matches!(turn, Turn::Session);
            if reach == Reach::Project && may_begin && !self.begins(seal, looker) {
                continue;
            }
            let looked = match (look, turn) {
                (Look::Same, Turn::No) => continue,
                (Look::Same, Turn::Ends) if reach == Reach::Person => continue,
                (Look::Same | Look::UnknownSession, Turn::Ends) | (Look::UnknownSession, Turn::No) => {
                    self.in_turn(seal, reach, looker, |open| self.look_at_growth(seal, open, looker))
                }
                _ => self.in_turn(seal, reach, looker, |open| self.look_closely(seal, open, reach, looker)),
            };
            match looked {
                Ok(more) => found.extend(more),
                Err(error) => problem = Some(format!("the seal cannot be checked: {error}")),
            }
        }
        (found, problem)
    }

    /// Returns false if a person ended the project and nobody began it again. A later session that finds the marker and
    /// hooks in settings begins it. A command does not, nor does a client that still has the hooks of before.
    fn begins(&self, seal: &Seal, looker: &Looker<'_, '_>) -> bool {
        let Some(end) = ProjectEnd::read(seal.dir()) else { return true };
        let Looker::Event(request) = looker else { return false };
        let is_new = |session: &str| !end.sessions.iter().any(|one| one.session == session);
        let has_hooks = || self.set(Reach::Project).files.iter().any(|(_, kind)| *kind == Kind::Settings);
        let starts =
            request.event.session.as_deref().is_some_and(is_new) && self.root.join(MARKER).is_file() && has_hooks();
        let state = ProjectState::at(seal.dir(), self.root);
        starts && state.begin_again(self.root, &chained_rooms(self.root, &self.policy.layout())).is_ok()
    }

    /// Opens a seal for a look. One that another machine wrote says nothing about this one's files.
    fn in_turn(
        &self,
        seal: &Seal,
        reach: Reach,
        looker: &Looker<'_, '_>,
        look: impl FnOnce(OpenSeal) -> Result<Vec<Tampering>, StoreError>,
    ) -> Result<Vec<Tampering>, String> {
        let mut open = self.open(seal, reach).map_err(|error| error.to_string())?;
        if open.is_foreign {
            if Cause::at(&self.session_log(), now_millis(), looker.session()) != Cause::NoSession {
                return Err("another machine wrote it while a session is open".to_owned());
            }
            // Copies of logs, or others.
            open.logs.clear();
        }
        look(open).map_err(|error| error.to_string())
    }

    /// Takes the lengths of the logs again, when nothing else has changed.
    fn look_at_growth(
        &self,
        seal: &Seal,
        mut open: OpenSeal,
        looker: &Looker<'_, '_>,
    ) -> Result<Vec<Tampering>, StoreError> {
        let mut found = Vec::new();
        let logs = self.look_at_logs(seal, &open, &SealedSet::logs_of(self.root, self.policy), &mut found, looker);
        for change in &found {
            change.append(seal.dir())?;
        }
        let sessions = open.sessions.clone();
        self.note_session(&mut open, looker);
        if logs != open.logs || sessions != open.sessions {
            open.logs = logs;
            open.write(&[SealedSet::guards_of(self.root, self.policy)])?;
        }
        Ok(found)
    }

    fn look_closely(
        &self,
        seal: &Seal,
        mut open: OpenSeal,
        reach: Reach,
        looker: &Looker<'_, '_>,
    ) -> Result<Vec<Tampering>, StoreError> {
        extend_alarm(ALARM.as_secs() as u32);
        let set = self.set(reach);
        let mut found = Vec::new();
        let mut files = known_files(seal, std::mem::take(&mut open.files), &set);
        for file in files.iter_mut().filter(|file| !open.is_same(file)) {
            if let Some(change) = self.look_at(seal, &open, file, reach, looker) {
                found.push(change);
            }
        }
        // What was put back may have taken others with it that looked the same through a link. They are gone now.
        let moved = !found.is_empty();
        for file in files.iter_mut().filter(|file| moved && file.pending.is_none()) {
            if seal.stamp(&file.path).is_none()
                && file.sha256.is_some()
                && let Some(change) = self.look_at(seal, &open, file, reach, looker)
            {
                found.push(change);
            }
        }
        // What was put back may have left a new stamp.
        for file in files.iter_mut().filter(|file| file.pending.is_none()) {
            file.stamp = seal.stamp(&file.path);
        }
        files.retain(|file| {
            file.sha256.is_some() || file.pending.is_some() || Kind::from_name(&file.kind) != Some(Kind::Guard)
        });
        open.files = files;
        if reach == Reach::Project {
            self.note_session(&mut open, looker);
        }
        open.logs = self.look_at_logs(seal, &open, &set.logs, &mut found, looker);
        for change in &found {
            change.append(seal.dir())?;
        }
        // Without the folders nothing more would be recorded.
        let is_removed = |change: &Tampering| change.found.is_none() && !change.calls.is_empty() && !change.by_git;
        if found.iter().any(is_removed) && self.root.join(MARKER).is_file() {
            complete(self.root, self.env)?;
        }
        if found.iter().any(|change| change.by_git) {
            self.keep_tree_clean();
        }
        open.write(&set.folders)?;
        if found.iter().any(|change| change.outcome != Outcome::Lost) {
            self.forget_caches();
        }
        Ok(found)
    }

    /// A checkout of a commit without Stead's folder leaves what git ignored there, and takes away what made git ignore it.
    /// Git overwrites ignored files, so the way back is free.
    fn keep_tree_clean(&self) {
        let own = self.root.join(OWN);
        if !self.root.join(MARKER).is_file() && own.is_dir() {
            let _ = create(&own.join(".gitignore"), b"*\n", Durability::Quick);
        }
    }

    /// Looks at one file.
    fn look_at(
        &self,
        seal: &Seal,
        open: &OpenSeal,
        file: &mut Sealed,
        reach: Reach,
        looker: &Looker<'_, '_>,
    ) -> Option<Tampering> {
        let present = seal.present(&file.path);
        let waits = file.pending.as_ref().map(|pending| &pending.sha256);
        if present.sha256 == file.sha256 && present.stamp.is_some() == file.sha256.is_some() {
            file.stamp.clone_from(&present.stamp);
            file.pending = None;
            return None;
        }
        if waits == Some(&present.sha256) {
            file.stamp.clone_from(&present.stamp);
            return None;
        }
        let kind = Kind::from_name(&file.kind)?;
        let is_own = |one: &Announced| one.is_about(&file.path, &present);
        let path = seal.path_of(&file.path);
        let before = file.sha256.as_deref().and_then(|hash| seal.copy(hash));
        // A file that is too large to be copied cannot be compared: only its own writers may change it.
        let is_lost = before.is_none() && file.sha256.is_some();
        let why = match kind {
            _ if open.is_new || open.announced.iter().any(is_own) => None,
            Kind::Settings if is_lost && self.is_persons(&path) => None,
            _ if is_lost && kind != Kind::Cache => Some("it is too large to be compared, and has changed".to_owned()),
            _ => self.weakens(kind, &path, before.as_deref(), &present),
        };
        let Some(why) = why else {
            seal_anew(open, file, &present);
            return None;
        };
        let mut change = self.change(file, kind, &present, why);
        let cause = self.cause(&present, reach, looker);
        if kind == Kind::Cache && !matches!(cause, Cause::Calls(_)) {
            // It is made again from its sources, whoever wrote it.
            let _ = remove(&path);
            seal_anew(open, file, &Present::default());
            return None;
        }
        match cause {
            Cause::NoSession => {
                seal_anew(open, file, &present);
                change.outcome = Outcome::TakenOver;
            }
            Cause::OpenSession => leave_in_force(open, file, &present, &change.id),
            Cause::Calls(calls) => {
                change.calls = calls;
                change.by_git = is_by_git(self.root, &file.path, &present);
                let put_back = match change.by_git {
                    true => None,
                    false => self.put_back(kind, &path, before.as_deref(), &present, &change.id),
                };
                match put_back {
                    Some(displaced) => {
                        change.displaced = displaced;
                        change.outcome = Outcome::PutBack;
                        file.pending = None;
                        // A settings file keeps the rest of the change.
                        let now = seal.present(&file.path);
                        if now.sha256 != file.sha256 {
                            seal_anew(open, file, &now);
                        }
                    }
                    None => leave_in_force(open, file, &present, &change.id),
                }
            }
        }
        Some(change)
    }

    fn change(&self, file: &Sealed, kind: Kind, present: &Present, why: String) -> Tampering {
        let now = rfc3339(now_millis());
        let id = sha256(format!("{now} {} {why}", file.path).as_bytes());
        Tampering {
            v: 1,
            id: format!("t-{}", id.get(..8).unwrap_or_default()),
            path: file.path.clone(),
            kind: kind.name().to_owned(),
            why,
            changed_at: rfc3339(present.changed_millis),
            found: present.sha256.clone(),
            ts: now,
            ..Tampering::default()
        }
    }

    /// Without a session log, a change that is found after a call was the call's.
    fn cause(&self, present: &Present, reach: Reach, looker: &Looker<'_, '_>) -> Cause {
        let (log, at) = (self.session_log(), present.changed_millis);
        let cause = Cause::at(&log, at, looker.session());
        match looker {
            _ if matches!(cause, Cause::Calls(_)) => cause,
            // Whoever took lines out of the log did not take those beside the seal.
            _ if let Some(cause) = self.call_beside(at, &log) => cause,
            _ if cause != Cause::NoSession => cause,
            Looker::Event(request) if is_after(request) => Cause::Calls(vec![this_call(request)]),
            // The seal knows what a log that was made anew does not say.
            _ if self.known_open().is_some_and(|known| !known.is_empty()) => Cause::OpenSession,
            // Who took lines out of the log may have been in them.
            _ if self.lost_lines(&log) && !self.nobody_was_there(looker) => Cause::OpenSession,
            Looker::Command(_) if AgentSign::above_command(self.env, &lineage()).is_some() => Cause::OpenSession,
            // The person's files are the same for an agent in another project.
            _ if reach == Reach::Person && self.is_open_elsewhere(at) => Cause::OpenSession,
            _ => cause,
        }
    }

    /// The calls that were under way, if the session log lost lines that may have told of them.
    fn call_beside(&self, at: i64, log: &Path) -> Option<Cause> {
        let cause = Cause::at(&self.call_log()?, at, None);
        (matches!(cause, Cause::Calls(_)) && self.lost_lines(log)).then_some(cause)
    }

    /// Returns true if a session was open in another project of this person.
    fn is_open_elsewhere(&self, at: i64) -> bool {
        let Some(UserDirs { state, .. }) = UserDirs::of_project(self.root, self.env) else { return false };
        ProjectState::all(&state).into_iter().any(|(root, dir)| {
            let seal = Seal::new(&dir, &root);
            let log = seal.logs().into_iter().find(|log| log.path.ends_with(SESSIONS));
            log.is_some_and(|log| Cause::at(&seal.path_of(&log.path), at, None) != Cause::NoSession)
        })
    }

    /// Notes that the session of an event is open, or has ended.
    fn note_session(&self, open: &mut OpenSeal, looker: &Looker<'_, '_>) {
        // What follows in this look is about what was before this session was noted.
        self.known_open();
        let (log, now) = (self.session_log(), now_millis());
        let known = match open.sessions.take() {
            Some(known) => still_open(known, now),
            // Nobody knows who was in a log that is gone.
            None if !open.is_new && self.lost_lines(&log) => return,
            // A log of a long day is not read for it; a later look counts them.
            None => match counted_quickly(&log, now) {
                Some(known) => known,
                None => return,
            },
        };
        let noted = looker.noted_session();
        let is_other = |one: &OpenSession| noted.as_ref().is_none_or(|(own, _)| own.session != one.session);
        let mut sessions: Vec<OpenSession> = known.into_iter().filter(is_other).collect();
        sessions.extend(noted.filter(|(_, is_open)| *is_open).map(|(own, _)| own));
        let more = sessions.len().saturating_sub(SESSIONS_NOTED);
        sessions.drain(..more);
        open.sessions = Some(sessions);
    }

    /// The sessions that were open at the last look; `None` if nobody has counted them.
    fn known_open(&self) -> Option<&[OpenSession]> {
        let read = || {
            let known = self.project.as_ref().and_then(Seal::open_sessions);
            known.map(|known| still_open(known, now_millis()))
        };
        self.known_open.get_or_init(read).as_deref()
    }

    /// Returns true if the seal knows that no session was open, and whoever looks is no agent in the middle of its work: then
    /// it was a person who removed the log.
    fn nobody_was_there(&self, looker: &Looker<'_, '_>) -> bool {
        self.known_open().is_some_and(<[_]>::is_empty)
            && match looker {
                Looker::Event(request) => request.event.kind == EventKind::SessionStart,
                Looker::Command(is_person) => is_person(),
            }
    }

    /// Returns true if a log is not what was sealed, and more.
    fn lost_lines(&self, log: &Path) -> bool {
        self.seals().any(|(seal, _)| {
            let name = seal.name_of(log);
            seal.logs().iter().any(|sealed| sealed.path == name && sealed.compare(seal) != LogLook::Grew)
        })
    }

    /// Compares the logs. Lines that are gone cannot be put back, so this is told once.
    fn look_at_logs(
        &self,
        seal: &Seal,
        open: &OpenSeal,
        paths: &[PathBuf],
        found: &mut Vec<Tampering>,
        looker: &Looker<'_, '_>,
    ) -> Vec<SealedLog> {
        let mut logs = Vec::new();
        for path in paths {
            let name = seal.name_of(path);
            let sealed = open.logs.iter().find(|log| log.path == name);
            let why = match sealed.map(|log| log.compare(seal)) {
                None | Some(LogLook::Grew) => None,
                Some(_) if open.announced.iter().any(|one| one.path == name && one.is_log(seal)) => None,
                Some(LogLook::Gone) => Some("the log is gone"),
                Some(LogLook::Shorter) => Some("the log lost lines"),
                Some(LogLook::Rewritten) => Some("the log was rewritten"),
            };
            if let Some(why) = why {
                let file = Sealed { path: name.clone(), ..Sealed::default() };
                let present = seal.present(&name);
                let mut change = self.change(&file, Kind::Cache, &present, why.to_owned());
                (change.kind, change.outcome) = ("log".to_owned(), Outcome::Lost);
                if let Cause::Calls(calls) = self.cause(&present, Reach::Project, looker) {
                    change.calls = calls;
                }
                found.push(change);
            }
            logs.extend(match sealed.filter(|_| why.is_none()) {
                Some(sealed) => sealed.clone().renew(seal),
                None => SealedLog::seal(seal, &name),
            });
        }
        logs
    }
}

/// What an event means for a turn.
enum Turn {
    No,
    /// The lengths of logs are taken again.
    Ends,
    /// Clients may have been installed or updated.
    Session,
}

fn turn(looker: &Looker<'_, '_>) -> Turn {
    let Looker::Event(request) = looker else { return Turn::No };
    match request.event.kind {
        EventKind::Stop | EventKind::SessionEnd => Turn::Ends,
        EventKind::SessionStart => Turn::Session,
        _ => Turn::No,
    }
}

fn is_after(request: &Request<'_>) -> bool {
    matches!(request.event.kind, EventKind::AfterTool | EventKind::ToolFailed)
}

fn this_call(request: &Request<'_>) -> CallInFlight {
    let call = request.event.call.as_ref();
    CallInFlight {
        harness: request.harness.name().to_owned(),
        session: request.event.session.as_deref().map(str::to_owned),
        tool: call.map(|call| call.tool.to_string()),
        call: call.and_then(|call| call.id.as_deref()).map(str::to_owned),
        since: rfc3339(now_millis()),
    }
}

/// The sealed files, and those that are to be sealed from now on.
pub(super) fn known_files(seal: &Seal, mut files: Vec<Sealed>, set: &SealedSet) -> Vec<Sealed> {
    for (path, kind) in &set.files {
        let path = seal.name_of(path);
        if !files.iter().any(|file| file.path == path) {
            files.push(Sealed { path, kind: kind.name().to_owned(), ..Sealed::default() });
        }
    }
    files
}

/// Returns true if a file is as git has it in the index or in the commit that is checked out, or is gone because git has
/// it no longer.
fn is_by_git(root: &Path, relative: &str, present: &Present) -> bool {
    if Path::new(relative).is_absolute() {
        return false;
    }
    let blob = |at: &str| ask_git(root, &["cat-file", "blob", &format!("{at}:./{relative}")], GIT, ANSWER);
    let index = blob("");
    match &present.bytes {
        Some(bytes) => index.as_ref() == Some(bytes) || blob("HEAD").as_ref() == Some(bytes),
        None if present.stamp.is_some() => false,
        None => index.is_none() && (blob("HEAD").is_some() || blob("HEAD@{1}").is_some()),
    }
}
