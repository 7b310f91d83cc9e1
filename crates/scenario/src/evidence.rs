use std::fmt;

use crate::play::Played;

/// Everything that was seen of a play, for a person who must find out what went wrong.
pub(crate) struct Evidence<'a>(pub(crate) &'a Played);

impl fmt::Display for Evidence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, call) in self.0.calls.iter().enumerate() {
            let exit = call.exit.map_or("none: it was ended early".to_owned(), |code| code.to_string());
            writeln!(f, "--- hook call {}: stead {} (exit {exit})", number + 1, call.args.join(" "))?;
            for (name, text) in [("stdin", &call.stdin), ("stdout", &call.stdout), ("stderr", &call.stderr)] {
                if !text.is_empty() {
                    writeln!(f, "{name}: {}", cut(text))?;
                }
            }
        }
        writeln!(f, "--- what the model was asked\n{}", self.0.log)?;
        for session in &self.0.sessions {
            let id = session.id.as_deref().unwrap_or("unknown");
            writeln!(f, "--- client: {:?}, session {id}, prompt {:?}", session.ended.end, session.prompt)?;
            writeln!(f, "--- client's stderr\n{}", cut(&session.ended.stderr))?;
            writeln!(f, "--- client's stdout\n{}", cut(&session.ended.stdout))?;
        }
        Ok(())
    }
}

/// Keeps both ends of a long text.
fn cut(text: &str) -> String {
    const ENDS: usize = 2_000;
    let text = text.trim_end();
    let count = text.chars().count();
    if count <= 2 * ENDS {
        return text.to_owned();
    }
    let head: String = text.chars().take(ENDS).collect();
    let tail: String = text.chars().skip(count - ENDS).collect();
    format!("{head}\n[… {} characters …]\n{tail}", count - 2 * ENDS)
}
