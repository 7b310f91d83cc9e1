//! Variables in a prompt.

use stead_model::nearest;

use super::{Code, Findings};
use crate::prompt::{CURRENT, VariableKind, tells_status, uses, variable_kind};

/// Reports every unknown or deprecated variable. `from` is the prompt's offset in its file.
pub(crate) fn check_variables(findings: &mut Findings, text: &str, from: usize) {
    for found in uses(text).into_iter().filter(|found| !found.escaped) {
        let at = from + found.at.start..from + found.at.end;
        match variable_kind(found.name) {
            VariableKind::Current => {}
            VariableKind::Old(instead) => {
                let message = format!("`${{{}}}` is deprecated", found.name);
                findings.deprecation(Code::L010, &at, message).hint(instead);
            }
            VariableKind::Unknown => {
                let finding = findings.error(Code::L009, &at, format!("unknown variable `${{{}}}`", found.name));
                let known = CURRENT.map(str::to_lowercase);
                finding.hint(match nearest(found.name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `${{{}}}`?", near.to_uppercase()),
                    None => format!("write `$${{{}}}` for the text itself", found.name),
                });
            }
        }
    }
}

/// Reports what a prompt file should mention and does not.
pub(crate) fn check_mentions(findings: &mut Findings, text: &str, output_parse: Option<&str>) {
    let names: Vec<&str> = uses(text).into_iter().filter(|found| !found.escaped).map(|found| found.name).collect();
    if !names.contains(&"STATUS") {
        let finding = findings.deprecation(Code::L016, &(0..0), "the prompt does not mention `${STATUS}`");
        finding.hint(match output_parse.filter(|_| tells_status(text, output_parse)) {
            Some(_) => "tell the agent to write its status there; until then it is parsed from the agent's answer",
            None => "tell the agent to write its status there; until then an instruction is appended",
        });
    }
    if !names.contains(&"CTX") {
        let finding = findings.deprecation(Code::L017, &(0..0), "the prompt does not mention `${CTX}`");
        finding.hint("tell the agent to read it first: session, iteration, inputs, limits");
    }
}
