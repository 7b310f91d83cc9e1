//! When a handoff was written, from its front matter or its file name.

use stead_model::unix_millis;

/// Parses a timestamp or a date.
pub(super) fn of_text(text: &str) -> Option<i64> {
    let text = text.trim();
    unix_millis(text).or_else(|| unix_millis(&format!("{text}T00:00:00Z")))
}

/// Parses names such as `2026-01-08_16-30-05_what-it-is.md`, with or without time and seconds.
pub(super) fn of_name(name: &str) -> Option<i64> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let day = name.get(..10)?;
    let clock = name.get(10..).and_then(|rest| rest.strip_prefix(['_', 'T'])).map(|rest| rest.replace('-', ":"));
    let digits: String =
        clock.iter().flat_map(|clock| clock.chars()).take_while(|c| c.is_ascii_digit() || *c == ':').collect();
    let parts: Vec<&str> = digits.split(':').filter(|part| part.len() == 2).collect();
    match parts.as_slice() {
        [hour, minute, second, ..] => unix_millis(&format!("{day}T{hour}:{minute}:{second}Z")),
        [hour, minute] => unix_millis(&format!("{day}T{hour}:{minute}:00Z")),
        _ => of_text(day),
    }
}

#[cfg(test)]
mod tests {
    use stead_model::rfc3339;

    use super::*;

    #[test]
    fn moments_are_read_from_heads_and_names() {
        let text = |text: &str| of_text(text).map(rfc3339);
        assert_eq!(text("2026-01-08T16:30:05+01:00").as_deref(), Some("2026-01-08T15:30:05.000Z"));
        assert_eq!(text("2026-01-08").as_deref(), Some("2026-01-08T00:00:00.000Z"));
        assert_eq!(text("[Current date]"), None);
        let name = |name: &str| of_name(name).map(rfc3339);
        assert_eq!(name("a/2026-01-08_16-30-05_ENG-1_x.md").as_deref(), Some("2026-01-08T16:30:05.000Z"));
        assert_eq!(name("2026-01-08_16-30_bug.yaml").as_deref(), Some("2026-01-08T16:30:00.000Z"));
        assert_eq!(name("2026-01-08-bug.yaml").as_deref(), Some("2026-01-08T00:00:00.000Z"));
        assert_eq!(name("current.md"), None);
        assert_eq!(name("日本語日本語日.md"), None);
    }
}
