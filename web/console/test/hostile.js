// Strings that attackers write, and what may not come of them in a page.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const whole = ({ text, then, times }) => text + then.repeat(times);
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, "data/xss.json"), "utf8"));

/** All of them. */
export const strings = corpus.map((entry) => (typeof entry === "string" ? entry : whole(entry)));

/** Every tenth, beginning with the offset; all where PARLEY_LONG is set. */
export const chosen = (offset) => strings.filter((_, i) => process.env.PARLEY_LONG || i % 10 === offset);

/** Notes in the page what runs, and answers dialogs, which are a problem. */
export async function watchPage(page) {
  page.on("dialog", (dialog) => (page.problems.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  await page.addInitScript(() => {
    window.ran = [];
    window.canary = (value) => void window.ran.push(value);
  });
}

/** Runs in the page: what is in it that no text may become, whatever it was made of. */
export function findForbidden() {
  const found = window.ran.map((value) => `ran ${value}`);
  for (const element of document.body.querySelectorAll("*:not(head *)")) {
    if (/^(script|iframe|frame|object|embed|base|meta|link|style|img|video|audio|source|math)$/i.test(element.localName)) {
      found.push(element.outerHTML.slice(0, 200));
    }
    for (const { name, value } of element.attributes) {
      if (/^on|^(src|srcset|srcdoc|action|formaction|ping|background|poster)$/i.test(name)) found.push(`${name}=${value.slice(0, 100)}`);
      if (/href$/i.test(name) && !/^(https?:|mailto:|tel:|\/console|\/docs\/manual\/|#)/.test(value)) found.push(`${name}=${value.slice(0, 100)}`);
    }
    if (element.localName === "a" && element.target === "_blank" && !/noopener/.test(element.rel)) found.push("a link without noopener");
  }
  return [...new Set(found)];
}

/** Runs in the page: the first of the texts that is neither in the place nor in a field of it, as it was written. */
export function findMissing(place, texts) {
  const plain = (text) => text.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, "").replace(/\s+/g, "");
  const fields = [...place.querySelectorAll("input, textarea")].map(({ value }) => value);
  const shown = plain([place.textContent, ...fields, document.title].join("\n"));
  const visible = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/u; // else a name has "(no name)" in its place
  return texts.find((text) => visible.test(text) && !shown.includes(plain(text))) ?? null;
}
