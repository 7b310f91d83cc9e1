//! Blocks between `-----BEGIN` and `-----END`: private keys, also inside of a JSON string or a quoted mail.

/// The range of the block that begins at `at`, and whether it is secret. Without an end it goes on as long as its lines
/// look like one.
pub(super) fn range_at(text: &str, at: usize) -> Option<(usize, bool)> {
    const BEGIN: &str = "-----BEGIN ";
    const DASHES: &str = "-----";
    let label = &text[at + BEGIN.len()..];
    let length = label.find(DASHES).filter(|length| *length <= 64 && !label[..*length].contains('\n'))?;
    let label = &label[..length];
    let is_secret = label.contains("PRIVATE KEY") || label.contains("SECRET KEY");
    let body = at + BEGIN.len() + length + DASHES.len();
    let end = format!("-----END {label}-----");
    // A key has a few kilobytes.
    const LONGEST: usize = 64 * 1024;
    let mut near = text.len().min(body + LONGEST);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    let stop = match text[body..near].find(&end) {
        Some(found) => body + found + end.len(),
        None => body_end(text, body),
    };
    Some((stop, is_secret))
}

/// Where lines end that could belong to a block.
fn body_end(text: &str, start: usize) -> usize {
    let mut at = start;
    for (index, line) in text[start..].split_inclusive('\n').enumerate() {
        if index > 0 && !is_body(line) {
            break;
        }
        if index == 0 && line.contains('\n') && !line.trim_end().is_empty() {
            // The whole block may be on one line, with `\n` as text.
            let code = line.find(|c: char| !(c.is_ascii_alphanumeric() || "+/=\\".contains(c))).unwrap_or(line.len());
            if code < line.trim_end().len() {
                return start + code;
            }
        }
        at += line.len();
    }
    let end = start + text[start..at].trim_end().len();
    // On the last line only what looks like a key: a quote ends it.
    let line = text[start..end].rfind('\n').map_or(start, |line| start + line + 1);
    let stop = text[line..end].find(['"', '\'', '`', ' ']).filter(|_| line == start);
    stop.map_or(end, |stop| line + stop)
}

/// Returns true for a line of base 64, or a header of a block; an empty one may stand between.
pub(super) fn is_body(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '\t', '+', '-', '|', '#', '*']).trim_end();
    let is_header =
        ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"].iter().any(|start| line.starts_with(start));
    let code = line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\\\"',".contains(&byte));
    is_header || code && (line.len() >= 16 || line.ends_with('=') || line.is_empty())
}
