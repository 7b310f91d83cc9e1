//! Programs that make or change files by options of their own. Self-protection judges them by their words; the record
//! wants to know which of them are files.

use stead_model::{Content, How};

use super::archive::unpack;
use super::program::{Reach, operands};
use super::syntax::mark;
use super::walk::{Call, Walk};
use super::writer::{has_flag, operands_after, option_values};
use super::{formatter, patch, replacer, transfer};

/// Tells what a program makes or changes.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>, shown: &str) {
    if walk.report.is_none() {
        return;
    }
    let argv = call.argv;
    let put = |walk: &mut Walk<'_>, word: &str, how| walk.note_write(word, how, false, Content::Unknown, shown);
    match name {
        "mkdir" => operands_after(argv, "mZ").into_iter().for_each(|word| {
            walk.makes_folder(word);
            put(walk, word, How::Into);
        }),
        "patch" => patch::program(walk, call, shown),
        "curl" => {
            let folder = option_values(argv, '\0', "--output-dir").last().copied();
            let mut files: Vec<String> =
                option_values(argv, 'o', "--output").iter().map(|&file| file.to_owned()).collect();
            if has_flag(argv, "O", &["--remote-name"]) {
                files.extend(operands_after(argv, "odXHuAeFTb").iter().filter_map(|url| remote_name(url)));
            }
            for file in files {
                let file = folder.map_or(file.clone(), |folder| format!("{folder}/{file}"));
                put(walk, &file, How::Replace);
            }
            let more =
                option_values(argv, 'c', "--cookie-jar").into_iter().chain(option_values(argv, 'D', "--dump-header"));
            more.for_each(|file| put(walk, file, How::Replace));
        }
        "wget" => wget(walk, argv, shown),
        "yq" if has_flag(argv, "i", &["--inplace", "--in-place"]) => {
            operands(argv).into_iter().skip(1).for_each(|word| put(walk, word, How::Edit));
        }
        "split" | "csplit" => {
            let prefix = operands_after(argv, "abClnt").get(1).copied().unwrap_or("x").to_owned();
            put(walk, &format!("{prefix}{}", mark::MANY), How::Replace);
        }
        "gzip" | "bzip2" | "xz" | "zstd" | "gunzip" | "bunzip2" | "unxz" | "unzstd" => packed(walk, name, argv, shown),
        "zip" | "7z" | "7za" => {
            let words = operands(argv);
            let (verb, words) = match words.split_first() {
                Some((verb, rest)) if name != "zip" => (*verb, rest),
                _ => ("a", words.as_slice()),
            };
            let folder = argv.iter().find_map(|word| word.strip_prefix("-o")).unwrap_or(".");
            match (verb, words.first()) {
                ("x" | "e", Some(_)) => unpack(walk, folder, &[], shown),
                ("a" | "u" | "d", Some(archive)) => put(walk, archive, How::Replace),
                _ => {}
            }
        }
        "cpio" if has_flag(argv, "ip", &["--extract", "--pass-through"]) => unpack(walk, ".", &[], shown),
        "unrar" | "bsdcpio" => unpack(walk, ".", &[], shown),
        "aws" | "gsutil" | "gcloud" | "rclone" | "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "gh" => {
            transfer::note(walk, name, argv, shown);
        }
        "mktemp" => made_up(walk, argv, shown),
        "sd" | "ast-grep" | "sg" | "comby" | "sops" => replacer::note(walk, name, argv, shown),
        "nano" | "code" | "micro" | "emacs" => operands(argv).into_iter().for_each(|word| put(walk, word, How::Edit)),
        "ssh-keygen" => option_values(argv, 'f', "--file").into_iter().for_each(|word| put(walk, word, How::Replace)),
        "openssl" => {
            let out = argv.windows(2).filter(|pair| pair[0] == "-out").map(|pair| pair[1].clone()).collect::<Vec<_>>();
            out.iter().for_each(|word| put(walk, word, How::Replace));
        }
        "rename" | "prename" => operands(argv).into_iter().skip(1).for_each(|word| put(walk, word, How::Replace)),
        _ => {
            if !super::table::is_harmless(name) && !formatter::note(walk, name, argv, shown) {
                generated(walk, argv, shown);
            }
        }
    }
}

