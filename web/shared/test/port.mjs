// Ports of programs that must be told theirs, or that are started again at the same address.
import { createServer } from "node:net";

/** A port that is free and stays so: it is none of those that systems hand out to who asks for any. */
export async function freePort() {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const probe = createServer().listen(port);
  const free = await new Promise((done) => probe.once("listening", () => done(true)).once("error", () => done(false)));
  if (!free) return freePort();
  await new Promise((done) => probe.close(done));
  return port;
}
