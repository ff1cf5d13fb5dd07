// Reads server-sent events. EventSource cannot send a body or headers, so they are read from fetch.

export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

/** Cuts a text that comes in pieces into events. */
export class EventParser {
  private rest = "";
  private isFirst = true;
  private event = "";
  private id = "";
  private data: string[] = [];

  push(piece: string): ServerEvent[] {
    if (this.isFirst && piece !== "") {
      piece = piece.replace(/^\ufeff/, "");
      this.isFirst = false;
    }
    this.rest += piece;
    const events: ServerEvent[] = [];
    for (let line = this.takeLine(); line !== null; line = this.takeLine()) {
      const event = this.readLine(line);
      if (event) events.push(event);
    }
    return events;
  }

  /** The next whole line. A \r at the end may be the first half of a line end. */
  private takeLine(): string | null {
    const end = /\r\n|\n|\r(?!$)/.exec(this.rest);
    if (!end) return null;
    const line = this.rest.slice(0, end.index);
    this.rest = this.rest.slice(end.index + end[0].length);
    return line;
  }

  private readLine(line: string): ServerEvent | null {
    if (line === "") return this.finish();
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment, which keeps the connection alive
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.data.push(value);
    else if (name === "event") this.event = value;
    else if (name === "id" && !value.includes("\0")) this.id = value;
    return null;
  }

  private finish(): ServerEvent | null {
    const found = this.data.length > 0 ? { event: this.event || "message", id: this.id, data: this.data.join("\n") } : null;
    this.event = "";
    this.data = [];
    return found;
  }
}

/** The events of a response, as they come. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  for await (const events of readEventLists(body)) yield* events;
}

/**
 * The same, in lists of those that came since the last look. Who looks less often has less work with them. `onBytes` is
 * called whenever anything has come, such as a comment that keeps the connection alive.
 */
export async function* readEventLists(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<ServerEvent[]> {
  const parser = new EventParser();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      onBytes();
      const events = parser.push(decoder.decode(chunk.value, { stream: true }));
      if (events.length > 0) yield events;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
