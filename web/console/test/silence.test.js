// A server that is gone behind a proxy that keeps its connections: what asks it has no answer, and the page looks at once
// whether its stream of events still comes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers } from "./answers.js";
import { skip, untilNothing, wanted } from "./browser.js";
import { EventLog } from "./event-log.js";
import { useConsole } from "./setup.js";

describe("a silent server", { skip }, () => {
  const open = useConsole();

  test("a request without an answer of it has the stream looked at, and nothing is missed", async () => {
    const base = answers();
    const events = new EventLog();
    let isGone = false;
    const proxy = Object.assign((asked) => (isGone ? [502, "<h1>Bad gateway</h1>", { "Content-Type": "text/html", [wanted]: "1" }] : base(asked)), base);
    const whole = events.with(proxy);
    const before = Object.assign((asked) => (isGone && asked.path === "/v1/events" ? proxy(asked) : whole(asked)), base);
    await open(before, "/agents", async (page) => {
      const state = (text) => page.getByText(text).first().waitFor({ state: "attached" });
      await state("live");
      assert.equal(events.requests, 1);
      isGone = true; // and the stream stays open
      await page.getByRole("navigation").getByRole("link", { name: "Inbox" }).click();
      await state(/^offline since /);
      isGone = false;
      events.log.push(["agent", { id: agents[0].id }]);
      assert.equal(await untilNothing(() => events.requests < 2 && "no new stream"), null);
      await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
    });
  });
});
