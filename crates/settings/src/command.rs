//! Recognises a command that calls Stead's hook, however it is spelled.

/// Words that may precede the program without changing which program runs.
const LEADERS: [&str; 4] = ["exec", "command", "env", "nohup"];

/// Returns the harness of a command that calls `stead hook <harness>`: bare, by path, quoted, with `.exe`, after a
/// guard. Commands that merely mention the words are not ours.
pub fn our_command(command: &str) -> Option<String> {
    our_call(command).map(|(_, harness)| harness)
}

/// Returns the program of such a command, as it is written there.
pub fn our_program(command: &str) -> Option<String> {
    our_call(command).map(|(program, _)| program)
}

fn our_call(command: &str) -> Option<(String, String)> {
    simple_commands(command).into_iter().find_map(|words| {
        let mut words = words.iter().map(String::as_str).skip_while(|word| is_leader(word));
        let program = words.next().filter(|word| is_stead(word))?;
        (words.next()? == "hook").then_some(())?;
        let harness = words.next().filter(|word| is_harness_word(word))?;
        Some((program.to_owned(), harness.to_owned()))
    })
}

fn is_leader(word: &str) -> bool {
    LEADERS.contains(&word) || is_assignment(word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

fn is_stead(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "stead" || name.eq_ignore_ascii_case("stead.exe")
}

fn is_harness_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Splits a shell text into simple commands and those into words, without quotes. Good enough to find a program name;
/// not a shell.
fn simple_commands(text: &str) -> Vec<Vec<String>> {
    let mut splitter = Splitter { commands: vec![Vec::new()], word: None };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                splitter.open_word();
                chars.by_ref().take_while(|quoted| *quoted != '\'').for_each(|quoted| splitter.push(quoted));
            }
            '"' => {
                splitter.open_word();
                while let Some(quoted) = chars.next().filter(|quoted| *quoted != '"') {
                    match quoted {
                        '\\' if chars.peek().is_some_and(|next| "\"\\$`".contains(*next)) => {
                            chars.next().into_iter().for_each(|escaped| splitter.push(escaped));
                        }
                        other => splitter.push(other),
                    }
                }
            }
            // A backslash before a letter is a Windows path, not an escape.
            '\\' if chars.peek().is_some_and(|next| !next.is_alphanumeric()) => {
                chars.next().into_iter().for_each(|escaped| splitter.push(escaped));
            }
            ' ' | '\t' | '\r' => splitter.end_word(),
            ';' | '|' | '&' | '(' | ')' | '{' | '}' | '\n' | '`' => splitter.end_command(),
            other => splitter.push(other),
        }
    }
    splitter.end_command();
    splitter.commands
}

struct Splitter {
    commands: Vec<Vec<String>>,
    word: Option<String>,
}

impl Splitter {
    fn open_word(&mut self) {
        self.word.get_or_insert_default();
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        if let (Some(word), Some(words)) = (self.word.take(), self.commands.last_mut()) {
            words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.commands.push(Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: Option<&str>) {
        assert_eq!(our_command(command).as_deref(), expected, "{command}");
    }

    #[test]
    fn our_commands_are_known_in_every_spelling() {
        check("stead hook claude PreToolUse", Some("claude"));
        check("stead hook claude", Some("claude"));
        check("  stead   hook\tcodex Stop ", Some("codex"));
        check("/usr/local/bin/stead hook gemini BeforeTool", Some("gemini"));
        check("'/home/a b/stead' hook kimi Stop", Some("kimi"));
        check("'/home/o'\\''hara/stead' hook kimi Stop", Some("kimi"));
        check("\"/home/a b/stead\" hook droid Stop", Some("droid"));
        check("/home/a\\ b/stead hook droid Stop", Some("droid"));
        check(r"C:\tools\stead.exe hook cursor stop", Some("cursor"));
        check(r#""C:\Program Files\stead.exe" hook cursor stop"#, Some("cursor"));
        check("command -v stead >/dev/null 2>&1 || exit 0; exec stead hook claude PreToolUse", Some("claude"));
        check("RUST_BACKTRACE=1 stead hook claude", Some("claude"));
    }

    #[test]
    fn the_program_is_what_the_line_names() {
        assert_eq!(our_program("'/home/a b/stead' hook kimi Stop").as_deref(), Some("/home/a b/stead"));
        let guarded = "command -v stead >/dev/null 2>&1 || exit 0; exec stead hook claude Stop";
        assert_eq!(our_program(guarded).as_deref(), Some("stead"));
        assert_eq!(our_program("echo stead hook claude"), None);
    }

    #[test]
    fn other_commands_are_not_ours() {
        check("", None);
        check("stead", None);
        check("stead hook", None);
        check("stead doctor", None);
        check("instead hook claude", None);
        check("echo stead hook claude", None);
        check("command -v stead >/dev/null", None);
        check("grep 'stead hook claude' file", None);
        check("stead-hook claude", None);
        check("'unclosed stead hook claude", None);
    }
}
