/** One server-sent event. */
export interface ServerSentEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/** Reads server-sent events. One that was cut off is dropped, and so are comments. */
export async function* readServerSent(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent, void, undefined> {
  let data: string[] = [];
  let event = "message";
  let id: string | undefined;
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) yield { event, id, data: data.join("\n") };
      [data, event, id] = [[], "message", undefined];
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "event") event = value;
    else if (name === "id") id = value;
  }
}

/** Yields lines that end with LF or CRLF; what follows the last of them was cut off and is dropped. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // leaving early closes the connection
  }
}
