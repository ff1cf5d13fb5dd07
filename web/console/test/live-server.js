// Servers that go away in the middle: a program that is killed, and one whose streams are cut.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../shared/test/port.mjs";
import { program } from "./server.js";

/** A program that can be killed and started again at the same address and with the same data. */
export class Program {
  data = mkdtempSync(join(tmpdir(), "parley-live-"));

  async start() {
    this.port ??= await freePort();
    const words = ["serve", "--json", "--data", this.data, "--listen", `127.0.0.1:${this.port}`];
    this.child = spawn(program(), words, { stdio: ["ignore", "pipe", "ignore"] });
    this.ended = new Promise((done) => this.child.once("exit", done));
    const [line] = await new Promise((resolve, reject) => {
      let text = "";
      this.child.once("exit", () => reject(new Error(`the program has ended: ${text}`)));
      this.child.stdout.on("data", (piece) => (text += piece).includes("\n") && resolve(text.split("\n")));
    });
    this.origin = `http://localhost:${this.port}`;
    this.url = `${this.origin}/console`;
    this.setup = JSON.parse(line).setupUrl;
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async remove() {
    await this.kill();
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** A server in front of the real one, which ends a stream of events after as many as `state.most`. */
export async function cutBefore(origin, state) {
  const server = createServer((asked, response) => {
    const { hostname, port } = new URL(origin);
    const { method, url: path, headers } = asked;
    const call = request({ hostname, port, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode, reply.headers);
      if (!path.endsWith("/v1/events")) return reply.pipe(response);
      state.streams++;
      let events = 0;
      reply.on("data", (piece) => {
        response.write(piece);
        events += String(piece).split("\n\n").length - 1;
        if (events >= state.most) call.destroy(), response.destroy();
      });
      reply.on("end", () => response.end());
    });
    call.on("error", () => response.destroy());
    response.on("close", () => call.destroy());
    asked.pipe(call);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const own = `http://localhost:${server.address().port}`;
  return { origin: own, url: `${own}/console`, stop: () => server.close() };
}

// A server that is killed, or a network that is off, is not there: the browser says so of each request.
export const isLost = (problem) => /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|NETWORK_CHANGED)/.test(problem);
