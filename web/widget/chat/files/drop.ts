// Files that are dropped on the chat, or pasted into the composer.

/** The files of a drop or a paste; none where text is what was meant. */
export function filesOf(data: DataTransfer | null): File[] {
  return data ? [...data.files] : [];
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files that are dropped on an element, and says when some are over it. Returns what ends it. */
export function takeDrops(element: HTMLElement, take: (files: File[]) => void, onOver: (isOver: boolean) => void): () => void {
  const end = new AbortController();
  const listen = (type: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) =>
    element.addEventListener(type, act, { signal: end.signal });
  listen("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault(); // the browser would open the file in place of the chat
    onOver(true);
  });
  listen("dragleave", (event) => {
    if (!element.contains(event.relatedTarget as Node | null)) onOver(false);
  });
  listen("drop", (event) => {
    onOver(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    take(filesOf(event.dataTransfer));
  });
  return () => end.abort();
}