/// Programs we do not know say with `-o` or `--output` where their result goes.
fn generated(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let named =
        ["--output", "--out", "--outfile", "--output-file"].iter().flat_map(|long| option_values(argv, '\0', long));
    let short = argv.windows(2).filter(|pair| pair[0] == "-o" || pair[0] == "-out").map(|pair| pair[1].as_str());
    let files: Vec<String> = named.chain(short).filter(|word| is_file_like(word)).map(str::to_owned).collect();
    for file in files {
        walk.note_write(&file, How::Replace, false, Content::Unknown, shown);
    }
}

/// `mktemp`: a file or folder whose name is made up, where the template names a place.
fn made_up(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    if has_flag(argv, "ut", &["--dry-run"]) {
        return;
    }
    let folder = option_values(argv, 'p', "--tmpdir").last().copied();
    for template in operands_after(argv, "p") {
        let template = template.replace("XXX", "\0");
        let mut name: String = template.chars().map(|c| if c == '\0' { mark::MANY } else { c }).collect();
        while let Some(at) = name.find(&format!("{}X", mark::MANY)) {
            name.remove(at + mark::MANY.len_utf8());
        }
        let name = folder.map_or(name.clone(), |folder| format!("{folder}/{name}"));
        walk.note_write(&name, How::Replace, false, Content::Unknown, shown);
    }
}

fn is_file_like(word: &str) -> bool {
    !word.starts_with('-') && !word.contains('=') && word.contains(['.', '/'])
}

fn wget(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    if argv.iter().any(|word| word == "--spider") {
        return;
    }
    let logs = option_values(argv, 'o', "--output-file").into_iter().chain(option_values(argv, 'a', "--append-output"));
    let mut files: Vec<String> = logs.map(str::to_owned).collect();
    let named = option_values(argv, 'O', "--output-document");
    let folder = option_values(argv, 'P', "--directory-prefix").last().copied();
    if named.is_empty() {
        let names = operands_after(argv, "OoPUiate").iter().filter_map(|url| remote_name(url)).collect::<Vec<_>>();
        files.extend(names.into_iter().map(|name| folder.map_or(name.clone(), |folder| format!("{folder}/{name}"))));
    }
    files.extend(named.iter().map(|&name| name.to_owned()));
    for file in files {
        walk.note_write(&file, How::Replace, false, Content::Unknown, shown);
    }
}

/// The name a downloaded file gets.
fn remote_name(url: &str) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest).split(['?', '#']).next()?;
    let (_, name) = path.rsplit_once('/')?;
    Some(if name.is_empty() { "index.html".to_owned() } else { name.to_owned() })
}

fn packed(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) {
    if has_flag(argv, "clt", &["--stdout", "--list", "--test"]) {
        return;
    }
    let keeps = has_flag(argv, "k", &["--keep"]) || name.contains("zst");
    let unpacks =
        name.starts_with("un") || name.starts_with("gun") || name.starts_with("bun") || has_flag(argv, "d", &[]);
    let ending = match name.trim_start_matches("un") {
        "gzip" | "gunzip" => ".gz",
        "bzip2" | "bunzip2" => ".bz2",
        "xz" => ".xz",
        _ => ".zst",
    };
    for word in operands(argv) {
        let made = if unpacks { word.trim_end_matches(ending).to_owned() } else { format!("{word}{ending}") };
        walk.note_write(&made, How::Replace, false, Content::Unknown, shown);
        if !keeps {
            walk.note_removal(word, Reach::Flat, shown);
        }
    }
}
