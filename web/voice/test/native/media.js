// Starts the media server alone, for the program to use as a LiveKit of others, so that the tests have its key.
import { createHmac, randomBytes } from "node:crypto";
import { start } from "../child.js";
import { program } from "../program.js";

/** Runs it until `stop`. */
export async function startMedia(folder) {
  const [key, secret] = ["native", randomBytes(32).toString("hex")];
  const input = `${JSON.stringify({ key, secret, loopback: true })}\n`;
  const { ready, stop } = await start(program(folder), ["sfu"], { env: { PATH: process.env.PATH, TMPDIR: folder }, input });
  if (ready.error) throw new Error(ready.error);
  const url = `ws://127.0.0.1:${ready.port}`;
  return {
    url,
    settings: { PARLEY_LIVEKIT_URL: url, PARLEY_LIVEKIT_KEY: key, PARLEY_LIVEKIT_SECRET: secret },
    sign: (claims) => sign({ iss: key, exp: Math.floor(Date.now() / 1000) + 600, ...claims }, secret),
    stop,
  };
}

/** What a token says. */
export const claims = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url"));

function sign(said, secret) {
  const text = [{ alg: "HS256", typ: "JWT" }, said].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
