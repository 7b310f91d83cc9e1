//! The tools, one entry each. Options come first: after `--` no text can be read as one.

use super::{Field, FieldKind, Need, OwnTool, Word};

pub static OWN_TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "select_active_intent",
        words: &[
            Word::Is("intent"),
            Word::Is("select"),
            Word::Is("--json"),
            Word::Option("--class", one_of("mutation_class", &["refactor", "evolution"], Need::Optional)),
            Word::Is("--"),
            Word::Value(Field { need: Need::ByCommand, ..text("intent_id") }),
        ],
    },
    OwnTool {
        name: "check_action",
        words: &[
            Word::Is("check"),
            Word::Is("--json"),
            Word::Option("--tool", one_of("tool", &["write", "delete", "read"], Need::Optional)),
            Word::Option("--path", texts("paths")),
            Word::Is("--"),
            Word::Value(optional("command")),
        ],
    },
    OwnTool {
        name: "next_feature",
        words: &[Word::Is("feature"), Word::Is("next"), Word::Is("--json"), Word::Is("--"), Word::Value(texts("only"))],
    },
    OwnTool {
        name: "report_feature",
        words: &[
            Word::Is("feature"),
            Word::Is("report"),
            Word::Is("--json"),
            Word::Choice(one_of("outcome", &["implemented", "passed", "failed"], Need::Required)),
            Word::Option("--files", texts("files")),
            Word::Option("--summary", optional("summary")),
            Word::Is("--"),
            Word::Value(text("feature_id")),
        ],
    },
    OwnTool {
        name: "record_lesson",
        words: &[
            Word::Is("lesson"),
            Word::Is("add"),
            Word::Is("--json"),
            Word::Option(
                "--kind",
                one_of("kind", &["lesson", "style", "pitfall", "decision", "failure"], Need::Optional),
            ),
            Word::Is("--"),
            Word::Value(text("text")),
        ],
    },
    OwnTool {
        name: "where_is",
        words: &[
            Word::Is("where-is"),
            Word::Is("--json"),
            Word::Option("--limit", number("limit", 1, 1000, Need::Optional)),
            Word::Is("--"),
            Word::Value(text("question")),
        ],
    },
    OwnTool {
        name: "why_line",
        words: &[
            Word::Is("why"),
            Word::Is("--json"),
            Word::Is("--"),
            Word::Pair(text("file"), number("line", 1, 100_000_000, Need::Required)),
        ],
    },
    OwnTool {
        name: "read_log",
        words: &[
            Word::Is("logs"),
            Word::Option("--tokens", number("max_tokens", 50, 100_000, Need::Optional)),
            Word::Option("--grep", optional("pattern")),
            Word::Is("--"),
            Word::Value(text("file")),
        ],
    },
    OwnTool {
        name: "store_trace",
        words: &[
            Word::Is("memory"),
            Word::Is("store"),
            Word::Is("--json"),
            Word::Option("--type", one_of("type", TRACE_TYPES, Need::Required)),
            Word::Option("--what", text("what_happened")),
            Word::Option("--correct", optional("what_was_correct")),
            Word::Option("--why", optional("why")),
            Word::Option("--file", texts("files")),
            Word::Option("--supersedes", texts("supersedes")),
            Word::Option("--topic", optional("topic")),
            Word::Option("--feature", optional("feature")),
        ],
    },
    OwnTool {
        name: "query_traces",
        words: &[
            Word::Is("memory"),
            Word::Is("query"),
            Word::Is("--json"),
            Word::Option("--level", one_of("level", LEVELS, Need::Optional)),
            Word::Option("--k", number("k", 1, 100, Need::Optional)),
            Word::Option("--max-tokens", number("max_tokens", 100, 20_000, Need::Optional)),
            Word::Option("--type", one_of("type", TRACE_TYPES, Need::Optional)),
            Word::Option("--agent", optional("agent")),
            Word::Option("--feature", optional("feature")),
            Word::Option("--file", optional("file")),
            Word::Option("--guard", optional("guard")),
            Word::Option("--intent", optional("intent")),
            Word::Option("--outcome", one_of("outcome", OUTCOMES, Need::Optional)),
            Word::Option("--since", optional("since")),
            Word::Option("--until", optional("until")),
            Word::Is("--"),
            Word::Value(optional("text")),
        ],
    },
    OwnTool {
        name: "get_trace",
        words: &[
            Word::Is("memory"),
            Word::Is("get"),
            Word::Is("--json"),
            Word::Option("--level", one_of("level", LEVELS, Need::Optional)),
            Word::Is("--"),
            Word::Value(text("id")),
        ],
    },
    OwnTool {
        name: "extract_patterns",
        words: &[
            Word::Is("memory"),
            Word::Is("patterns"),
            Word::Is("--json"),
            Word::Is("--max-tokens"),
            Word::Is("2000"),
        ],
    },
    OwnTool {
        name: "create_guard",
        words: &[
            Word::Is("memory"),
            Word::Is("propose"),
            Word::Is("--json"),
            Word::Is("--"),
            Word::Value(text("pattern_id")),
        ],
    },
];

const TRACE_TYPES: &[&str] = &["correction", "violation", "decision", "approval", "reflection"];

const LEVELS: &[&str] = &["metadata", "summary", "full"];

const OUTCOMES: &[&str] = &["complied", "gave_up", "went_round", "appealed", "overridden"];

const fn text(name: &'static str) -> Field {
    Field { name, kind: FieldKind::Text, need: Need::Required }
}

const fn optional(name: &'static str) -> Field {
    Field { need: Need::Optional, ..text(name) }
}

const fn texts(name: &'static str) -> Field {
    Field { kind: FieldKind::Texts, ..optional(name) }
}

const fn number(name: &'static str, least: u64, most: u64, need: Need) -> Field {
    Field { name, kind: FieldKind::Number(least, most), need }
}

const fn one_of(name: &'static str, names: &'static [&'static str], need: Need) -> Field {
    Field { name, kind: FieldKind::OneOf(names), need }
}
