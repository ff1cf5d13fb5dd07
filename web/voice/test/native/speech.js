// A speech server in OpenAI's wire format: it speaks in tones, and understands the same sentence every time.
import { once } from "node:events";
import { createServer } from "node:http";
import { tone } from "./sounds.js";

const perLetter = 0.015; // seconds; somebody who talks fast, so that tests need not wait
const rate = 24_000;

/** Serves until `stop`. `heard` gathers the WAV files that came. */
export async function startSpeech(understands) {
  const heard = [];
  const server = createServer(async (request, response) => {
    const body = await whole(request).catch(() => null); // a caller who leaves ends what was asked for it
    if (!body) return;
    if (request.url.endsWith("/audio/speech")) {
      const pcm = tone(JSON.parse(body).input.length * perLetter, rate);
      return response.writeHead(200, { "Content-Type": "audio/pcm" }).end(Buffer.from(pcm.buffer));
    }
    heard.push(samples(body));
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ text: understands }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/v1`, heard, stop: () => server.close() };
}

async function whole(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

// samples finds those of the WAV file that a form holds.
function samples(form) {
  const data = form.indexOf("data", form.indexOf("RIFF")) + 4;
  const sound = form.subarray(data + 4, data + 4 + form.readUInt32LE(data));
  return new Int16Array(sound.buffer.slice(sound.byteOffset, sound.byteOffset + sound.length));
}
