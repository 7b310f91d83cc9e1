//! Evaluates a condition for an event. The result is the list of things it matches; an error means that it could not be
//! evaluated.

mod document;
mod file;
mod shown;
mod world;

pub(crate) use file::shown;

use stead_model::{Access, Detail, Effect, Op};

use crate::asked::Inquiry;
use crate::condition::{Clause, Condition};
use crate::guard_facts::Caller;
use crate::pattern::{ArgvPattern, one_of};
use crate::subject::Subject;

/// What matched: `None` if the condition does not match. The list may be empty if it matches nothing in particular.
pub(crate) type Found = Result<Option<Vec<Subject>>, String>;

impl Inquiry<'_> {
    /// Evaluates a `match`: what it finds, filtered by the clauses about the feature of each subject.
    pub(crate) fn matches(&self, condition: &Condition) -> Found {
        let of_feature = || condition.0.iter().filter(|clause| clause.is_about_feature());
        let whole = condition.0.iter().filter(|clause| !clause.is_about_feature());
        let Some(mut found) = self.all(whole, None)? else { return Ok(None) };
        if found.is_empty() {
            found.push(Subject::default());
        }
        if of_feature().next().is_none() {
            return Ok(Some(found));
        }
        let mut left = Vec::new();
        for subject in found {
            // The feature is unknown then, which must not bypass the guard.
            if subject.unknown || self.all(of_feature(), Some(&subject))?.is_some() {
                left.push(subject);
            }
        }
        Ok((!left.is_empty()).then_some(left))
    }

    /// Evaluates a condition; `focus` is the subject for which an `unless` is evaluated.
    pub(crate) fn condition(&self, condition: &Condition, focus: Option<&Subject>) -> Found {
        self.all(condition.0.iter(), focus)
    }

    fn all<'c>(&self, clauses: impl Iterator<Item = &'c Clause>, focus: Option<&Subject>) -> Found {
        let mut all = Vec::new();
        for clause in clauses {
            match self.clause(clause, focus)? {
                Some(found) => all.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    fn clause(&self, clause: &Clause, focus: Option<&Subject>) -> Found {
        match clause {
            Clause::Tool(names) => {
                let held = self.asked.event.call.as_ref().is_some_and(|call| one_of(names, &call.tool));
                Ok(held.then(Vec::new))
            }
            Clause::Harness(names) => Ok(one_of(names, self.asked.harness).then(Vec::new)),
            Clause::Agent(names) => Ok(is_agent(names, &self.facts.caller()).then(Vec::new)),
            Clause::Exists(paths) => Ok(paths.iter().any(|path| self.exists(path)).then(Vec::new)),
            Clause::Text(patterns) => {
                let Some(text) = self.text() else { return Ok(None) };
                for pattern in patterns {
                    if pattern.is_in(text)? {
                        return Ok(Some(vec![Subject { because: "its text matches".into(), ..Subject::default() }]));
                    }
                }
                Ok(None)
            }
            Clause::Any(parts) => {
                let mut held = None;
                for part in parts {
                    if let Some(found) = self.condition(part, focus)? {
                        held.get_or_insert_with(Vec::new).extend(found);
                    }
                }
                Ok(held)
            }
            Clause::All(parts) => self.all(parts.iter().flat_map(|part| &part.0), focus),
            Clause::Not(part) => Ok(self.condition(part, focus)?.is_none().then(Vec::new)),
            Clause::Files(files) => self.files(files, focus),
            Clause::Runs(_)
            | Clause::Git(_)
            | Clause::Network(_)
            | Clause::RunsDownload(_)
            | Clause::Sql(_)
            | Clause::Mcp(_)
            | Clause::Spawn(_) => Ok(self.ops(clause, focus)),
            _ => Ok(self.fact(clause, focus)?.then(Vec::new)),
        }
    }

    /// Returns true if a path exists or is being created: a call that names it counts.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.facts.exists(&self.absolute(path)) || self.is_named(path)
    }

    fn is_named(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        !name.is_empty() && self.asked.event.call.as_ref().is_some_and(|call| call.input.contains(name))
    }

    /// The message of this event.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.asked.event.detail {
            Detail::Prompt { text, .. } => Some(text),
            Detail::Stop { message, .. } => message.as_deref(),
            Detail::Failed { error, .. } => error.as_deref(),
            Detail::Notice { text } => text.as_deref(),
            _ => None,
        }
    }

    fn ops(&self, clause: &Clause, focus: Option<&Subject>) -> Option<Vec<Subject>> {
        let found: Vec<Subject> = self
            .within(focus, |op| kind(op) == clause_kind(clause))
            .filter_map(|(at, effect)| {
                let because = op_fits(clause, &effect.op)?;
                Some(Subject {
                    effect: Some(at),
                    part: effect.part.clone(),
                    command: command(&effect.op),
                    because,
                    ..Subject::default()
                })
            })
            .collect();
        (!found.is_empty()).then_some(found)
    }

    /// The effects to consider: all of them, or for a subject its own, else those of the same sub-command.
    pub(crate) fn within(
        &self,
        focus: Option<&Subject>,
        is_own_kind: impl Fn(&Op) -> bool,
    ) -> impl Iterator<Item = (usize, &Effect)> {
        let list = &self.effects().list;
        let own = focus.and_then(|subject| subject.effect).and_then(|at| Some((at, list.get(at)?)));
        let only = own.filter(|(_, effect)| is_own_kind(&effect.op)).map(|(at, _)| at);
        let part = own.map(|(_, effect)| effect.part.as_str());
        list.iter().enumerate().filter(move |(at, effect)| match only {
            Some(one) => *at == one,
            None => part.is_none_or(|part| effect.part == part),
        })
    }
}

