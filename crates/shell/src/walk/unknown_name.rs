//! Programs whose name is partly unknown: a variable may be empty, a wrapper, or the rest of the name.

use crate::glob;

use crate::parse::syntax::mark;
use crate::programs::stead::{self, Doubt};
use crate::programs::table;
use crate::walk::program::{self, brief, program_name};
use crate::walk::{Call, Stop, Walk};

/// Follows a program by its possible names; returns true if nothing else is to be done.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    if !name.contains(mark::is_mark) {
        return Ok(false);
    }
    if name.contains(mark::FETCHED) {
        walk.runs_download("sh", &brief(call.argv));
    }
    let known: String = name.chars().filter(|c| !mark::is_mark(*c)).collect();
    if known.is_empty() {
        // `$SUDO rm x`: what follows a word that may be nothing is a program if it is called like one.
        let next = call.argv.get(1).map(|word| program_name(word)).unwrap_or_default();
        if is_telling(&next) {
            walk.gap(&brief(call.argv), "the program is not known");
            program::judge(walk, &Call { argv: &call.argv[1..], ..*call })?;
            return Ok(true);
        }
        stead::doubtful(walk, call.argv, Doubt::Nameless);
        return Ok(false);
    }
    let open: Vec<char> = name.chars().map(|c| if mark::is_mark(c) { glob::MANY } else { c }).collect();
    let stead: Vec<char> = "stead".chars().collect();
    if glob::can_meet(&stead, &open) {
        stead::called(walk, call.argv);
    }
    if is_telling(&known) {
        walk.gap(&brief(call.argv), "the program is not known");
        let mut argv = call.argv.to_vec();
        argv[0] = known;
        program::judge(walk, &Call { argv: &argv, ..*call })?;
        return Ok(true);
    }
    Ok(false)
}

/// Returns true if a word is more likely a program than an argument.
pub(crate) fn is_telling(name: &str) -> bool {
    name == "stead"
        || table::is_remover(name)
        || table::is_placer(name)
        || table::is_writer(name)
        || table::is_shell(name)
        || matches!(name, "git" | "dd" | "sed" | "xargs" | "env" | "sudo")
}
