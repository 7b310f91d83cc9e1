//! The page of a run: what agents write on it, and what it says of a run that is still working.

use super::{CONTINUE, bounded, run_file, signal, start, until, with_stage, written};

/// A page is opened in programs that load images and follow links, so an agent may write neither.
#[test]
fn what_agents_write_is_text_on_the_page() {
    let words = r"<img src=x onerror=1> ![p](http://x.example/p.png) [go](javascript:1) \\| a | b <!-- ";
    let file = "a`<b>`.rs";
    let script = format!(
        "cat > \"$STEAD_STATUS\" <<'END'\n{{\"decision\": \"stop\", \"reason\": \"{words}\", \"summary\": \"{words}\", \"work\": {{\"files_touched\": [\"{file}\"]}}}}\nEND\n"
    );
    let world = with_stage(&bounded(1), &script);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    world.stead(&["report", "it"]).ok();
    let page = world.read(run_file("it/report/index.md"));
    let row = page.lines().find(|line| line.contains("onerror")).unwrap();
    assert!(
        row.contains(r"\<img src=x onerror=1> !\[p\](http://x.example/p.png) \[go\](javascript:1) \\\| a \| b \<!--"),
        "{page}"
    );
    assert!(page.contains("- ``a`<b>`.rs``\n"), "{page}");
    let image = world.read(run_file("it/report/timeline.svg"));
    assert!(image.contains("&lt;img src=x") && !image.contains("<img"), "{image}");
}

#[test]
fn an_iteration_under_way_is_not_a_failure() {
    let world = with_stage(
        &bounded(2),
        &format!("[ $STEAD_ITERATION = 1 ] || {{ echo $$ > agent; exec sleep 600; }}; {CONTINUE}"),
    );
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    written(&world, "project/agent");
    let page = || {
        world.stead(&["report", "it"]).ok();
        (world.read(run_file("it/report/index.md")), world.read(run_file("it/report/timeline.svg")))
    };
    let (text, image) = page();
    assert!(text.contains("| running |") && !text.contains("engine was killed"), "{text}");
    assert!(image.contains("chore 2: running"), "{image}");
    signal(&child, "KILL");
    child.wait().unwrap();
    until("the run is interrupted", || page().0.contains("`it`: interrupted"));
    let (text, image) = page();
    assert!(text.contains("its engine was killed") && image.contains("chore 2: not counted"), "{text}");
    world.stead(&["stop", "it", "--now"]).ok();
}