/// Kinds of effects that different clauses match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Run,
    Git,
    Network,
    Download,
    Sql,
    Mcp,
    Spawn,
    /// No clause matches it.
    Stead,
}

fn kind(op: &Op) -> Kind {
    match op {
        Op::Read { .. } | Op::Write { .. } | Op::Delete(_) | Op::Rename { .. } => Kind::File,
        Op::Run { .. } => Kind::Run,
        Op::Git(_) => Kind::Git,
        Op::Network { .. } => Kind::Network,
        Op::RunDownload { .. } => Kind::Download,
        Op::Sql { .. } => Kind::Sql,
        Op::Mcp { .. } => Kind::Mcp,
        Op::Spawn { .. } => Kind::Spawn,
        Op::Stead(_) => Kind::Stead,
    }
}

fn clause_kind(clause: &Clause) -> Kind {
    match clause {
        Clause::Runs(_) => Kind::Run,
        Clause::Git(_) => Kind::Git,
        Clause::Network(_) => Kind::Network,
        Clause::RunsDownload(_) => Kind::Download,
        Clause::Sql(_) => Kind::Sql,
        Clause::Mcp(_) => Kind::Mcp,
        Clause::Spawn(_) => Kind::Spawn,
        _ => Kind::File,
    }
}

/// Why an operation matches a clause.
fn op_fits(clause: &Clause, op: &Op) -> Option<String> {
    match (clause, op) {
        (Clause::RunsDownload(hosts), Op::RunDownload { host, .. }) => {
            one_of(hosts, host.as_deref().unwrap_or("")).then(|| told(op))
        }
        (Clause::Sql(patterns), Op::Sql { words, .. }) => meets_one(patterns, words).then(|| told(op)),
        (Clause::Runs(patterns), Op::Run { argv, .. }) => {
            let held = meets_one(patterns, argv);
            held.then(|| format!("runs `{}`", short(&argv.join(" "))))
        }
        (Clause::Git(names), Op::Git(git)) => {
            let held = one_of(names, git.kind.name()) || one_of(names, &git.verb);
            held.then(|| format!("git {} ({})", git.verb, git.kind.name()))
        }
        (Clause::Network(hosts), Op::Network { program, host }) => {
            let host = host.as_deref().unwrap_or("");
            one_of(hosts, host)
                .then(|| format!("{program} connects to {}", if host.is_empty() { "a host" } else { host }))
        }
        (Clause::Mcp(names), Op::Mcp { server, tool }) => {
            let name = format!("{server}/{tool}");
            let held = one_of(names, &name) || one_of(names, server);
            held.then(|| format!("calls {name}"))
        }
        (Clause::Spawn(roles), Op::Spawn { role }) => {
            let role = role.as_deref().unwrap_or("");
            one_of(roles, role).then(|| format!("spawns {}", if role.is_empty() { "an agent" } else { role }))
        }
        _ => None,
    }
}

