// What an agent of the real program thinks, speaks and hears with in the tests: a model in OpenAI's wire format, a voice in OpenAI's,
// and a recognition in Deepgram's that writes along.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/** How long the voice takes for a letter, in seconds. */
export const perLetter = 0.06;

const rate = 24_000; // of the voice
const heardBytes = 16_000 * 2; // of a second of the customer

/**
 * Serves until `stop`. `answer` returns the model's answer to a question; `words` are what the recognition understands, whatever is
 * said: one more for each quarter of a second, or all of them at the end where `interim` is false.
 */
export async function startEngines({ answer, words, interim = true }) {
  const lines = new Set();
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const asked = JSON.parse(Buffer.concat(parts));
    if (request.url.endsWith("/audio/speech")) return response.writeHead(200, { "Content-Type": "audio/pcm" }).end(tone(asked.input.length * perLetter));
    const text = answer(asked.messages.findLast((m) => m.role === "user").content);
    const events = [{ choices: [{ delta: { content: text } }] }, { choices: [{ delta: {}, finish_reason: "stop" }] }];
    response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`${events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("")}data: [DONE]\n\n`);
  });
  server.on("upgrade", (request, socket) => {
    lines.add(socket.on("close", () => lines.delete(socket)).on("error", () => {}));
    listen(request, socket, words, interim);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  const settings = {
    PARLEY_MODEL_URL: url, PARLEY_MODEL: "stub", PARLEY_MODEL_REWRITE: "0",
    PARLEY_TTS: "openai", PARLEY_TTS_URL: url, PARLEY_STT: "deepgram", PARLEY_STT_URL: url,
  };
  const stop = () => {
    lines.forEach((line) => line.destroy());
    server.close();
  };
  return { settings, stop };
}

function tone(seconds) {
  const samples = Int16Array.from({ length: Math.round(seconds * rate) }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / rate));
  return Buffer.from(samples.buffer);
}

// listen is the recognition's end of a WebSocket.
function listen(request, socket, words, interim) {
  const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let [heard, told] = [0, 0];
  const tell = (count, more) => {
    const channel = { alternatives: [{ transcript: words.slice(0, count).join(" ") }] };
    socket.write(frame(JSON.stringify({ type: "Results", is_final: false, speech_final: false, channel, ...more })));
  };
  frames(socket, (kind, payload) => {
    if (kind === binary) {
      heard += payload.length;
      const count = Math.min(Math.floor((4 * heard) / heardBytes), words.length);
      if (interim && count > told) tell((told = count));
    } else if (kind === text && JSON.parse(payload).type === "Finalize") tell(words.length, { is_final: true, from_finalize: true });
    else if (kind === close) socket.end();
  });
}

const [text, binary, close] = [1, 2, 8]; // kinds of frames

// frames cuts what a client sends into its messages, as far as this client goes: none of them comes in parts.
function frames(socket, take) {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      const short = rest[1] & 127;
      const [length, head] = short < 126 || rest.length < 10 ? [short, 2] : short === 126 ? [rest.readUInt16BE(2), 4] : [Number(rest.readBigUInt64BE(2)), 10];
      if ((short >= 126 && head === 2) || rest.length < head + 4 + length) return;
      const mask = rest.subarray(head, head + 4);
      const payload = rest.subarray(head + 4, head + 4 + length).map((b, i) => b ^ mask[i % 4]);
      const kind = rest[0] & 15;
      rest = rest.subarray(head + 4 + length);
      take(kind, Buffer.from(payload));
    }
  });
}

// frame is a text of a server.
function frame(message) {
  const payload = Buffer.from(message);
  const head = payload.length < 126 ? Buffer.from([128 | text, payload.length]) : Buffer.from([128 | text, 126, payload.length >> 8, payload.length & 255]);
  return Buffer.concat([head, payload]);
}
