//! The table of what each agent program supports.

use stead_install::Capability;

use super::report::field;
use crate::ui::Ui;

/// What each agent program lets Stead do.
pub(super) fn tell_support(capabilities: &[Capability], ui: &mut Ui) {
    let row = |cells: [&str; 10]| {
        let [name, block, ask, warn, rewrite, start, prompt, tool, stop, compact] = cells;
        let row = format!(
            "  {name:<9} {block:<5} {ask:<3} {warn:<6} {rewrite:<8} {start:<6} {prompt:<7} {tool:<6} {stop:<8} {compact}"
        );
        row.trim_end().to_owned()
    };
    ui.line("            before a tool             context at            at a     before");
    ui.line(row(["", "block", "ask", "warn", "rewrite", "start", "prompt", "tool", "stop", "compact"]));
    let word = |is: bool| if is { "yes" } else { "–" };
    for client in capabilities {
        let stop = match (client.continue_at_stop, client.stop_cap) {
            (true, Some(1)) => "once".to_owned(),
            (true, Some(cap)) => format!("{cap} times"),
            (is, _) => word(is).to_owned(),
        };
        ui.line(row([
            client.harness,
            word(client.block),
            word(client.ask),
            client.warn,
            word(client.rewrite),
            word(client.context_at_start),
            word(client.context_at_prompt),
            word(client.context_after_tool),
            &stop,
            client.before_compact,
        ]));
    }
    ui.line("\n  A verdict that a program does not support is raised to the next stronger one:");
    for client in capabilities.iter().filter(|client| !client.strengthened.is_empty()) {
        field(client.harness, &client.strengthened.join(", "), ui);
    }
    ui.line("\n  A guard's warning never blocks; the model reads it:");
    let times = ["at once", "after the tool", "with the next prompt", "never"];
    tell_times(capabilities, &times, |client| client.guard_warning, ui);
    ui.line("\n  What the program's own window does not show you:");
    for client in capabilities.iter().filter(|client| !client.unseen.is_empty()) {
        field(client.harness, &client.unseen.join("; "), ui);
    }
    ui.line("\n  The program reports exit codes, so that a test run is evidence:");
    for (told, word) in [("all", "yes"), ("successful", "if 0"), ("none", "no")] {
        let names = capabilities.iter().filter(|client| client.exit_status == told).map(|client| client.harness);
        field(word, &names.collect::<Vec<_>>().join(", "), ui);
    }
    field("", "otherwise use `stead verify`, which runs the tests itself", ui);
    ui.line("\n  What a call weakened is put back by the hook after it, else at the next event:");
    for client in capabilities {
        if let Some(why) = client.lost_after_tool {
            field(client.harness, why, ui);
        }
    }
    ui.line("\n  A typed command permits what only a person may do:");
    for (is, word) in [(true, "yes"), (false, "no")] {
        let names = capabilities.iter().filter(|client| client.typed_commands == is).map(|client| client.harness);
        field(word, &names.collect::<Vec<_>>().join(", "), ui);
    }
    field("", "otherwise run it in a terminal of your own", ui);
    ui.line("\n  Sub-agents:");
    for client in capabilities {
        field(client.harness, client.subagents, ui);
    }
    ui.line("\n  A sub-agent's incomplete result is sent back by a hook that answers:");
    let times = ["at its stop", "after the call that started it", "never"];
    tell_times(capabilities, &times, |client| client.incomplete_result, ui);
}

/// Lists the clients by when something happens.
fn tell_times(capabilities: &[Capability], times: &[&str], when: fn(&Capability) -> &'static str, ui: &mut Ui) {
    for time in times {
        let names: Vec<&str> =
            capabilities.iter().filter(|client| when(client) == *time).map(|client| client.harness).collect();
        if !names.is_empty() {
            field("", &format!("{time}: {}", names.join(", ")), ui);
        }
    }
}
