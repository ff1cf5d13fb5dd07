// A stream of events that a test writes, as the server would send it: what a page has missed it is told when it comes
// back, or that it has missed too much.

export class EventLog {
  log = [];
  open = new Set();
  requests = 0;
  isDown = false;
  isTruncated = false;

  /** Puts the stream before what answers everything else. */
  with(answer) {
    const both = (asked) => (asked.path === "/v1/events" ? this.#answer(asked) : answer(asked));
    return Object.assign(both, answer);
  }

  #answer({ headers }) {
    this.requests++;
    if (this.isDown) return [503, { error: { code: "SERVICE_UNDER_MAINTENANCE", message: "Later." } }];
    const known = headers["last-event-id"];
    const after = known === undefined ? this.log.length : Number(known);
    const open = (response) => {
      this.open.add(response);
      response.on("close", () => this.open.delete(response));
      response.write(text("hello", after, { position: String(after), version: "test", role: "owner" }));
      if (known !== undefined && this.isTruncated) response.write(text("reset", this.log.length, {}));
      else this.log.slice(after).forEach(([name, data], i) => response.write(text(name, after + i + 1, data)));
    };
    return [200, { open }, { "Content-Type": "text/event-stream" }];
  }

  send(name, data) {
    this.log.push([name, data]);
    for (const response of this.open) response.write(text(name, this.log.length, data));
  }

  cut() {
    for (const response of this.open) response.end();
    this.open.clear();
  }
}

const text = (name, id, data) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
