// Styles of the elements that the loaders put on a page: one constructed sheet, which no policy of the page forbids.

export const hasSheets = "adoptedStyleSheets" in document && "replaceSync" in CSSStyleSheet.prototype;

export const top = 2147483000; // z-index

/** Adds a sheet to the page, and returns what takes it away. */
export function adopt(text: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

/** Black or white, whichever is read more easily on a color. */
export function inkOn(color: string): string {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color)?.[1];
  if (!digits) return "CanvasText";
  const whole = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  const [red, green, blue] = [0, 2, 4].map((at) => (parseInt(whole.slice(at, at + 2), 16) / 255) ** 2.2) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

/** What browsers get that cannot show the chat: a link to the page with it, in place of the button. */
export function offerLink(button: HTMLElement, address: string): HTMLElement {
  const link = document.createElement("a");
  link.id = button.id;
  link.href = address;
  link.textContent = button.getAttribute("aria-label");
  Object.assign(link.style, { position: "fixed", zIndex: `${top}`, bottom: "16px", right: "16px", background: "#fff" });
  return link;
}
