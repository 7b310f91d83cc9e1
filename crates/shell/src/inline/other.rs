//! What the calls of Ruby, Perl, PHP and Lua do.

use stead_model::{Content, How};

use crate::inline::Act;
use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::value::{Value, pattern};
use crate::inline::{python, text};

/// Returns true if a name is one of the calls that may stand without parentheses.
pub(crate) fn takes_bare(language: Language, value: &Value) -> bool {
    let Value::Name(name) = value else { return false };
    match language {
        Language::Ruby => {
            name.starts_with("File.")
                || name.starts_with("FileUtils.")
                || name.starts_with("Dir.")
                || name.starts_with("IO.")
                || matches!(
                    name.as_str(),
                    "system" | "exec" | "spawn" | "eval" | "require" | "rm_rf" | "rm" | "rm_f" | "mv" | "cp" | "touch"
                )
        }
        Language::Perl => matches!(
            name.as_str(),
            "unlink"
                | "rename"
                | "system"
                | "exec"
                | "open"
                | "rmdir"
                | "mkdir"
                | "symlink"
                | "link"
                | "chmod"
                | "truncate"
                | "glob"
                | "rmtree"
                | "remove_tree"
                | "copy"
                | "move"
                | "eval"
                | "chdir"
                | "print"
                | "printf"
                | "decode_base64"
                | "join"
        ),
        Language::Lua => matches!(name.as_str(), "os.remove" | "os.execute" | "io.open" | "io.popen" | "dofile"),
        _ => false,
    }
}

