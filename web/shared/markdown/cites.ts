// Places the citations of an answer in its text. The server counts bytes of UTF-8, strings count units of UTF-16, and a
// mark must not fall where it would change how the text is read.
import { decodeEntities } from "./entities";
import { normalizeLines, type Lex, type Token } from "./lexer";
import { endMark, maxMarks, startMark, withoutMarks } from "./marks";
import { Converter, type Block } from "./nodes";

/** Bytes of an answer. A negative end says that the citation is not of this text. */
export interface Range {
  answerStart: number;
  answerEnd: number;
}

/** The positions in a string of positions in its UTF-8 bytes. One within a character is moved behind it. */
export function toUTF16(text: string, offsets: readonly number[]): number[] {
  const order = offsets.map((_, i) => i).sort((a, b) => offsets[a]! - offsets[b]!);
  const found: number[] = [];
  let at = 0;
  let bytes = 0;
  for (const i of order) {
    while (bytes < offsets[i]! && at < text.length) {
      const code = text.codePointAt(at)!;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code > 0xffff ? 2 : 1;
    }
    found[i] = at;
  }
  return found;
}

interface Insertion {
  at: number;
  mark: string;
  isStart: boolean;
}

/**
 * The blocks of a whole answer, with its citations in their places. `lexed` are the tokens of the answer, where it was
 * lexed before: then only what holds a citation is lexed again.
 */
export function citedBlocks(
  answer: string,
  ranges: readonly Range[],
  lex: Lex,
  base?: string,
  lexed: readonly Token[] = [],
): Block[] {
  const { text, insertions } = locate(answer, ranges);
  const tokens = lexed.map(({ raw }) => raw).join("") === text ? lexed : lex(text);
  const marked: Token[] = [];
  let at = 0;
  let next = 0;
  for (const token of tokens) {
    const end = at + token.raw.length;
    const own: Insertion[] = [];
    while (next < insertions.length && (insertions[next]!.at <= end || token === tokens.at(-1))) own.push(insertions[next++]!);
    marked.push(markToken(token, at, own, lex));
    at = end;
  }
  return new Converter(base).blocks(marked);
}

/** The text as it is lexed, and what is to be inserted into it, in order. */
function locate(answer: string, ranges: readonly Range[]): { text: string; insertions: Insertion[] } {
  const chosen = ranges.slice(0, maxMarks);
  const positions = toUTF16(answer, chosen.flatMap(({ answerStart, answerEnd }) => [answerStart, answerEnd]));
  const cut = (at: number) => withoutMarks(normalizeLines(answer.slice(0, splitsLineEnd(answer, at) ? at + 1 : at)));
  const text = withoutMarks(normalizeLines(answer));
  const insertions = chosen.flatMap(({ answerEnd }, i): Insertion[] => {
    if (answerEnd < 0) return [];
    const [start, end] = [cut(positions[2 * i]!).length, cut(positions[2 * i + 1]!).trimEnd().length];
    if (start >= end) return [{ at: end, mark: endMark(i), isStart: false }];
    return [
      { at: skipSyntax(text, start), mark: startMark(i), isStart: true },
      { at: end, mark: endMark(i), isStart: false },
    ];
  });
  return { text, insertions: insertions.sort((a, b) => a.at - b.at || Number(a.isStart) - Number(b.isStart)) };
}

const splitsLineEnd = (text: string, at: number) => text[at - 1] === "\r" && text[at] === "\n";

const leading = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?/;

/** Moves a position to the next word, behind what says at the beginning of a line which kind of block it is. */
function skipSyntax(text: string, at: number): number {
  const word = at + /^\s*/.exec(text.slice(at))![0].length;
  const line = text.lastIndexOf("\n", word - 1) + 1;
  return Math.max(word, line + leading.exec(text.slice(line))![0].length);
}

const withPlaces = new Set(["paragraph", "heading", "list", "blockquote", "table", "text"]);

/** A token with marks in it. Those that would change how it is read come behind it. */
function markToken(token: Token, start: number, insertions: readonly Insertion[], lex: Lex): Token {
  if (insertions.length === 0) return token;
  const wanted = shape(token);
  const tryAll = (list: readonly Insertion[]) => {
    const found = withPlaces.has(token.type) ? lex(insert(token.raw, start, list)) : [];
    return found.length === 1 && shape(found[0]!) === wanted ? found[0]! : null;
  };
  const whole = tryAll(insertions);
  if (whole) return whole;
  const placed = insertions.filter((one) => tryAll([one]));
  const marked = placed.length > 0 ? tryAll(placed) : null;
  const behind = insertions.filter((one) => !one.isStart && !(marked && placed.includes(one)));
  const found = marked ?? token;
  return { ...found, raw: found.raw + behind.map(({ mark }) => mark).join("") };
}

function insert(raw: string, start: number, insertions: readonly Insertion[]): string {
  let text = "";
  let done = 0;
  for (const { at, mark } of insertions) {
    const place = Math.min(Math.max(at - start, done), raw.trimEnd().length);
    text += raw.slice(done, place) + mark;
    done = Math.max(done, place);
  }
  return text + raw.slice(done);
}

/** What must stay the same when marks are inserted: the kinds of the blocks, what stands out in them, and the words. */
const shape = (token: Token): string => describe(token).replaceAll("''", "");

function describe(token: Token): string {
  const cells = [token.header ?? [], ...(token.rows ?? [])].map((row) => `[${row.map(describeAll).join("|")}]`);
  const parts = describeAll(token) + (token.items ?? []).map(describe).join("") + (token.rows ? cells.join("") : "");
  if (token.type === "text" && token.tokens) return `<text>${parts}</>`;
  if (token.type === "text" || token.type === "escape") return `'${withoutMarks(decodeEntities(token.text ?? ""))}'`;
  const words = parts || withoutMarks(token.text ?? "");
  return `<${token.type}${token.depth ?? ""} ${withoutMarks(token.href ?? "")}>${words}</>`;
}

const describeAll = ({ tokens = [] }: { tokens?: Token[] }) => tokens.map(describe).join("");
