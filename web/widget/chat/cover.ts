// What lies over the whole chat, such as a sheet of the menu.

/** Keeps what an element lies over from being reached. Returns what ends that and restores the focus. */
export function coverChat(element: HTMLElement): () => void {
  const before = document.activeElement;
  const covered: HTMLElement[] = [];
  const area = element.offsetParent; // beside it there may be more, as on the help page
  let inner: Element = element;
  while (inner.parentElement && inner !== area) {
    const outer: Element = inner.parentElement;
    for (const other of outer.children) {
      const isSpoken = other.getAttribute("role") === "status"; // it says what comes meanwhile
      if (other === inner || isSpoken || !(other instanceof HTMLElement) || other.inert) continue;
      other.inert = true;
      covered.push(other);
    }
    inner = outer;
  }
  return () => {
    for (const other of covered) other.inert = false;
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
}
