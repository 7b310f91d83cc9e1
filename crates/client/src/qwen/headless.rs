//! It reports tokens, not cost.

use crate::headless::Headless;

pub(super) const HEADLESS: Headless = Headless {
    args: &["--approval-mode", "auto-edit", "--output-format", "stream-json"],
    may: "edits files; the shell is refused, `--approval-mode yolo` allows it",
    session_vars: &[
        "QWEN_CODE_NO_RELAUNCH",
        "QWEN_CODE_LAUNCHER_PID",
        "QWEN_CODE_SESSION_ID",
        "QWEN_CODE_PROMPT_ID",
        "QWEN_CODE_AGENT_ID",
        "QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE",
        "QWEN_CODE_PROJECT_DIR",
    ],
    ..Headless::PLAIN
};
