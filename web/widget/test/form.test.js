// Forms that pages describe: every type of field, every rule, and schemas that are wrong or mean harm.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import { look, openKit, startKit } from "./kit.js";

const options = [
  { value: "s", label: "Small" },
  { value: "l", label: "Large" },
];
const groups = {
  Fruit: [{ value: "a", label: "Apple" }],
  Nuts: [
    { value: "w", label: "Walnut" },
    { value: "h", label: "Hazelnut" },
  ],
};
const field = (type, more = {}) => ({ name: "f", type, label: "Question", ...more });
const required = { required: { value: true, message: "Say it" } };
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Waits until what has happened is shown. */
const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

describe("forms", { skip }, () => {
  let kit, browser, page;
  before(async () => {
    [kit, browser] = await Promise.all([startKit(), launch()]);
    page = await openKit(browser, kit);
  });
  after(async () => {
    await browser?.close();
    kit?.stop();
  });

  /** Shows a form with one field and submits it; what is in the field by then comes from `fill`. */
  const submit = async (fields, fill = async () => {}, schema = {}) => {
    await page.evaluate(
      ([fields, schema]) => ((kit.log.length = 0), (kit.sent.length = 0), kit.show(null), kit.form({ fields, ...schema })),
      [fields, schema],
    );
    await fill(page);
    await page.getByRole("button", { name: schema.submitButtonText ?? "Submit" }).click();
    await drawn(page);
    const [submitted] = await page.logged("submit");
    const faults = await page.locator("[id$=-fault]").allTextContents();
    return { values: submitted?.values, website: submitted?.website, faults };
  };
  const type = (text) => (p) => p.locator("input:not([name]), textarea").first().fill(text);

  test("each type gives its value", async () => {
    const cases = [
      [field("text"), type("  Anna "), "Anna"],
      [field("textarea"), type("a\nb"), "a\nb"],
      [field("email"), type("anna@example.com"), "anna@example.com"],
      [field("phone"), type("+49 (30) 1234-567"), "+49 (30) 1234-567"],
      [field("number"), type("12.5"), 12.5],
      [field("select", { options }), (p) => p.getByRole("combobox").selectOption("Large"), "l"],
      [
        field("multiselect", { options }),
        async (p) => {
          await p.getByLabel("Large").check();
          await p.getByLabel("Small").check();
        },
        ["s", "l"],
      ],
      [field("groupselect", { options: groups }), (p) => p.getByRole("combobox").selectOption("Walnut"), "w"],
      [
        field("groupmultiselect", { options: groups }),
        (p) => p.getByRole("group", { name: "Nuts" }).getByLabel("Hazelnut").check(),
        ["h"],
      ],
    ];
    for (const [f, fill, value] of cases) assert.deepEqual((await submit([f], fill)).values, { f: value }, f.type);
    assert.deepEqual(page.problems, []);
  });

  test("default values are there, and what is left empty is not submitted", async () => {
    const fields = [
      { ...field("text"), defaultValue: "Anna" },
      { ...field("number"), name: "n", defaultValue: 3 },
      { ...field("select"), name: "s", options, defaultValue: "l" },
      { ...field("multiselect"), name: "m", options, defaultValue: ["s", "none"] },
      { ...field("text"), name: "fixed", disabled: true, defaultValue: "shown", validation: required },
      { ...field("text"), name: "empty" },
    ];
    const { values } = await submit(fields);
    assert.deepEqual(values, { f: "Anna", n: 3, s: "l", m: ["s"], fixed: "shown" });
  });

  test("each rule says what is wrong, in its own words, the form's or the language's", async () => {
    const cases = [
      [field("text", { validation: required }), "", "Say it"],
      [field("text", { validation: { required: { value: true } } }), "  ", "Please fill in this field."],
      [field("text", { validation: { required: { value: true }, defaultErrorMessage: "Hm" } }), "", "Hm"],
      [field("text", { validation: { minLength: { value: 3, message: "short" } } }), "ab", "short"],
      [field("text", { validation: { minLength: { value: 3 } } }), "ab", "Please enter at least 3 characters."],
      [field("textarea", { validation: { maxLength: { value: 1 } } }), "ab", "Please enter at most 1 character."],
      [field("text", { validation: { pattern: { value: "^[A-Z]{2}$", message: "two letters" } } }), "abc", "two letters"],
      [field("text", { validation: { pattern: { value: "^[A-Z]{2}$" } } }), "abc", "This does not have the expected form."],
      [field("email"), "anna", "Please enter an e-mail address such as name@example.com."],
      [field("email", { validation: { defaultErrorMessage: "mail!" } }), "a@b", "mail!"],
      [field("phone"), "0301234567", "Please enter a phone number with + and the code of the country."],
      [field("number", { validation: { min: { value: 5, message: "more" } } }), "4", "more"],
      [field("number", { validation: { max: { value: 5 } } }), "6", "Please enter 5 or less."],
      [field("number", { validation: { min: { value: 0, message: "more" } } }), "-1", "more"],
    ];
    for (const [f, text, fault] of cases) {
      const { values, faults } = await submit([f], type(text));
      assert.deepEqual([values, faults], [undefined, [fault]], JSON.stringify(f));
    }
    const choices = [
      field("select", { options }),
      field("multiselect", { options }),
      field("groupselect", { options: groups }),
      field("groupmultiselect", { options: groups }),
    ];
    for (const f of choices) assert.deepEqual((await submit([{ ...f, validation: required }])).faults, ["Say it"], f.type);
    assert.deepEqual((await submit([field("image", { validation: { required: { value: true } } })])).faults, [
      "Please add a picture.",
    ]);
  });

  test("what the server refuses is said at its field, in the chat's words, and can be corrected", async () => {
    await page.evaluate(() => {
      kit.show(null);
      window.submitBefore = kit.submit;
      kit.submit = async () => {
        throw Object.assign(new Error("no"), { details: { email: "must be an e-mail address", phone: "must be a phone number" } });
      };
      kit.lead({ toolName: "collect-leads", title: "", fields: ["name", "email", "phone"] });
    });
    const email = page.getByRole("textbox", { name: "E-mail" });
    await email.fill("anna@shop.c");
    await page.getByRole("textbox", { name: "Phone" }).fill("12345");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Please enter an e-mail address such as").waitFor();
    await page.getByText("Please enter a phone number.").waitFor();
    assert.equal(await page.locator("[aria-invalid=true]").count(), 2);
    await email.and(page.locator(":focus")).waitFor();
    await page.evaluate(() => (kit.submit = window.submitBefore));
    await email.fill("anna@shop.example");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you. We will get in touch.").waitFor();
  });

  test("the first wrong field gets the focus, names its fault, and is right as soon as it is corrected", async () => {
    const fields = ["one", "two", "three"].map((name) => ({
      ...field("text"),
      name,
      label: name,
      validation: name === "one" ? {} : required,
    }));
    const { faults } = await submit(fields);
    assert.deepEqual(faults, ["Say it", "Say it"]);
    const focused = page.getByLabel("two").and(page.locator(":focus"));
    assert.equal(await focused.getAttribute("aria-invalid"), "true");
    assert.equal(await focused.evaluate((e) => document.getElementById(e.getAttribute("aria-describedby")).textContent), "Say it");
    assert.match(await page.getByRole("alert").textContent(), /2 fields need your attention/);
    await look(page, "form-faults");
    await page.keyboard.type("x");
    assert.equal(await page.locator("[id$=-fault]").count(), 1);
  });

  test("labels serve as placeholders unless they are shown", async () => {
    await submit([field("text", { validation: required })]);
    assert.equal(await page.getByLabel("Question").getAttribute("placeholder"), "Question");
    await submit([field("text", { validation: required, placeholder: "Example" })], undefined, { showLabels: true });
    assert.ok(await page.getByText("Question").isVisible());
    assert.equal(await page.getByLabel("Question").getAttribute("placeholder"), "Example");
  });

  test("the texts of a form are its own; one that fails can be sent again", async () => {
    await page.evaluate(() => {
      kit.recorded = kit.submit;
      kit.submit = async () => Promise.reject(new Error("inner"));
    });
    const texts = { submitButtonText: "Go", successMessage: "**Done**", errorMessage: "Not done" };
    await submit([field("text")], undefined, texts);
    assert.equal(await page.getByRole("alert").textContent(), "Not done");
    await page.evaluate(() => (kit.submit = kit.recorded));
    await page.getByRole("button", { name: "Go" }).click();
    const done = page.getByText("**Done**");
    await done.waitFor();
    await done.and(page.locator(":focus")).waitFor();
    assert.equal(await done.evaluate((e) => e.childElementCount), 0);
  });

  test("a form works by keyboard alone", async () => {
    await submit([field("text"), { ...field("multiselect"), name: "m", label: "Sizes", options }], async (p) => {
      await p.keyboard.press("Tab");
      await p.keyboard.type("typed");
      await p.keyboard.press("Tab");
      await p.keyboard.press("Space");
      await p.keyboard.press("Tab");
      await p.keyboard.press("Tab");
      await p.keyboard.press("Enter");
      await drawn(p);
      assert.deepEqual((await p.logged("submit"))[0].values, { f: "typed", m: ["s"] });
      await p.evaluate(() => (kit.show(null), kit.form({ fields: [{ name: "x", type: "text", label: "x" }] })));
    });
  });

  test("only a program fills in the hidden field", async () => {
    const { website } = await submit([field("text")], (p) => p.locator("[name=website]").evaluate((e) => (e.value = "spam")));
    assert.equal(website, "spam");
    assert.equal((await submit([field("text")])).website, "");
    const box = await page.locator("[name=website]").count();
    assert.equal(box, 0); // the form is done
  });

  describe("pictures", () => {
    const choose = (name, buffer, mimeType = "image/png") =>
      page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });

    test("one is sent at once, shown, and part of the submission", async () => {
      const { values } = await submit([field("image")], async () => {
        await choose("a.png", png);
        await page.waitForFunction(() => kit.sent.length === 1);
        await page.evaluate(() => kit.sent[0].progress(0.5));
        assert.equal(await page.getByRole("progressbar", { name: "a.png" }).getAttribute("value"), "0.5");
        await page.evaluate(() => kit.sent[0].done());
        await page.locator("form img").waitFor();
        await look(page, "form-image");
      });
      assert.deepEqual(values.f, { id: "f0", name: "a.png", type: "image/png", size: png.length, url: "/api/chat/agent/files/0" });
      assert.deepEqual(page.problems, []);
    });

    test("one is chosen by a button in the chat's language, and by keys", async () => {
      await page.evaluate((f) => (kit.show(null), kit.form({ fields: [f] })), field("image"));
      const button = page.getByText("Choose a picture");
      const chosen = () => page.waitForEvent("filechooser");
      await Promise.all([chosen(), button.click()]);
      await page.keyboard.press("Shift+Tab"); // from where the click was
      assert.equal(await page.evaluate(() => document.activeElement.type), "file");
      assert.equal(await button.evaluate((element) => getComputedStyle(element).outlineStyle), "solid");
      await Promise.all([chosen(), page.keyboard.press("Space")]);
    });

    test("what is no picture, or larger than 2 MB, is refused before it is sent", async () => {
      await submit([field("image")]);
      await page.evaluate((f) => (kit.show(null), kit.form({ fields: [f] })), field("image"));
      await choose("a.png", Buffer.from("<svg onload=alert(1)>"));
      await page.getByText("not a JPEG, PNG, GIF or WebP").waitFor();
      await choose("b.png", Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]));
      await page.getByText("larger than 2 MB").waitFor();
      assert.equal(await page.evaluate(() => kit.sent.length), 0);
    });

    test("a picture can be dropped", async () => {
      await page.evaluate((f) => (kit.show(null), kit.form({ fields: [f] })), field("image"));
      await page.evaluate(
        (bytes) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], "dropped.png", { type: "image/png" }));
          document
            .querySelector("input[type=file]")
            .parentElement.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        },
        [...png],
      );
      await page.waitForFunction(() => kit.sent[0]?.name === "dropped.png");
    });
  });

  test("leads ask for what the agent wants, and for one way to reach the customer", async () => {
    await page.evaluate(
      () => (
        kit.show(null),
        (kit.log.length = 0),
        kit.lead({ toolName: "collect-leads", title: "", fields: ["name", "email", "phone"] })
      ),
    );
    await look(page, "lead");
    await page.getByRole("button", { name: "Send" }).click();
    assert.deepEqual(await page.locator("[id$=-fault]").allTextContents(), ["Please fill in this field."]);
    await page.getByLabel("E-mail").fill("anna@example.com");
    await page.getByLabel("Phone").fill("030 1234567");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Thank you. We will get in touch.").waitFor();
    assert.deepEqual(await page.logged("submit"), [{ email: "anna@example.com", phone: "030 1234567", website: "" }]);
  });

  const read = (schema) =>
    page.evaluate((s) => {
      try {
        return { schema: kit.readSchema(s) };
      } catch (error) {
        return { error: error.message };
      }
    }, schema);

  test("a schema that is none says where it is wrong", async () => {
    const many = (n, make) => Array.from({ length: n }, (_, i) => make(i));
    const cases = [
      [null, /schema must be an object/],
      [[], /schema must be an object/],
      ["x", /schema must be an object/],
      [{}, /fields must be an array/],
      [{ fields: [] }, /at least one field/],
      [{ fields: many(51, (i) => ({ ...field("text"), name: `f${i}` })) }, /at most 50 fields/],
      [{ fields: [null] }, /fields\[0\] must be an object/],
      [{ fields: [field("html")] }, /fields\[0\].type must be one of text, /],
      [{ fields: [field("text", { name: "" })] }, /name must be a text/],
      [{ fields: [field("text", { name: {} })] }, /name must be a text/],
      [{ fields: [field("text", { label: { toString: "x" } })] }, /label must be a text/],
      [{ fields: [field("text"), field("email")] }, /the same name/],
      [{ fields: [field("select")] }, /options must be an array/],
      [{ fields: [field("select", { options: [] })] }, /at least one option/],
      [{ fields: [field("select", { options: many(501, (i) => ({ value: `${i}`, label: "x" })) })] }, /at most 500 options/],
      [
        {
          fields: [
            field("groupselect", { options: Object.fromEntries(many(501, (i) => [`g${i}`, [{ value: `${i}`, label: "x" }]])) }),
          ],
        },
        /at most 500/,
      ],
      [{ fields: [field("select", { options: [...options, options[0]] })] }, /same value twice/],
      [{ fields: [field("text", { validation: "x" })] }, /validation must be an object/],
      [{ fields: [field("text", { validation: { minLength: { value: "3" } } })] }, /minLength.value must be a number/],
      [{ fields: [field("text", { validation: { required: { value: "yes" } } })] }, /true or false/],
      [{ fields: [field("text", { validation: { pattern: { value: {} } } })] }, /pattern.value must be a text/],
    ];
    for (const [schema, message] of cases)
      assert.match((await read(schema)).error ?? "none", message, JSON.stringify(schema)?.slice(0, 200));
  });

  test("names like __proto__ are names, and texts are cut", async () => {
    const fields = [
      JSON.parse('{"name":"__proto__","type":"text","label":"L"}'),
      { ...field("text"), name: "constructor", label: "é".repeat(5000) },
    ];
    const schema = await read({ fields });
    assert.equal([...schema.schema.fields[1].label].length, 1000);
    await page.evaluate((f) => (kit.show(null), (kit.log.length = 0), kit.form({ fields: f })), fields);
    await page.locator("input").first().fill("kept");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForFunction(() => kit.log.length > 0);
    assert.equal(await page.evaluate(() => JSON.stringify(kit.log[0][1].values)), '{"__proto__":"kept"}');
  });

  test("no text of a schema becomes anything else", async () => {
    const evil = '<img src=x onerror="window.ran=1">**b** [l](javascript:1)';
    const fields = ["text", "select", "multiselect", "image"].map((t, i) => ({
      name: `n${i}`,
      type: t,
      label: evil,
      placeholder: evil,
      options: [{ value: evil, label: evil }],
    }));
    await page.evaluate((f) => (kit.show(null), kit.form({ fields: f, showLabels: true, submitButtonText: "S" })), fields);
    assert.equal(await page.locator("form img, form strong, form a").count(), 0);
    assert.equal(await page.evaluate(() => window.ran), undefined);
    assert.deepEqual(page.problems, []);
  });
});
