//! Rewrites stages, pipelines and prompts of the older format in place.
//!
//! It edits lines and keeps comments, order and spacing. A rewrite that would change what a file means is refused and
//! left to a person. Files of the current format are not touched.

mod by_hand;
mod edit;
mod pipeline;
mod prompt;
mod stage;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use stead_pipeline::definition::{
    Catalog, DefinitionError, Loaded, OLD_FILE, Origin, SourceFile, StageDefinition, StageFiles, Step, read_pipeline,
    read_stage,
};
use stead_pipeline::lint::{CheckedPipeline, check_pipeline, implied_inputs};
use stead_store::{Durability, Exact, StoreError, replace_creating};

use by_hand::left;
use pipeline::migrate_pipeline;
use prompt::migrate_prompt;
use stage::migrate_stage;

/// What would be rewritten, and what is left to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrites {
    pub rewrites: Vec<Rewrite>,
    /// Files that are not rewritten, and why.
    pub refused: Vec<(String, String)>,
}

/// One file before and after; `None` where it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub path: PathBuf,
    /// Relative to the project's root.
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// What a person should check.
    pub notes: Vec<String>,
}

/// Finds the files of a project that use the older format. Built-in stages never do.
pub fn find_rewrites(catalog: &Catalog) -> Result<Rewrites, DefinitionError> {
    let mut found = Rewrites::default();
    for (name, origin) in catalog.stages() {
        if origin != Origin::Builtin {
            found.stage(&catalog.stage_files(&name)?);
        }
    }
    for (name, origin) in catalog.pipelines() {
        if origin != Origin::Builtin {
            found.pipeline(&check_pipeline(catalog, &name)?);
        }
    }
    Ok(found)
}

/// Writes one file, or deletes it if its content moved to another.
pub fn apply_rewrite(rewrite: &Rewrite) -> Result<(), StoreError> {
    match &rewrite.after {
        Some(text) => replace_creating(&rewrite.path, Exact::Edited.bytes(text), Durability::Synced),
        None => fs::remove_file(&rewrite.path).map_err(|source| StoreError::Io {
            doing: "remove",
            path: rewrite.path.clone(),
            source,
        }),
    }
}

impl Rewrites {
    fn stage(&mut self, files: &StageFiles) {
        let Loaded { file, fault } = &files.manifest;
        match fault {
            Some(fault) => self.refused.push((file.name.clone(), fault.why.clone())),
            None => {
                match with_line_ends(&file.text, migrate_stage).and_then(|after| same_stage(file, after, &files.name)) {
                    Ok(after) => self.manifest(file, after),
                    Err(why) => return self.refused.push((file.name.clone(), why)),
                }
            }
        }
        let prompt = &files.prompt.file;
        if files.prompt.fault.is_none() && !prompt.text.trim().is_empty() {
            let (definition, _) = read_stage(file.clone(), &files.name);
            let notes = definition.output_parse.as_deref().map(parse_note);
            if let Ok(after) = with_line_ends(&prompt.text, |text| Ok(migrate_prompt(text))) {
                self.file(prompt, after, notes.into_iter().collect());
            }
        }
    }

    fn manifest(&mut self, file: &Arc<SourceFile>, after: String) {
        let Some(old) = &file.path else { return };
        if !file.name.ends_with(OLD_FILE) {
            return self.file(file, after, Vec::new());
        }
        let name = format!("{}stage.yaml", file.name.trim_end_matches(OLD_FILE));
        let path = old.with_file_name("stage.yaml");
        self.rewrites.push(Rewrite { path, name, before: None, after: Some(after), notes: Vec::new() });
        let before = Some(file.text.clone());
        self.rewrites.push(Rewrite {
            path: old.clone(),
            name: file.name.clone(),
            before,
            after: None,
            notes: Vec::new(),
        });
    }

    fn pipeline(&mut self, pipeline: &CheckedPipeline) {
        let steps = &pipeline.definition.steps;
        let inputs: Vec<Vec<String>> = pipeline
            .steps
            .iter()
            .enumerate()
            .map(|(index, checked)| implied_inputs(steps, index, checked.prompt(&steps[index])))
            .map(|inputs| inputs.into_iter().map(|input| input.from).collect())
            .collect();
        let file = &pipeline.file;
        let after = with_line_ends(&file.text, |text| migrate_pipeline(text, &inputs));
        match after.and_then(|after| same_pipeline(pipeline, &inputs, after)) {
            Ok(after) => self.file(file, after, Vec::new()),
            Err(why) => self.refused.push((file.name.clone(), why)),
        }
    }

