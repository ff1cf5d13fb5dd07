// Citations stand in a text as characters for private use while it is lexed: one where a sentence begins, another where
// it ends. Spaces without width keep them from joining words, so that what is around them is read as before.

const half = 0x0800;
const first = 0xe000;

/** The most citations that can be marked in a text. */
export const maxMarks = half;

export const firstMark = String.fromCharCode(first);
export const lastMark = String.fromCharCode(first + 2 * half - 1);

const space = "\ufeff";
const anyMark = /\ufeff?([\ue000-\uefff])\ufeff?/;
const everyMark = /\ufeff?[\ue000-\uefff]\ufeff?/g;

export const startMark = (index: number) => space + String.fromCharCode(first + half + index) + space;
export const endMark = (index: number) => space + String.fromCharCode(first + index) + space;

export interface Mark {
  index: number;
  isStart: boolean;
}

export function markOf(character: string): Mark {
  const code = character.charCodeAt(0) - first;
  return { index: code % half, isStart: code >= half };
}

export const withoutMarks = (text: string) => text.replace(everyMark, "");

/** The pieces of a text and the marks between them, in order. */
export function splitMarks(text: string): (string | Mark)[] {
  return text
    .split(anyMark)
    .map((part, i) => (i % 2 === 1 ? markOf(part) : part))
    .filter((part) => part !== "");
}
