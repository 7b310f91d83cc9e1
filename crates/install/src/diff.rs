use similar::TextDiff;

use crate::{FileEdit, Site};

/// Shows an edit as a unified diff, with the file named as the site does.
pub fn diff(site: &Site<'_>, edit: &FileEdit) -> String {
    let name = site.brief(&edit.path);
    let name = name.trim_start_matches('/');
    let side = |prefix: &str, text: &Option<String>| match text {
        Some(_) => format!("{prefix}/{name}"),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (edit.before.as_deref().unwrap_or(""), edit.after.as_deref().unwrap_or(""));
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&side("a", &edit.before), &side("b", &edit.after))
        .to_string()
}
