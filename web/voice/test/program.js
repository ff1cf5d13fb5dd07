// Starts the real program: `parley demo`, whose agent answers from the manual, and to which the tests add agents of their own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { built, start } from "./child.js";

const patience = 120_000; // milliseconds; only guards against waiting without end

/** The built program. */
export const program = (folder) => built("PARLEY_PROGRAM", "./cmd/parley", folder);

/** Runs `parley demo` until `stop`, with settings in its environment and what it leaves behind in `folder`. */
export async function startProgram(folder, settings) {
  const file = program(folder);
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const { ready, stop, log } = await start(file, ["demo", "--listen", "127.0.0.1:0", "--json"], { env: { ...env, ...settings }, quit: (child) => child.kill("SIGTERM") });

  /** Asks the REST API for what is below the agents; the demo's own agent if none is named. */
  const ask = async (method, path, body, agent = ready.agentId, key = ready.apiKey) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const reply = await fetch(`${ready.url}/api/v2/agents${agent && `/${agent}`}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${await reply.clone().text()}`);
    return reply.json();
  };
  /** Opens a session as soon as the server takes one: it takes none while a busy machine makes the sound of others stumble. */
  const session = async (body = {}, agent, key) => {
    for (const late = Date.now() + patience; ; await setTimeout(500)) {
      try {
        return (await ask("POST", "/voice/sessions", body, agent, key)).data;
      } catch (error) {
        if (!error.message.includes("server_overloaded") || Date.now() > late) throw error;
      }
    }
  };
  /** Sends a command of the command line to the running server. */
  const command = async (...words) => JSON.parse((await promisify(execFile)(file, [...words, "--json", "--data", ready.data], { env })).stdout);
  /** What `parley voice sessions` says of a session. */
  const stored = async ({ sessionId }) => (await command("voice", "sessions")).find((s) => s.sessionId === sessionId);
  return { ...ready, ask, session, command, stored, stop, log };
}
