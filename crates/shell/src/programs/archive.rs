//! Archive programs with their own grammar: what is packed, and where it is unpacked.

use stead_model::{Access, Content, How};

use crate::programs::options::{has_flag, option_values};
use crate::programs::patch;
use crate::programs::table::{Given, Program};
use crate::walk::omission;
use crate::walk::program::{Reach, brief, operands};
use crate::walk::{Call, Stop, Walk};

/// What `tar` is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Create,
    Extract,
    List,
}

fn mode(given: &Given<'_>) -> Option<Mode> {
    [("create", Mode::Create), ("extract", Mode::Extract), ("list", Mode::List)]
        .into_iter()
        .find(|(role, _)| given.has(role))
        .map(|(_, mode)| mode)
}

/// The words of a `tar` call with dashes: `tar xfC a.tar b` is `tar -x -f a.tar -C b`.
fn dashed(argv: &[String], program: &Program) -> Vec<String> {
    let mut words = argv.iter();
    let mut dashed: Vec<String> = words.next().cloned().into_iter().collect();
    if let Some(letters) = argv.get(1).filter(|word| !word.starts_with('-')) {
        words.next();
        for letter in letters.chars() {
            let flag = format!("-{letter}");
            let value = words.clone().next().filter(|_| program.takes_value(&flag)).cloned();
            if value.is_some() {
                words.next();
            }
            dashed.extend([Some(flag), value].into_iter().flatten());
        }
    }
    dashed.extend(words.cloned());
    dashed
}

/// Returns true if `tar` only lists what is in an archive.
pub(crate) fn tar_lists(argv: &[String]) -> bool {
    let Some(program) = Program::of("tar") else { return false };
    mode(&Given::read(&program, &dashed(argv, &program))) == Some(Mode::List)
}

/// Reports what `tar` does; returns true if all is known about it.
pub(crate) fn tar(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<bool, Stop> {
    let Some(program) = Program::of("tar") else { return Ok(false) };
    let argv = dashed(call.argv, &program);
    let given = Given::read(&program, &argv);
    let shown = brief(call.argv);
    for text in given.values("command") {
        walk.text(text)?;
    }
    let archives: Vec<&str> = given.values("file").collect();
    let folder = given.values("chdir").last().unwrap_or(".");
    match mode(&given) {
        _ if given.has("help") => Ok(true),
        Some(Mode::Create) => {
            for file in &archives {
                walk.writes(file, How::Replace, Content::Unknown, &shown);
            }
            given.values("read").for_each(|file| walk.reads(file, false, &shown));
            let ignored =
                given.values("except").map(|pattern| omission::ignored(pattern.trim_start_matches("./"), "."));
            let except: Vec<String> = ignored.filter_map(|pattern| walk.left_out(&pattern)).collect();
            for word in given.words.iter().map(|word| within(folder, word)) {
                if given.has("delete-source") {
                    walk.removes(&word, Reach::Deep, &shown);
                }
                walk.leaving_out(except.clone(), |walk| walk.accesses(&word, true, Access::Taken, &shown));
            }
            Ok(true)
        }
        Some(Mode::Extract) => {
            archives.iter().for_each(|file| walk.reads(file, false, &shown));
            let piped = if archives.iter().all(|file| *file == "-") { walk.fed(call) } else { None };
            let printed = piped.map(|text| patch::members(&text)).unwrap_or_default();
            let printed = printed.iter().map(String::as_str).collect();
            let members = if given.words.is_empty() { printed } else { given.words.clone() };
            if !given.has("to-stdout") {
                unpack(walk, folder, &members, &shown);
            }
            Ok(true)
        }
        Some(Mode::List) | None => {
            archives.iter().for_each(|file| walk.accesses(file, false, Access::Used, &shown));
            Ok(true)
        }
    }
}

/// A name below a folder.
fn within(folder: &str, name: &str) -> String {
    if name == "." {
        folder.to_owned()
    } else if folder == "." || name.starts_with('/') {
        name.to_owned()
    } else {
        format!("{}/{name}", folder.trim_end_matches('/'))
    }
}

/// The words of a `zip` call: the archive and what goes in, and what is excluded. Behind `-x` every word is excluded,
/// up to the next flag.
fn zip_words(argv: &[String]) -> (Vec<&str>, Vec<&str>) {
    let (mut taken, mut left_out, mut leaves) = (Vec::new(), Vec::new(), false);
    for word in argv.iter().skip(1) {
        match word.as_str() {
            "@" => leaves = false,
            "-x" | "--exclude" => leaves = true,
            flag if flag.starts_with("--exclude=") => left_out.push(&flag["--exclude=".len()..]),
            flag if flag.starts_with("-x") && !flag.starts_with("--") => {
                left_out.push(&flag[2..]);
                leaves = true;
            }
            flag if flag.starts_with('-') && flag != "-" => leaves = false,
            word if leaves => left_out.push(word),
            word => taken.push(word),
        }
    }
    (taken, left_out)
}

/// Reports what `zip` packs, and where. Its `*` crosses folders; an excluded name is excluded everywhere.
pub(crate) fn zip(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let (taken, left_out) = zip_words(argv);
    let pattern = |word: &str| {
        let path = word.trim_end_matches("/*").trim_end_matches('/');
        match path.strip_prefix("*/") {
            Some(rest) => format!("**/{rest}"),
            None if !word.contains('/') => format!("**/{path}"),
            None => path.to_owned(),
        }
    };
    let except: Vec<String> = left_out.iter().filter_map(|word| walk.left_out(&pattern(word))).collect();
    let deep = has_flag(argv, "r", &["--recurse-paths"]);
    let Some((archive, words)) = taken.split_first() else { return };
    for word in words {
        walk.leaving_out(except.clone(), |walk| walk.accesses(word, deep, Access::Taken, shown));
        if has_flag(argv, "m", &["--move"]) {
            walk.removes(word, Reach::Deep, shown);
        }
    }
    walk.writes(archive, How::Replace, Content::Unknown, shown);
}

/// Reports what `unzip` unpacks.
pub(crate) fn unzip(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let folders = option_values(argv, 'd', "--directory");
    if !has_flag(argv, "lptvzZ", &[]) {
        let words = operands(argv);
        let members: Vec<&str> = words.iter().skip(1).copied().filter(|word| !folders.contains(word)).collect();
        unpack(walk, folders.last().copied().unwrap_or("."), &members, shown);
    }
}

/// Reports what is unpacked: the members that are named, else something into the folder.
fn unpack(walk: &mut Walk<'_>, folder: &str, members: &[&str], shown: &str) {
    if members.is_empty() {
        walk.writes_into(folder, shown);
        return;
    }
    for member in members {
        let word = within(folder, member);
        let tree = walk.is_folder(&word).unwrap_or(!member.contains('.'));
        walk.note_write(&word, How::Into, tree, Content::Unknown, shown);
    }
}
