// The marks of citations: each in the line of the word before it, however narrow the chat is.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch, skip } from "./browser.js";
import * as A from "./chat-answers.js";
import { serveFrames } from "./frame-server.js";
import { openState } from "./frames.js";

const sentences = {
  en: ["You can send **them** back within **30 days**.", " The label is in the parcel."],
  ja: ["商品は三十日以内に返品できます。", "ラベルは箱の中に入っています。"],
  ar: ["يمكنك إعادة المنتجات خلال ثلاثين يوما.", " الملصق موجود داخل الصندوق."],
};
const bytes = (text) => Buffer.byteLength(text);

/** An answer of two sentences, each with a citation at its end. */
function cited([first, second]) {
  const source = { name: "Returns policy", url: null, quote: first };
  const citations = [
    { ...source, sourceId: "s1", answerStart: 0, answerEnd: bytes(first) },
    { ...source, sourceId: "s2", answerStart: bytes(first), answerEnd: bytes(first + second) },
  ];
  return A.agent(first + second, { metadata: { answerState: "sure", citations } });
}

describe("the mark of a citation", { skip }, () => {
  let browser, server;
  before(async () => {
    [browser, server] = await Promise.all([launch(), serveFrames()]);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  for (const [language, texts] of Object.entries(sentences)) {
    test(`begins no line: ${language}`, async () => {
      const routes = { "GET /conversation/{id}": [200, { data: A.history([A.user("How?"), cited(texts)]) }] };
      await openState(browser, server, { routes, stored: A.kept() }, { width: 448, height: 704 }, async (page, chat) => {
        await chat.getByRole("button", { name: /^Source 2/ }).waitFor();
        for (let width = 300; width <= 460; width += 8) {
          await page.setViewportSize({ width, height: 704 });
          assert.deepEqual(await chat.evaluate(marksAtStart), [], `${width} pixels wide`);
          const tooWide = () => [...document.querySelectorAll("article p")].filter((p) => p.scrollWidth > p.clientWidth + 6).length;
          assert.equal(await chat.evaluate(tooWide), 0, `${width} pixels wide`);
        }
      });
    });
  }
});

// marksAtStart runs in the chat: the marks that are not in the line of the word before them.
function marksAtStart() {
  const marks = [...document.querySelectorAll("article button")].filter((one) => one.ariaLabel?.startsWith("Source "));
  const middle = ({ top, bottom }) => (top + bottom) / 2;
  return marks.flatMap((mark) => {
    const text = document.createRange();
    text.setStart(mark.closest("p"), 0);
    text.setEndBefore(mark);
    const word = [...text.getClientRects()].filter(({ width }) => width > 1).at(-1);
    return Math.abs(middle(word) - middle(mark.getBoundingClientRect())) < 14 ? [] : [mark.ariaLabel];
  });
}
