use similar::TextDiff;

use crate::{FileEdit, Site};

/// Renders an edit as a unified diff, with the file named as the site names it.
pub fn diff(site: &Site<'_>, edit: &FileEdit) -> String {
    text_diff(&site.brief(&edit.path), edit.before.as_deref(), edit.after.as_deref())
}

/// Renders the change of a file as a unified diff; `None` where it does not exist.
pub fn text_diff(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    let name = name.trim_start_matches('/');
    let side = |prefix: &str, text: Option<&str>| match text {
        Some(_) => format!("{prefix}/{name}"),
        None => "/dev/null".to_owned(),
    };
    TextDiff::from_lines(before.unwrap_or(""), after.unwrap_or(""))
        .unified_diff()
        .context_radius(3)
        .header(&side("a", before), &side("b", after))
        .to_string()
}
