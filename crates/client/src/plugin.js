import { spawn } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const STEAD = "{stead}"
// A program that was started elsewhere has another PATH.
const LINK = join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "stead/bin/stead")
const PATIENCE = 10_000
const SHOWN = 8_000
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

export const Stead = async ({ client, directory, worktree }) => {
  const started = new Map() // session: the answer to its start
  const parents = new Map() // child session: the session at the top
  const last = new Map() // session: its latest text
  const sent = new Map() // session: what it was last told to go on with
  const commands = new Map() // session: the command that was typed, and the text it became
  const models = new Map() // session: the model that answers its latest message
  const notes = new Map() // call: what the model is to read beside its result
  // A headless run ends before a prompt sent at `session.idle` is read, so there every text may be the last.
  const headless = process.argv.includes("run")

  const ask = async (name, session, payload, patience) => {
    const about = { client: CLIENT, directory, worktree, ...payload }
    if (parents.has(session)) about.parent = parents.get(session)
    const answer = await call(name, about, directory, patience)
    if (answer.notice && !headless) {
      const body = { title: "Stead", message: answer.notice, variant: "info", duration: SHOWN }
      Promise.resolve(client.tui?.showToast({ body })).catch(() => {})
    }
    return typeof answer === "string" ? { failed: answer } : answer
  }
  const start = (session, event, resumed) => {
    if (!started.has(session)) started.set(session, ask("session.created", session, { event, resumed }))
    return started.get(session)
  }
  const stop = async (name, session, payload) => {
    const about = { ...payload, last: last.get(session), continued: sent.has(session) }
    const answer = await ask(name, session, about, STOP_PATIENCE)
    if (!answer.continue) return
    sent.set(session, answer.continue)
    const parts = [{ type: "text", text: answer.continue }]
    await client.session.promptAsync({ path: { id: session }, body: { parts } }).catch(() => {})
  }
  const forget = (session) => {
    for (const memory of [started, parents, last, sent, commands, models]) memory.delete(session)
  }

  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      const session = event.properties?.sessionID ?? info?.id
      if (!session) return
      if (event.type === "session.created") {
        if (info?.parentID) parents.set(session, parents.get(info.parentID) ?? info.parentID)
        await start(session, event, false)
      } else if (event.type === "session.idle") {
        if (!headless) await stop("session.idle", session, { event })
      } else if (event.type === "session.compacted") {
        await ask("session.compacted", session, { event })
      } else if (event.type === "session.deleted") {
        await ask("session.deleted", session, { event })
        forget(session)
      }
    },
    "command.execute.before": async (input, output) => {
      const { command, arguments: words, sessionID } = input
      const text = output.parts?.find((part) => part.type === "text")?.text
      commands.set(sessionID, { command, arguments: words, text })
      await ask("command.execute.before", sessionID, { input, output })
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const part = output.parts?.find((part) => part.type === "text")
      const typed = commands.get(session)
      commands.delete(session)
      models.set(session, output.message?.model ?? input.model)
      const command = typed && typed.text === part?.text ? typed : undefined
      const machine = sent.has(session) && part?.text === sent.get(session)
      if (!machine) sent.delete(session)
      const answer = await ask("chat.message", session, { input, output, machine, command })
      if (answer.context && part) part.text += "\n\n" + answer.context
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask("tool.execute.before", input.sessionID, { input, output })
      if (answer.failed === "broken") throw new Error("Stead could not judge this call, so it was not made. `stead doctor` says why.")
      if (answer.deny) throw new Error(answer.deny)
      if (answer.context) notes.set(input.callID, answer.context)
      if (!answer.args) return
      // A new object in its place would be ignored.
      for (const key of Object.keys(output.args)) if (!(key in answer.args)) delete output.args[key]
      Object.assign(output.args, answer.args)
    },
    "tool.execute.after": async (input, output) => {
      const model = models.get(input.sessionID)
      const answer = await ask("tool.execute.after", input.sessionID, { input, output, model })
      if (answer.deny) throw new Error(answer.deny)
      const texts = [notes.get(input.callID), answer.context].filter(Boolean)
      notes.delete(input.callID)
      if (typeof output.output === "string") for (const text of texts) output.output += "\n\n" + text
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return
      // A resumed session announces itself nowhere else.
      const event = { type: "session.created", properties: { sessionID: input.sessionID } }
      const answer = await start(input.sessionID, event, true)
      if (answer.context) output.system.push(answer.context)
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await ask("experimental.session.compacting", input.sessionID, { input, output })
      if (answer.context) output.context.push(answer.context)
    },
    "experimental.text.complete": async (input, output) => {
      last.set(input.sessionID, output.text)
      if (headless) await stop("experimental.text.complete", input.sessionID, { input, output })
    },
  }
}
