# The same check as a bash hook: read the call, look for forbidden text, write one line, stay silent.
rules=$1 log=$2
input=$(cat)
command=$(jq -r '.tool_input.command // ""' <<<"$input")
verdict=allow
while IFS= read -r rule; do
    if [[ $command == *"$rule"* ]]; then
        verdict=deny
        break
    fi
done <"$rules"
line=$(jq -c --arg verdict "$verdict" \
    '{v: 1, ts: (now | todate), session: .session_id, event: .hook_event_name, tool: .tool_name, verdict: $verdict}' \
    <<<"$input")
exec 9>>"$log"
flock 9
printf '%s\n' "$line" >&9
if [[ $verdict == deny ]]; then
    jq -n --arg reason "$rule" '{hookSpecificOutput:
        {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $reason}}'
fi
