"""The same check as a Python hook: read the call, look for forbidden text, write one line, stay silent."""
import fcntl
import json
import sys
import time

rules_path, log_path = sys.argv[1:3]
call = json.load(sys.stdin)
command = call.get("tool_input", {}).get("command", "")
with open(rules_path, encoding="utf-8") as rules:
    hit = next((rule for rule in rules.read().splitlines() if rule in command), None)
line = json.dumps({
    "v": 1,
    "ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    "session": call.get("session_id"),
    "event": call.get("hook_event_name"),
    "tool": call.get("tool_name"),
    "verdict": "deny" if hit else "allow",
})
with open(log_path, "a", encoding="utf-8") as log:
    fcntl.flock(log, fcntl.LOCK_EX)
    log.write(line + "\n")
if hit:
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": hit}}))
