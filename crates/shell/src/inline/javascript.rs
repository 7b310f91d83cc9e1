//! What JavaScript's calls do, in Node, Deno and Bun.

use stead_model::{Content, How};

use crate::inline::Act;
use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::import::module_name;
use crate::inline::value::{Value, pattern};
use crate::inline::{python, text};

/// Looks at a call by its dotted name; `None` for one that we do not know.
pub(crate) fn call(eval: &mut Eval<'_>, name: &str, arguments: &Arguments) -> Option<Value> {
    let name = name
        .replace(".default.", ".")
        .replace(".promises.", ".")
        .replace("fsp.", "fs.")
        .replace("globalThis.", "")
        .replace("require.", "");
    let last = name.rsplit('.').next().unwrap_or_default();
    let first = arguments.at(0);
    let second = arguments.at(1);
    let own = |module: &str| name.starts_with(module);
    // A call of the file system: by its module, or by a name that nothing else has.
    let disk = own("fs.") || own("Deno.") || last.ends_with("Sync") || last == "createWriteStream";
    let known = || second.known().map_or(Content::Unknown, |text| Content::Text(text.to_owned()));
    let verb = last.strip_suffix("Sync").unwrap_or(last);
    Some(match verb {
        "require" | "import" => {
            let module = module_name(first.known()?);
            eval.requires(&module);
            eval.modules.push(module.clone());
            Value::Name(module)
        }
        "writeFile" | "writeTextFile" | "outputFile" | "outputJson" | "writeJson" => {
            let content = if verb.ends_with("Json") { Content::Unknown } else { known() };
            eval.write(first, How::Replace, content);
            Value::Unknown
        }
        "appendFile" => {
            eval.write(first, How::Append, known());
            Value::Unknown
        }
        "createWriteStream" => eval.write(first, How::Replace, Content::Unknown),
        "write" if own("Bun.") => {
            eval.write(first, How::Replace, known());
            Value::Unknown
        }
        "file" if own("Bun.") => first.clone(),
        "open" if disk => python::open(eval, first, second, "open"),
        "unlink" | "remove" | "rm" | "rmdir" | "emptyDir" if disk => {
            eval.delete(first, matches!(verb, "rm" | "remove" | "rmdir" | "emptyDir"));
            Value::Unknown
        }
        "rename" | "move" if disk => {
            eval.rename(first, second);
            Value::Unknown
        }
        "copyFile" | "cp" | "copy" if disk => {
            eval.looks(first);
            // A folder goes with everything in it, and only this call takes folders.
            if verb != "copyFile" && arguments.at(2).field_of("recursive").is_some() {
                for path in second.texts() {
                    eval.act(Act::Write { path, how: How::Into, content: Content::Unknown, tree: true });
                }
            } else {
                eval.write(second, How::Replace, Content::Unknown);
            }
            Value::Unknown
        }
        "mkdir" | "mkdirp" | "ensureDir" if disk => {
            eval.write(first, How::Into, Content::Unknown);
            Value::Unknown
        }
        "truncate" if disk => {
            eval.write(first, How::Replace, Content::Unknown);
            Value::Unknown
        }
        "symlink" | "link" if disk => {
            eval.write(second, How::Link, Content::Unknown);
            Value::Unknown
        }
        "chmod" | "chown" | "utimes" if disk => {
            eval.write(first, How::Attributes, Content::Unknown);
            Value::Unknown
        }
        "readFile" | "readTextFile" | "createReadStream" | "readJson" => {
            eval.looks(first);
            Value::Unknown
        }
        "exec"
            if name == "exec" && matches!(first, Value::Text { .. }) || own("child_process.") || last == "execSync" =>
        {
            eval.starts(first, None);
            Value::Unknown
        }
        "spawn" | "execFile" | "fork" if own("child_process.") || own("Bun.") || name == last => {
            let mut words = match first {
                Value::List(items) => items.clone(),
                text => vec![text.clone()],
            };
            if let Value::List(items) = second {
                words.extend(items.iter().cloned());
            }
            if verb == "fork" {
                words.insert(0, Value::text("node"));
            }
            eval.starts(&Value::List(words), None);
            Value::Unknown
        }
        "chdir" if own("process.") || own("Deno.") => {
            for dir in first.texts() {
                eval.act(Act::Enter { dir });
            }
            Value::Unknown
        }
        "eval" | "Function" if name == last => {
            match arguments.list.last().and_then(Value::known) {
                Some(text) => {
                    eval.act(Act::Code { text: text.to_owned() });
                }
                None => eval.gap("a program text that is put together at run time"),
            }
            Value::Unknown
        }
        "join" | "resolve" if own("path.") || name == last => text::path(&arguments.list),
        "normalize" | "fileURLToPath" | "String" | "decodeURIComponent" => first.clone(),
        "entries" if own("Object.") => first.pairs(),
        "values" if own("Object.") => Value::List(vec![first.held()]),
        "keys" if own("Object.") => Value::List(vec![first.clone().one_of()]),
        "from" if own("Array.") => first.clone(),
        "globSync" | "glob" if own("fs.") || own("glob") => Value::List(vec![first.map(pattern)]),
        "homedir" => Value::text(eval.surroundings.home.clone()?),
        "cwd" if own("process.") || own("Deno.") => Value::text(eval.surroundings.cwd.clone()),
        "atob" => crate::decode::base64(first.known()?).map_or(Value::Unknown, Value::text),
        "from" if own("Buffer.") => {
            text::by_name(first.known()?, second.known().unwrap_or("utf8")).map_or(Value::Unknown, Value::text)
        }
        "fromCharCode" | "fromCodePoint" => text::letters(&arguments.list)?,
        "fetch" | "get" | "request" if name == "fetch" || own("http") || own("axios") => {
            eval.act(Act::Network { name: name.clone(), address: first.known().map(str::to_owned) });
            Value::Unknown
        }
        "connect" if own("net.") || own("tls.") => {
            eval.act(Act::Network { name: name.clone(), address: None });
            Value::Unknown
        }
        "$" => {
            eval.starts(first, None);
            Value::Unknown
        }
        _ => return None,
    })
}