    fn file(&mut self, file: &SourceFile, after: String, notes: Vec<String>) {
        if let Some(path) = file.path.clone().filter(|_| after != file.text) {
            let (before, after) = (Some(file.text.clone()), Some(after));
            self.rewrites.push(Rewrite { path, name: file.name.clone(), before, after, notes });
        }
    }
}

/// Rewrites a text with CRLF line ends as if they were LF, and restores them.
fn with_line_ends(text: &str, rewrite: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let breaks = text.matches('\n').count();
    if breaks == 0 || text.matches("\r\n").count() != breaks {
        return rewrite(text);
    }
    rewrite(&text.replace("\r\n", "\n")).map(|after| after.replace('\n', "\r\n"))
}

fn parse_note(output_parse: &str) -> String {
    let words: Vec<&str> = output_parse.split_whitespace().filter_map(|pair| Some(pair.split_once(':')?.1)).collect();
    format!("it may still ask for {}; the status file replaces that", words.join(", "))
}

/// Rejects a text that would mean something else, apart from what a status file replaces.
fn same_stage(file: &Arc<SourceFile>, after: String, folder: &str) -> Result<String, String> {
    let meaning = |file: Arc<SourceFile>| {
        let mut stage = read_stage(file, folder).0;
        if let Some(output) = &mut stage.output {
            output.at = 0..0;
        }
        StageDefinition { output_parse: None, ..stage }
    };
    let new = Arc::new(SourceFile { name: file.name.clone(), path: None, text: after.clone() });
    if meaning(file.clone()) == meaning(new) { Ok(after) } else { Err(left(&read_stage(file.clone(), folder).1)) }
}

fn same_pipeline(pipeline: &CheckedPipeline, inputs: &[Vec<String>], after: String) -> Result<String, String> {
    let new = Arc::new(SourceFile { name: pipeline.file.name.clone(), path: None, text: after.clone() });
    let new = read_pipeline(new, &pipeline.name).0;
    let old = &pipeline.definition;
    let meant = |index: usize| inputs.get(index).cloned().unwrap_or_default();
    let before: Vec<String> = old.steps.iter().enumerate().map(|(index, step)| meaning(step, meant(index))).collect();
    let then: Vec<String> = new.steps.iter().map(|step| meaning(step, Vec::new())).collect();
    if before == then { Ok(after) } else { Err(left(&read_pipeline(pipeline.file.clone(), &pipeline.name).1)) }
}

