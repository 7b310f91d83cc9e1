//! What people and agents do with loops between stops: start, activate, pause, resume, cancel.

use stead_model::rfc3339;
use stead_store::{Creation, Durability, create, create_parents, redact};

use super::{ActiveLoop, Counts, Lease, Loop, LoopFile, LoopStatus, Loops, Owner, Starter};
use crate::{ContextError, stamp, title_slug};

/// A loop to start.
#[derive(Clone, Debug)]
pub struct NewLoop {
    pub prompt: String,
    pub promises: Vec<String>,
    pub max_iterations: u32,
    pub max_minutes: u32,
    pub max_repeats: u32,
    pub verify: Option<String>,
    pub verify_seconds: u32,
    pub then_run: Option<String>,
    pub source_packet_id: Option<String>,
    /// The session it is started in; `None` if no hook saw the command.
    pub owner: Option<Owner>,
}

/// What activating a loop changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activated {
    pub state: Loop,
    /// The session that was in the loop until now.
    pub moved_from: Option<Owner>,
    /// The loop that was in the session's foreground before.
    pub paused: Option<String>,
}

/// New limits for a loop that is resumed; without them, one that reached its limit gets as much again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewLimits {
    pub max_iterations: Option<u32>,
    pub max_minutes: Option<u32>,
}

impl NewLimits {
    fn apply(self, state: &mut Loop) {
        let is_at_limit = state.status == LoopStatus::Limit;
        let minutes = u32::try_from(state.counts.active_ms / 60_000).unwrap_or(u32::MAX);
        // What was used, and as much again as it was given.
        let more = |used: u32, most: u32| match is_at_limit && most > 0 && used >= most {
            true => used.saturating_add(most),
            false => most,
        };
        state.max_iterations = self.max_iterations.unwrap_or_else(|| more(state.iteration, state.max_iterations));
        state.max_minutes = self.max_minutes.unwrap_or_else(|| more(minutes, state.max_minutes));
    }
}

/// How many numbers to try if the name is taken.
const ATTEMPTS: usize = 100;

impl Loops {
    /// Writes a new loop and puts it into the foreground of its session.
    pub fn start(&self, new: NewLoop, now: i64) -> Result<Activated, ContextError> {
        if new.prompt.trim().is_empty() {
            return Err(ContextError::NoLoopPrompt);
        }
        // It is written down and run from there, so it can be neither kept nor redacted.
        if new.verify.as_deref().is_some_and(|command| redact(command).count() > 0) {
            return Err(ContextError::SecretInCommand { option: "--verify" });
        }
        self.refuse_displacing(new.owner.as_ref(), "")?;
        let moment = rfc3339(now);
        let mut state = Loop {
            id: format!("{}-{}", stamp(&moment), title_slug(&new.prompt)),
            created_at: moment.clone(),
            updated_at: moment,
            status: LoopStatus::Active,
            reason: None,
            iteration: 1,
            max_iterations: new.max_iterations,
            promises: new.promises,
            source_packet_id: new.source_packet_id,
            verify: new.verify,
            verify_seconds: new.verify_seconds.clamp(1, Loop::MOST_VERIFY_SECONDS),
            then_run: new.then_run,
            max_minutes: new.max_minutes,
            max_repeats: new.max_repeats,
            started_by: new.owner.clone().map_or(Starter::Person, Starter::Session),
            lease: new.owner.as_ref().map(|owner| lease(owner, now)),
            counts: Counts { seen_ms: Some(now), ..Counts::default() },
        };
        create_parents(&self.path(&state.id))?;
        self.create(&mut state, &new.prompt)?;
        let paused = self.bring_forward(&state, new.owner.as_ref(), now)?;
        self.log(&state, "started", "", new.owner.as_ref(), now)?;
        Ok(Activated { state, moved_from: None, paused })
    }

    /// Puts a loop into the foreground of a session; without a session its lease is unchanged.
    pub fn activate(&self, id: &str, owner: Option<&Owner>, now: i64) -> Result<Activated, ContextError> {
        let status = self.read(id)?.state.status;
        if status == LoopStatus::Limit {
            return Err(ContextError::LoopOver { id: id.to_owned(), status });
        }
        self.take_up(id, owner, now, "activated", NewLimits::default())
    }

    /// Resumes a loop that is paused or reached its limit, in the session it belongs to or in the one it is resumed in.
    pub fn resume(
        &self,
        id: &str,
        owner: Option<&Owner>,
        limits: NewLimits,
        now: i64,
    ) -> Result<Activated, ContextError> {
        self.take_up(id, owner, now, "resumed", limits)
    }

    /// Pauses a loop until it is resumed.
    pub fn pause(&self, id: &str, by: Option<&Owner>, now: i64) -> Result<Loop, ContextError> {
        self.end(id, LoopStatus::Paused, by, now)
    }

    /// Cancels a loop for good.
    pub fn cancel(&self, id: &str, by: Option<&Owner>, now: i64) -> Result<Loop, ContextError> {
        self.end(id, LoopStatus::Cancelled, by, now)
    }

