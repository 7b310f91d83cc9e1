use std::time::Duration;

/// Reads a span of time with its unit, from seconds to weeks. It is never empty.
pub(crate) fn span(text: &str) -> Result<Duration, String> {
    let odd = || format!("invalid duration `{text}`; expected one such as `90s`, `10m`, `2h` or `30d`");
    let unit = text.chars().last().ok_or_else(odd)?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(odd()),
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].trim().parse().map_err(|_| odd())?;
    let span = number.checked_mul(factor).map(Duration::from_secs).ok_or_else(odd)?;
    if span.is_zero() { Err(odd()) } else { Ok(span) }
}

/// A time in seconds, from `90`, `90s`, `45m` or `8h`.
pub(crate) fn seconds(typed: &str) -> Result<u64, String> {
    let seconds = typed.parse().ok().or_else(|| span(typed).ok().map(|span| span.as_secs()));
    seconds.filter(|seconds| *seconds > 0).ok_or_else(|| "expected a time such as `90m` or `8h`".to_owned())
}

/// An amount of money, from `20`, `2.5` or `$20`.
pub(crate) fn dollars(typed: &str) -> Result<f64, String> {
    let number = typed.trim_start_matches('$').parse::<f64>().ok();
    number.filter(|cost| cost.is_finite() && *cost > 0.0).ok_or_else(|| "expected an amount such as `20`".to_owned())
}

/// A span as [`span`] reads it, in the largest unit that needs no fraction.
pub(crate) fn shortest(seconds: u64) -> String {
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
    match units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", seconds / unit),
        None => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_a_unit() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(span(text).ok(), expected.map(Duration::from_secs), "{text}");
        };
        check("90s", Some(90));
        check("10m", Some(600));
        check("24h", Some(86_400));
        check("30d", Some(30 * 86_400));
        check("2w", Some(14 * 86_400));
        for (seconds, text) in [(90, "90s"), (600, "10m"), (7_200, "2h"), (172_800, "2d"), (0, "0s")] {
            assert_eq!(shortest(seconds), text);
            check(text, Some(seconds).filter(|seconds| *seconds > 0));
        }
        for odd in ["", "10", "m", "0s", "-1h", "1.5h", "10 é", "99999999999999999999h", "9999999999999999999w"] {
            check(odd, None);
        }
    }
}
