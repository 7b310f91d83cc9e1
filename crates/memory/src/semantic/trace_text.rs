use crate::Trace;

/// The text of a trace whose vector is compared: what happened, what was correct and why, together.
pub fn trace_text(trace: &Trace) -> String {
    let event = &trace.event;
    let parts = [&event.what_happened, &event.what_was_correct, &event.why];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TraceEvent;

    #[test]
    fn fields_are_joined() {
        let text = |what_happened: &str, what_was_correct: &str, why: &str| {
            let [what_happened, what_was_correct, why] = [what_happened, what_was_correct, why].map(str::to_owned);
            trace_text(&Trace { event: TraceEvent { what_happened, what_was_correct, why }, ..Trace::default() })
        };
        assert_eq!(text("it broke ", "do not", "why"), "it broke\ndo not\nwhy");
        assert_eq!(text("it broke", "", " "), "it broke");
        assert_eq!(text("", "", ""), "");
    }
}
