use stead_model::unix_millis;

/// How long lines without a session count as part of the current work.
const DAY: i64 = 24 * 3600 * 1000;

/// Which log lines belong to the work that is handed over: those of one session, and those without a session from the
/// last day. Without a session, everything of the last day.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub session: Option<&'a str>,
    pub now: i64,
}

impl Scope<'_> {
    pub fn covers(&self, session: Option<&str>, moment: &str) -> bool {
        match (self.session, session) {
            (Some(wanted), Some(session)) => wanted == session,
            _ => unix_millis(moment).is_some_and(|moment| moment >= self.now - DAY),
        }
    }
}