/// Looks at a call by its name; `None` for one that we do not know.
pub(crate) fn call(eval: &mut Eval<'_>, language: Language, name: &str, arguments: &Arguments) -> Option<Value> {
    let name = name.replace("Fileutils", "FileUtils").replace("CORE.", "").replace("Kernel.", "");
    let plain = name.strip_prefix("FileUtils.").unwrap_or(&name);
    let first = arguments.at(0);
    let second = arguments.at(1);
    let known = |value: &Value| value.known().map_or(Content::Unknown, |text| Content::Text(text.to_owned()));
    Some(match (language, plain) {
        (Language::Php, "file_put_contents") => {
            let adds = matches!(arguments.at(2), Value::Name(flag) if flag.contains("APPEND"));
            eval.write(first, if adds { How::Append } else { How::Replace }, known(second))
        }
        (Language::Php, "fopen")
        | (Language::Ruby, "File.open" | "File.new" | "IO.open")
        | (Language::Lua, "io.open") => python::open(eval, first, second, "open"),
        (Language::Php, "fwrite" | "fputs") | (Language::Perl, "print" | "printf") => {
            match first {
                Value::File(file) if arguments.has(1) => eval.fills(*file, second),
                _ => {}
            }
            Value::Unknown
        }
        (Language::Perl, "open") => perl_open(eval, arguments),
        (Language::Ruby, "File.write" | "IO.write" | "File.binwrite" | "IO.binwrite") => {
            eval.write(first, How::Replace, known(second))
        }
        (
            Language::Ruby,
            "File.read" | "IO.read" | "File.readlines" | "File.foreach" | "IO.readlines" | "YAML.load_file",
        )
        | (Language::Php, "file_get_contents" | "file" | "readfile" | "parse_ini_file") => {
            eval.looks(first);
            Value::Unknown
        }
        (
            _,
            "unlink" | "File.delete" | "File.unlink" | "os.remove" | "rm" | "rm_f" | "remove" | "safe_unlink" | "rmdir"
            | "Dir.rmdir" | "Dir.delete" | "Dir.unlink",
        ) => {
            arguments.list.iter().for_each(|path| eval.delete(path, false));
            Value::Unknown
        }
        (
            _,
            "rm_r"
            | "rm_rf"
            | "remove_dir"
            | "remove_entry"
            | "remove_entry_secure"
            | "rmtree"
            | "remove_tree"
            | "File.Path.remove_tree"
            | "File.Path.rmtree"
            | "remove_file",
        ) => {
            arguments.list.iter().for_each(|path| eval.delete(path, true));
            Value::Unknown
        }
        (_, "rename" | "File.rename" | "os.rename" | "mv" | "move" | "File.Copy.move") => {
            eval.rename(first, second);
            Value::Unknown
        }
        (_, "copy" | "cp" | "copy_file" | "install" | "File.Copy.copy" | "IO.copy_stream") => {
            eval.looks(first);
            eval.write(second, How::Replace, Content::Unknown);
            Value::Unknown
        }
        (_, "cp_r" | "copy_entry") => {
            for path in second.texts() {
                eval.act(Act::Write { path, how: How::Into, content: Content::Unknown, tree: true });
            }
            Value::Unknown
        }
        (_, "touch") => eval.write(first, How::Append, Content::Text(String::new())),
        (_, "mkdir" | "mkdir_p" | "makedirs" | "mkpath" | "Dir.mkdir" | "make_path") => {
            eval.write(first, How::Into, Content::Unknown)
        }
        (_, "symlink" | "link" | "ln_s" | "ln_sf" | "ln" | "File.symlink" | "File.link") => {
            eval.write(second, How::Link, Content::Unknown)
        }
        (Language::Php, "chmod" | "chown") => eval.write(first, How::Attributes, Content::Unknown),
        (_, "chmod" | "chmod_R" | "chown" | "File.chmod" | "File.chown") => {
            eval.write(second, How::Attributes, Content::Unknown)
        }
        (_, "truncate" | "File.truncate" | "ftruncate") => eval.write(first, How::Replace, Content::Unknown),
        (
            _,
            "system" | "exec" | "spawn" | "shell_exec" | "passthru" | "popen" | "proc_open" | "os.execute" | "io.popen"
            | "IO.popen" | "Open3.capture2" | "Open3.capture2e" | "Open3.capture3" | "Open3.popen3" | "pcntl_exec",
        ) => {
            let words: Vec<Value> =
                arguments.list.iter().filter(|value| !matches!(value, Value::Unknown)).cloned().collect();
            match words.as_slice() {
                [only] => eval.starts(only, None),
                many if matches!(language, Language::Ruby | Language::Perl) => {
                    eval.starts(&Value::List(many.to_vec()), None)
                }
                _ => eval.starts(first, None),
            }
            Value::Unknown
        }
        (_, "eval" | "instance_eval" | "class_eval" | "load" | "loadstring" | "assert") => {
            match first.known() {
                Some(text) => {
                    eval.act(Act::Code { text: text.to_owned() });
                }
                None => return None,
            }
            Value::Unknown
        }
        (_, "chdir" | "Dir.chdir" | "cd") => {
            for dir in first.texts() {
                eval.act(Act::Enter { dir });
            }
            Value::Unknown
        }
        (_, "File.join") => text::path(&arguments.list),
        (_, "File.expand_path" | "File.absolute_path" | "realpath" | "String" | "File.realpath") => {
            python::expand(first, eval.surroundings.home.as_deref())
        }
        (_, "Dir.home") => Value::text(eval.surroundings.home.clone()?),
        (_, "Dir.pwd" | "getcwd" | "cwd") => Value::text(eval.surroundings.cwd.clone()),
        (_, "Pathname" | "Pathname.new") => Value::path(first.texts()),
        (_, "getenv" | "os.getenv" | "ENV.fetch") => eval.variable(first),
        (_, "glob" | "Dir.glob") => Value::List(vec![first.map(pattern)]),
        (
            _,
            "Base64.decode64"
            | "Base64.strict_decode64"
            | "Base64.urlsafe_decode64"
            | "base64_decode"
            | "decode_base64"
            | "MIME.Base64.decode_base64",
        ) => crate::decode::base64(first.known()?).map_or(Value::Unknown, Value::text),
        (_, "hex2bin") => crate::decode::hex(first.known()?).map_or(Value::Unknown, Value::text),
        (_, "pack") => match (first.known()?.chars().next()?, second.known()?) {
            ('H', text) => crate::decode::hex(text).map_or(Value::Unknown, Value::text),
            _ => return None,
        },
        (_, "str_rot13") => Value::text(crate::decode::rot13(first.known()?)),
        (_, "strrev" | "reverse" | "string.reverse") => first.map(|text| text.chars().rev().collect()),
        (_, "chr" | "string.char") => text::letters(&arguments.list)?,
        (Language::Perl | Language::Php, "join" | "implode") => match arguments.list.as_slice() {
            [sign, Value::List(items)] => text::joined(items, sign.known()?),
            [sign, rest @ ..] => text::joined(rest, sign.known()?),
            [] => return None,
        },
        (_, "Net.HTTP.get" | "URI.open" | "curl_init" | "open_uri" | "Net.HTTP.post") => {
            eval.act(Act::Network { name: name.clone(), address: first.known().map(str::to_owned) });
            Value::Unknown
        }
        _ => return None,
    })
}

/// `open(F, '>', path)` and `open F, ">path"`.
fn perl_open(eval: &mut Eval<'_>, arguments: &Arguments) -> Value {
    let (mode, path) = match arguments.list.as_slice() {
        [_, mode, path, ..] => (mode.known().unwrap_or(">").to_owned(), path.clone()),
        [_, both] => {
            let text = both.texts().swap_remove(0);
            let end = text.find(|c: char| !"+<>| ".contains(c)).unwrap_or(text.len());
            let (mode, path) = text.split_at(end);
            if mode.contains('|') || path.trim_end().ends_with('|') {
                eval.starts(&Value::text(path.trim_end_matches(['|', ' '])), None);
                return Value::Unknown;
            }
            (mode.to_owned(), Value::text(path))
        }
        _ => return Value::Unknown,
    };
    let handle = match mode.trim() {
        mode if mode.starts_with(">>") => eval.write(&path, How::Append, Content::Unknown),
        mode if mode.starts_with("+<") => eval.write(&path, How::Edit, Content::Unknown),
        mode if mode.contains('>') => eval.write(&path, How::Replace, Content::Unknown),
        mode if mode.contains('|') => {
            eval.starts(&path, None);
            Value::Unknown
        }
        _ => {
            eval.looks(&path);
            Value::Unknown
        }
    };
    if let (Some(Value::Name(name)), Value::File(_)) = (arguments.list.first(), &handle) {
        let name = name.clone();
        eval.set(&name, handle.clone());
    }
    handle
}
