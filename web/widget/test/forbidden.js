// What may not come of a text in the chat, whatever it says.

/** Notes what runs, and answers dialogs, which are a problem. */
export async function watchFrame(page) {
  page.on("dialog", (dialog) => (page.problems.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  await page.addInitScript(() => {
    window.ran = [];
    window.canary = (value) => void window.ran.push(value);
  });
}

/** Runs in the frame: what is in it that no text may become. */
export function findForbidden() {
  const found = window.ran.map((value) => `ran ${value}`);
  for (const element of document.body.querySelectorAll("*")) {
    if (/^(script|iframe|frame|object|embed|base|meta|link|style|video|audio|source|math)$/i.test(element.localName)) {
      found.push(element.outerHTML.slice(0, 200));
    }
    if (element.localName === "img" && !new URL(element.src,
      location.href).href.startsWith(`${location.origin}/`)) found.push(element.outerHTML.slice(0, 200));
    for (const { name, value } of element.attributes) {
      const isOwn = element.localName === "img" && name === "src";
      if (/^on|^(src|srcset|srcdoc|action|formaction|ping|background|poster|style)$/i.test(name)
        && !isOwn) found.push(`${name}=${value.slice(0, 100)}`);
      if (/href$/i.test(name) && !/^(https?:|mailto:|tel:|\/api\/chat\/|#)/.test(value)) found.push(`${name}=${value.slice(0, 100)}`);
    }
    if (element.localName === "a" && element.target === "_blank" && !/noopener/.test(element.rel)) found.push("a link without noopener");
  }
  return [...new Set(found)];
}
