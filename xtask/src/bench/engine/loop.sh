#!/usr/bin/env bash
# The work that an engine does for each iteration, with what a shell has at hand: a context file before the agent, its
# status checked after it, the output kept, the state replaced, one event appended.
set -euo pipefail
run=$1 iterations=$2 agent=$3
stage="$run/stage-00-noop"
mkdir -p "$stage/iterations"
started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
jq -n --arg started "$started" '{schema: 1, status: "running", started_at: $started, iteration: 0}' > "$run/state.json"
prompt='Read ${CTX}, write ${OUTPUT}, then write ${STATUS}.'

for ((i = 1; i <= iterations; i++)); do
  folder="$stage/iterations/$(printf '%03d' "$i")"
  mkdir -p "$folder"
  jq -n --arg session bench --argjson iteration "$i" --argjson max "$iterations" \
    --arg session_dir "$run" --arg stage_dir "$stage" --arg progress "$stage/progress.md" \
    --arg output "$stage/output.md" --arg status "$folder/status.json" \
    '{session: $session, pipeline: null, stage: {id: "noop", index: 0, template: "noop"}, iteration: $iteration,
      paths: {session_dir: $session_dir, stage_dir: $stage_dir, progress: $progress, output: $output, status: $status},
      inputs: {from_stage: {}, from_previous_iterations: []},
      limits: {max_iterations: $max, remaining_seconds: null}}' > "$folder/context.json"
  text=${prompt//'${CTX}'/$folder/context.json}
  text=${text//'${OUTPUT}'/$stage/output.md}
  text=${text//'${STATUS}'/$folder/status.json}
  STEAD_ITERATION=$i STEAD_STATUS="$folder/status.json" STEAD_OUTPUT="$stage/output.md" \
    "$agent" <<< "$text" > "$folder/agent.log" 2>&1
  decision=$(jq -r '.decision // "missing"' "$folder/status.json")
  case $decision in continue | stop) ;; *) exit 1 ;; esac
  cp "$stage/output.md" "$folder/output.md"
  summary=$(jq -r '.summary // ""' "$folder/status.json")
  jq -cn --arg ts "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --argjson iteration "$i" --arg decision "$decision" \
    --arg summary "$summary" '{ts: $ts, event: "iteration-ended", iteration: $iteration, decision: $decision,
      summary: $summary}' >> "$run/events.jsonl"
  jq --argjson iteration "$i" '.iteration = $iteration | .iteration_completed = $iteration' "$run/state.json" \
    > "$run/state.json.new"
  mv "$run/state.json.new" "$run/state.json"
done
jq '.status = "done"' "$run/state.json" > "$run/state.json.new"
mv "$run/state.json.new" "$run/state.json"