    /// Moves a loop to a session that continues another one under a new id. Returns true if there was a loop.
    pub fn inherit(&self, before: &Owner, after: &Owner, now: i64) -> Result<bool, ContextError> {
        let Some(id) = ActiveLoop::read(&self.indexes)?.of_session(before.session()).map(str::to_owned) else {
            return Ok(false);
        };
        let state = self.change(&id, |file| {
            if let Some(lease) = file.state.lease.as_mut().filter(|lease| lease.owner == *before) {
                lease.owner = after.clone();
            }
            Ok(file.state.clone())
        })?;
        if state.lease.as_ref().is_none_or(|lease| lease.owner != *after) {
            return Ok(false);
        }
        ActiveLoop::change(&self.indexes, |active| active.put(&id, Some(after.session())))?;
        self.log(&state, "activated", &format!("the session continues `{before}`"), Some(after), now)?;
        Ok(true)
    }

    fn create(&self, state: &mut Loop, prompt: &str) -> Result<(), ContextError> {
        let name = state.id.clone();
        for attempt in 1..=ATTEMPTS {
            if attempt > 1 {
                state.id = format!("{name}-{attempt}");
            }
            let mut file = LoopFile::build(state.clone(), prompt);
            let path = self.path(&state.id);
            if create(&path, redact(file.render()), Durability::Synced)? == Creation::Created {
                return Ok(());
            }
        }
        Err(ContextError::LoopNameTaken { id: name })
    }

    fn take_up(
        &self,
        id: &str,
        owner: Option<&Owner>,
        now: i64,
        did: &str,
        limits: NewLimits,
    ) -> Result<Activated, ContextError> {
        self.refuse_displacing(owner, id)?;
        let (state, moved_from) = self.change(id, |file| {
            let state = &mut file.state;
            if state.status.is_over() {
                return Err(ContextError::LoopOver { id: id.to_owned(), status: state.status });
            }
            limits.apply(state);
            let before = state.lease.take();
            let holder = owner.or(before.as_ref().map(|lease| &lease.owner));
            state.lease = holder.map(|owner| lease(owner, now));
            state.status = LoopStatus::Active;
            state.reason = None;
            state.updated_at = rfc3339(now);
            // A pause takes no time, and answers before it do not count as repeated.
            state.counts = Counts { active_ms: state.counts.active_ms, seen_ms: Some(now), ..Counts::default() };
            let moved = before.map(|lease| lease.owner).filter(|old| owner.is_some_and(|new| new != old));
            Ok((state.clone(), moved))
        })?;
        let holder = state.lease.as_ref().map(|lease| &lease.owner);
        let paused = self.bring_forward(&state, holder, now)?;
        let why = moved_from.as_ref().map(|owner| format!("taken over from `{owner}`")).unwrap_or_default();
        self.log(&state, did, &why, owner, now)?;
        Ok(Activated { state, moved_from, paused })
    }

    fn end(&self, id: &str, status: LoopStatus, by: Option<&Owner>, now: i64) -> Result<Loop, ContextError> {
        let who = by.map_or("by a person".to_owned(), |owner| format!("by `{owner}`"));
        let state = self.change(id, |file| {
            if file.state.status.is_over() {
                return Err(ContextError::LoopOver { id: id.to_owned(), status: file.state.status });
            }
            file.state.status = status;
            file.state.reason = Some(who.clone());
            file.state.updated_at = rfc3339(now);
            Ok(file.state.clone())
        })?;
        ActiveLoop::change(&self.indexes, |active| active.take(id))?;
        self.log(&state, status.name(), &who, by, now)?;
        Ok(state)
    }

    /// Publishes the session that the loop belongs to, and pauses the loop it replaces.
    fn bring_forward(&self, state: &Loop, owner: Option<&Owner>, now: i64) -> Result<Option<String>, ContextError> {
        let mut replaced = None;
        ActiveLoop::change(&self.indexes, |active| {
            let session = owner.map(Owner::session);
            replaced = session.and_then(|session| active.of_session(session)).map(str::to_owned);
            active.put(&state.id, session);
        })?;
        let Some(old) = replaced.filter(|old| *old != state.id) else { return Ok(None) };
        let why = format!("loop `{}` replaced it", state.id);
        let paused = self.change(&old, |file| {
            if file.state.status == LoopStatus::Active {
                file.state.status = LoopStatus::Paused;
                file.state.reason = Some(why.clone());
                file.state.updated_at = rfc3339(now);
            }
            Ok(file.state.clone())
        });
        match paused {
            Ok(paused) => {
                self.log(&paused, "paused", &why, owner, now)?;
                Ok(Some(old))
            }
            // A loop that is missing or cannot be read blocks nobody anyway.
            Err(_) => Ok(None),
        }
    }

    /// A session may not escape a loop that it did not start by starting another.
    fn refuse_displacing(&self, owner: Option<&Owner>, id: &str) -> Result<(), ContextError> {
        let Some(owner) = owner else { return Ok(()) };
        let active = ActiveLoop::read(&self.indexes)?;
        let Some(held) = active.of_session(owner.session()).filter(|held| *held != id) else { return Ok(()) };
        match self.read(held) {
            Ok(file) if file.state.status == LoopStatus::Active && !file.state.started_by.is(owner) => {
                Err(ContextError::SessionHeld { id: held.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

fn lease(owner: &Owner, now: i64) -> Lease {
    Lease { owner: owner.clone(), started: rfc3339(now), expires: rfc3339(now.saturating_add(Lease::MILLIS)) }
}
