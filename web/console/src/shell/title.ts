// The title of the window, with how many things have happened that nobody has seen.
let title = "";
let count = 0;

const write = () => void (document.title = count > 0 ? `(${count}) ${title}` : title);

/** Reports whether a page has been shown since the browser has opened this one. */
export const hasTitle = () => title !== "";

export function showTitle(text: string): void {
  title = text;
  write();
}

export function showCount(unseen: number): void {
  count = unseen;
  if (title) write();
}
