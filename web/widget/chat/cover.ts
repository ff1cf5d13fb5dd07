// What lies over the whole chat, such as a sheet of the menu.

/** Keeps what an element lies over from being reached. Returns what ends that and restores the focus. */
export function coverChat(element: HTMLElement): () => void {
  const before = document.activeElement;
  const covered: HTMLElement[] = [];
  const area = element.offsetParent; // beside it there may be more, as on the help page
  let inner: Element = element;
  while (inner.parentElement && inner !== area) {
    const outer: Element = inner.parentElement;
    for (const other of outer.children) if (other !== inner) cover(other, covered);
    inner = outer;
  }
  return () => {
    for (const other of covered) other.inert = false;
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
}

/** Covers all but the title of the page, and what says what comes meanwhile. */
function cover(element: Element, covered: HTMLElement[]): void {
  if (!(element instanceof HTMLElement) || element.inert || element.matches("h1, [role=status]")) return;
  if (element.querySelector("h1")) {
    for (const child of element.children) cover(child, covered);
    return;
  }
  element.inert = true;
  covered.push(element);
}
