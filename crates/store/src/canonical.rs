use std::fmt::Write;

use serde_json::{Map, Number, Value};

/// Writes a JSON value as RFC 8785 prescribes, so that equal values have equal bytes, and equal hashes: keys in the
/// order of their UTF-16 units, numbers as ECMAScript prints them, no blanks.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// The same of an object.
pub(crate) fn canonical_object(map: &Map<String, Value>) -> String {
    let mut out = String::new();
    write_object(&mut out, map);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => write_object(out, map),
    }
}

fn write_object(out: &mut String, map: &Map<String, Value>) {
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    // Bytes and UTF-16 units agree on the order, unless a key leaves the first plane.
    fields.sort_by(|(a, _), (b, _)| match a.is_ascii() && b.is_ascii() {
        true => a.cmp(b),
        false => a.encode_utf16().cmp(b.encode_utf16()),
    });
    out.push('{');
    for (index, (key, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(out, key);
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

fn write_text(out: &mut String, text: &str) {
    // `serde_json` escapes exactly what the RFC demands, in the same way.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// As `Number::toString` of ECMAScript: the shortest digits that are read back as the same double.
fn write_number(out: &mut String, number: &Number) {
    let value = number.as_f64().unwrap_or_default();
    // Of two shortest texts at the same distance the even one is right; `std` takes the other.
    let shortest = Number::from_f64(value.abs()).map(|number| number.to_string()).unwrap_or_default();
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let skipped = i32::try_from(all.len() - significant.len()).unwrap_or_default();
    let digits = significant.trim_end_matches('0');
    let point = exponent.parse::<i32>().unwrap_or_default() + i32::try_from(whole.len()).unwrap_or_default() - skipped;
    if value < 0.0 {
        out.push('-');
    }
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    // A `String` takes whatever is written to it.
    let _ = match point {
        _ if value == 0.0 => write!(out, "0"),
        point if (count..=21).contains(&point) => write!(out, "{digits}{}", zeros(point - count)),
        point if (1..=21).contains(&point) => {
            let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or_default());
            write!(out, "{whole}.{rest}")
        }
        point if (-5..=0).contains(&point) => write!(out, "0.{}{digits}", zeros(-point)),
        point => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            write!(out, "{first}{dot}{rest}e{:+}", point - 1)
        }
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(canonical(&value), expected, "{json}");
    }

    #[test]
    fn numbers_are_those_of_ecmascript() {
        // The table of RFC 8785, appendix B, as far as JSON can express it.
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(canonical(&Value::from(f64::from_bits(bits))), expected, "{bits:x}");
        }
        check(
            "[1, 1.0, 1e2, 100000000000000000000, -7, 4.5, 0.002, 1E30]",
            "[1,1,100,100000000000000000000,-7,4.5,0.002,1e+30]",
        );
    }

    #[test]
    fn keys_and_texts_are_those_of_the_rfc() {
        let keys = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"o"}"#;
        let sorted = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"o\",\"€\":\"Euro Sign\",\"😀\":\"Emoji\",\"\u{fb33}\":\"Hebrew\"}";
        check(keys, sorted);
        check(
            r#"{"b":[true,null,{}],"a":"\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\/"}"#,
            "{\"a\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\",\"b\":[true,null,{}]}",
        );
    }

    proptest! {
        #[test]
        fn a_canonical_text_is_read_back_and_stays(number in any::<f64>().prop_filter("JSON", |n| n.is_finite()), text in "\\PC*") {
            let value = serde_json::json!({ "n": number, format!("t{text}"): [0, text.as_str()] });
            let once = canonical(&value);
            let read: Value = serde_json::from_str(&once).unwrap();
            prop_assert_eq!(read["n"].as_f64().unwrap().to_bits() << 1, (number + 0.0).to_bits() << 1);
            prop_assert_eq!(canonical(&read), once);
        }
    }
}
