//! One line of the compiled policy that this gate reads. The compiler writes it, the hook parses it; unknown kinds
//! belong to other readers.

use std::borrow::Cow;

use stead_model::{Base, Shape, cut, pieces};

/// Something the gate protects, or exempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule<'a> {
    /// A file or folder that only Stead writes.
    Own { base: Base<'a>, path: Cow<'a, str>, what: Cow<'a, str> },
    /// An exception from [`Rule::Own`]: the agent's own file.
    Free { base: Base<'a>, path: Cow<'a, str> },
    /// A client's settings file: may be edited if our lines survive.
    Settings { base: Base<'a>, path: Cow<'a, str>, client: Cow<'a, str>, shape: Shape, watch: Cow<'a, str> },
    /// A verb of `stead` that weakens it.
    Verb { words: Cow<'a, str> },
    /// A command line of a client that turns its hooks off. The names of its program are separated by commas.
    Off { client: Cow<'a, str>, programs: Cow<'a, str>, words: Cow<'a, str>, does: Cow<'a, str> },
    /// The programs of a client, separated by commas: what is started with other variables.
    Client { programs: Cow<'a, str> },
    /// Variables that decide whether Stead runs, separated by commas.
    Variables { names: Cow<'a, str> },
}

impl<'a> Rule<'a> {
    /// Formats the rule as one line, without the newline. Tabs and newlines inside a field become spaces, because they
    /// would end it.
    pub fn render(&self) -> String {
        let fields: Vec<Cow<'_, str>> = match self {
            Self::Own { base, path, what } => {
                vec!["own".into(), render_base(*base), path.as_ref().into(), what.as_ref().into()]
            }
            Self::Free { base, path } => vec!["free".into(), render_base(*base), path.as_ref().into()],
            Self::Settings { base, path, client, shape, watch } => vec![
                "settings".into(),
                render_base(*base),
                path.as_ref().into(),
                client.as_ref().into(),
                shape.name().into(),
                watch.as_ref().into(),
            ],
            Self::Verb { words } => vec!["verb".into(), words.as_ref().into()],
            Self::Off { client, programs, words, does } => {
                vec![
                    "off".into(),
                    client.as_ref().into(),
                    programs.as_ref().into(),
                    words.as_ref().into(),
                    does.as_ref().into(),
                ]
            }
            Self::Client { programs } => vec!["client".into(), programs.as_ref().into()],
            Self::Variables { names } => vec!["variables".into(), names.as_ref().into()],
        };
        fields.iter().map(|field| field.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t")
    }

    /// Parses one line. `None` for unknown kinds and for lines with a missing field.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut fields = pieces(line.strip_suffix('\r').unwrap_or(line), b'\t');
        let kind = fields.next()?;
        let mut next = || fields.next().filter(|field| !field.is_empty());
        Some(match kind {
            "own" => Self::Own {
                base: parse_base(next()?)?,
                path: next()?.into(),
                what: next().unwrap_or("Stead's own file").into(),
            },
            "free" => Self::Free { base: parse_base(next()?)?, path: next()?.into() },
            "settings" => Self::Settings {
                base: parse_base(next()?)?,
                path: next()?.into(),
                client: next()?.into(),
                shape: Shape::from_name(next()?)?,
                watch: next().unwrap_or_default().into(),
            },
            "verb" => Self::Verb { words: next()?.into() },
            "off" => Self::Off {
                client: next()?.into(),
                programs: next()?.into(),
                words: next()?.into(),
                does: next().unwrap_or("it turns hooks off").into(),
            },
            "client" => Self::Client { programs: next()?.into() },
            "variables" => Self::Variables { names: next()?.into() },
            _ => return None,
        })
    }

    /// Returns base and path, for the rules that have them.
    pub(crate) fn spot(&self) -> Option<(Base<'a>, &str)> {
        match self {
            Self::Own { base, path, .. } | Self::Free { base, path } | Self::Settings { base, path, .. } => {
                Some((*base, path))
            }
            Self::Verb { .. } | Self::Off { .. } | Self::Client { .. } | Self::Variables { .. } => None,
        }
    }
}

fn render_base(base: Base<'_>) -> Cow<'static, str> {
    match base {
        Base::Project => "project".into(),
        Base::Home => "home".into(),
        Base::Var { name, fallback } => format!("var:{name}:{fallback}").into(),
    }
}

fn parse_base(text: &str) -> Option<Base<'_>> {
    match text {
        "project" => Some(Base::Project),
        "home" => Some(Base::Home),
        _ => {
            let (name, fallback) = cut(text.strip_prefix("var:")?, b':')?;
            Some(Base::Var { name, fallback })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rendered_rule_reads_back() {
        let rules = [
            Rule::Own { base: Base::Project, path: ".agent/guards/**".into(), what: "the guards".into() },
            Rule::Free { base: Base::Home, path: "x/*".into() },
            Rule::Settings {
                base: Base::Var { name: "TOOL_HOME", fallback: ".tool" },
                path: "settings.json".into(),
                client: "Some Tool".into(),
                shape: Shape::Groups,
                watch: "off:/a=true same:/b".into(),
            },
            Rule::Verb { words: "config set".into() },
            Rule::Off {
                client: "Some Tool".into(),
                programs: "tool,@some/tool".into(),
                words: "--bare".into(),
                does: "it starts without hooks".into(),
            },
            Rule::Client { programs: "tool,@some/tool".into() },
            Rule::Variables { names: "HOME,LD_*".into() },
        ];
        for rule in rules {
            let line = rule.render();
            assert_eq!(Rule::parse(&line).as_ref(), Some(&rule), "{line}");
        }
    }

    #[test]
    fn foreign_and_short_lines_are_no_rules() {
        for line in [
            "",
            "log\tx",
            "names\tx",
            "own",
            "own\tproject",
            "own\tnowhere\tx",
            "settings\thome\tx\ty\tno-shape\t",
            "verb",
        ] {
            assert_eq!(Rule::parse(line), None, "{line}");
        }
    }

    #[test]
    fn settings_need_no_watch() {
        assert!(Rule::parse("settings\thome\ta\tTool\tflat").is_some());
        assert!(Rule::parse("settings\thome\ta\tTool\tflat\t").is_some());
    }

    #[test]
    fn a_field_cannot_break_the_line() {
        let rule = Rule::Verb { words: "a\nb\tc".into() };
        assert_eq!(rule.render(), "verb\ta b c");
    }
}
