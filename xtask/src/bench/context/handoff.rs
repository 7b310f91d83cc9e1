use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::super::contestant::{Answer, Contestant, environment, plain};
use super::super::ground::{Ground, Keep, Project};
use crate::program;

pub(super) const HANDOFF: &str = "stead handoff, 100,000 files, 1M lines";

const FOLDERS: usize = 100;
const FILES: usize = 1000;
const LINES: usize = 1_000_000;

/// A handoff in a large repository with a long log of relevant files.
pub(super) fn contestant(ground: &Ground) -> Result<Contestant> {
    let project = Project::make(&ground.stead, &ground.folder, "large", Keep::Files)?;
    make_repository(&project.folder)?;
    write_log(&project.folder.join(".agent/context/indexes/relevant-files.jsonl"))?;
    let packets = project.folder.join(".agent/context/packets");
    // Those of the last run would be listed too.
    if packets.exists() {
        fs::remove_dir_all(&packets)?;
    }
    fs::create_dir_all(&packets)?;
    Ok(Contestant {
        args: ["handoff", "Go on with the parser", "--document", "-"].map(Into::into).into(),
        env: environment(ground, &project),
        folder: project.folder.clone(),
        payload: "## Intent\nMake every test pass.\n\n## Plan\n- the lexer\n".to_owned(),
        answer: Answer::Talk,
        ..plain(ground, HANDOFF, ground.stead.clone())
    })
}

/// Makes the files and commits them, once; then a few are changed and some are new, as while somebody works.
fn make_repository(folder: &Path) -> Result<()> {
    let done = folder.join(".git/bench-is-made");
    if done.exists() {
        return Ok(());
    }
    for number in 0..FOLDERS {
        let below = folder.join(format!("module-{number:03}/src"));
        fs::create_dir_all(&below)?;
        for file in 0..FILES {
            fs::write(below.join(format!("part_{file:04}.rs")), format!("// part {file} of module {number}\n"))?;
        }
    }
    let git = |args: &[&str]| {
        let identity =
            ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false"];
        program::run(Command::new("git").args(identity).args(args).current_dir(folder))
    };
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message", "parts"])?;
    for number in 0..20 {
        fs::write(folder.join(path(number * 4_999)), "// changed\n")?;
        fs::write(folder.join(format!("module-{number:03}/src/new.rs")), "// new\n")?;
    }
    fs::write(&done, "").with_context(|| format!("cannot write `{}`", done.display()))
}

/// The path of one of the files.
fn path(number: usize) -> String {
    let number = number % (FOLDERS * FILES);
    format!("module-{:03}/src/part_{:04}.rs", number / FILES, number % FILES)
}

/// Writes the log that so much work leaves, once.
fn write_log(log: &Path) -> Result<()> {
    const LEAST: u64 = LINES as u64 * 100;
    if log.metadata().is_ok_and(|metadata| metadata.len() >= LEAST) {
        return Ok(());
    }
    let file = fs::File::create(log).with_context(|| format!("cannot write `{}`", log.display()))?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    for number in 0..LINES {
        let (action, confidence) = if number % 3 == 0 { ("edit", "0.9") } else { ("read", "0.3") };
        writeln!(
            writer,
            "{{\"v\":1,\"timestamp\":\"2026-11-{:02}T{:02}:00:00.000Z\",\"file_path\":\"{}\",\"source\":\"tool\",\"confidence\":{confidence},\
             \"action\":\"{action}\",\"harness\":\"claude\",\"session\":\"s{}\"}}",
            1 + number * 14 / LINES,
            number / 1000 % 24,
            path(number * 7_919),
            number * 200 / LINES,
        )?;
    }
    writer.flush().with_context(|| format!("cannot write `{}`", log.display()))
}
