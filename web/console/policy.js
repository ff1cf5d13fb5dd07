// Keeps libraries within the console's policy: no style element, no HTML from strings.

// What is replaced in React Aria, by the end of the file's name. A version without these lines fails the build, so that
// they are looked at again.
const replacements = [
  {
    file: "react-aria/dist/private/live-announcer/LiveAnnouncer.mjs",
    lines: [
      ["this.assertiveLog.innerHTML = ''", "this.assertiveLog.replaceChildren()"],
      ["this.politeLog.innerHTML = ''", "this.politeLog.replaceChildren()"],
    ],
  },
  {
    // Only Safari on iOS comes here. The rule that it would insert is in base.css, for this attribute.
    file: "react-aria/dist/private/overlays/usePreventScroll.mjs",
    lines: [
      ["let style = document.createElement('style');", "let style = { remove: () => document.documentElement.removeAttribute('data-scroll-held') };"],
      ["document.head.prepend(style);", "document.documentElement.setAttribute('data-scroll-held', '');"],
    ],
  },
];

/** A plugin of Vite that makes the replacements. */
export function policy() {
  return {
    name: "policy",
    transform(code, id) {
      const found = replacements.find(({ file }) => id.split("?")[0].endsWith(file));
      if (!found) return null;
      for (const [from, to] of found.lines) {
        if (!code.includes(from)) this.error(`${found.file} has no ${from}`);
        code = code.replaceAll(from, to);
      }
      return { code, map: null };
    },
  };
}

/** A plugin that leaves out React Aria's texts in languages that the console does not have. */
export function locales(kept) {
  return {
    name: "locales",
    load(id) {
      const found = /react-(?:aria|stately)[^?]*\/intl\/[^?]*\/([a-z]{2})-[A-Z]{2}\.m?js$/.exec(id);
      return found && !kept.includes(found[1]) ? "export default {};" : null;
    },
  };
}
