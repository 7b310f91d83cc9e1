/// Returns why a text cannot name a stage, a pipeline or a stage's id. They become parts of file names and of other
/// names, so fewer characters are allowed than in other ids.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    const MOST: usize = 64;
    if name.is_empty() {
        return Some("it is empty".into());
    }
    if name.len() > MOST {
        return Some(format!("it is longer than {MOST} bytes"));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Some("it does not start with a letter or a digit".into());
    }
    name.chars().find(|c| !(c.is_ascii_alphanumeric() || "-_".contains(*c))).map(|bad| format!("it contains {bad:?}"))
}