fn meets_one(patterns: &[String], argv: &[String]) -> bool {
    patterns.iter().any(|text| ArgvPattern::parse(text).is_some_and(|pattern| pattern.meets(argv)))
}

/// Describes an effect in a few words.
pub(crate) fn told(op: &Op) -> String {
    let path = shown;
    match op {
        Op::Read { target, access: Access::Used } => format!("uses {}", path(target)),
        Op::Read { target, .. } => format!("reads {}", path(target)),
        Op::Write { target, .. } => format!("writes {}", path(target)),
        Op::Delete(target) => format!("deletes {}", path(target)),
        Op::Rename { from, to } => format!("moves {} to {}", path(from), path(to)),
        Op::Run { argv, .. } => format!("runs `{}`", short(&argv.join(" "))),
        Op::Git(git) => format!("git {} ({})", git.verb, git.kind.name()),
        Op::Network { program, host } => format!("{program} connects to {}", host.as_deref().unwrap_or("a host")),
        Op::RunDownload { program, host } => {
            format!("runs code from {} with {program}", host.as_deref().unwrap_or("the network"))
        }
        Op::Sql { program, words } => format!("gives {program} `{}`", short(&words.join(" "))),
        Op::Mcp { server, tool } => format!("calls {server}/{tool}"),
        Op::Spawn { role } => format!("spawns {}", role.as_deref().unwrap_or("an agent")),
        Op::Stead(call) => format!("calls stead {}", call.words.first().map_or("", |word| word.text.as_str())),
    }
}

fn command(op: &Op) -> Option<String> {
    match op {
        Op::Run { argv, .. } => Some(argv.join(" ")),
        _ => None,
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(79).collect::<String>())
}

/// Returns true if the list matches the caller: `main`, `sub`, or a role.
fn is_agent(names: &[String], caller: &Caller) -> bool {
    let kind = match caller {
        Caller::Main { .. } => "main",
        Caller::Sub { .. } => "sub",
    };
    // Each name is compared with the kind and with the role, so that `sub` with `!coding` works.
    let role = caller.role();
    let mut held = names.iter().all(|name| name.starts_with('!'));
    for name in names {
        let (bare, not) = name.strip_prefix('!').map_or((name.as_str(), false), |bare| (bare, true));
        let fits = match bare {
            "main" | "sub" => bare == kind,
            _ => role.is_some_and(|role| crate::pattern::meets(bare, role)),
        };
        held = if not { held && !fits } else { held || fits };
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_told_apart() {
        let main = |role: Option<&str>| Caller::Main { role: role.map(Into::into) };
        let sub = |role: Option<&str>| Caller::Sub { role: role.map(Into::into) };
        let check = |names: &[&str], caller: &Caller, expected: bool| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(is_agent(&names, caller), expected, "{names:?} {caller:?}");
        };
        check(&["main"], &main(None), true);
        check(&["main"], &main(Some("coder")), true);
        check(&["main", "!coder"], &main(Some("coder")), false);
        check(&["main"], &sub(Some("main")), false);
        check(&["sub"], &sub(None), true);
        check(&["sub", "!cod*"], &sub(Some("coding")), false);
        check(&["sub", "!cod*"], &sub(Some("tester")), true);
        check(&["tester"], &sub(Some("Tester")), true);
        check(&["tester"], &sub(None), false);
        check(&["!coder"], &main(None), true);
    }
}