/// What a step says, without positions.
fn meaning(step: &Step, meant: Vec<String>) -> String {
    let inputs: Vec<(String, String)> = step
        .inputs
        .iter()
        .map(|(input, _)| (input.from.clone(), format!("{:?}", input.select)))
        .chain(meant.into_iter().map(|from| (from, "All".to_owned())))
        .collect();
    let needs: Option<Vec<&str>> =
        step.needs.as_ref().map(|needs| needs.iter().map(|need| need.name.as_str()).collect());
    let when = step.when.as_ref().map(|when| (&when.stage.name, &when.outcome));
    let fan = step.fan.as_ref().map(|fan| (&fan.branches, fan.join, fan.max_parallel, fan.worktree));
    let output = step.output.as_ref().map(|output| &output.pattern);
    let template = step.template.as_ref().map(|template| &template.name);
    let who = (&step.provider, &step.model, &step.verify);
    format!("{:?}", (&step.id, template, &step.termination, &step.limits, output, who, inputs, needs, when, fan))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use stead_pipeline::lint::{Finding, Severity, lint_stage};

    fn catalog(folder: &TempDir) -> Catalog {
        Catalog::new(folder.path(), folder.path().join("stages"), folder.path().join("pipelines"))
    }

    fn stage(folder: &TempDir, manifest: &str, prompt: &str) {
        let place = folder.path().join("stages/old");
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("loop.yaml"), manifest).unwrap();
        fs::write(place.join("prompt.md"), prompt).unwrap();
    }

    #[test]
    fn windows_lines_stay_windows_lines() {
        let folder = TempDir::new().unwrap();
        stage(&folder, "name: old\r\ncompletion: plateau\r\nmin_iterations: 4\r\n", "${CTX}\r\n${STATUS}\r\n");
        let found = find_rewrites(&catalog(&folder)).unwrap();
        let after = found.rewrites[0].after.as_deref();
        assert_eq!(after, Some("name: old\r\ntermination:\r\n  type: judgment\r\n  min_iterations: 4\r\n"));
    }

    const LINES: [&str; 10] = [
        "name: old # mine",
        "description: \"a # b\"",
        "min_iterations: 3 # three",
        "max_iterations: 7 # seven",
        "output:\n  mode: append # m\n  path: docs/${SESSION}.md",
        "delay: 3",
        "max_retries: 4",
        "provider: {command: [\"./a.sh\"]}",
        "verify:\n  - cargo test # t\n  - 'true'",
        "# a comment\n",
    ];
    const ENDINGS: [&str; 5] = [
        "completion: plateau  # flat",
        "completion: fixed-n",
        "termination: {type: judgment, consensus: 3} # in braces",
        "termination:\n  consensus: 3\n  type: judgment # in a block",
        "termination: {type: judgment, min_iterations: 2}\ncompletion: plateau # both",
    ];
    const WORDS: [&str; 4] = [
        "output_parse: \"plateau:PLATEAU\" # words",
        "output_parse: |\n  plateau:PLATEAU\n  reason:WHY\n",
        "output_parse: >- # folded\n  plateau:PLATEAU\n  reason:WHY",
        "",
    ];
    const RAILS: [&str; 4] = [
        "guardrails:\n  # bounds\n  max_failures: 2 # two\n  max_runtime_seconds: 60",
        "guardrails: {max_failures: 2, max_runtime_seconds: 60} # bounds",
        "guardrails:\n  max_failures: 2 # two",
        "",
    ];

    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        let any = |of: &'static [&'static str]| proptest::sample::select(of);
        let rest = proptest::sample::subsequence(LINES.to_vec(), 0..=LINES.len());
        (rest, any(&ENDINGS), any(&WORDS), any(&RAILS)).prop_flat_map(|(mut lines, ending, words, rails)| {
            lines.extend([ending, words, rails]);
            Just(lines).prop_shuffle()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Whatever of the older form stands in a file, in whatever order: nothing of it is left, every comment is, and a
        /// second time there is nothing to do.
        #[test]
        fn nothing_of_the_older_form_is_left(lines in lines()) {
            let text = format!("{}\n", lines.join("\n"));
            let folder = TempDir::new().unwrap();
            stage(&folder, &text, "Do ${SESSION} and ${INDEX}.\n");
            let found = find_rewrites(&catalog(&folder)).unwrap();
            prop_assert!(found.refused.is_empty(), "{:?}\n{text}", found.refused);
            for rewrite in &found.rewrites {
                apply_rewrite(rewrite).unwrap();
            }
            let after = fs::read_to_string(folder.path().join("stages/old/stage.yaml")).unwrap();
            let left = lint_stage(&catalog(&folder), "old").unwrap();
            let left: Vec<String> =
                left.iter().filter(|finding| finding.severity != Severity::Warning).map(Finding::brief).collect();
            prop_assert!(left.is_empty(), "{left:#?}\n{text}---\n{after}");
            for line in text.lines() {
                if let Some((_, comment)) = line.split_once(" # ").filter(|(before, _)| !before.contains("\"a")) {
                    prop_assert!(after.contains(&format!("# {comment}")), "{comment}\n{text}---\n{after}");
                }
            }
            prop_assert_eq!(find_rewrites(&catalog(&folder)).unwrap(), Rewrites::default());
        }
    }

    #[test]
    fn what_cannot_be_rewritten_is_told_with_its_line() {
        let folder = TempDir::new().unwrap();
        stage(
            &folder,
            "name: old\ntermination: &end {type: judgment}\nmin_iterations: 4\nx-same: *end\n",
            "${CTX} ${STATUS}",
        );
        let found = find_rewrites(&catalog(&folder)).unwrap();
        assert_eq!(found.refused, [], "an alias follows what it names");
        stage(
            &folder,
            "name: old\nx-end: &end {type: judgment}\ntermination: *end\nmin_iterations: 4\n",
            "${CTX} ${STATUS}",
        );
        let found = find_rewrites(&catalog(&folder)).unwrap();
        let [(file, why)] = &found.refused[..] else { panic!("{found:?}") };
        assert_eq!(file, "stages/old/loop.yaml");
        assert!(why.starts_with("line 4: `min_iterations` is deprecated"), "{why}");
        stage(&folder, "name: old\ncompletion: never\n", "${CTX} ${STATUS}");
        let found = find_rewrites(&catalog(&folder)).unwrap();
        assert_eq!(found.refused[0].1, "line 2: unknown completion `never`; fix it and try again");
    }
}
