// The end of a text in Markdown that is still being written: marks that are begun would be seen as they are typed.

const fences = /^[ \t]*(?:```|~~~)/gm;
const wholeCode = /`[^`\n]*`/g;

/**
 * The text as it would be if the strong words, the code and the link at its end were finished there. What follows the
 * last whole block may be longer or shorter by that; the rest is the same.
 */
export function finishMarks(text: string): string {
  const from = text.lastIndexOf("\n\n") + 1;
  if ((text.match(fences)?.length ?? 0) % 2 === 1) return text; // code shows what is typed
  const begun = text.slice(from).replace(/\[([^\][\n]*)(?:\]\([^()\s]*)?$/, "$1").replace(/(^|[\s(])(?:[*_]{1,3}|`|~~)$/, "$1");
  return text.slice(0, from) + finishSpans(begun);
}

function finishSpans(text: string): string {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  if (isOdd(line, "`")) return insertAtEnd(text, "`");
  const words = text.replaceAll(wholeCode, "");
  const isStrong = isOdd(words, "**");
  // One star of the two that end strong words has come.
  if (isStrong && /[^*\s]\*$/.test(text)) return `${text}*`;
  return isStrong ? insertAtEnd(text, "**") : text;
}

const isOdd = (text: string, mark: string) => text.split(mark).length % 2 === 0;

/** Marks end words, not the space behind them. */
const insertAtEnd = (text: string, mark: string) => text.trimEnd() + mark + text.slice(text.trimEnd().length);
