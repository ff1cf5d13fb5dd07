// What a support team keeps and sends: saved replies, saved views of the inbox, files, and what is written once although
// its answer was lost.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { runnerImport } from "vite";
import { answers } from "./answers.js";
import { skip, untilNothing } from "./browser.js";
import { rows } from "./inbox-answers.js";
import { view, whoAnswers } from "./saved-answers.js";
import { useSamePages } from "./setup.js";
import { withTickets } from "./ticket-answers.js";

const [waiting] = rows;
const path = `/inbox/${waiting.conversationId}`;
const mine = () => [{ ...waiting, claimedBy: { userId: "usr_1", name: "Owner" } }];
const helpdesk = `/agents/${waiting.agentId}/helpdesk/replies`;
const file = (name, text = "Words") => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

describe("placeholders", () => {
  let placeholders;
  before(async () => {
    ({ module: placeholders } = await runnerImport(join(import.meta.dirname, "../src/pages/inbox/placeholders.ts"), { configFile: false }));
  });

  test("names take their places, and a word where there is none", () => {
    const names = { "customer.name": "Anna\n[x](https://evil.example)", "agent.name": "Help desk", "member.name": "" };
    const fill = (text) => placeholders.fillPlaceholders(text, names);
    assert.equal(fill("Hello {{ customer.name | there }}!"), "Hello Anna [x](https://evil.example)!");
    assert.equal(fill("I am {{member.name|of the team}}."), "I am of the team.");
    assert.equal(fill("Yours {{member.name}}, {{agent.name}}"), "Yours, Help desk");
    assert.equal(fill("{{customer.email}} {x}"), "{{customer.email}} {x}");
  });
});

/** Answers what `take` returns, and what is asked otherwise where it returns nothing. */
const replace = (answer, take) => Object.assign((one) => take(one) || answer(one), { state: answer.state });

