// Answers in Markdown while they are written: marks that have only begun are not seen.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { runnerImport } from "vite";

let finishMarks;
before(async () => {
  const file = join(import.meta.dirname, "../../shared/markdown/unfinished.ts");
  ({ finishMarks } = (await runnerImport(file)).module);
});

const rows = {
  "within **30 d": "within **30 d**",
  "within **30 days ": "within **30 days** ",
  "within **": "within ",
  "within **30 days*": "within **30 days**",
  "within **30 days**": "within **30 days**",
  "print `label": "print `label`",
  "print `": "print ",
  "a `**` and **b": "a `**` and **b**",
  "see [returns": "see returns",
  "see [returns](https://shop.exa": "see returns",
  "see [returns](https://shop.example/)": "see [returns](https://shop.example/)",
  "- one\n- **two": "- one\n- **two**",
  "```sh\na **b": "```sh\na **b",
  "```sh\na\n```\n\nnow **b": "```sh\na\n```\n\nnow **b**",
  "2 * 3": "2 * 3",
  "**a** and **b**": "**a** and **b**",
  "": "",
};

for (const [text, want] of Object.entries(rows)) {
  test(JSON.stringify(text), () => assert.equal(finishMarks(text), want));
}

test("what is finished of an answer at any of its ends does not change what stands before its last block", () => {
  const text = "First **block** with [a link](https://shop.example/).\n\nSecond `block` is **long** and\n\n- has\n- items";
  for (let end = 0; end <= text.length; end++) {
    const part = text.slice(0, end);
    const from = part.lastIndexOf("\n\n") + 1;
    assert.equal(finishMarks(part).slice(0, from), part.slice(0, from), part);
  }
});
