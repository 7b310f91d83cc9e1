/// Writes a moment as ISO 8601 in UTC with milliseconds, without reading a time zone database: the hook path cannot
/// afford one.
pub fn rfc3339(unix_millis: i64) -> String {
    let millis = unix_millis.rem_euclid(1000);
    let seconds = unix_millis.div_euclid(1000);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    if !(0..=9999).contains(&year) {
        return format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z");
    }
    let mut text = String::with_capacity("2026-01-31T23:59:59.999Z".len());
    for (number, digits, behind) in [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (millis, 3, 'Z'),
    ] {
        push_digits(&mut text, number, digits);
        text.push(behind);
    }
    text
}

/// Appends a number with so many digits, in a fraction of the time that formatting takes.
#[expect(clippy::cast_sign_loss, reason = "one digit")]
fn push_digits(text: &mut String, number: i64, digits: u32) {
    (0..digits).rev().for_each(|place| text.push(char::from(b'0' + (number / 10_i64.pow(place) % 10) as u8)));
}

/// Turns days since 1970-01-01 into a date of the proleptic Gregorian calendar (Howard Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Reads a moment as [`rfc3339`] writes it. Fractions of any length and offsets such as `+02:00` are fine, since people
/// and other programs write moments too; `None` for anything else.
pub fn unix_millis(moment: &str) -> Option<i64> {
    let (date, time) = moment.trim().split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], minutes_east(&time[at..])?),
        None => (time, 0),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next().unwrap_or(Some(0))?);
    let fits = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..9_999).contains(&year)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second)
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let millis = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    fits.then_some(seconds * 1000 + millis)
}

fn minutes_east(offset: &str) -> Option<i64> {
    let (sign, rest) = match offset.as_bytes().first()? {
        b'+' => (1, &offset[1..]),
        b'-' => (-1, &offset[1..]),
        _ => return (offset.len() == 1).then_some(0),
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

/// Counts the days from 1970-01-01 to a date (Howard Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_back() {
        for millis in [0, -1, 951_782_400_000, 1_794_771_930_123, 4_102_444_799_000] {
            assert_eq!(unix_millis(&rfc3339(millis)), Some(millis));
        }
        let check = |moment: &str, expected: Option<i64>| assert_eq!(unix_millis(moment), expected, "{moment}");
        check("2026-11-15T19:45:30Z", Some(1_794_771_930_000));
        check("2026-11-15T21:45:30.5+02:00", Some(1_794_771_930_500));
        check("2026-11-15 14:45:30.123456-0500", Some(1_794_771_930_123));
        check("2026-11-15T19:45", Some(1_794_771_900_000));
        for bad in
            ["", "2026-11-15", "yesterday", "2026-13-15T00:00:00Z", "2026-11-15T25:00:00Z", "T", "2026-11-15T1:2:3Zé"]
        {
            check(bad, None);
        }
    }

    #[test]
    fn moments_are_written_in_utc() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(1_794_771_930_123), "2026-11-15T19:45:30.123Z");
        assert_eq!(rfc3339(4_102_444_799_000), "2099-12-31T23:59:59.000Z");
        assert_eq!(rfc3339(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(253_402_300_800_000), "10000-01-01T00:00:00.000Z");
    }
}
