# The same stop as a bash hook: read the loop's state, find the agent's last message in the transcript, count on, and
# give the prompt back.
state=$1
input=$(cat)
[[ -f $state ]] || exit 0
head=$(sed -n '2,/^---$/p' "$state")
iteration=$(sed -n 's/^iteration: *//p' <<<"$head")
most=$(sed -n 's/^max_iterations: *//p' <<<"$head")
promise=$(sed -n 's/^completion_promise: *//p' <<<"$head")
if ((most > 0 && iteration >= most)); then
    exit 0
fi
transcript=$(jq -r '.transcript_path' <<<"$input")
last=$(grep '"role":"assistant"' "$transcript" | tail -n 100 |
    jq -rs 'map(.message.content[]? | select(.type == "text") | .text) | last // ""')
said=$(sed -n 's/.*<promise>\(.*\)<\/promise>.*/\1/p' <<<"$last")
if [[ -n $said && $said == "$promise" ]]; then
    exit 0
fi
sed "s/^iteration: .*/iteration: $((iteration + 1))/" "$state" >"$state.new"
mv "$state.new" "$state"
prompt=$(awk '/^---$/ { fences++; next } fences >= 2' "$state")
jq -nc --arg prompt "$prompt" '{decision: "block", reason: $prompt}'
