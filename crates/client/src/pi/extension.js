import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const STEAD = "{stead}"
// A program that was started elsewhere has another PATH.
const LINK = join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "stead/bin/stead")
const PATIENCE = 10_000
const STOP_PATIENCE = 600_000 // a check that a loop asked for may run there

// Calls Stead: its answer, "missing" where there is no such program, "broken" where it crashed or took too long.
const call = async (name, payload, cwd, patience) => {
  const answer = await callProgram(STEAD, name, payload, cwd, patience)
  return answer === "missing" && STEAD === "stead" ? callProgram(LINK, name, payload, cwd, patience) : answer
}

const callProgram = (program, name, payload, cwd, patience = PATIENCE) =>
  new Promise((done) => {
    let said = ""
    let text, child
    try {
      text = JSON.stringify(payload)
      child = spawn(program, ["hook", CLIENT, name], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return done("broken")
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      done("broken")
    }, patience)
    child.on("error", (error) => {
      clearTimeout(timer)
      done(error.code === "ENOENT" ? "missing" : "broken")
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      try {
        const answer = JSON.parse(said)
        done(code === 0 && answer && typeof answer === "object" ? answer : "broken")
      } catch {
        done("broken")
      }
    })
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => (said += text))
    child.stdin.on("error", () => {}) // it may answer before it has read everything
    child.stdin.end(text)
  })

const texts = (content) => (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")

// How a shell command ended: in a member of its own, or in the last line that the host adds to a failure.
const exit = (event) => {
  if (event.structuredContent?.exit_code !== undefined) return event.structuredContent.exit_code
  const code = event.isError && /Command exited with code (\d+)\s*$/.exec(texts(event.content))
  return code ? Number(code[1]) : undefined
}

export default function (pi) {
  const notes = new Map() // call: what the model is to read beside its result
  let started // the answer to the session's start, until the model was given it
  let last = "" // the agent's latest text
  let sent // what it was last told to go on with

  const ask = async (name, ctx, payload, patience) => {
    const model = ctx.model && { providerID: ctx.model.provider, modelID: ctx.model.id }
    const about = { client: CLIENT, directory: ctx.cwd, model, ...payload }
    const answer = await call(name, about, ctx.cwd, patience)
    return typeof answer === "string" ? { failed: answer } : answer
  }
  const session = (ctx) => ctx.sessionManager.getSessionId()
  const bus = (type, ctx) => ({ event: { type, properties: { sessionID: session(ctx) } } })

  pi.on("session_start", async (event, ctx) => {
    const resumed = event.reason === "resume" || event.reason === "reload"
    started = await ask("session.created", ctx, { ...bus("session.created", ctx), resumed })
  })
  pi.on("before_agent_start", async (event, ctx) => {
    const machine = event.messageType !== "user"
    const parts = machine ? [] : [{ type: "text", text: event.prompt }]
    const answer = await ask("chat.message", ctx, { input: { sessionID: session(ctx) }, output: { parts }, machine })
    const content = [started?.context, answer.context].filter(Boolean).join("\n\n")
    started = undefined
    if (!machine) sent = undefined
    if (content) return { message: { customType: "stead", content, display: false } }
  })
  pi.on("message_end", async (event) => {
    if (event.message.role === "assistant") last = texts(event.message.content)
  })
  pi.on("tool_call", async (event, ctx) => {
    const input = { tool: event.toolName, sessionID: session(ctx), callID: event.toolCallId }
    const answer = await ask("tool.execute.before", ctx, { input, output: { args: event.input } })
    if (answer.failed === "broken") {
      return { block: true, reason: "Stead could not judge this call, so it was not made. `stead doctor` says why." }
    }
    if (answer.deny) return { block: true, reason: answer.deny }
    if (answer.context) notes.set(event.toolCallId, answer.context)
    if (!answer.args) return
    // A new object in its place would be ignored.
    for (const key of Object.keys(event.input)) if (!(key in answer.args)) delete event.input[key]
    Object.assign(event.input, answer.args)
  })
  pi.on("tool_result", async (event, ctx) => {
    const input = { tool: event.toolName, sessionID: session(ctx), callID: event.toolCallId, args: event.input }
    const output = { output: texts(event.content), metadata: { exit: exit(event) } }
    const answer = await ask("tool.execute.after", ctx, { input, output })
    const added = [notes.get(event.toolCallId), answer.context, answer.deny].filter(Boolean)
    notes.delete(event.toolCallId)
    if (added.length === 0) return
    const content = [...event.content, ...added.map((text) => ({ type: "text", text }))]
    return { content, structuredContent: event.structuredContent, isError: event.isError || !!answer.deny }
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome && event.outcome !== "completed") return
    const about = { ...bus("session.idle", ctx), last, continued: sent !== undefined }
    const answer = await ask("session.idle", ctx, about, STOP_PATIENCE)
    if (!answer.continue) return
    sent = answer.continue
    const entry = { type: "custom_message", customType: "stead", content: answer.continue, display: true }
    return { entries: [...event.entries, entry], continue: true }
  })
  pi.on("session_before_compact", async (event, ctx) => {
    await ask("experimental.session.compacting", ctx, { input: { sessionID: session(ctx) }, output: {} })
  })
  pi.on("session_compact", async (event, ctx) => {
    await ask("session.compacted", ctx, bus("session.compacted", ctx))
  })
  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await ask("session.deleted", ctx, bus("session.deleted", ctx))
  })
}
