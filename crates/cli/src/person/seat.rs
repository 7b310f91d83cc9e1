//! Checks whether a person can be attached to the terminal. An agent that hides by detaching its command has to create
//! a terminal, either for one command or with a program that nobody watches.

use std::path::Path;

use stead_store::Process;

/// Programs that create a terminal for others. A person who uses one has a terminal of their own, too.
const RELAYS: &[&str] =
    &["script", "unbuffer", "expect", "socat", "setsid", "faketty", "empty", "nohup", "at", "batch"];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "busybox"];

/// Returns why no person seems to be attached to the terminal. `line` starts with the process itself; without facts
/// there is no answer.
pub(super) fn is_empty(line: &[Process]) -> Option<String> {
    let own = line.first()?;
    own.session?;
    if own.terminal.is_none() {
        return Some("this terminal does not belong to the command".to_owned());
    }
    if line.iter().any(|process| process.session == Some(0) && process.terminal.is_some()) {
        return Some("this terminal was opened outside this sandbox, so it is not known by whom".to_owned());
    }
    // A person may be attached to the outer terminal, not to the inner one.
    let mut at = 0;
    loop {
        let here = &line[at];
        let outside = line[at..].iter().position(|process| process.session != here.session);
        let leader = match outside {
            Some(outside) => at + outside - 1,
            None => line.len() - 1,
        };
        match line.get(leader + 1) {
            Some(owner) if owner.terminal.is_some() => at = leader + 1,
            owner => return without_a_person(&line[leader], leader == 0, owner),
        }
    }
}

fn without_a_person(leader: &Process, is_own: bool, owner: Option<&Process>) -> Option<String> {
    if is_own || is_one_command(leader) {
        return Some("this terminal was opened for this command only".to_owned());
    }
    let relay = |process: &Process| name(process).filter(|name| RELAYS.contains(name)).map(str::to_owned);
    relay(leader)
        .or_else(|| relay(owner?))
        .map(|name| format!("this terminal was created by `{name}`; no person is attached"))
}

/// Returns true if a process is a shell that was started with its command.
fn is_one_command(process: &Process) -> bool {
    let is_shell = name(process).is_some_and(|name| SHELLS.contains(&name));
    let gives = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    is_shell && process.words.iter().skip(1).take_while(|word| word.starts_with('-')).any(gives)
}

/// The program's name; a login shell has a hyphen before it.
fn name(process: &Process) -> Option<&str> {
    let name = Path::new(process.words.first()?).file_name()?.to_str()?;
    Some(name.strip_prefix('-').unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each process as `session terminal words`; the first is the command itself.
    #[track_caller]
    fn check(line: &[(u32, u64, &str)], expected: bool) {
        let process = |(session, terminal, words): &(u32, u64, &str)| Process {
            session: Some(*session),
            terminal: Some(*terminal).filter(|terminal| *terminal > 0),
            words: words.split_whitespace().map(str::to_owned).collect(),
            ..Process::default()
        };
        let processes: Vec<Process> = line.iter().map(process).collect();
        assert_eq!(is_empty(&processes).is_none(), expected, "{line:?}: {:?}", is_empty(&processes));
    }

    #[test]
    fn people_sit_at_their_terminals() {
        let init = (1, 0, "/sbin/init");
        check(&[(20, 5, "stead"), (20, 5, "-bash"), (8, 0, "sshd: ann@pts/0"), init], true);
        check(&[(20, 5, "stead"), (20, 5, "make"), (20, 5, "zsh"), (8, 0, "gnome-terminal-server"), init], true);
        check(&[(20, 5, "stead"), (20, 5, "bash"), (8, 0, "tmux new -s x"), init], true);
        check(&[(20, 5, "stead"), (20, 5, "/bin/zsh -il"), (8, 0, "node ptyHost"), init], true);
        check(&[(20, 5, "stead"), (20, 5, "-bash"), (20, 5, "login -- ann"), init], true);
        check(&[(1, 5, "stead"), (1, 5, "bash")], true);
        check(&[(20, 5, "stead"), (20, 5, "bash notes-c"), (8, 0, "xterm")], true);
        // Terminals within terminals: what counts is the outermost.
        check(&[(30, 6, "stead"), (30, 6, "sudo stead"), (20, 5, "sudo stead"), (20, 5, "zsh"), (8, 0, "kitty")], true);
        check(
            &[(30, 6, "stead"), (30, 6, "sh -c stead"), (20, 5, "script -qec stead"), (20, 5, "zsh"), (8, 0, "x")],
            true,
        );
    }

    #[test]
    fn nobody_sits_at_a_terminal_made_for_a_command() {
        let init = (1, 0, "/sbin/init");
        check(&[(30, 6, "stead"), (30, 6, "sh -c stead"), (9, 0, "script -qec stead"), init], false);
        check(&[(30, 6, "stead"), (9, 0, "script -qec stead"), init], false);
        check(&[(30, 6, "stead"), (30, 6, "bash"), (9, 0, "/usr/bin/script -q"), init], false);
        check(&[(30, 6, "stead"), (30, 6, "bash -lc sleep"), (9, 0, "/tmp/copy-of-script"), init], false);
        check(&[(30, 6, "stead"), (8, 0, "python3 -c pty"), init], false);
        check(&[(9, 0, "stead"), init], false);
        // Within a terminal that nobody sits at.
        let within = [(40, 7, "stead"), (40, 7, "bash"), (30, 6, "script"), (30, 6, "sh -c script"), (9, 0, "x"), init];
        check(&within, false);
        // In a sandbox with processes of its own whoever opened the terminal has no number.
        check(&[(0, 6, "stead"), (0, 6, "bash answers.sh")], false);
        check(&[(40, 7, "stead"), (40, 7, "bash"), (0, 6, "tmux")], false);
        check(&[(0, 0, "stead"), (0, 0, "bash answers.sh")], false);
    }

    #[test]
    fn without_facts_there_is_no_answer() {
        assert_eq!(is_empty(&[]), None);
        assert_eq!(is_empty(&[Process::default(), Process::default()]), None);
    }
}
