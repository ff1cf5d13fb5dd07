// Files sent by the HTTP clients that people use, to the real server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream, existsSync, openAsBlob, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import axios from "axios";
import FormData from "form-data";
import * as undici from "undici";
import { Parley } from "../dist/index.js";
import { makeAgent, startServer, until } from "./server.js";

const name = "Über uns – 日本 🚚.md";
const text = "# Deliveries\n\nA parcel takes three days to arrive. On islands it takes a week.\n";
let server, file;

before(async () => {
  server = await startServer();
  file = join(server.folder, name);
  writeFileSync(file, text);
});
after(() => server?.stop());

/** An account of its own for each client: each may upload ten files a minute. */
async function uploader() {
  const { apiKey } = await server.run("account", "create", "--name", "Uploads");
  const client = new Parley({ baseURL: server.url, apiKey });
  const agent = await makeAgent(client);
  return { client, agent, url: `${server.api}/agents/${agent}/sources`, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** The reply is the record, with its id once more in `data`; the text of the file is learned. */
async function learned({ client, agent }, record, as = name) {
  assert.equal(record.type, "file");
  assert.equal(record.name, as);
  assert.equal(record.size, Buffer.byteLength(text));
  assert.equal(record.status, "untrained");
  assert.equal(record.data.id, record.id);
  await until("the file is trained", async () => (await client.sources.get(agent, record.id)).status === "trained");
}

test("Node's fetch", async () => {
  const to = await uploader();
  const body = new globalThis.FormData();
  body.append("file", await openAsBlob(file), name);
  const reply = await fetch(to.url, { method: "POST", headers: to.headers, body });
  assert.equal(reply.status, 201);
  await learned(to, await reply.json());
});

test("Node's fetch, with a name, and a file in the place of the first", async () => {
  const to = await uploader();
  const body = new globalThis.FormData();
  body.append("name", "Lieferung „Inseln“");
  body.append("file", new File([text], 'an "odd" näme.md', { type: "text/markdown" }));
  const made = await (await fetch(to.url, { method: "POST", headers: to.headers, body })).json();
  await learned(to, made, "Lieferung „Inseln“");
  const next = new globalThis.FormData();
  next.append("file", new File([text.replace("three", "nine")], name));
  const reply = await fetch(`${to.url}/${made.id}`, { method: "PUT", headers: to.headers, body: next });
  const changed = await reply.json();
  assert.equal(reply.status, 200);
  assert.equal(changed.id, made.id);
  assert.equal(changed.data.id, made.id);
  assert.equal(changed.status, "updated");
});

test("undici: fetch and request", async () => {
  for (const send of [
    async (to, body) => (await undici.fetch(to.url, { method: "POST", headers: to.headers, body })).json(),
    async (to, body) => (await undici.request(to.url, { method: "POST", headers: to.headers, body })).body.json(),
  ]) {
    const to = await uploader();
    const body = new undici.FormData();
    body.append("file", new File([text], name));
    await learned(to, await send(to, body));
  }
});

test("axios with form-data, in chunks of a stream", async () => {
  const to = await uploader();
  const body = new FormData();
  body.append("name", name);
  body.append("file", createReadStream(file), { filename: "other.md" });
  const { status, data } = await axios.post(to.url, body, { headers: { ...to.headers, ...body.getHeaders() } });
  assert.equal(status, 201);
  await learned(to, data);
});

test("axios with form-data, of a known length and of an unknown one", async () => {
  for (const content of [Buffer.from(text), Readable.from([text.slice(0, 30), text.slice(30)])]) {
    const to = await uploader();
    const body = new FormData();
    body.append("file", content, { filename: name, contentType: "text/markdown" });
    const { data } = await axios.post(to.url, body, { headers: { ...to.headers, ...body.getHeaders() } });
    await learned(to, data);
  }
});

test("axios with its own form", async () => {
  const to = await uploader();
  const { data } = await axios.postForm(to.url, { file: createReadStream(file) }, { headers: to.headers });
  await learned(to, data);
});

test("curl", async (t) => {
  const run = promisify(execFile);
  if (await run("curl", ["--version"]).then(() => false, () => true)) return t.skip("there is no curl");
  for (const more of [[], ["-H", "Expect: 100-continue"], ["-H", "Transfer-Encoding: chunked"]]) {
    const to = await uploader();
    const { stdout } = await run("curl", ["-sS", "--fail-with-body", ...more, "-H", `Authorization: ${to.headers.Authorization}`, "-F", `file=@${file}`, to.url]);
    await learned(to, JSON.parse(stdout));
  }
});

test("a refusal reaches a client that is still sending", async () => {
  const to = await uploader();
  const body = new FormData();
  body.append("file", Readable.from((function* () { for (let i = 0; i < 21; i++) yield Buffer.alloc(1 << 20, "x"); })()), { filename: "large.txt" });
  const { status, data } = await axios.post(to.url, body, { headers: { ...to.headers, ...body.getHeaders() }, validateStatus: () => true, maxRedirects: 0 });
  assert.equal(status, 400);
  assert.equal(data.error.code, "VALIDATION_INVALID_BODY");
  assert.match(data.error.details.file, /at most 20 MB/);
});

test("files that carry tricks are refused or read as text", async (t) => {
  const shared = new URL("../../../../shared/", import.meta.url).pathname;
  const folder = join(shared, "data/upload-tricks");
  const isRequired = process.env.CI === "true" && existsSync(shared);
  if (!existsSync(folder) && !isRequired) return t.skip("there is no ../shared/data/upload-tricks");
  const names = readdirSync(folder).filter((each) => each !== "README.md");
  let to = await uploader();
  for (const [i, each] of names.entries()) {
    if (i % 9 === 8) to = await uploader();
    const body = new globalThis.FormData();
    body.append("file", new File([readFileSync(join(folder, each))], each));
    const reply = await fetch(to.url, { method: "POST", headers: to.headers, body });
    const said = await reply.json();
    assert.equal(reply.status, 400, `${each}: ${JSON.stringify(said)}`);
    assert.match(said.error.details.file, /refused|at least 50 bytes/);
  }
});
