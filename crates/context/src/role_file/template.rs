use super::{COMPLETED, FIELDS, FIRST_STEP, KEY_FILES, PENDING, RECOVERY, TITLE_END};
use crate::RoleName;

/// The format of a role file, for people and agents.
pub const FORMAT: &str = "\
Role file, format 1.0: `<roles>/<role>.context.md`

What a role must know to continue after its conversation was compacted.

    # <Role Name> — Session Context

    **Updated**: YYYY-MM-DDTHH:MMZ
    **Role**: <role> (<what it does>)
    **Pane**: <pane> in <terminal session>

    ## Recovery Steps
    1. Read this file
    2. …

    ## Completed Work
    ### Task 1: <what> (DONE — commit <hash>)
    - …

    ## Pending
    - …

    ## Key Files
    - `<path>`: <why it matters>

The file must (or it is invalid):
  - start on line 1 with a first-level heading that has an em dash and ends with the word `Context`
  - contain `**Updated**:`, `**Role**:` and `**Pane**:`, each once on a line of its own, within the first 6 lines
  - give a date YYYY-MM-DD in `**Updated**`; a time may follow
  - have a section that starts with `## Recovery Steps`, with at least one numbered step
  - have a section that starts with `## Completed Work`

The file should (or it gets a warning):
  - have \"Read this file\" as the first recovery step
  - list completed work as `### Task N: …` or as numbered items, each marked `(DONE)` or `(DONE — commit <hash>)`
  - have sections that start with `## Pending` and `## Key Files`

Other sections are optional, for example `## Current Team Layout`, `## Current State`, `## Key Rules`,
`## Key Architecture Decisions`, `## Git Status`, `## Next Tasks`, `## Test Suites`.
Headings inside code blocks do not count.
";

/// The rules above name what the checker uses; a test keeps them in sync.
#[cfg(test)]
pub(super) const NAMED: [&str; 7] = [TITLE_END, RECOVERY, COMPLETED, PENDING, KEY_FILES, FIRST_STEP, FIELDS[0]];

/// Renders the role file of a new role. `updated` has the form `YYYY-MM-DDTHH:MMZ`.
pub fn template(role: &RoleName, about: Option<&str>, pane: &str, updated: &str) -> String {
    let title = role.title();
    let about = about.map(|about| format!(" ({about})")).unwrap_or_default();
    let [updated_key, role_key, pane_key] = FIELDS;
    format!(
        "# {title} — {TITLE_END}\n\n**{updated_key}**: {updated}\n**{role_key}**: {role}{about}\n**{pane_key}**: {pane}\n\n\
         ## {RECOVERY}\n1. {FIRST_STEP}\n2. Read the documents that `stead role recover {role}` names\n\
         3. Go on with the first item under {PENDING}\n\n\
         ## {COMPLETED}\n\n## {PENDING}\n\n## {KEY_FILES}\n"
    )
}
