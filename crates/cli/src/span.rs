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
        for odd in ["", "10", "m", "0s", "-1h", "1.5h", "10 é", "99999999999999999999h", "9999999999999999999w"] {
            check(odd, None);
        }
    }
}
