use stead_model::{Event, Reply, Verdict};

use crate::client::Heard;
use crate::lenient::Members;
use crate::plugin::{self, Talk};
use crate::tool::{Does, McpName, Tool, tool};

/// In addition to the plugin's. A process in the background is started with a command.
const TOOLS: &[Tool] = &[
    tool("background_process", Does::Run { command: "command", dir: "workdir" }),
    tool("board_post|board_read|cron_create|cron_delete|cron_list|schedule_wakeup|cancel_wakeup", Does::Nothing),
    tool("goal|link_pr|kilo_local_recall", Does::Nothing),
];

const TALK: Talk = Talk { events: plugin::EVENTS, tools: &[plugin::TOOLS, TOOLS], mcp: McpName::FirstUnderscore };

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    plugin::read_as(&TALK, wire, named)
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    plugin::encode_as(&TALK, heard, verdict)
}