describe("what a team keeps", { skip }, () => {
  const open = useSamePages();
  const sent = (answer, method, end) => answer.state.asked.filter((one) => one.method === method && end.test(one.path));
  const field = (page) => page.getByLabel("Write to the customer");
  const list = (page) => page.getByRole("list", { name: "Conversations" });
  const picker = (page) => page.getByRole("dialog", { name: "Saved replies" });

  /** Waits until the saved replies are read. */
  async function ready(page) {
    await page.getByRole("button", { name: "Saved replies" }).click();
    await picker(page).getByRole("menuitem", { name: "Greeting" }).waitFor();
    await page.keyboard.press("Escape");
    await picker(page).waitFor({ state: "hidden" });
  }

  test("a slash opens the saved replies, words find one, and Enter puts it in with its names", async () => {
    await open(answers({ session: whoAnswers, state: { inbox: mine() } }), path, async (page) => {
      await ready(page);
      await field(page).focus();
      await page.keyboard.press("/");
      await picker(page).getByRole("menuitem", { name: "Opening hours" }).waitFor();
      await page.keyboard.type("greet");
      await picker(page).getByRole("menuitem", { name: "Opening hours" }).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "Hello Customer 1, I am Owner of Help desk.");
      await page.locator("textarea:focus").waitFor();
    });
  });

  test("the saved replies are walked through by keys, and whoever chooses none has the slash", async () => {
    await open(answers({ session: whoAnswers, state: { inbox: mine() } }), path, async (page) => {
      await ready(page);
      await field(page).fill("One.\n");
      await page.keyboard.press("/");
      await picker(page).getByRole("menuitem", { name: "Greeting" }).waitFor();
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "One.\n/");
      await page.locator("textarea:focus").waitFor();
      await page.keyboard.press("Backspace");
      await page.getByRole("button", { name: "Saved replies" }).click();
      await picker(page).getByRole("searchbox").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "One.\nWe are here from nine to six.");
    });
  });

  test("a saved reply is added, refused with its reason, changed and removed", async () => {
    const answer = answers({ session: withTickets(), state: { replies: [] } });
    await open(answer, helpdesk, async (page) => {
      await page.getByText("There are no saved replies yet").waitFor();
      await page.getByRole("button", { name: "Add a saved reply" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Thanks");
      await page.getByLabel("Text", { exact: true }).fill("Thank you, ");
      await page.getByRole("button", { name: "Name of the customer" }).click();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "Thank you, {{customer.name}}");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const row = page.getByRole("list", { name: "Saved replies" }).getByRole("listitem");
      await row.getByText("Thank you, {{customer.name}}").waitFor();
      await row.getByRole("button", { name: "More: Thanks" }).click();
      await page.getByRole("menuitem", { name: "Change" }).click();
      await page.getByLabel("Text", { exact: true }).fill("Thank you.");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await row.getByText("Thank you.", { exact: true }).waitFor();
      await row.getByRole("button", { name: "More: Thanks" }).click();
      await page.getByRole("menuitem", { name: "Remove" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("There are no saved replies yet").waitFor();
    });
  });

  test("what narrows the list is saved under a name, is in the address, and is renamed, shared and removed", async () => {
    const answer = answers({ session: whoAnswers });
    await open(answer, `/inbox?view=all&agent=${waiting.agentId}`, async (page) => {
      await list(page).waitFor();
      await page.getByRole("button", { name: "Save as a view" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Help desk, all");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const saved = page.getByRole("navigation", { name: "Saved views" });
      await saved.getByRole("link", { name: "Help desk, all", exact: true }).waitFor();
      assert.deepEqual(sent(answer, "POST", /saved-views$/)[0].body, {
        name: "Help desk, all", shared: false, filter: { view: "all", agentId: waiting.agentId },
      });
      await page.waitForURL(/\/inbox\?saved=views_1$/);
      await page.reload();
      await list(page).getByRole("link", { name: /crm-3/ }).waitFor();
      assert.equal(sent(answer, "GET", /\/inbox$/).at(-1).query.get("agentId"), waiting.agentId);
      const act = async (name) => {
        await saved.getByRole("button", { name: /^More: / }).click();
        await page.getByRole("menuitem", { name }).click();
      };
      await act("Rename");
      await page.getByLabel("Name", { exact: true }).fill("Everything");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await saved.getByRole("link", { name: "Everything" }).waitFor();
      await act("Share with all members");
      await saved.getByText("Shared").waitFor();
      await act("Remove");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.waitForURL(/\/inbox$/);
      await saved.waitFor({ state: "detached" });
    });
  });

  test("a saved view that is narrowed further is saved anew, or left", async () => {
    const answer = answers({ session: whoAnswers, state: { views: [view(1, "All", { shared: true })] } });
    await open(answer, "/inbox?saved=view_1", async (page) => {
      await list(page).getByRole("link", { name: /crm-3/ }).waitFor();
      await page.getByRole("button", { name: "Filter" }).click();
      await page.getByRole("button", { name: /Answered by/ }).click();
      await page.getByRole("option", { name: "Lee" }).click();
      await page.getByText("Changed, not saved").waitFor();
      assert.match(page.url(), /member=usr_7/);
      assert.equal(await untilNothing(async () => (sent(answer, "GET", /\/inbox$/).at(-1).query.get("memberId") === "usr_7" ? "" : "not asked")), null);
      await page.getByRole("button", { name: "Save the changes" }).click();
      await page.waitForURL(/\/inbox\?saved=view_1$/);
      assert.deepEqual(sent(answer, "PATCH", /saved-views/)[0].body, { filter: { view: "all", memberId: "usr_7" } });
    });
  });

  test("a view that names what is gone says so, and can be shown without it", async () => {
    const gone = view(1, "With Bo", { filter: { view: "all", memberId: "usr_9" }, gone: ["memberId"] });
    const answer = answers({ session: whoAnswers, state: { views: [gone] } });
    const refusing = replace(answer, (one) => {
      const isRefused = one.path.endsWith("/inbox") && one.query.get("memberId") === "usr_9";
      return isRefused && [404, { error: { code: "TEAM_MEMBER_NOT_FOUND", message: "" } }];
    });
    await open(refusing, "/inbox?saved=view_1", async (page) => {
      await page.getByText("The member is gone").waitFor();
      await page.getByText("Names something that is gone").waitFor();
      await page.getByRole("button", { name: "Leave it out" }).click();
      await list(page).getByRole("link", { name: /crm-3/ }).waitFor();
    });
  });

  test("an address of a view that is not there says so", async () => {
    await open(answers({ session: whoAnswers }), "/inbox?saved=view_9", async (page) => {
      await page.getByText("This view is not there").waitFor();
      await page.getByRole("link", { name: "Show the inbox" }).click();
      await list(page).getByRole("link", { name: /Customer 1/ }).waitFor();
    });
  });

  test("files go with a reply once they have arrived, and one is taken out before", async () => {
    const answer = answers({ session: whoAnswers, state: { inbox: mine() } });
    await open(answer, path, async (page) => {
      await field(page).waitFor();
      await page.locator("input[type=file]").setInputFiles([file("receipt.txt"), file("wrong.txt")]);
      const files = page.getByRole("list", { name: "Files to send" });
      await files.getByText("wrong.txt").waitFor();
      await page.getByRole("button", { name: "Send", exact: true }).and(page.locator(":enabled")).waitFor();
      await files.getByRole("button", { name: "Take wrong.txt out" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await files.waitFor({ state: "detached" });
      const [{ body }] = sent(answer, "POST", /\/conversations\/[^/]+\/messages$/);
      assert.deepEqual([body.text, body.fileIds.length], ["", 1]);
      assert.equal(await untilNothing(async () => (sent(answer, "DELETE", /\/files\//).length === 1 ? "" : "not deleted")), null);
    });
  });

  test("why a file is not taken is said, and one that did not arrive is sent again", async () => {
    const answer = answers({ session: whoAnswers, state: { inbox: mine(), refusedUpload: [503, { error: { code: "SERVICE_UNAVAILABLE", message: "" } }] } });
    await open(answer, path, async (page) => {
      await field(page).waitFor();
      await page.locator("input[type=file]").setInputFiles([file("empty.txt", "")]);
      await page.getByText("empty.txt was left out: there is nothing in it.").waitFor();
      await page.locator("input[type=file]").setInputFiles([file("receipt.txt")]);
      await page.getByRole("alert").getByText("The server did not take it.").waitFor();
      assert.ok(await page.getByRole("button", { name: "Send", exact: true }).isDisabled());
      answer.state.refusedUpload = null;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).and(page.locator(":enabled")).waitFor();
    });
  });

  test("files are dropped and pasted", async () => {
    await open(answers({ session: whoAnswers, state: { inbox: mine() } }), path, async (page) => {
      await field(page).waitFor();
      await field(page).evaluate((area) => {
        const data = (name) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["Words"], name, { type: "text/plain" }));
          return transfer;
        };
        area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data("pasted.txt"), bubbles: true, cancelable: true }));
        area.dispatchEvent(new DragEvent("drop", { dataTransfer: data("dropped.txt"), bubbles: true, cancelable: true }));
      });
      const files = page.getByRole("list", { name: "Files to send" });
      await files.getByText("pasted.txt").waitFor();
      await files.getByText("dropped.txt").waitFor();
    });
  });

  test("a reply whose answer was lost is sent again with the same key; another one has another", async () => {
    const answer = answers({ session: whoAnswers, state: { inbox: mine() } });
    const keys = [];
    const losing = replace(answer, ({ method, path, headers }) => {
      if (method !== "POST" || !/\/conversations\/[^/]+\/messages$/.test(path)) return undefined;
      keys.push(headers["idempotency-key"]);
      return keys.length === 1 && [503, { error: { code: "SERVICE_UNAVAILABLE", message: "" } }];
    });
    await open(losing, path, async (page) => {
      const send = async () => {
        await page.getByRole("button", { name: "Send", exact: true }).click();
      };
      await field(page).fill("Hello");
      await send();
      await page.getByRole("alert").first().waitFor();
      await send();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
      await field(page).fill("Hello");
      await send();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
      assert.deepEqual([keys.length, keys[0] === keys[1], keys[1] === keys[2]], [3, true, false]);
    });
  });

  test("a ticket takes saved replies and files, those of a note apart from those of a reply", async () => {
    const answer = answers({ session: whoAnswers });
    await open(answer, `/agents/${waiting.agentId}/tickets/4`, async (page) => {
      await page.locator("textarea").waitFor();
      await page.locator("input[type=file]").setInputFiles([file("receipt.txt")]);
      const files = page.getByRole("list", { name: "Files to send" });
      await files.getByText("receipt.txt").waitFor();
      await page.getByRole("radio", { name: "Note" }).click();
      await files.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Saved replies" }).click();
      await picker(page).getByRole("menuitem", { name: "Opening hours" }).click();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "We are here from nine to six.");
      await page.getByRole("radio", { name: "Reply" }).click();
      await files.getByText("receipt.txt").waitFor();
    });
  });
});
