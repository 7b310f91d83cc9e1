//! The root element of a Cobertura report has the totals, so nothing else has to be read.

use super::{Coverage, CoverageFormat};

pub(super) fn read(text: &str) -> Result<Coverage, String> {
    let (name, attributes) = root(text).ok_or("it is not valid XML")?;
    if name != "coverage" {
        return Err(format!("its root is `{name}`; a Cobertura report has `coverage`"));
    }
    if !text.trim_end().ends_with("</coverage>") && !attributes.trim_end().ends_with('/') {
        return Err("it is cut off: `</coverage>` is missing".to_owned());
    }
    let number = |name: &str| match attribute(attributes, name) {
        Some(value) => value.trim().parse::<f64>().map(Some).map_err(|_| format!("`{name}` is `{value}`")),
        None => Ok(None),
    };
    let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number);
    if let Some((covered, total)) = number("lines-covered")?.zip(number("lines-valid")?) {
        let counts = whole(covered).zip(whole(total)).ok_or("its numbers of lines are not whole numbers")?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
        return Coverage::counted(CoverageFormat::Cobertura, counts.0 as u64, counts.1 as u64);
    }
    match number("line-rate")? {
        Some(rate) => Coverage::estimated(CoverageFormat::Cobertura, rate * 100.0),
        None => Err("it has no `line-rate`, so it is not a Cobertura report".to_owned()),
    }
}

/// The name and the attributes of the first element, behind declarations and comments.
fn root(mut text: &str) -> Option<(&str, &str)> {
    loop {
        text = text.trim_start();
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("<!", ">")].iter().find(|(open, _)| text.starts_with(open));
        match skipped {
            Some((_, close)) => text = text.split_once(close)?.1,
            None => break,
        }
    }
    let inside = text.strip_prefix('<')?;
    let mut quote = None;
    let end = inside.find(|c: char| {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None => return c == '>',
            Some(_) => {}
        }
        false
    })?;
    let element = &inside[..end];
    let name = element.split(|c: char| c.is_whitespace() || c == '/').next()?;
    Some((name, &element[name.len()..]))
}

fn attribute<'a>(mut attributes: &'a str, name: &str) -> Option<&'a str> {
    while let Some((key, rest)) = attributes.split_once('=') {
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| *c == '"' || *c == '\'')?;
        let (value, behind) = rest[1..].split_once(quote)?;
        if key.trim() == name {
            return Some(value);
        }
        attributes = behind;
    }
    None
}
