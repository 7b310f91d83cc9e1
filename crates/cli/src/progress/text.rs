use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Formats a duration as people say it: `4 s`, `3 min 20 s`, `2 h 5 min`.
pub(crate) fn elapsed(seconds: f64) -> String {
    if seconds < 1.0 {
        return "0 s".to_owned();
    }
    // A float that does not fit saturates.
    let whole = seconds as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// How many columns of a terminal a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Cuts a text to so many columns.
pub(crate) fn cut(text: String, width: usize) -> String {
    if columns(&text) <= width {
        return text;
    }
    let (mut kept, mut used) = (String::new(), 0);
    for c in text.chars() {
        used += c.width().unwrap_or_default();
        if used >= width {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Puts an agent's text on one line of at most `width` columns, without terminal control sequences.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let mut words = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    cut(words, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let check = |seconds: f64, expected: &str| assert_eq!(elapsed(seconds), expected);
        check(0.2, "0 s");
        check(59.9, "59 s");
        check(200.0, "3 min 20 s");
        check(7_500.0, "2 h 5 min");
        check(-3.0, "0 s");
        check(f64::NAN, "0 s");
        check(f64::INFINITY, "5124095576030431 h 0 min");
    }

    #[test]
    fn what_agents_write_stays_on_its_line() {
        let check = |text: &str, width: usize, expected: &str| assert_eq!(one_line(text, width), expected);
        check(" two\n\twords ", 80, "two words");
        check("\u{1b}[2Jcleared\u{7}", 80, "[2Jcleared");
        check("abcdef", 4, "abc…");
        check("äöüß", 4, "äöüß");
        check("日本語の", 8, "日本語の");
        check("日本語の", 7, "日本語…");
        check("日本語の", 6, "日本…");
        check("", 4, "");
    }
}
