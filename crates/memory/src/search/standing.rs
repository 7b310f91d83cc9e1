use crate::index::{IndexError, Place, View};
use crate::{Trace, TraceId, TraceStatus};

/// How many traces of one topic are looked at.
const SAME_TOPIC: usize = 32;

/// Whether a trace still holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It was forgotten, or a later line says it again.
    Gone,
    SupersededBy(TraceId),
    Current,
}

impl Standing {
    /// Looks a trace up. Others replace and forget only their own traces, and a trace of this person hides theirs.
    pub(crate) fn of(view: &View<'_>, place: Place, trace: &Trace) -> Result<Self, IndexError> {
        let replaced = Self::by_others(view, place, trace)?;
        if replaced == Self::Gone || trace.status == TraceStatus::Forgotten || !is_newest(view, place, trace)? {
            return Ok(Self::Gone);
        }
        Ok(replaced)
    }

    fn by_others(view: &View<'_>, place: Place, trace: &Trace) -> Result<Self, IndexError> {
        let mut newest: Option<Trace> = None;
        let mut offer = |new: Trace| {
            if newest.as_ref().is_none_or(|known| new.timestamp >= known.timestamp) {
                newest = Some(new);
            }
        };
        for (at, new) in readable(view, place, view.replacements(&trace.id)?)? {
            match new.supersedes.contains(&trace.id) && new.id != trace.id {
                true if new.status == TraceStatus::Forgotten => return Ok(Self::Gone),
                true if holds(view, at, &new)? => offer(new),
                _ => {}
            }
        }
        if let (Some(topic), Some(log)) = (&trace.topic, view.log(place)) {
            let mut docs = view.of_topic(log, topic)?;
            docs.drain(..docs.len().saturating_sub(SAME_TOPIC));
            for (at, new) in readable(view, place, docs)? {
                let is_newer = new.timestamp > trace.timestamp && new.topic == trace.topic && new.id != trace.id;
                if is_newer && new.status != TraceStatus::Forgotten && holds(view, at, &new)? {
                    offer(new);
                }
            }
        }
        Ok(newest.map_or(Self::Current, |new| Self::SupersededBy(new.id)))
    }
}

/// The traces of documents whose writer may replace the trace at `place`.
fn readable(view: &View<'_>, place: Place, docs: Vec<u64>) -> Result<Vec<(Place, Trace)>, IndexError> {
    let mut all = Vec::new();
    for doc in docs {
        let at = view.place(doc)?;
        let may = at.log == place.log || view.log(at).is_some_and(|log| log.peer.is_none());
        if may && let Some(trace) = view.trace(at) {
            all.push((at, trace));
        }
    }
    Ok(all)
}

/// Whether a trace was neither forgotten nor written again.
fn holds(view: &View<'_>, place: Place, trace: &Trace) -> Result<bool, IndexError> {
    let is_tombstone =
        |(_, new): &(Place, Trace)| new.status == TraceStatus::Forgotten && new.supersedes.contains(&trace.id);
    let is_forgotten = readable(view, place, view.replacements(&trace.id)?)?.iter().any(is_tombstone);
    Ok(!is_forgotten && is_newest(view, place, trace)?)
}

/// Whether no later line of the same log has this id, and no log that comes first.
fn is_newest(view: &View<'_>, place: Place, trace: &Trace) -> Result<bool, IndexError> {
    for (at, log) in (0_u32..).zip(view.logs()).take(place.log as usize + 1) {
        let Some(doc) = view.newest(log, &trace.id)? else { continue };
        let found = view.place(doc)?;
        if at < place.log || found.offset != place.offset {
            return Ok(false);
        }
    }
    Ok(true)
}
