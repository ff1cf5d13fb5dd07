// The screen of the company: an archive is imported as another company.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, inWorkspace } from "./answers.js";
import { skip } from "./browser.js";
import { useConsole } from "./setup.js";
import { account } from "./workspace-answers.js";

const path = "/workspace/general";
const event = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const events = (...list) => [200, { chunks: list }, { "Content-Type": "text/event-stream" }];
const stepUp = [403, { error: { code: "AUTH_STEP_UP_REQUIRED", message: "" } }];
const done = event("done", { accountId: "acc_2", name: "Old shop", from: "acc_9", agents: 2, messages: 4711, files: 3, missing: ["a"], unknownPlan: "gold" });
const taken = event("error", { code: "RESOURCE_ALREADY_EXISTS", message: "Nothing was imported. The id acc_9, of accounts in the archive, is taken here." });
const damaged = event("error", { code: "VALIDATION_INVALID_BODY", message: "Nothing was imported. The archive is damaged: records/people.jsonl, line 3: it has no id." });

/** Answers as a server does where all companies are the owner's; `reply` answers what is imported. */
function owner(reply, more = {}) {
  const session = { ...inWorkspace(), steppedUp: more.isSteppedUp ?? false };
  const answer = answers({ session, state: { account: { ...account, importBytes: 1000 }, ...more } });
  const asked = [];
  const all = (one) => {
    if (one.method !== "POST" || !one.path.endsWith("/archive")) return answer(one);
    if (!answer.state.isSteppedUp) return stepUp;
    asked.push(one);
    return reply(one);
  };
  return Object.assign(all, { asked });
}

const choose = (page, text = "PK archive") =>
  page.locator("input[type=file]").setInputFiles({ name: "shop.zip", mimeType: "application/zip", buffer: Buffer.from(text) });

describe("an archive", { skip }, () => {
  const open = useConsole();
  const confirmed = { isSteppedUp: true };

  test("becomes a company, once an owner has confirmed who they are", async () => {
    const answer = owner(() => events(event("progress", { step: "import", done: 5, all: 10 }), done));
    await open(answer, path, async (page) => {
      await page.getByRole("button", { name: "Import an archive" }).waitFor();
      await choose(page);
      const dialog = page.getByRole("dialog", { name: "Please confirm that it is you" });
      await dialog.getByLabel("Password").fill("correct horse battery");
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("Old shop has been imported.").waitFor();
      await page.getByText("Agents: 2 · messages: 4,711 · files: 3").waitFor();
      await page.getByText("Files that were gone when the archive was made: 1").waitFor();
      assert.equal(await page.getByRole("link", { name: "Open it" }).getAttribute("href"), "/console/a/acc_2");
      const [{ headers, path: address, query }] = answer.asked;
      assert.equal(headers["content-type"], "application/zip");
      assert.equal(address, "/v1/accounts/acc_1/archive");
      assert.equal(query.get("newIds"), "false");
    });
  });

  test("shows how far it is", async () => {
    let end;
    const opened = { open: (response) => {
      response.write(event("progress", { step: "check", done: 1, all: 4 }));
      end = () => response.end(done);
    } };
    const answer = owner(() => [200, opened, { "Content-Type": "text/event-stream" }], confirmed);
    await open(answer, path, async (page) => {
      await choose(page);
      const bar = page.getByRole("progressbar", { name: "Checking the archive" });
      await bar.waitFor();
      assert.equal(await bar.getAttribute("aria-valuetext"), "25%");
      end();
      await page.getByText("Old shop has been imported.").waitFor();
      await page.getByText("This server has no plan gold").waitFor();
      assert.equal(await bar.count(), 0);
    });
  });

  test("of a company that is here already is imported as a copy", async () => {
    const answer = owner(({ query }) => events(query.get("newIds") === "true" ? done : taken), confirmed);
    await open(answer, path, async (page) => {
      await choose(page);
      await page.getByRole("main").getByRole("alert").getByText("Nothing was imported. Something of this archive is on this server already.").waitFor();
      await page.getByText("The id acc_9, of accounts in the archive, is taken here.").waitFor();
      await page.getByRole("button", { name: "Import as a copy" }).click();
      await page.getByText("Old shop has been imported.").waitFor();
      assert.equal(await page.getByRole("main").getByRole("alert").count(), 0);
      assert.equal(await page.getByRole("button", { name: "Import as a copy" }).count(), 0);
    });
  });

  const failures = {
    "that is damaged": [() => events(damaged), "This is no archive of Parley", "records/people.jsonl, line 3"],
    "that is too large": [() => [413, { error: { code: "REQUEST_TOO_LARGE", message: "At most 100 bytes." } }], "larger than this server takes here", "At most 100 bytes."],
    "whose import the server has cut": [() => events(event("progress", { step: "import", done: 1, all: 2 })), "Nothing was imported. The connection was lost. Choose the same file again", null],
  };
  for (const [name, [reply, reason, detail]] of Object.entries(failures)) {
    test(`${name} is refused with the reason`, async () => {
      await open(owner(reply, confirmed), path, async (page) => {
        await choose(page);
        await page.getByRole("main").getByRole("alert").getByText(reason).waitFor();
        if (detail) await page.getByText(detail).waitFor();
        assert.equal(await page.getByRole("button", { name: "Import as a copy" }).count(), 0);
      });
    });
  }

  test("that is larger than is taken is not sent", async () => {
    const answer = owner(() => events(done), confirmed);
    await open(answer, path, async (page) => {
      await choose(page, "x".repeat(1001));
      await page.getByRole("main").getByRole("alert").getByText("larger than this server takes here").waitFor();
      assert.equal(answer.asked.length, 0);
    });
  });

  test("is imported where all companies are the owner's, and by nobody else", async () => {
    for (const [role, importBytes] of [["owner", 0], ["admin", 1000]]) {
      const answer = answers({ session: inWorkspace(role), state: { account: { ...account, importBytes } } });
      await open(answer, path, async (page) => {
        await page.getByLabel("Account id").waitFor();
        assert.equal(await page.getByRole("button", { name: "Import an archive" }).count(), 0);
      });
    }
  });
});
