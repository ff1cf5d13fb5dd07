// The list of what an agent reads, as a person uses it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agents, answers, broken } from "./answers.js";
import { assertSoon, dropFile, skip } from "./browser.js";
import { useSamePages } from "./setup.js";
import { sources } from "./source-answers.js";

const path = `/agents/${agents[0].id}/sources`;
const at = (rest) => `/v1${path}${rest}`;

describe("sources", { skip }, () => {
  const open = useSamePages();
  const row = (page, name) => page.getByRole("row", { name: new RegExp(name) });
  const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
  const sent = (answer, method, path) => answer.state.asked.filter((a) => a.method === method && a.path === path);
  const addKind = async (page, name) => {
    await press(page, "Add");
    await page.getByRole("menuitem", { name, exact: true }).click();
  };

  test("each state has its word, its progress and its reason", async () => {
    await open(answers(), path, async (page) => {
      await row(page, "How do I return shoes?").getByText("77").waitFor();
      for (const [name, ...texts] of [
        ["https://shop.example", "Live", "8.1 MB", "412"],
        ["handbook.pdf", "Reading", "1.5 MB of 3.2 MB", "now"],
        ["How do I return shoes?", "Updating", "the earlier version answers", "77"],
        ["pricing.pdf", "Failed", "the file is encrypted"],
        ["docs.shop.example", "41 of 88 pages read", "what is read answers already"],
      ]) {
        const text = await row(page, name).first().textContent();
        for (const part of texts) assert.ok(text.includes(part), `${name}: ${part} is not in ${text}`);
      }
      await page.getByText("2 websites · 2 files · 1 answer · 1 text").waitFor();
      await page.getByText("48.2 kB of 20 MB").waitFor();
    });
  });

  test("names have the room of a button that no row has", async () => {
    const widthOf = (page) => page.getByRole("columnheader").last().evaluate((one) => one.offsetWidth);
    const use = (most) => async (page) => {
      await row(page, "How do I return shoes?").waitFor();
      await assertSoon(async () => (await widthOf(page)) <= most, most < 100);
    };
    await open(answers(), path, use(107));
    await open(answers({ state: { sources: sources.filter(({ status }) => status !== "failed") } }), path, use(64));
  });

  test("what a row says of its reading is seen as a whole", async () => {
    // Whether something between the words and their row cuts them.
    const isCut = (words) => {
      for (let at = words; at.getAttribute("role") !== "row"; at = at.parentElement) {
        if (getComputedStyle(at).overflow !== "visible" && at.scrollHeight > at.clientHeight + 1) return true;
      }
      return false;
    };
    for (const width of [1280, 390]) {
      const use = async (page) => {
        for (const [name, words] of [
          ["docs.shop.example", "what is read answers already"],
          ["How do I return shoes?", "the earlier version answers"],
        ]) {
          const found = row(page, name).first();
          await found.getByRole("progressbar").waitFor();
          assert.equal(await found.getByText(words).evaluate(isCut), false, `${words}, at ${width}`);
        }
      };
      await open(answers(), path, use, { viewport: { width, height: 900 } });
    }
  });

  test("search, type and state stand in the address", async () => {
    await open(answers(), path, async (page) => {
      await page.getByRole("searchbox").fill("hand");
      await page.waitForURL(/name=hand/);
      await row(page, "Returns").waitFor({ state: "detached" });
      await page.getByRole("searchbox").fill("");
      await page.waitForURL((url) => !url.search.includes("name"));
      await page.getByRole("button", { name: /All states|State/ }).click();
      await page.getByRole("option", { name: "Failed" }).click();
      await page.waitForURL(/state=failed/);
      await row(page, "handbook").waitFor({ state: "detached" });
      await page.reload();
      await row(page, "pricing.pdf").waitFor();
      assert.equal(await page.getByRole("row").count(), 2);
      await page.getByRole("button", { name: /All types|Type/ }).click();
      await page.getByRole("option", { name: "Website" }).click();
      await press(page, "Show all");
      await row(page, "handbook").waitFor();
      const search = page.getByRole("searchbox");
      await search.fill("nothing like it");
      await press(page, "Show all");
      await row(page, "handbook").waitFor();
      assert.equal(await search.inputValue(), "");
      await search.fill("pric");
      await page.waitForURL(/name=pric$/);
      await row(page, "handbook").waitFor({ state: "detached" });
    });
  });

  test("what failed is tried again, and a failure of that is said", async () => {
    const fail = { [`POST ${at(`/${sources[3].sourceId}/refetch`)}`]: broken };
    const answer = answers({ fail });
    await open(answer, path, async (page) => {
      await press(page, "Try again: pricing.pdf");
      await page.getByText("1 source could not be read again.").waitFor();
      await page.getByRole("status").filter({ hasText: "pricing.pdf" }).getByText("Something went wrong here.").waitFor();
      for (const key of Object.keys(fail)) delete fail[key];
      await press(page, "Try the failed ones again");
      await row(page, "pricing.pdf").getByText("Live").waitFor();
      assert.equal(await page.getByText("1 source could not be read again.").count(), 0);
    });
  });

  test("of many that are deleted, each that stays is named with its reason, and tried again", async () => {
    const fail = {};
    for (const i of [1, 3]) fail[`DELETE /v2${path}/${sources[i].sourceId}`] = broken;
    const answer = answers({ fail });
    await open(answer, path, async (page) => {
      await row(page, "Returns").waitFor();
      await page.getByRole("checkbox").first().check({ force: true });
      await page.getByRole("region", { name: "6 chosen" }).getByRole("button", { name: "Delete" }).click();
      const dialog = page.getByRole("alertdialog");
      await dialog.getByRole("button", { name: "Delete" }).click();
      await dialog.getByText("2 sources could not be deleted.").waitFor();
      const named = await dialog.getByRole("listitem").locator("bdi").allTextContents();
      assert.deepEqual(named, ["handbook.pdf", "pricing.pdf"]);
      assert.equal(await dialog.getByText("Something went wrong here.").count(), 2);
      for (const key of Object.keys(fail)) delete fail[key];
      await dialog.getByRole("button", { name: "Try the failed ones again" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.equal(answer.state.sources.length, 0);
      assert.equal(sent(answer, "DELETE", `/v2${path}/${sources[0].sourceId}`).length, 1);
    });
  });

  test("an earlier version is opened, and compared with the one that answers", async () => {
    await open(answers(), `${path}/${sources[5].sourceId}?tab=history`, async (page) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: /^Open the version of/ }).last().click();
      await dialog.getByRole("region", { name: "Text" }).getByText("within fourteen days").waitFor();
      await dialog.getByText("Show what has changed since then").click();
      const changed = dialog.getByRole("region", { name: "What has changed" });
      await changed.waitFor();
      await dialog.getByText("Lines added: 1. Lines removed: 1.").waitFor();
      assert.deepEqual(
        [await changed.locator("del").allTextContents(), await changed.locator("ins").allTextContents()],
        [["Goods may be sent back within fourteen days."], ["Goods may be sent back within thirty days."]],
      );
      await dialog.getByRole("button", { name: "All versions" }).click();
      await dialog.getByText("This version answers").waitFor();
    });
  });

  test("a page of a website, a version of it and what has changed stand in the address", async () => {
    await open(answers(), `${path}/${sources[0].sourceId}`, async (page) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Text of https://shop.example/returns" }).click();
      await dialog.getByRole("region", { name: "Text" }).waitFor();
      await page.reload();
      await dialog.getByRole("tab", { name: "Text", selected: true }).waitFor();
      await dialog.getByText("https://shop.example/returns", { exact: true }).waitFor();
      await dialog.getByRole("tab", { name: "History" }).click();
      await dialog.getByRole("button", { name: /^Open the version of/ }).last().click();
      await dialog.getByText("Show what has changed since then").click();
      const changed = dialog.getByRole("region", { name: "What has changed" });
      await changed.waitFor();
      await page.reload();
      await changed.waitFor();
      await page.goBack();
      await dialog.getByText("This version answers").waitFor();
      await dialog.getByRole("button", { name: "The whole website" }).click();
      await dialog.getByText("https://shop.example/returns", { exact: true }).waitFor({ state: "detached" });
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.waitForURL(({ pathname, search }) => pathname.endsWith("/sources") && search === "");
    });
  });

  test("what is typed in a dialog is not lost without a question", async () => {
    await open(answers(), `${path}?add=text`, async (page) => {
      await page.locator("[role=row]", { hasText: "Returns" }).waitFor({ state: "attached" });
      await page.locator("main", { hasText: "48.2 kB of" }).waitFor({ state: "attached" });
      await page.getByRole("textbox", { name: "Text" }).fill("A long text.");
      await page.keyboard.press("Escape");
      const question = page.getByRole("alertdialog", { name: "Changes are not saved" });
      await question.getByRole("button", { name: "Stay" }).click();
      assert.equal(await page.getByRole("textbox", { name: "Text" }).inputValue(), "A long text.");
      await page.keyboard.press("Escape");
      await question.getByRole("button", { name: "Leave" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.match(page.url(), /sources$/);
    });
  });

  test("what is typed in a dialog stays where the person does, also when an answer comes late", async () => {
    let release;
    const held = new Promise((answer) => (release = () => answer([200, agents[0]])));
    await open(answers({ fail: { [`GET /v2/agents/${agents[0].id}`]: held } }), `${path}?add=text`, async (page) => {
      const text = page.getByRole("textbox", { name: "Text" });
      await text.fill("A long text.");
      await page.keyboard.press("Escape");
      const question = page.getByRole("alertdialog", { name: "Changes are not saved" });
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      release();
      await page.getByText("Read websites again every week").waitFor({ state: "attached" }); // which the answer is about
      assert.equal(await text.inputValue(), "A long text.");
      assert.match(page.url(), /\?add=text$/);
    });
  });

  test("the keyboard walks the rows, chooses some, and deletes them; what they take away is said", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await row(page, "Returns").waitFor();
      await page.getByRole("grid").press("ArrowDown");
      await page.keyboard.press("Home");
      await row(page, "https://shop.example").first().focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Space");
      const bulk = page.getByRole("region", { name: "2 chosen" });
      await bulk.getByRole("button", { name: "Delete" }).press("Enter");
      const dialog = page.getByRole("alertdialog", { name: "Delete these 2 sources?" });
      await dialog.getByText("Used in 489 answers of the last 30 days").waitFor();
      await dialog.getByRole("button", { name: "Delete" }).press("Enter");
      await dialog.waitFor({ state: "detached" });
      await row(page, "How do I return shoes?").waitFor({ state: "detached" });
      assert.equal(answer.state.sources.length, 4);
      assert.equal(await bulk.count(), 0);
    });
  });

  test("Enter opens the details; the tab is in the address; Escape goes back", async () => {
    await open(answers(), `${path}?type=link`, async (page) => {
      await row(page, "https://shop.example").first().focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "https://shop.example" });
      await dialog.getByText("52 pages read · 3 left out · 1 failed").waitFor();
      await dialog.getByText("the server answers 404").waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.match(page.url(), /sources\?type=link$/);
      await page.goBack();
      await dialog.getByRole("button", { name: "Text of https://shop.example/returns" }).click();
      await dialog.getByRole("tab", { name: "Text", selected: true }).waitFor();
      await dialog.getByRole("region", { name: "Text" }).getByText("Goods may be sent back").waitFor();
      await dialog.getByRole("tab", { name: "Passages" }).click();
      await page.waitForURL(/tab=passages/);
      await dialog.getByText("2 passages").waitFor();
      await dialog.getByRole("tab", { name: "History" }).click();
      await dialog.getByText("This version answers").waitFor();
    });
  });

  test("patterns are tried on addresses while they are typed, and saved", async () => {
    const answer = answers();
    await open(answer, `${path}/${sources[0].sourceId}?tab=settings`, async (page) => {
      const verdicts = page.getByRole("list", { name: "What is read" });
      await verdicts.getByRole("listitem").filter({ hasText: "/cart" }).getByText("left out").waitFor();
      await page.getByLabel("Leave out pages that match").fill("^/cart\n^/returns");
      await verdicts.getByRole("listitem").filter({ hasText: "/cart" }).getByText("left out").waitFor();
      await page.getByLabel("Leave out pages that match").fill("(");
      await page.getByText("missing closing )").waitFor();
      await page.getByLabel("Leave out pages that match").fill("^/returns");
      await press(page, "Save");
      await page.getByText("Saved.").waitFor();
      const [{ body }] = sent(answer, "PUT", `/v2${path}/${sources[0].sourceId}`);
      assert.deepEqual(body, { excludePaths: ["^/returns"] });
    });
  });

  test("the key that saves saves the settings of a source, and only then", async () => {
    const answer = answers();
    await open(answer, `${path}/${sources[2].sourceId}?tab=settings`, async (page) => {
      const field = page.getByLabel("Answer", { exact: true });
      await field.press("Control+s"); // nothing is typed yet
      await field.fill("From nine to six.");
      await field.press("Control+s");
      await page.getByText("Saved.").waitFor();
      assert.deepEqual(sent(answer, "PUT", `/v2${path}/${sources[2].sourceId}`).map(({ body }) => body), [{ answer: "From nine to six." }]);
    });
  });

  test("a website, a text and an answer are added", async () => {
    const answer = answers();
    await open(answer, path, async (page) => {
      await addKind(page, "Website");
      await page.getByRole("textbox", { name: "Address" }).fill("shop.example/help");
      await page.getByRole("radio", { name: /One page/ }).check({ force: true });
      await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await addKind(page, "Text");
      await page.getByRole("textbox", { name: "Name" }).fill("Shipping");
      await page.getByRole("textbox", { name: "Text" }).fill("Parcels arrive within three days.");
      await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
      await row(page, "Shipping").waitFor();
      await addKind(page, "Questions and answers");
      await page.getByRole("textbox", { name: "Questions" }).fill("When are you open?\n\nOpening hours?");
      await page.getByLabel("Answer", { exact: true }).fill("From nine to five.");
      await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
      await row(page, "When are you open").waitFor();
      assert.deepEqual(sent(answer, "POST", `/v2${path}`).map(({ body }) => body), [
        { type: "link", url: "https://shop.example/help", linkType: "individual" },
        { type: "text", name: "Shipping", content: "Parcels arrive within three days." },
        {
          type: "qna",
          name: "When are you open?",
          questions: ["When are you open?", "Opening hours?"],
          answer: "From nine to five.",
        },
      ]);
    });
  });

  test("a table is pasted: rows with one answer are one source", async () => {
    const answer = answers();
    await open(answer, `${path}?add=qna`, async (page) => {
      await page.getByRole("radio", { name: "Paste a table" }).check({ force: true });
      const table = 'Open?\tHours?\t"From nine\nto five."\nWhen?\t\t"From nine\nto five."\nNo answer\nReturn?\tThirty "days".';
      await page.getByRole("textbox", { name: "Table" }).fill(table);
      await page.getByText("2 answers were found in it.").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const bodies = sent(answer, "POST", `/v2${path}`).map(({ body }) => [body.questions, body.answer]);
      assert.deepEqual(bodies, [
        [["Open?", "Hours?", "When?"], "From nine\nto five."],
        [["Return?"], 'Thirty "days".'],
      ]);
    });
  });

  test("files are sent one after the other; the limit is a wait, and a refusal says why", async () => {
    const fail = {};
    const answer = answers({ fail });
    const files = ["a.pdf", "b.pdf"].map((name) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(60) }));
    const upload = `POST /v2${path}`;
    await open(answer, `${path}?add=files`, async (page) => {
      fail[upload] = [429, { error: { code: "RATE_LIMIT", message: "Too many." } }, { "Retry-After": "2" }];
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose files" }).click();
      await (await chooser).setFiles(files);
      const queue = page.getByRole("region", { name: "Files on their way" });
      await queue.getByText(/Goes on in \d second/).waitFor();
      assert.equal(await queue.getByRole("alert").count(), 0);
      assert.equal(await queue.getByRole("progressbar").count(), 2);
      fail[upload] = [503, { error: { code: "SERVICE_UNDER_MAINTENANCE", message: "Try again." } }];
      await queue.getByText("being maintained").first().waitFor();
      await queue.getByText("2 of 2 files could not be taken.").waitFor();
      delete fail[upload];
      await queue.getByRole("button", { name: "Try again: a.pdf" }).click();
      await queue.getByText("a.pdf").waitFor({ state: "detached" });
      await queue.getByRole("button", { name: "Try again: b.pdf" }).click();
      await queue.waitFor({ state: "detached" });
      assert.equal(answer.state.sources.length, 8);
    });
  });

  test("files go on while another screen is looked at", async () => {
    const upload = `POST /v2${path}`;
    const fail = { [upload]: [429, { error: { code: "RATE_LIMIT", message: "Too many." } }, { "Retry-After": "1" }] };
    const files = ["a.pdf", "b.pdf"].map((name) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(60) }));
    await open(answers({ fail }), `${path}?add=files`, async (page) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose files" }).click();
      await (await chooser).setFiles(files);
      const queue = page.getByRole("region", { name: "Files on their way" });
      await queue.getByText(/Goes on in \d second/).waitFor();
      await page.getByRole("link", { name: "Home", exact: true }).click();
      await page.getByText("2 websites · 2 files").waitFor();
      delete fail[upload];
      await page.getByText("2 websites · 4 files").waitFor();
      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await page.locator('[role=grid][aria-rowcount="9"]').waitFor();
      assert.equal(await queue.count(), 0);
    });
  });

  test("a file that cannot be taken says why and is not sent, or not sent again", async () => {
    const details = { file: "is refused: the file is a picture; Parley reads PDF" };
    const fail = { [`POST /v2${path}`]: [400, { error: { code: "VALIDATION_INVALID_BODY", message: "See details.", details } }] };
    const answer = answers({ fail, session: { uploads: { minBytes: 50, maxBytes: 1 << 20 } } });
    const files = [
      { name: "\u202egnp.exe", mimeType: "image/png", buffer: Buffer.alloc(60) },
      { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
      { name: "small.txt", mimeType: "text/plain", buffer: Buffer.alloc(49) },
      { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc((1 << 20) + 1) },
    ];
    await open(answer, `${path}?add=files`, async (page) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Choose files" }).click();
      await (await chooser).setFiles(files);
      const queue = page.getByRole("region", { name: "Files on their way" });
      await queue.getByText("4 of 4 files could not be taken.").waitFor();
      const row = (name) => queue.getByRole("listitem").filter({ hasText: name }).getByRole("alert").textContent();
      assert.match(await row("gnp.exe"), /^Files of this kind are not read\. Choose PDF/);
      assert.equal(await row("empty.txt"), "The file is empty.");
      assert.equal(await row("small.txt"), "This is too small: it needs at least 50 bytes.");
      assert.equal(await row("large.txt"), "This is too large: it may have at most 1 MB.");
      assert.equal(await queue.getByRole("button", { name: /^Try again/ }).count(), 0);
      assert.doesNotMatch(await queue.textContent(), /\u202e/);
      assert.equal(answer.state.asked.filter((a) => a.method === "POST" && a.path === `/v2${path}`).length, 1);
    });
  });

  test("files are dropped anywhere on the screen, and nowhere else", async () => {
    const uploads = (answer) => sent(answer, "POST", `/v2${path}`).length;
    const answer = answers();
    await open(answer, path, async (page) => {
      await row(page, "handbook.pdf").waitFor();
      assert.ok(await dropFile(row(page, "handbook.pdf"), "a.txt"), "on a row");
      await assertSoon(() => uploads(answer), 1);
      assert.ok(await dropFile(page.locator("body"), "b.txt"), "beside everything");
      await assertSoon(() => uploads(answer), 2);
      await addKind(page, "Files");
      const dialog = page.getByRole("dialog", { name: "Files" });
      assert.ok(await dropFile(dialog, "c.txt"), "beside the zone");
      await dialog.waitFor({ state: "detached" });
      await assertSoon(() => uploads(answer), 3);
      await press(page, "Try search");
      assert.ok(await dropFile(page.getByLabel("Question"), "d.txt"), "on a field");
    });
    const none = answers({ state: { sources: [] } });
    await open(none, path, async (page) => {
      assert.ok(await dropFile(page.getByText("Nothing to read yet"), "a.txt"), "where there is none yet");
      await assertSoon(() => uploads(none), 1);
    });
    const memberships = [{ accountId: "acc_1", accountName: "Shop", role: "viewer" }];
    const viewer = answers({ session: { memberships } });
    await open(viewer, path, async (page) => {
      assert.ok(await dropFile(row(page, "handbook.pdf"), "a.txt"), "by a viewer");
      assert.equal(uploads(viewer), 0);
    });
    assert.equal(uploads(answer), 3);
  });

  test("the first run takes files wherever they are dropped", async () => {
    await open(answers(), "/welcome", async (page) => {
      await page.getByText("A website", { exact: true }).click();
      assert.ok(await dropFile(page.getByRole("heading").first(), "handbook.txt"));
      await page.getByRole("list", { name: "Chosen files" }).getByText("handbook.txt").waitFor();
    });
  });

  test("the first run says that all is read only where it is", async () => {
    const read = sources.filter(({ progress }) => progress === null);
    const failed = read.filter(({ status }) => status === "failed").length;
    assert.ok(failed > 0);
    const status = (page, text) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
    await open(answers({ state: { sources: read } }), `/welcome/${agents[0].id}`, (page) =>
      status(page, `${read.length - failed} of ${read.length} are read, ${failed} could not be.`),
    );
    const whole = read.filter(({ status }) => status !== "failed");
    await open(answers({ state: { sources: whole } }), `/welcome/${agents[0].id}`, (page) => status(page, "Everything is read."));
  });

  test("the search is tried without a model", async () => {
    await open(answers(), path, async (page) => {
      await press(page, "Try search");
      await page.getByLabel("Question").fill("return shoes");
      await page.keyboard.press("Enter");
      await page.getByText("2 passages, the best first").waitFor();
      await page.getByRole("listitem").filter({ hasText: "thirty days" }).getByText("How likely it answers: 0.81").waitFor();
      await assertSoon(() => page.getByRole("dialog").getByRole("progressbar").evaluateAll((all) => all.map((one) => one.getAttribute("aria-valuetext"))), ["100%", "76%"]);
      await page.waitForURL(/\?try=return\+shoes$/);
      await page.reload();
      await page.getByText("2 passages, the best first").waitFor();
      assert.equal(await page.getByLabel("Question").inputValue(), "return shoes");
      await page.getByRole("button", { name: "Close" }).click();
      await page.waitForURL((url) => url.search === "");
    });
  });

  test("a viewer sees everything and is offered nothing that would fail", async () => {
    const memberships = [{ accountId: "acc_1", accountName: "Shop", role: "viewer" }];
    await open(answers({ session: { memberships } }), path, async (page) => {
      await row(page, "Returns").waitFor();
      for (const name of [/^Add$/, /^Try again/]) assert.equal(await page.getByRole("button", { name }).count(), 0);
      assert.equal(await page.getByRole("checkbox").count(), 0);
      await page.getByRole("button", { name: "Actions for Returns policy" }).click();
      await assertSoon(() => page.getByRole("menuitem").count(), 1);
    });
  });

  test("no source yet, none that matches, and a list that cannot be read", async () => {
    const answer = answers();
    answer.state.sources = [];
    await open(answer, path, (page) => page.getByRole("heading", { name: "Nothing to read yet" }).waitFor());
    await open(answers(), `${path}?name=zzz`, (page) => page.getByRole("heading", { name: "Nothing matches" }).waitFor());
    await open(answers({ fail: { [`GET ${at("")}`]: broken } }), path, async (page) => {
      await page.getByText("0192f3c1-0000-7000-8000-000000000001").waitFor();
    });
  });

  test("an agent's home: every figure leads on, and a question is answered", async () => {
    const answer = answers();
    await open(answer, `/agents/${agents[0].id}`, async (page) => {
      const waiting = page.getByRole("link", { name: "2 customers wait for a person" });
      assert.match(await waiting.getAttribute("href"), new RegExp(`/inbox\\?view=waiting&agent=${agents[0].id}$`));
      await page.getByText("0.41 sec").waitFor();
      await page.getByRole("listitem").filter({ hasText: "could not be read" }).getByRole("link", { name: "pricing.pdf" }).waitFor();
      await page.getByRole("link", { name: "Change the settings" }).waitFor();
      await page.getByRole("link", { name: "2 questions without an answer" }).click();
      await page.waitForURL(/#unanswered$/);
      await page.getByRole("link", { name: "Answer it" }).first().click();
      await page.getByRole("dialog", { name: "Questions and answers" }).waitFor();
      assert.equal(await page.getByRole("textbox", { name: "Questions" }).inputValue(), "Do you ship to Norway?");
    });
  });

  test("at a zoom of 400 % a source that failed keeps its name and says why", async () => {
    const use = async (page) => {
      const failed = row(page, "pricing.pdf");
      await failed.waitFor();
      const box = await failed.boundingBox();
      for (const text of ["pricing.pdf", "Fehlgeschlagen", "vorgestern", "the file is encrypted"]) {
        const part = await failed.getByText(text, { exact: true }).boundingBox();
        assert.ok(part.y >= box.y && part.y + part.height <= box.y + box.height, `${text} is not within its row`);
        assert.ok(part.height < 40, `${text} takes more than two lines`);
      }
    };
    await open(answers(), path, use, { viewport: { width: 320, height: 1200 }, locale: "de" });
  });

  test("nothing is wider than a screen of 320 pixels", async () => {
    for (const place of [path, `${path}?add=website`, `${path}/${sources[0].sourceId}`, "/welcome"]) {
      const use = async (page) => {
        await page.getByRole("heading").first().waitFor();
        await page.waitForLoadState("networkidle");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 320, `${place}: ${wide}`);
      };
      await open(answers(), place, use, { viewport: { width: 320, height: 640 }, locale: "en-XA" });
    }
  });
});
